package emulator_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// gone is the value of a member that is left out.
type gone struct{}

// edited returns JSON with another value at a place.
func edited(t *testing.T, text []byte, value any, place ...string) []byte {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var root any
	noError(t, decoder.Decode(&root))
	at := root
	for _, step := range place[:len(place)-1] {
		switch within := at.(type) {
		case map[string]any:
			at = within[step]
		case []any:
			i, err := strconv.Atoi(step)
			noError(t, err)
			at = within[i]
		}
		if at == nil {
			t.Fatalf("nothing at %s of %v", step, place)
		}
	}
	members := at.(map[string]any)
	if members[place[len(place)-1]] = value; value == (gone{}) {
		delete(members, place[len(place)-1])
	}
	text, err := json.Marshal(root)
	noError(t, err)
	return text
}

// Spec 2.1, 2.2 and section 8: a world is not made one whose answers the API does not have.
func TestASnapshotOfAWorldThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	c := start(t).Without(apitest.SSN)
	lively(t, c)
	c.Get("/verification-requests/vr_completed")
	wantStatus(t, c.Post(control+"qualification-checks", `{"id":"qc_made"}`), 201, "")
	wantStatus(t, c.Send("PATCH", control+"verification-requests/vr_completed", `{"set":{"loan_id":"7"}}`), 200, "")
	wantStatus(t, c.Put("/verification-requests/vr_processing/cancel", `{"cancellation_reason":"other"}`), 200, "")
	made := requestOf(create(t, c, session("000-12-3456")))
	taken := c.Get(control + "snapshot").Body
	wantStatus(t, c.Put(control+"snapshot", taken), 200, "")
	for _, tt := range []struct {
		value any
		place string // dots between, under remembered where it begins with a kind
		why   string
	}{
		{"zzz", "vr/vr_lifecycle.shape.type", `is not right at shape.type: has the unknown value "zzz": it must be one of`},
		{"zzz", "vr/vr_lifecycle.shape.use_case", `is not right at shape.use_case: has the unknown value "zzz": it must be one of`},
		{"zzz", "vr/vr_lifecycle.shape.permissible_purpose", `is not right at shape.permissible_purpose: has the unknown value "zzz": it must be one of`},
		{"zzz", "vr/vr_lifecycle.shape.employer_filter", `is not right at shape.employer_filter: has the unknown value "zzz": it must be one of`},
		{"zzz", "vr/vr_lifecycle.shape.pricing_tier", `is not right at shape.pricing_tier: has the unknown value "zzz": it must be one of`},
		{"000123456", "vr/" + made + ".shape.person.last_four", `is not right at shape.person.last_four: must be the last four digits`},
		{map[string]any{"price": nil}, "vr/vr_lifecycle.shape.set", `is not right at shape.set.price: may not be null`},
		{map[string]any{"use_case": "zzz"}, "vr/vr_lifecycle.shape.set", `is not right at shape.set.use_case: has the unknown value "zzz": it must be one of`},
		{"zzz", "vr/vr_processing.progress.canceled.reason", `is not right at progress.canceled.reason: has the unknown value "zzz": it must be one of immediate`},
		{gone{}, "vr/vr_lifecycle.progress.created", `lacks something: progress.created is missing`},
		{"0001-01-01T00:00:00Z", "vr/vr_lifecycle.progress.created", `has at progress.created an instant that no clock shows`},
		{gone{}, "vr/vr_completed.progress.completed", `has at progress.completed an instant that no clock shows`},
		{"2024-01-01T00:00:00Z", "vr/vr_completed.progress.completed", `has progress.completed before progress.created`},
		{"9999-01-01T00:00:00Z", "now", `created and now must be instants from the year 1970 to 9990`},
		{"2024-01-01T00:00:00Z", "now", `now is 2024-01-01T00:00:00Z, which is before created, 2025-01-15T09:30:00Z`},
		{7, "vr/vr_lifecycle.cursor.step", `has cursor.step 7 and`},
		{"1900-01-01T00:00:00Z", "vr/vr_lifecycle.cursor.entered", `has at cursor.entered an instant that no clock shows`},
		{[]string{"1900-01-01T00:00:00Z"}, "vr/vr_lifecycle.entered", `has at entered.0 an instant that no clock shows`},
		{"", "vr/" + made + ".session.token", `has a session.token that is empty`},
		{gone{}, "vr/vr_lifecycle.revision", `lacks revision`},
		{"", "vr/vr_lifecycle.identity", `has an identity that is empty`},
		{"zzz", "qc/qc_made.shape.kind", `is not right at shape.kind: has the unknown value "zzz": it must be one of`},
		{gone{}, "qc/qc_made.created", `lacks something: created is missing`},
		{nil, "vr/vr_lifecycle", `lacks something: is null`},
		{map[string]any{}, "calls/what/ever", `is nothing that a world remembers`},
		{gone{}, "journal.dropped", `journal.dropped is missing`},
		{gone{}, "journal.entries", `journal.entries is missing`},
		{nil, "journal.entries", `journal: entries is null`},
		{gone{}, "faults", `faults is missing`},
		{gone{}, "scenarios", `scenarios is missing`},
		{gone{}, "faults.0.rule", `faults.0.rule is missing`},
		{gone{}, "journal.entries.0.request.size", `request.size is missing`},
		{0, "journal.entries.0.request.size", `has a body of a size that none has`},
		{gone{}, "journal.entries.0.diagnosis", `diagnosis is missing`},
		{"1900-01-01T00:00:00Z", "faults.0.expires", `the fault fault-1 expires at no time`},
	} {
		place := strings.Split(tt.place, ".")
		if strings.Contains(place[0], "/") {
			place = append([]string{"remembered"}, place...)
		}
		r := c.Put(control+"snapshot", edited(t, taken, tt.value, place...))
		if r.Status != 400 || !strings.HasPrefix(r.ErrorMessage(), "The snapshot is refused, and nothing is changed: ") || !strings.Contains(r.ErrorMessage(), tt.why) {
			t.Errorf("%v at %s: %d %s", tt.value, tt.place, r.Status, r.Body)
		}
		if now := c.Get(control + "snapshot").Body; string(now) != string(taken) {
			t.Fatalf("%s: the world is changed", tt.place)
		}
	}
	first := string(taken)[strings.Index(string(taken), `"entries":[{"id":"`)+len(`"entries":[{"id":"`):][:26]
	r := c.Put(control+"snapshot", edited(t, taken, first, "journal", "entries", "1", "id"))
	wantStatus(t, r, 400, "The snapshot is refused, and nothing is changed: journal: entry 2 has the id of entry 1, "+first+": each request has its own")
}

