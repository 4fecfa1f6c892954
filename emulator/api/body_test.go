package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

const sessionBody = `{
	"permissible_purpose": "credit-application", "type": "employment-income", "use_case": "mortgage",
	"target": {"first_name": "Ada", "last_name": "Example", "social_security_number": "000-12-3456",
		"date_of_birth": "1990-02-28", "company": {"name": "Example Mill"}}
}`

func post(contentType, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	return r
}

// changed decodes sessionBody with a part of it changed.
func changed(old, new string) (api.NewCredentialsSession, []api.Note, error) {
	return api.DecodeNewCredentialsSession(post("application/json", strings.Replace(sessionBody, old, new, 1)))
}

func sessionProblem(t *testing.T, r *http.Request) string {
	t.Helper()
	_, _, err := api.DecodeNewCredentialsSession(r)
	refusal := (*api.Error)(nil)
	if !errors.As(err, &refusal) || refusal.Status != http.StatusBadRequest || refusal.Message != "Invalid field values provided" {
		t.Fatalf("%v, want 400 with the spec's default message", err)
	}
	return refusal.Diagnosis
}

func TestBodySyntax(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ contentType, body, diagnosis string }{
		"no body":                           {"application/json", "", "the body is missing: send a JSON object"},
		"only space":                        {"application/json", " \r\n", "the body is missing"},
		"not JSON":                          {"application/json", "hello", "the body is not valid JSON at byte 0: a value, or a key in quotes, must begin here"},
		"cut short":                         {"application/json", `{"type":`, "it ends too early"},
		"trailing data":                     {"application/json", sessionBody + "{}", "nothing may follow the value"},
		"a byte order mark":                 {"application/json", "\ufeff{}", "not valid JSON at byte 0: a byte-order mark stands here: leave it out"},
		"a list":                            {"application/json", "[1]", "must be a JSON object, not an array"},
		"null":                              {"application/json", "null", "must be a JSON object, not null"},
		"a string":                          {"application/json", `"a"`, "must be a JSON object, not a string"},
		"duplicate keys":                    {"application/json", `{"type":"assets","type":"assets"}`, `a key twice: "type"`},
		"duplicate keys of an inner object": {"application/json", `{"x":{"y":1,"y":1}}`, `a key twice: "x.y"`},
		"invalid UTF-8":                     {"application/json", "{\"type\":\"\xff\"}", "the text must be UTF-8"},
		"half a surrogate pair":             {"application/json", `{"type":"\ud800"}`, "half a surrogate pair"},
		"half a pair and a number":          {"application/json", `{"a":"\ud800 123456789"}`, "half a surrogate pair"},
		"half a pair and a quoted number":   {"application/json", "{\"a\":\"\\ud800`123456789\"}", "half a surrogate pair"},
		"half a pair and an escaped number": {"application/json", `{"a":"\ud800\u0001123456789"}`, "half a surrogate pair"},
		"a nesting bomb of lists":           {"application/json", strings.Repeat("[", 1<<19), "nested too deep"},
		"a nesting bomb of objects":         {"application/json", strings.Repeat(`{"a":`, 1<<17), "nested too deep"},
		"a character outside ASCII":         {"application/json", `{"type":é}`, "not valid JSON at byte 8: a value, or a key in quotes, must begin here"},
		"an unknown word":                   {"application/json", `{"type":trux}`, "only the words true, false and null"},
		"an unfinished number":              {"application/json", `{"type":1.}`, "a digit must be here"},
		"an unknown escape":                 {"application/json", `{"type":"\x"}`, "an escape that JSON does not have"},
		"a control character":               {"application/json", "{\"type\":\"\n\"}", "a control character in a string must be escaped"},
		"no colon":                          {"application/json", `{"type" 1}`, "a colon must be here"},
		"no comma":                          {"application/json", `{"type":1 "a":2}`, "a comma or } must be here"},
		"no comma in a list":                {"application/json", `[1 2]`, "a comma or ] must be here"},
		"a trailing comma":                  {"application/json", `{"type":1,}`, "not valid JSON at byte 9: a value, or a key in quotes, must begin here"},
		"a key without quotes":              {"application/json", `{1:1}`, "a key must be a string in quotes"},
		"a form":                            {"application/x-www-form-urlencoded", "type=assets", "Content-Type must be application/json"},
		"another charset":                   {"application/json; charset=latin1", sessionBody, "charset"},
		"a malformed content type":          {"application/json;;;=", sessionBody, "Content-Type"},
		"a content type that is a list":     {"application/json, text/plain", sessionBody, "Content-Type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diagnosis := sessionProblem(t, post(tt.contentType, tt.body))
			if !strings.Contains(diagnosis, tt.diagnosis) || strings.Contains(diagnosis, "123") {
				t.Errorf("diagnosis %q, want one that has %q, and nothing of a number", diagnosis, tt.diagnosis)
			}
		})
	}
}

