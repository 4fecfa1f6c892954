package grease_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// greasedForm is the form of a greased id.
var greasedForm = regexp.MustCompile(`^[A-Za-z][A-Za-z.~-]{32,63}$`)

// greasedRequests are requests of each operation and each kind of answer, {vr} the request of the first session.
const greasedRequests = `
GET /verification-requests/vr_completed
GET /verification-requests/vr_multiple_reports?income_analytics=true
GET /verification-requests/vr_completed?fields=id,price,target
GET /verification-requests/vr_completed?fields=nothing
GET /verification-requests/vr_all_null
GET /verification-requests/vr_lifecycle
GET /verification-requests/vr_lifecycle
PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"competitor"}
PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"competitor"}
PUT /verification-requests/vr_completed/cancel {}
PUT /tenant-properties/tp_default {"name":"Quay","city":"Salem"}
PUT /tenant-properties/tp_none {"name":"Quay"}
GET /qualification-checks/qc_qualified
GET /qualification-checks/qc_none
GET /verification-requests/vr_none
GET /verification-requests/vr_error_451
GET /verification-requests/{vr}`

// play sends the requests and returns the bodies of their answers, as they were sent and without grease.
func playGreased(t *testing.T, c *apitest.Client) (sent, bodies [][]byte) {
	t.Helper()
	made := lab.Create(t, c, lab.Session("000-00-0000"))
	for line := range strings.Lines(strings.TrimSpace(greasedRequests)) {
		method, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		path, body, _ := strings.Cut(rest, " ")
		if strings.HasSuffix(path, "{vr}") {
			path = strings.Replace(path, "{vr}", lab.RequestOf(t, c, made), 1)
		}
		r := c.Send(method, path, sendable(body))
		sent, bodies = append(sent, r.Sent), append(bodies, r.Body)
	}
	return sent, bodies
}

// sendable returns a body to send, nil for none.
func sendable(body string) any {
	if body == "" {
		return nil
	}
	return body
}

// anonymous returns JSON without the ids that the emulator makes and without messages of errors.
func anonymous(t *testing.T, body []byte) any {
	t.Helper()
	made := regexp.MustCompile(`"((?:report_)?id|message)":"(?:(?:rep|stub|dsp|qcs|cs|vr)_[0-9a-z]*[0-9A-Z]{20,}|qcs_standard|[A-Za-z][A-Za-z.~-]{32,63}|[A-Z][^"]*)"`)
	var value any
	lab.NoError(t, json.Unmarshal(made.ReplaceAll(body, []byte(`"$1":"…"`)), &value))
	return value
}

// Without what was added each answer is valid by the document, and is the one without grease but for ids and messages.
func TestGrease(t *testing.T) {
	t.Parallel()
	_, plain := playGreased(t, lab.Start(t))
	first, ungreased := playGreased(t, lab.Start(t, emulator.WithGrease("on")).Ungreased())
	second, _ := playGreased(t, lab.Start(t, emulator.WithGrease("on")).Ungreased())
	values, _ := playGreased(t, lab.Start(t, emulator.WithGrease(scenarios.GreaseValues)).Ungreased())
	words := 0
	for i, body := range plain {
		if diff := cmp.Diff(anonymous(t, body), anonymous(t, ungreased[i])); diff != "" {
			t.Errorf("answer %d without grease (-) and with (+):\n%s", i, diff)
		}
		untouched := string(body) == "{}" || strings.Contains(string(body), "frozen") // what fields selects, and a rule's answer
		if bytes.Equal(body, first[i]) != untouched {
			t.Errorf("answer %d is %s, with grease %s", i, body, first[i])
		}
		if !bytes.Equal(first[i], second[i]) {
			t.Errorf("answer %d differs from run to run:\n%s\n%s", i, first[i], second[i])
		}
		if bytes.Contains(first[i], []byte(`"grease-`)) {
			t.Errorf("an unknown word: %s", first[i])
		}
		words += bytes.Count(values[i], []byte(`"grease-`))
	}
	if words < 3 {
		t.Errorf("%d unknown words", words)
	}
}