// What a world counted may be below what it remembers, as somebody wrote it: what is made next has a new id all the same.
func TestWhatIsMadeNextHasAnIDThatIsFree(t *testing.T) {
	t.Parallel()
	c := start(t).Without(apitest.SSN)
	makeAll := func() (ids []string) {
		t.Helper()
		ids = append(ids, requestOf(create(t, c, session("000-12-3456"))))
		for _, kind := range []string{"verification-requests", "tenant-properties", "qualification-checks"} {
			r := c.Post(control+kind, `{}`)
			wantStatus(t, r, 201, "")
			var made struct{ ID string }
			noError(t, json.Unmarshal(r.Body, &made))
			ids = append(ids, made.ID)
		}
		return ids
	}
	seen := make(map[string]bool)
	for range 3 {
		for _, id := range makeAll() {
			if seen[id] {
				t.Errorf("%s is made again", id)
			}
			seen[id] = true
		}
		taken := c.Get(control + "snapshot").Body
		taken = edited(t, taken, 0, "remembered", "created")
		wantStatus(t, c.Put(control+"snapshot", edited(t, taken, 0, "remembered", "sessions")), 200, "")
	}
	wantStatus(t, c.Post(control+"tenant-properties", `{"id":"tp_default"}`), 409, "The id tp_default is taken: choose another")
}

// Whatever a world has come to be is restored: each scenario of the catalogue, at the edge of the clock too.
func TestWhatAWorldHasBecomeIsNeverRefused(t *testing.T) {
	t.Parallel()
	for name, began := range map[string]time.Time{
		"now":           epoch,
		"at the first":  time.Date(1970, time.January, 1, 0, 0, 0, 0, time.UTC),
		"near the last": time.Date(9989, time.December, 1, 0, 0, 0, 0, time.UTC),
	} {
		c := start(t, emulator.WithClock(emulator.FrozenAt(began))).Without(apitest.SSN)
		var all struct {
			Items []struct {
				Name  string
				Magic []struct{ Kind, Value string }
			}
		}
		noError(t, json.Unmarshal(c.Get(control+"scenarios?limit=1000").Body, &all))
		for _, s := range all.Items {
			wantStatus(t, c.Post(control+"verification-requests", `{"scenario":"`+s.Name+`"}`), 201, "")
			wantStatus(t, c.Post(control+"qualification-checks", `{"scenario":"`+s.Name+`"}`), 201, "")
			for _, m := range s.Magic {
				switch {
				case m.Kind == "SSN" && m.Value != "any":
					c.Post("/credentials/session", session(m.Value))
				case m.Kind == "verification request":
					wantStatus(t, c.Send("PATCH", control+"verification-requests/"+m.Value, `{"set":{"loan_id":"7"}}`), 200, "")
				}
			}
		}
		wantStatus(t, c.Post("/credentials/session", `{"permissible_purpose":"employment","type":"assets","use_case":"health","metadata":{"a\u0000b\ud83d\ude00":"\u2028<é>"},`+
			`"reseller_originating_party":{"originating_party":"A","permissible_purpose":"subpoena","use_case":"auto"},`+
			`"target":{"first_name":"Ada \"\\ \t","last_name":"E","social_security_number":"000123456","company":{"id":"7"}}}`), 201, "")
		wantStatus(t, c.Send("PATCH", control+"verification-requests/vr_lifecycle_timed", `{"state":"action-required"}`), 200, "")
		taken := c.Get(control + "snapshot").Body
		if r := c.Put(control+"snapshot", taken); r.Status != 200 {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
}