func TestBodyHeaders(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		header    http.Header
		diagnosis string
	}{
		"a compressed body is refused":  {http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, "Content-Encoding is not supported"},
		"two content types are refused": {http.Header{"Content-Type": {"application/json", "text/plain"}}, "Content-Type must be sent once"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := post("", sessionBody)
			r.Header = tt.header
			if diagnosis := sessionProblem(t, r); !strings.Contains(diagnosis, tt.diagnosis) {
				t.Errorf("diagnosis %q, want one that has %q", diagnosis, tt.diagnosis)
			}
		})
	}
	t.Run("no content type is served and noted", func(t *testing.T) {
		t.Parallel()
		r := post("", sessionBody)
		r.Header.Del("Content-Type")
		_, notes, err := api.DecodeNewCredentialsSession(r)
		if err != nil || len(notes) != 1 || !strings.Contains(textOf(notes), "Content-Type") {
			t.Errorf("notes %q, error %v", textOf(notes), err)
		}
	})
}

func TestSessionProblems(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		old, new string // a change of a valid body
		problem  string
	}{
		"spec 4.4: type is required":                {`"type": "employment-income",`, ``, "type is required"},
		"spec 4.4: type may not be null":            {`"employment-income"`, `null`, "type may not be null"},
		"spec 2.1: type has four values":            {`"employment-income"`, `"employment-incom"`, "type must be employment-income (or another of: employment, tenant-screening, assets)"},
		"spec 2.1: the values are case-sensitive":   {`"employment-income"`, `"Assets"`, "type must be"},
		"spec 2.1: use_case other is only returned": {`"mortgage"`, `"other"`, "use_case must be one of: mortgage"},
		"spec 4.4: permissible_purpose is an enum":  {`"credit-application"`, `7`, "permissible_purpose must be a string, not a number"},
		"spec 4.4: target is an object":             {`"target": {`, `"target": [], "x": {`, "target must be an object, not an array"},
		"spec 4.4: first_name is required":          {`"first_name": "Ada",`, ``, "target.first_name is required"},
		"a required string may not be blank":        {`"Ada"`, `" "`, "target.first_name may not be blank"},
		"spec 4.4: last_name is a string":           {`"Example"`, `true`, "target.last_name must be a string, not a boolean"},
		"spec 4.4: the number has nine digits":      {`000-12-3456`, `12-3456`, "target.social_security_number must be a social security number"},
		"spec 4.4: the number is a string":          {`"000-12-3456"`, `123456789`, "target.social_security_number must be a string, not a number"},
		"spec 4.4: date_of_birth is YYYY-MM-DD":     {`1990-02-28`, `1990-02-30`, "target.date_of_birth is not a date"},
		"spec 4.4: a company by name has a name":    {`{"name": "Example Mill"}`, `{}`, "target.company.name is required"},
		"spec 4.4: a company by id has a string":    {`{"name": "Example Mill"}`, `{"id": 5}`, "target.company.id must be a string, not a number"},
		"spec 4.4: a company has a name or an id":   {`"name": "Example Mill"`, `"name": "a", "id": "5"`, "target.company must have a name or an id, not both"},
		"spec 8: metadata values are strings":       {`"type":`, `"metadata": {"a": 1}, "type":`, `metadata must have strings only: "a" is a number`},
		"spec 8: metadata has a single level":       {`"type":`, `"metadata": {"a": {}}, "type":`, `metadata must have strings only: "a" is an object`},
		"spec 4.4: a reseller party has a use case": {`"type":`, `"reseller_originating_party": {"originating_party": "x", "permissible_purpose": "employment"}, "type":`, "reseller_originating_party.use_case is required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diagnosis := sessionProblem(t, post("application/json", strings.Replace(sessionBody, tt.old, tt.new, 1)))
			if !strings.Contains(diagnosis, tt.problem) {
				t.Errorf("diagnosis %q, want one that has %q", diagnosis, tt.problem)
			}
			if strings.Contains(diagnosis, "3456") || strings.Contains(diagnosis, "123456789") {
				t.Errorf("diagnosis %q has digits of the number", diagnosis)
			}
		})
	}
}