func TestGreasedIDs(t *testing.T) {
	t.Parallel()
	_, w, c := lab.InGo(t, emulator.WithGrease("on"))
	c = c.Ungreased()
	made := lab.Create(t, c, lab.Session("000-00-0000"))
	id := lab.RequestOf(t, c, made)
	request := lab.Read(t, c, id)
	for _, id := range []string{made.ID, made.Token, id, request.Reports[0].ID, request.Reports[0].Paystubs[0].ID} {
		if !greasedForm.MatchString(id) {
			t.Errorf("the id %s", id)
		}
	}
	t.Run("a shown id can be asked for", func(t *testing.T) {
		if request.ID != id || request.Reports[0].VerificationRequest.ID != id {
			t.Errorf("%s has the id %s", id, request.ID)
		}
		if later := lab.Read(t, c, id); later.Reports[0].ID != request.Reports[0].ID {
			t.Errorf("the report %s has the id %s then", request.Reports[0].ID, later.Reports[0].ID)
		}
		lab.WantStatus(t, c.Get(lab.Control+"credentials-sessions/"+made.ID), 200, "")
		lab.WantParts(t, string(c.Get(lab.Control+"credentials-sessions?after="+made.ID).Body), `[]`)
		lab.WantParts(t, string(c.Get(lab.Control+"journal?q="+id).Body), id)
	})
	t.Run("an id of one's choice stays", func(t *testing.T) {
		lab.WantStatus(t, c.Post(lab.Control+"verification-requests", `{"id":"vr_mine"}`), 201, "")
		if is := lab.Read(t, c, "vr_mine"); is.ID != "vr_mine" || !greasedForm.MatchString(is.Reports[0].ID) {
			t.Errorf("ids %s and %s", is.ID, is.Reports[0].ID)
		}
	})
	t.Run("a snapshot has them", func(t *testing.T) {
		snapshot := c.Get(lab.Control + "snapshot").Body
		lab.WantStatus(t, c.Put(lab.Control+"snapshot", snapshot), 200, "")
		if lab.Read(t, c, id).Reports[0].ID != request.Reports[0].ID {
			t.Error("another report")
		}
	})
	t.Run("a change of the setting keeps the id of a resource", func(t *testing.T) {
		_, err := w.ChangeSettings(t.Context(), func(own *scenarios.Settings) { own.Grease = "off" })
		lab.NoError(t, err)
		is := lab.Read(t, c, id)
		if is.ID != id || !strings.HasPrefix(is.Reports[0].ID, "rep_") {
			t.Errorf("ids %s and %s", is.ID, is.Reports[0].ID)
		}
		if is := lab.Read(t, c, "vr_completed"); !strings.HasPrefix(is.Reports[0].ID, "rep_") {
			t.Errorf("the id %s", is.Reports[0].ID)
		}
	})
}

