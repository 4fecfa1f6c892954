package surface_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// versions are those of the operations, by the beginning of their path.
var versions = map[string]string{"ver": "2019-10-15", "ten": "2023-10-30", "cre": "2022-08-01", "qua": "2023-10-30"}

// noted is a request with a finding of one kind.
type noted struct {
	meaning            string // of strict mode, which refuses it
	method, path, body string
	finding            string
	header, value      string // instead of the usual one; without a value the header is not sent
}

// send sends the request with everything else that the specification wants.
func (n noted) send(t *testing.T, url string) *apitest.Response {
	t.Helper()
	r := lab.RequestTo(n.method, url+n.path, lab.Key, n.body)
	r.Header.Set("Accept", "application/json; version="+versions[n.path[1:4]])
	if r.Header.Del(n.header); n.value != "" {
		r.Header.Set(n.header, n.value)
	}
	return apitest.New(t, url, lab.Key).Do(r)
}

// notedRequests has a request for each kind of note.
func notedRequests() map[string]noted {
	const get, sessions = "/verification-requests/vr_completed", "/credentials/session"
	const party = `"reseller_originating_party":{"originating_party":"a","permissible_purpose":"employment","use_case":"auto"},"type"`
	magic := lab.Session("000-00-0000")
	with := func(old, replacement string) string { return strings.Replace(magic, old, replacement, 1) }
	return map[string]noted{
		"an unknown key":             {"spec", "PUT", "/tenant-properties/tp_default", `{"name":"a","nmae":"b"}`, `unknown key "nmae"`, "", ""},
		"an unknown key of a target": {"spec", "POST", sessions, with(`"company":`, `"nick":1,"company":`), `unknown key "target.nick"`, "", ""},
		"an unknown parameter":       {"spec", "GET", get + "?feilds=id", "", `unknown query parameter "feilds"`, "", ""},
		"a parameter of none":        {"spec", "GET", "/qualification-checks/qc_qualified?x=1", "", `unknown query parameter "x"`, "", ""},
		"a repeated parameter":       {"spec", "GET", get + "?income_analytics=0&income_analytics=1", "", "income_analytics was given 2 times", "", ""},
		"an unknown field":           {"spec", "GET", get + "?fields=id,stat", "", `fields: unknown name "stat"`, "", ""},
		"no content type":            {"spec", "PUT", "/tenant-properties/tp_default", `{"name":"a"}`, "no Content-Type was sent", "Content-Type", ""},
		"no date of birth":           {"spec", "POST", sessions, with(`"date_of_birth":"1990-02-28","company":{"name":"Example Mill"}`, `"company":null`), "target.date_of_birth is required for employer search", "", ""},
		"no version":                 {"version", "GET", get, "", "no version was asked for: send Accept: application/json; version=2019-10-15", "Accept", ""},
		"another version":            {"version", "GET", get, "", "version 2022-08-01 is not this operation's", "Accept", "application/json; version=2022-08-01, */*"},
		"a real number":              {"ssn", "POST", sessions, lab.Session("123-12-3456"), "target.social_security_number could have been issued to a person", "", ""},
		"an unlisted number":         {"ssn", "POST", sessions, lab.Session("000-12-3456"), "no scenario names target.social_security_number, which ends with 3456", "", ""},
		"an unlikely age":            {"age", "POST", sessions, with("1990-02-28", "2020-02-28"), "target.date_of_birth makes the target younger than 14", "", ""},
		"a reseller party":           {"reseller", "POST", sessions, with(`"type"`, party), "reseller_originating_party must not be given", "", ""},
		"a null reseller party":      {"reseller", "POST", sessions, with(`"type"`, `"reseller_originating_party":null,"type"`), "reseller_originating_party is null", "", ""},
	}
}