func TestSessionCompany(t *testing.T) {
	t.Parallel()
	for company, want := range map[string]*api.Company{
		`{"id": "5", "name": null}`:      {ID: new(5)}, // the other key may be null
		`{"id": null, "name": "a"}`:      {Name: new("a")},
		`{"id": "0"}`:                    {ID: new(0)},
		`{"id": "-5"}`:                   {ID: new(-5)},
		`{"id": "007"}`:                  {}, // not an integer
		`{"id": "+5"}`:                   {},
		`{"id": "a"}`:                    {},
		`{"id": "99999999999999999999"}`: {},
	} {
		got, notes, err := changed(`{"name": "Example Mill"}`, company)
		if err != nil || len(notes) > 0 || !cmp.Equal(got.Target.Company, want) {
			t.Errorf("%s: %+v, notes %q, error %v", company, got.Target.Company, textOf(notes), err)
		}
	}
}

func TestSessionMetadata(t *testing.T) {
	t.Parallel()
	for member, want := range map[string]map[string]string{
		``:                         {},
		`"metadata": null, `:       nil,
		`"metadata": {"a": "b"}, `: {"a": "b"},
	} {
		got, _, err := changed(`"type":`, member+`"type":`)
		if diff := cmp.Diff(want, got.Metadata); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	}
}

func TestBodyHugeNumbers(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"1e999", strings.Repeat("9", 5000), "-0.0", "[1, {\"a\": 1e999}]"} {
		if _, _, err := changed(`"type":`, `"x": `+number+`, "type":`); err != nil {
			t.Errorf("%.20s: %v", number, err)
		}
	}
}

func TestBodyNotesLimit(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	body.WriteString(`{"name": "a"`)
	for i := range 1000 {
		fmt.Fprintf(&body, `, "k%d": 1`, i)
	}
	_, notes, err := api.DecodeTenantPropertyUpdate(post("application/json", body.String()+"}"))
	if err != nil || len(notes) != 21 || notes[20].Text != "and 980 more" {
		t.Errorf("%d notes, the last %q, error %v", len(notes), notes[len(notes)-1].Text, err)
	}
}

func TestSessionProblemsTogether(t *testing.T) {
	t.Parallel()
	diagnosis := sessionProblem(t, post("application/json", `{"type": 1, "target": {"first_name": null}}`))
	want := "permissible_purpose is required; type must be a string, not a number; use_case is required; " +
		"target.first_name may not be null; target.last_name is required; target.social_security_number is required"
	if diagnosis != want {
		t.Errorf("diagnosis\n%s\nwant\n%s", diagnosis, want)
	}
}

func TestSessionNotes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ old, new, note string }{
		"an unknown key":                                    {`"type":`, `"colour": "red", "type":`, `unknown key "colour" was ignored`},
		"an unknown key with a near one":                    {`"type":`, `"usecase": 1, "type":`, `unknown key "usecase" was ignored: did you mean use_case?`},
		"an unknown key of target with a near one":          {`"first_name":`, `"firstname": 1, "first_name":`, `unknown key "target.firstname" was ignored: did you mean first_name?`},
		"an unknown key of target":                          {`"first_name":`, `"nick": 1, "first_name":`, `unknown key "target.nick" was ignored`},
		"a key that could be a real number":                 {`"type":`, `"123-45-6789": 1, "type":`, `unknown key "***-**-6789" was ignored`},
		"spec 4.4: a reseller party that was given":         {`"type":`, `"reseller_originating_party": {"originating_party": "x", "permissible_purpose": "employment", "use_case": "auto"}, "type":`, "reseller_originating_party must not be given"},
		"spec 4.4: no date of birth for an employer search": {`"date_of_birth": "1990-02-28", "company": {"name": "Example Mill"}`, `"company": null`, "date_of_birth is required for employer search"},
		"a number that could be real":                       {`000-12-3456`, `123-12-3456`, "could have been issued"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, notes, err := changed(tt.old, tt.new)
			if err != nil {
				t.Fatal(err)
			}
			notes = append(notes, in.Note(true, api.DateOf(time.Date(2025, 1, 15, 0, 0, 0, 0, time.UTC)))...)
			if len(notes) != 1 || !strings.Contains(textOf(notes), tt.note) || strings.Contains(textOf(notes), "3456") {
				t.Errorf("notes %q, want one that has %q", textOf(notes), tt.note)
			}
		})
	}
}

