package console

import (
	"cmp"
	"html/template"
	"net/url"
	"slices"
	"strconv"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// operations are the operations by the short names of the list, and those that rules have for them.
var operations = map[string]struct{ short, rule string }{
	"getVerificationRequest":    {"request", "get verification_request"},
	"cancelVerificationRequest": {"cancel", "cancel verification_request"},
	"getQualificationCheck":     {"check", "get qualification_check"},
	"updateTenantProperty":      {"property", "update tenant_property"},
	"createCredentialsSession":  {"session", "create credentials_session"},

	"createVerification": {"create", "create verification_request"},
	"listVerifications":  {"list", "list verification_request"},
	"getReport":          {"report", "report verification_request"},
	"reverify":           {"reverify", "reverify verification_request"},
	"listCompanies":      {"companies", "list company"},
}

// targetOf returns the path and the query of an entry, as text.
func targetOf(e *journal.Entry) string {
	if e.Query == "" {
		return e.Path
	}
	return e.Path + "?" + e.Query
}

// verbOf returns the operation of a request in a word, its method where it has none.
func verbOf(e *journal.Entry) string {
	if e.Kind == journal.KindWebhook {
		return "webhook"
	}
	return cmp.Or(operations[e.Operation].short, e.Method)
}

// subjectOf returns the id that a request is about, or the path where it has no operation, with the query.
func subjectOf(e *journal.Entry) string {
	_, id, _ := partsOf(e)
	if operations[e.Operation].short == "" {
		id = e.Path
	}
	if e.Query != "" {
		id += "?" + e.Query
	}
	return id
}

// headerOf returns the value of a recorded header, "" for none.
func headerOf(lines []journal.Header, name string) string {
	for _, h := range lines {
		if h.Name == name {
			return h.Value
		}
	}
	return ""
}

// lengthOf returns the Content-Length of an answer, "" for none.
func lengthOf(e *journal.Entry) string { return headerOf(e.ResponseHeaders, "Content-Length") }

// sizeOf returns the size of an answer's body, "" if it is not known.
func sizeOf(e *journal.Entry) string {
	size, err := strconv.ParseInt(lengthOf(e), 10, 64)
	if err != nil {
		return ""
	}
	return bytesOf(size)
}

// alike reports whether two requests were the same and had the same answer.
func alike(a, b *journal.Entry) bool {
	return a.Method == b.Method && a.Path == b.Path && a.Query == b.Query && a.Status == b.Status && a.Rule == b.Rule && a.Fault == b.Fault
}

// filterNames are the filters of the page in its address, and the request that others are compared with.
var filterNames = []string{"q", "kind", "operation", "status", "path", "from", "to", "sort", "unfold", "with"}

// filters returns the query of the page's links: its filters, and changes of them as name, value, name, value.
func (x *exchange) filters(changes ...string) string {
	query, sent := url.Values{}, x.request.URL.Query()
	for _, name := range filterNames {
		changes = append([]string{name, sent.Get(name)}, changes...)
	}
	for change := range slices.Chunk(changes, 2) {
		if query.Del(change[0]); change[1] != "" {
			query.Set(change[0], change[1])
		}
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

// recordedRoom has no pages, but what others show of requests.
var recordedRoom = room{Funcs: template.FuncMap{"size": sizeOf, "verb": verbOf, "subject": subjectOf, "bodyHTML": bodyHTML}}