// Each meaning of strict mode refuses its own findings with 400, and the others are diagnosed only.
func TestStrict(t *testing.T) {
	t.Parallel()
	alone, others := make(map[string]string), make(map[string]string) // URLs
	meanings := []string{"spec", "version", "ssn", "age", "reseller"}
	for i, meaning := range meanings {
		alone[meaning] = lab.Serve(t, emulator.WithStrict(meaning))
		others[meaning] = lab.Serve(t, emulator.WithStrict(slices.Delete(slices.Clone(meanings), i, i+1)...))
	}
	all := lab.Serve(t, emulator.WithStrict("all"))
	for name, n := range notedRequests() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, url := range []string{alone[n.meaning], all} {
				refused := n.send(t, url)
				lab.WantStatus(t, refused, http.StatusBadRequest, lab.Invalid)
				lab.WantDiagnosis(t, refused, "refused by --strict="+n.meaning+": "+n.finding)
				if diagnosis := refused.Header.Get("Understudy-Diagnosis"); strings.Contains(diagnosis, "was ignored:") || strings.Contains(diagnosis, "was ignored;") {
					t.Errorf("diagnosis %q", diagnosis)
				}
			}
			served := n.send(t, others[n.meaning])
			lab.WantOK(t, served)
			lab.WantDiagnosis(t, served, n.finding)
		})
	}
}

// A request with findings of several meanings names those that refuse it.
func TestStrictSeveralMeanings(t *testing.T) {
	t.Parallel()
	body := strings.Replace(lab.Session("000-12-3456"), `"type"`, `"nick":1,"reseller_originating_party":null,"type"`, 1)
	n := noted{method: "POST", path: "/credentials/session", body: body}
	lab.WantDiagnosis(t, n.send(t, lab.Serve(t, emulator.WithStrict("ssn,spec"))), `refused by --strict=spec,ssn: unknown key "nick"; no scenario names`)
	lab.WantDiagnosis(t, n.send(t, lab.Serve(t, emulator.WithStrict("reseller"))), `refused by --strict=reseller: reseller_originating_party is null`)
}

// An error of the body is the answer before a finding that strict mode refuses: the finding stays a diagnosis.
func TestStrictBesideError(t *testing.T) {
	t.Parallel()
	n := noted{method: "PUT", path: "/tenant-properties/tp_default", body: `{"nmae":"b"}`}
	refused := n.send(t, lab.Serve(t, emulator.WithStrict("spec")))
	lab.WantStatus(t, refused, http.StatusBadRequest, lab.Invalid)
	if got := refused.Header.Get("Understudy-Diagnosis"); !strings.Contains(got, "name is required") || !strings.Contains(got, `unknown key "nmae" was ignored`) || strings.Contains(got, "--strict") {
		t.Error(got)
	}
}

// A reseller's party is diagnosed unless the account says whether it is a reseller's.
func TestResellerDiagnosedByAccount(t *testing.T) {
	t.Parallel()
	n := notedRequests()["a reseller party"]
	for account, diagnosed := range map[string]bool{`{}`: true, `{"types":["employment-income"]}`: true, `{"reseller":true}`: false} {
		c := lab.Start(t)
		lab.WantOK(t, c.Put(lab.Control+"account", account))
		served := c.Post(n.path, n.body)
		lab.WantOK(t, served)
		if got := served.Header.Get("Understudy-Diagnosis"); strings.Contains(got, n.finding) != diagnosed {
			t.Errorf("the account %s: %q", account, got)
		}
	}
}

// Many unknown keys do not hide a finding of another meaning.
func TestStrictManyFindings(t *testing.T) {
	t.Parallel()
	keys := new(strings.Builder)
	for c := 'a'; c <= 'z'; c++ {
		keys.WriteString(`"nick_` + string(c) + `":1,`)
	}
	body := strings.Replace(lab.Session("000-00-0000"), `"company":{"name":"Example Mill"}`, `"company":null`, 1)
	body = strings.Replace(strings.Replace(body, `"type"`, keys.String()+`"type"`, 1), `"date_of_birth":"1990-02-28",`, "", 1)
	n := noted{method: "POST", path: "/credentials/session", body: body}
	if diagnosis := n.send(t, lab.Serve(t, emulator.WithStrict("spec"))).Header.Get("Understudy-Diagnosis"); !strings.Contains(diagnosis, "nick_a") {
		t.Error(diagnosis)
	}
	e := lab.Launch(t)
	lab.WantOK(t, n.send(t, lab.ServeHandler(t, e)))
	entries, err := lab.WorldOf(t, e, lab.Key).Journal(t.Context(), emulator.JournalFilter{})
	lab.NoError(t, err)
	if notes := strings.Join(entries[0].Diagnosis, "\n"); !strings.Contains(notes, "target.date_of_birth is required") || !strings.Contains(notes, "\nand 6 more") {
		t.Error(notes)
	}
}