func TestBodyCharset(t *testing.T) {
	t.Parallel()
	for _, charset := range []string{"utf-8", "UTF-8", "utf8", "UTF8"} {
		if _, _, err := api.DecodeNewCredentialsSession(post("application/json; charset="+charset, sessionBody)); err != nil {
			t.Errorf("%s: %v", charset, err)
		}
	}
}

func TestSessionDecoded(t *testing.T) {
	t.Parallel()
	body := `{"permissible_purpose": "subpoena", "type": "assets", "use_case": "auto", "metadata": {"k": "v"},
		"reseller_originating_party": {"originating_party": "Broker", "permissible_purpose": "employment", "use_case": "health"},
		"target": {"first_name": "Ada", "last_name": "Example", "social_security_number": "000123456",
		"contact_email": "ada@example.com", "date_of_birth": "1990-02-28", "phone_number": "212-555-0100",
		"company": {"id": "5", "address": "1 Main St", "city": "Town", "phone_number": "", "state": "NY", "zip_code": null}}}`
	got, _, err := api.DecodeNewCredentialsSession(post("application/json", body))
	if err != nil {
		t.Fatal(err)
	}
	ssn, err := api.ParseSSN("000-12-3456")
	if err != nil {
		t.Fatal(err)
	}
	want := api.NewCredentialsSession{
		Type: "assets", UseCase: "auto", PermissiblePurpose: "subpoena",
		Metadata: map[string]string{"k": "v"},
		ResellerOriginatingParty: &api.ResellerOriginatingParty{
			OriginatingParty: "Broker", PermissiblePurpose: "employment", UseCase: "health",
		},
		Target: api.SessionTarget{
			FirstName: "Ada", LastName: "Example", SocialSecurityNumber: ssn,
			ContactEmail: new("ada@example.com"), DateOfBirth: new(api.NewDate(1990, 2, 28)), PhoneNumber: new("212-555-0100"),
			Company: &api.Company{
				ID: new(5), Address: new("1 Main St"), City: new("Town"), PhoneNumber: new(""), State: new("NY"),
			},
		},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(api.SSN{})); diff != "" {
		t.Error(diff)
	}
}

// nineDigits must not be in a diagnosis, except in the escape of one character.
var (
	nineDigits = regexp.MustCompile(`[0-9]{9}`)
	escape     = regexp.MustCompile(`\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}`)
)

func FuzzBodies(f *testing.F) {
	f.Add(sessionBody)
	f.Add(`{"cancellation_reason": "other", "cancellation_details": ""}`)
	f.Add(`{"name": "a", "state": null}`)
	f.Add(`{"target": {"social_security_number": "123-45-6789"}, "123456789": 1}`)
	f.Add(`{"a":"\ud800"}`)
	f.Add(`{"a":"\ud800 123456789"}`)
	f.Add("\"\\u \u049c")
	f.Fuzz(func(t *testing.T, body string) {
		_, sessionNotes, sessionErr := api.DecodeNewCredentialsSession(post("application/json", body))
		_, cancelNotes, cancelErr := api.DecodeCancellation(post("application/json", body))
		_, tenantNotes, tenantErr := api.DecodeTenantPropertyUpdate(post("application/json", body))
		var texts []string
		for _, note := range slices.Concat(sessionNotes, cancelNotes, tenantNotes) {
			texts = append(texts, note.Text)
		}
		for _, err := range []error{sessionErr, cancelErr, tenantErr} {
			refusal := (*api.Error)(nil)
			if err == nil {
				continue
			}
			if !errors.As(err, &refusal) || refusal.Status != http.StatusBadRequest {
				t.Fatalf("%q: %v is not a 400", body, err)
			}
			texts = append(texts, refusal.Diagnosis)
		}
		for _, text := range texts {
			if nineDigits.MatchString(escape.ReplaceAllString(text, "x")) {
				t.Errorf("%q: the diagnosis %q has digits of a number", body, text)
			}
			if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Errorf("%q: the diagnosis %q is not fit for a header", body, text)
			}
		}
	})
}