// What a caller has set is never greased.
func TestGreaseGiven(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, emulator.WithGrease(scenarios.GreaseValues)).Without(apitest.Document, apitest.Envelope)
	sent := strings.TrimSuffix(lab.Session("000-00-0000"), "}") + `,"metadata":{"created":"2025-01-15T09:30:00Z","kind":"mine"},` +
		`"reseller_originating_party":{"originating_party":"Quay","permissible_purpose":"employment","use_case":"tenant"}}`
	id := lab.RequestOf(t, c, lab.Create(t, c, sent))
	lab.WantStatus(t, c.Send("PATCH", lab.Control+"verification-requests/"+id, `{"set":{"created":"2025-01-02T03:04:05Z"},
		"reports":[{"set":{"created":"2025-01-03T03:04:05Z","employee":{"status_detail":"casual","salary":{"pay_frequency":"daily"}},"pricing_tier":"instant"}}]}`), 200, "")
	lab.WantParts(t, string(c.Get("/verification-requests/"+id).Body),
		`"created":"2025-01-02T03:04:05.000000Z"`, `"created":"2025-01-03T03:04:05.000000Z"`, `"status_detail":"casual"`, `"pay_frequency":"daily"`, `"pricing_tier":"instant"`,
		`"metadata":{"created":"2025-01-15T09:30:00Z","kind":"mine"}`, `"reseller_originating_party":{"originating_party":"Quay","permissible_purpose":"employment","use_case":"tenant"}`,
		`"company":{"id":null,"name":"Example Mill","address":null`, `"first_name":"Ada"`)
	lab.WantParts(t, string(c.Get("/verification-requests/vr_status_part_time").Body), `"status_detail":"part-time"`)
	lab.WantStatus(t, c.Post(lab.Control+"faults", `{"rule":{"on":"get","respond":{"status":418,"body":"{\"error\":{\"message\":\"Mine\"}}"}}}`), 201, "")
	if is := c.Get("/verification-requests/vr_completed"); string(is.Body) != `{"error":{"message":"Mine"}}` {
		t.Errorf("the answer of a rule is %s", is.Body)
	}
}

// The journal marks what was added, a dry run shows it, and so does the diagnosis.
func TestGreaseDiagnosis(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, emulator.WithGrease("on")).Ungreased()
	dry := c.Post(lab.Control+"scenarios/resolve", `{"method":"GET","path":"/verification-requests/vr_completed"}`)
	r := c.Get("/verification-requests/vr_completed")
	lab.WantDiagnosis(t, r, "grease: another order, ")
	lab.WantParts(t, string(c.Get(lab.Control+"journal/"+r.Header.Get("Understudy-Request-Id")).Body), "grease: another order, ", "unknown keys", "+00:00")
	var resolved struct {
		Body      json.RawMessage `json:"body"`
		Diagnosis []string        `json:"diagnosis"`
	}
	if dry.JSON(&resolved); !bytes.Equal(resolved.Body, r.Sent) || !strings.HasPrefix(resolved.Diagnosis[len(resolved.Diagnosis)-1], "grease: ") {
		t.Errorf("a dry run shows %s, %s", resolved.Body, resolved.Diagnosis)
	}
	r = c.Get("/verification-requests/vr_none")
	lab.WantStatus(t, r, 400, "The request failed: Verification does not exist")
	lab.WantDiagnosis(t, r, "no verification request is")
	lab.WantDiagnosis(t, r, "1 other message")
	lab.WantParts(t, string(c.Without(apitest.Headers).Get("/_understudy/?world="+r.Header.Get("Understudy-World")).Body), "vr_completed")
}

// Each setting of grease holds for the answers of a world, and only off leaves their bytes.
func TestGreaseSetting(t *testing.T) {
	t.Parallel()
	c := lab.Start(t).Without(apitest.Document)
	plain := c.Get("/verification-requests/vr_completed").Body
	lab.WantStatus(t, c.Put(lab.Control+"settings", `{"grease":"on"}`), 200, "")
	greased := c.Get("/verification-requests/vr_completed").Body
	lab.WantParts(t, string(greased), "+00:00", `"grease_`)
	if bytes.Contains(greased, []byte(`"rep_`)) {
		t.Errorf("the ids of the document that was rendered without grease: %s", greased)
	}
	lab.WantStatus(t, c.Put(lab.Control+"settings", `{}`), 200, "")
	if is := c.Get("/verification-requests/vr_completed").Body; !bytes.Equal(plain, is) {
		t.Errorf("%s\n%s", plain, is)
	}
	var request api.VerificationRequest
	if err := json.Unmarshal(greased, &request); err != nil || request.Reports[0].Employee.FirstName == "" {
		t.Errorf("a greased answer does not decode: %v", err)
	}
}