func TestStrictWords(t *testing.T) {
	t.Parallel()
	n := notedRequests()["an unknown parameter"]
	for text, status := range map[string]int{"": 200, "off": 200, "version": 200, "all": 400, "spec": 400, "ssn, spec": 400} {
		if got := n.send(t, lab.Serve(t, emulator.WithStrict(text))).Status; got != status {
			t.Errorf("%q: %d, want %d", text, got, status)
		}
	}
	if got := n.send(t, lab.Serve(t, emulator.WithStrict("spec"), emulator.WithStrict())).Status; got != http.StatusOK {
		t.Errorf("without a meaning: %d", got)
	}
	const list = " It has spec, version, ssn, age, reseller; all and off stand alone"
	for text, want := range map[string]string{
		"verison":  `strict mode has no meaning "verison": did you mean version?` + list,
		"nonsense": `strict mode has no meaning "nonsense".` + list,
		"spec,off": `strict mode has no meaning "off".` + list,
		"spec,":    `strict mode has no meaning "".` + list,
	} {
		if _, err := emulator.New(emulator.WithStrict(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// What is only diagnosed is summed up, also of answers that the journal does not have. What is refused is not counted.
func TestDiagnosed(t *testing.T) {
	t.Parallel()
	e := lab.Launch(t, emulator.WithJournalSize(0), emulator.WithStrict("age"))
	url := lab.ServeHandler(t, e)
	if lines := e.Diagnosed(); len(lines) > 0 {
		t.Errorf("at the start: %q", lines)
	}
	for _, n := range notedRequests() {
		n.send(t, url)
	}
	other := notedRequests()["no version"]
	lab.WantOK(t, apitest.New(t, url, lab.Key+"_other").Get(other.path)) // in another world
	lab.WantStatus(t, apitest.New(t, url, lab.Key).With("Accept", "application/json; version=2023-10-30").Put("/tenant-properties/tp_default", `{"nmae":"b"}`), http.StatusBadRequest, lab.Invalid)
	want := []string{
		"2 answers asked for no version: --strict=version",
		"2 requests had unknown keys in the body: --strict=spec",
		"2 requests had unknown query parameters: --strict=spec",
		"1 answer ignored a version that is not the operation's: --strict=version",
		"1 request with a body had no Content-Type: --strict=spec",
		"1 request repeated a query parameter: --strict=spec",
		"1 request had unknown names in fields: --strict=spec",
		"1 session lacked a date of birth for employer search: --strict=spec",
		"1 number that could be real: --strict=ssn",
		"1 number that no scenario names: --strict=ssn",
		"1 session with a reseller party: --strict=reseller",
		"1 session with null as its reseller party: --strict=reseller",
	}
	if diff := cmp.Diff(want, e.Diagnosed()); diff != "" {
		t.Error(diff)
	}
}

// An answer with several findings of one kind counts once for the kind.
func TestDiagnosedOncePerAnswer(t *testing.T) {
	t.Parallel()
	e := lab.Launch(t)
	n := noted{method: "PUT", path: "/tenant-properties/tp_default", body: `{"name":"a","nmae":"b","sity":"c"}`}
	lab.WantOK(t, n.send(t, lab.ServeHandler(t, e)))
	if diff := cmp.Diff([]string{"1 request had unknown keys in the body: --strict=spec"}, e.Diagnosed()); diff != "" {
		t.Error(diff)
	}
}
