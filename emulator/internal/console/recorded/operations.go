package recorded

import (
	"cmp"
	"html/template"
	"net/url"
	"slices"
	"strconv"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// Operations are the operations by the short names of the list, and those that rules have for them.
var Operations = map[string]struct{ Short, Rule string }{
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

// TargetOf returns the path and the query of an entry, as text.
func TargetOf(e *journal.Entry) string {
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
	return cmp.Or(Operations[e.Operation].Short, e.Method)
}

// subjectOf returns the id that a request is about, or the path where it has no operation, with the query.
func subjectOf(e *journal.Entry) string {
	_, id, _ := PartsOf(e)
	if Operations[e.Operation].Short == "" {
		id = e.Path
	}
	if e.Query != "" {
		id += "?" + e.Query
	}
	return id
}

// HeaderOf returns the value of a recorded header, "" for none.
func HeaderOf(lines []journal.Header, name string) string {
	for _, h := range lines {
		if h.Name == name {
			return h.Value
		}
	}
	return ""
}

// lengthOf returns the Content-Length of an answer, "" for none.
func lengthOf(e *journal.Entry) string { return HeaderOf(e.ResponseHeaders, "Content-Length") }

// sizeOf returns the size of an answer's body, "" if it is not known.
func sizeOf(e *journal.Entry) string {
	size, err := strconv.ParseInt(lengthOf(e), 10, 64)
	if err != nil {
		return ""
	}
	return words.BytesOf(size)
}

// tokensOf returns a body for people: JSON is indented, and coloured.
func tokensOf(b *journal.Body) []words.Token {
	text := RawBody(b)
	if !words.IsJSON(text) {
		return []words.Token{{Text: text}}
	}
	return words.Highlighted(words.Indented(text))
}

// Alike reports whether two requests were the same and had the same answer.
func Alike(a, b *journal.Entry) bool {
	return a.Method == b.Method && a.Path == b.Path && a.Query == b.Query && a.Status == b.Status && a.Rule == b.Rule && a.Fault == b.Fault
}

// FilterNames are the filters of the page in its address, and the request that others are compared with.
var FilterNames = []string{"q", "kind", "operation", "status", "path", "from", "to", "sort", "unfold", "with"}

// Filters returns the query of the page's links: its filters, and changes of them as name, value, name, value.
func Filters(x *frame.Exchange, changes ...string) string {
	query, sent := url.Values{}, x.Request.URL.Query()
	for _, name := range FilterNames {
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

// Room has no pages, but what others show of requests.
var Room = frame.Room{Funcs: template.FuncMap{"size": sizeOf, "verb": verbOf, "subject": subjectOf, "tokens": tokensOf, "offending": offendingIn}}
