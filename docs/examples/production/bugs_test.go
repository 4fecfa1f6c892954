package production

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// bug is a habit that works until production does something. A test about it fails, and its log says something about it.
type bug struct {
	name    string
	line    string // provokes it: see outcome
	right   string // what a right client does
	plant   func(*habits)
	about   string // a test of the suite
	message string // a part of what this test says
}

var bugs = []bug{
	{"sends no content type", "--strict=spec", "names the type of each body",
		func(h *habits) { h.contentType = "" }, "completes", "Content-Type"},
	{"sends an unknown key", "--strict=spec", "sends documented keys only",
		func(h *habits) { h.session = with(h.session, "reference", "4711") }, "completes", "reference"},
	{"misspells a parameter", "--strict=spec", "takes names from the document",
		func(h *habits) { h.query = url.Values{"income_analytics": {"true"}, "field": h.query["fields"]} }, "completes", "field"},
	{"puts the key into the URL", "--strict=spec", "sends it in `Authorization`: URLs are logged",
		func(h *habits) { h.parameters = keyInURL }, "completes", "api_key"},

	{"has another account's purpose", "account: {permissible_purposes: [employee-request]}", "reads it from its configuration",
		func(h *habits) { h.session = with(h.session, "permissible_purpose", "credit-application") }, "account", "permissible_purpose"},
	{"has another account's use case", "account: {use_cases: [tenant]}", "the same",
		func(h *habits) { h.session = with(h.session, "use_case", "mortgage") }, "account", "use_case"},
	{"names a reseller's party", "account: {reseller: false}", "does so for resellers alone",
		func(h *habits) { h.session = with(h.session, "reseller_originating_party", party) }, "account", "reseller_originating_party"},

	{"crashes on an HTML 502", "vr_outage_502", "needs no body of an error, reads again",
		func(h *habits) { h.read = crashOn(http.StatusBadGateway) }, "outages", "panic"},
	{"crashes on an HTML 503", "vr_outage_503", "the same",
		func(h *habits) { h.read = crashOn(http.StatusServiceUnavailable) }, "outages", "panic"},
	{"reads an error's JSON before its status", "vr_outage_then_fine", "reads the status first",
		func(h *habits) { h.read = bodyFirst }, "outages", "invalid character '<'"},
	{"needs `Retry-After`", "vr_limited_bare", "else waits a span of its own",
		func(h *habits) { h.pause = needsRetryAfter }, "limits", "no Retry-After"},
	{"repeats a session's POST", "{on: create, fault: truncated}", "repeats reads only, reports the rest",
		func(h *habits) { h.retry = always }, "lost answer", "createCredentialsSession; expected exactly 1"},
	{"repeats after 406", "vr_error_406", "ends: it stays 406",
		func(h *habits) { h.retry = alsoAfter406 }, "refusals", "getVerificationRequest; expected exactly 6"},
	{"treats 451 as any 4xx", "000-00-0451", "says that the data is frozen",
		func(h *habits) { h.failure = func(_ string, refused *refusal) error { return refused } }, "frozen", "451"},
	{"waits for ever for an answer", "{on: get, delay: {fixed: 1s}}", "gives each call a timeout",
		func(h *habits) { h.timeout = 0 }, "slow", "<nil>"},

	{"wants ids that begin with `vr_`", "grease: on", "takes any text for an id",
		func(h *habits) { h.id = prefixed }, "grease", "does not begin with"},
	{"stores 32 characters of an id", "grease: on", "stores it whole",
		func(h *habits) { h.id = short }, "grease", "longer than 32"},
	{"parses whole seconds only", "grease: on", "parses any instant of RFC 3339",
		func(h *habits) { h.instant = wholeSeconds }, "grease", "parsing time"},
	{"refuses an unknown key", "grease: on", "ignores it",
		func(h *habits) { h.read = refuseKeys }, "grease", "unknown field"},
	{"refuses an unknown word", "grease: values", "decides without it",
		func(h *habits) { h.word = refuseWords }, "new words", "unknown word"},

	{"throws the token away", "session_flow: manual", "gives it to the person",
		func(h *habits) { h.usesToken = false }, "person", errPending.Error()},
	{"never polls", "vr_lifecycle", "reads until the request has ended",
		func(h *habits) { h.polls = false }, "waits", errPending.Error()},
	{"polls hot", "vr_lifecycle_timed", "waits between reads",
		func(h *habits) { h.every = 0 }, "waits", "calls without end"},
	{"polls for ever", "vr_pending_approval", "gives up after some days",
		func(h *habits) { h.within = 0 }, "gives up", "waits without end"},

	{"counts money in floats", "{set: {income_analytics: {annualized_income: {gross_amount: {amount: \"35018.02\"}}}}}", "counts cents",
		func(h *habits) { h.cents = float }, "to the cent", "3501801 cents"},
	{"reads the deprecated amount", "vr_base_without_gross", "reads `gross_amount`, else `base_amount`",
		func(h *habits) { h.annual = func(r report) string { return r.Analytics.Income.Amount.Amount } }, "income", "not 6200000"},
	{"counts former jobs", "vr_multiple_reports", "counts reports whose employee is active",
		func(h *habits) { h.counted = func(all []report) []report { return all } }, "jobs", "not 6000000"},
	{"reads the first report only", "vr_two_jobs", "adds up the reports",
		func(h *habits) { h.counted = func(all []report) []report { return active(all[:min(1, len(all))]) } }, "jobs", "4800000 cents"},
}

func always(_ string, status int) bool { return harmless(http.MethodGet, status) }

func alsoAfter406(method string, status int) bool {
	return status == http.StatusNotAcceptable || harmless(method, status)
}

// with returns a copy of an object with another member.
func with(o object, key string, value any) object {
	o = maps.Clone(o)
	o[key] = value
	return o
}

var party = object{"originating_party": "Example Lender", "permissible_purpose": "employee-request", "use_case": "tenant"}

func keyInURL(key string, query url.Values) url.Values {
	query = maps.Clone(query)
	if query == nil {
		query = url.Values{}
	}
	query.Set("api_key", key)
	return query
}

// crashOn takes the body of a status for the envelope of an error.
func crashOn(unread int) func(int, []byte, any) error {
	return func(status int, body []byte, into any) error {
		if status != unread {
			return statusFirst(status, body, into)
		}
		var e envelope
		json.Unmarshal(body, &e) // "an error always has JSON"
		return &refusal{status, e.Error.Message}
	}
}

func bodyFirst(status int, body []byte, into any) error {
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil {
		return err
	}
	if e.Error != nil {
		return &refusal{status, e.Error.Message}
	}
	return json.Unmarshal(body, into)
}

func needsRetryAfter(status int, header http.Header, now time.Time) (time.Duration, error) {
	if status == http.StatusTooManyRequests && header.Get("Retry-After") == "" {
		return 0, errors.New("a 429 has no Retry-After")
	}
	return retryAfter(status, header, now)
}

func prefixed(prefix, id string) error {
	if id != "" && !strings.HasPrefix(id, prefix) {
		return fmt.Errorf("the id %q does not begin with %s", id, prefix)
	}
	return notBlank(prefix, id)
}

// short is a column of a database.
func short(prefix, id string) error {
	if len(id) > 32 {
		return fmt.Errorf("the id %q is longer than 32 characters", id)
	}
	return notBlank(prefix, id)
}

// wholeSeconds parses as strptime does: no fraction, and Z alone.
func wholeSeconds(text string) (time.Time, error) {
	const layout = "2006-01-02T15:04:05Z"
	if len(text) != len(layout) { // time.Parse takes a fraction with any layout
		return time.Time{}, fmt.Errorf("parsing time %q as %s", text, layout)
	}
	return time.Parse(layout, text)
}

// refuseKeys decodes strictly what the client has a whole type for: a session.
func refuseKeys(status int, body []byte, into any) error {
	if _, whole := into.(*session); !whole || status >= 300 {
		return statusFirst(status, body, into)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

func refuseWords(frequency string) error {
	if frequency != "" && !slices.Contains(frequencies, frequency) {
		return fmt.Errorf("the unknown word %q", frequency)
	}
	return nil
}

var frequencies = strings.Fields(`annually daily semiweekly monthly weekly biweekly bimonthly semimonthly quarterly semiannually
	thirteen-monthly fourteen-month hourly variable`)

func float(amount string) (int64, error) {
	dollars, err := strconv.ParseFloat(amount, 64)
	return int64(dollars * 100), err
}
