package emulator_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// lively has a world remember something of every kind.
func lively(t *testing.T, c *apitest.Client) {
	t.Helper()
	wantStatus(t, c.Put(control+"scenarios/mine", ownLifecycle), 200, "")
	putFault(t, c, `{"rule":{"on":"update","respond":{"status":500},"times":3},"expires_in":"100h"}`)
	wantStatus(t, c.Put("/tenant-properties/tp_default", `{"name":"Quay"}`), 500, "Internal server error")
	read(t, c, "vr_lifecycle")
	read(t, c, "vr_mine")
	wantStatus(t, c.Get("/verification-requests/vr_flaky"), 500, "Internal server error")
	read(t, c, requestOf(create(t, c, session("000-12-3456"))))
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"26h"}`), 200, "")
}

// on is what a world answers from there on.
func on(t *testing.T, c *apitest.Client) string {
	t.Helper()
	var said strings.Builder
	for range 3 {
		said.Write(c.Put("/tenant-properties/tp_default", `{"name":"Quay"}`).Body)
		for _, id := range []string{"vr_lifecycle", "vr_mine", "vr_flaky", "vr_completed"} {
			said.Write(c.Get("/verification-requests/" + id + "?income_analytics=true").Body)
		}
		said.Write(c.Post("/credentials/session", session("000-00-7001")).Body)
	}
	said.Write(c.Get(control + "verification-requests").Body)
	return said.String()
}

// Contract 6: the whole world as one JSON file, out and in.
func TestASnapshotGoesOnElsewhereAsItWouldHaveHere(t *testing.T) {
	t.Parallel()
	url := serve(t)
	c := apitest.New(t, url, key).Without(apitest.SSN)
	lively(t, c)
	taken := c.Get(control + "snapshot")
	wantStatus(t, taken, 200, "")
	if strings.Contains(string(taken.Body), "svc_sk") || strings.Contains(string(taken.Body), "000-12-3456") {
		t.Error("the snapshot tells a key or a number")
	}
	want := on(t, c)

	for name, at := range map[string]*apitest.Client{
		"another key of the same server":     apitest.New(t, url, "svc_sk_test_another"),
		"another server, of another seed":    start(t, emulator.WithSeed(9)),
		"another server, whose clock stands": apitest.New(t, serve(t, emulator.WithClock(emulator.FrozenAt(epoch.AddDate(1, 0, 0)))), key),
		"the same world":                     c,
	} {
		at = at.Without(apitest.SSN)
		wantStatus(t, at.Put(control+"snapshot", taken.Body), 200, "")
		if again := at.Get(control + "snapshot"); string(again.Body) != string(taken.Body) {
			t.Errorf("%s: taken again it is\n%s\nand was\n%s", name, again.Body, taken.Body)
		}
		if diff := cmp.Diff(want, on(t, at)); diff != "" {
			t.Errorf("%s goes on otherwise:\n%s", name, diff)
		}
	}
}

func TestAClockThatRunsGoesOnFromTheSnapshot(t *testing.T) {
	t.Parallel()
	wall := epoch
	c := start(t, emulator.WithClock(emulator.Clock{Wall: func() time.Time { return wall }}))
	read(t, c, "vr_completed")
	taken := c.Get(control + "snapshot")
	wall = wall.Add(100 * time.Hour)
	wantStatus(t, c.Put(control+"snapshot", taken.Body), 200, "")
	wall = wall.Add(time.Minute)
	if now, frozen := clockOf(t, c.Get(control+"clock")); now != "2025-01-15T09:31:00Z" || frozen {
		t.Errorf("it shows %s, frozen %t", now, frozen)
	}
}

func TestASnapshotThatIsNotRightIsRefusedWhole(t *testing.T) {
	t.Parallel()
	c := start(t).Without(apitest.SSN)
	lively(t, c)
	wantStatus(t, c.Post(control+"tenant-properties", `{"id":"tp_made","tenant_property":{"set":{"name":"Quay Made"}}}`), 201, "")
	taken := string(c.Get(control + "snapshot").Body)
	const refused = "The snapshot is refused, and nothing is changed: "
	for name, tt := range map[string]struct{ old, new, message string }{
		"a part that is missing":     {`"seed":1,`, ``, refused + "seed is missing"},
		"another version":            {`"understudy_snapshot":1`, `"understudy_snapshot":2`, refused + "understudy_snapshot must be 1"},
		"no snapshot":                {taken, `{"a":1}`, refused + "it cannot be read: "},
		"no JSON":                    {taken, taken[:len(taken)/2], refused + "it cannot be read: "},
		"something that is nothing":  {`"remembered":{`, `"remembered":{"what/ever":1,`, refused + `remembered "what/ever" is nothing that a world remembers`},
		"a state that is none":       {`"state":"pending-approval"`, `"state":"pending"`, refused + `remembered "vr/vr_lifecycle" stands nowhere`},
		"a word that is none":        {`"pricing_tier":"credentials"`, `"pricing_tier":"credit"`, refused + `remembered "vr/vr_`},
		"a filter that is none":      {`"employer_filter":"target-employer"`, `"employer_filter":"x"`, refused + `remembered "vr/vr_`},
		"a key that is not known":    {`"cursor":{`, `"cursor":{"speed":1,`, refused + "remembered "},
		"a fault that is not right":  {`"times":3`, `"tims":3`, refused + `fault "fault-1" is not right`},
		"a text that is missing":     {`"name":"mine","text":"`, `"name":"mine","text":"9`, refused + `the text of the scenario file "mine" is missing`},
		"a text that is not right":   {`state: invalid`, `state: invlid`, refused + "its scenario files are not right:"},
		"an instant that is too far": {`"now":"2025`, `"now":"9999`, refused + "created and now must be instants"},
		"a request that is missing":  {`"sequence":2`, `"sequence":7`, refused + "journal: entry 2 has the sequence 7, and 1 comes before it"},
		"a request without an id":    {`"journal":{"dropped":0,"entries":[{"id":"0`, `"journal":{"dropped":0,"entries":[{"id":"U`, refused + "journal: entry 1 (sequence 1) has no request id"},
		"a status that is none":      {`"status":500,"fault":null`, `"status":5000,"fault":null`, refused + "journal: entry 1 (sequence 1) has the status 5000"},
		"a journal with other keys":  {`"dropped":0`, `"droped":0`, refused + "it cannot be read: "},
		"a property of another id":   {`{"id":"tp_made",`, `{"id":"tp_other",`, refused + `remembered "tp/tp_made" has the id "tp_other": it must be that of its name`},
		"a property without a name":  {`"name":"Quay Made"`, `"name":" "`, refused + `remembered "tp/tp_made" has a name that is blank`},
		"a session of another id":    {`"session":{"id":"cs_0`, `"session":{"id":"cs_9`, refused + `remembered "vr/vr_0`},
		"an id that is none":         {`"tp/tp_made":`, `"tp/tp made":`, refused + `remembered "tp/tp made" has an id that no resource has`},
		"a count that is negative":   {`"sessions":1`, `"sessions":-1`, refused + `remembered "sessions" has the count -1: none is negative`},
		"a count of something":       {`"sessions":1`, `"sessions/a":1`, refused + `remembered "sessions/a" is nothing that a world remembers`},
		"calls that are negative":    {`{"calls":{"any":1}`, `{"calls":{"any":-1}`, refused + `remembered "calls/`},
		"faults that are negative":   {`"faults_made":1`, `"faults_made":-1`, refused + "faults_made is -1: a count is not negative"},
		"files that are negative":    {`"scenarios_made":1`, `"scenarios_made":-1`, refused + "scenarios_made is -1: a count is not negative"},
		"a fault without a number":   {`"faults":[{"id":"fault-1"`, `"faults":[{"id":"fault-one"`, refused + `no fault here can have the id "fault-one"`},
		"a fault that was not made":  {`"faults":[{"id":"fault-1"`, `"faults":[{"id":"fault-2"`, refused + `no fault here can have the id "fault-2": they are fault-1 to fault-1, by faults_made`},
		"a file of no name":          {`"scenarios":[{"name":"mine"`, `"scenarios":[{"name":"a mine"`, refused + `no scenario file here can have the name "a mine"`},
		"an operation that is none":  {`"operation":"getVerificationRequest"`, `"operation":"getVerification"`, refused + `journal: entry 2 (sequence 2) has the operation "getVerification", which is none: it is one of cancelVerificationRequest,`},
		"a method that is none":      {`"method":"PUT"`, `"method":"PUTT"`, refused + `journal: entry 1 (sequence 1) has the method "PUTT", with which no operation is asked: it is one of GET, POST, PUT`},
		"a path that is none":        {`"path":"/ten`, `"path":"ten`, refused + `journal: entry 1 (sequence 1) has the path "tenant-`},
		"an entry with other keys":   {`"duration_ms":`, `"span":`, refused + "it cannot be read: "},
	} {
		corrupt := strings.Replace(taken, tt.old, tt.new, 1)
		if corrupt == taken {
			t.Fatalf("%s: nothing to replace in %s", name, taken)
		}
		r := c.Put(control+"snapshot", corrupt)
		if r.Status != 400 || !strings.HasPrefix(r.ErrorMessage(), tt.message) {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
		if now := string(c.Get(control + "snapshot").Body); now != taken {
			t.Fatalf("%s: the world is changed", name)
		}
	}
	if v := read(t, c, "vr_lifecycle"); v.State != api.StateProcessing {
		t.Errorf("it goes on with %s", v.State)
	}
}

// A world may remember requests whose scenario was taken back, and goes on with them as they stand: a snapshot does too.
func TestASnapshotMayHaveRequestsWhoseScenarioIsGone(t *testing.T) {
	t.Parallel()
	c := start(t).Without(apitest.SSN)
	wantStatus(t, c.Put(control+"scenarios/mine", ownLifecycle), 200, "")
	wantStatus(t, c.Post(control+"verification-requests", `{"id":"vr_left","scenario":"mine"}`), 201, "")
	wantStatus(t, c.Send("DELETE", control+"scenarios/mine", nil), 204, "")
	want := c.Get("/verification-requests/vr_left").Body
	taken := c.Get(control + "snapshot").Body
	wantStatus(t, c.Put(control+"snapshot", taken), 200, "")
	if got := c.Get("/verification-requests/vr_left").Body; string(got) != string(want) {
		t.Errorf("restored it is %s\nand was %s", got, want)
	}
}

// Contract 6: the journal is part of it. What the machine had a part in, ids and durations, is kept as it was.
func TestTheJournalGoesWithTheSnapshot(t *testing.T) {
	t.Parallel()
	c := start(t).Without(apitest.SSN)
	lively(t, c)
	asked, _ := listed(t, c, "")
	taken := c.Get(control + "snapshot").Body
	at := start(t, emulator.WithJournalSize(1000)).Without(apitest.SSN)
	read(t, at, "vr_lifecycle")
	for range 3 { // one after the other
		wantStatus(t, at.Put(control+"snapshot", taken), 200, "")
		restored, _ := listed(t, at, "")
		if diff := cmp.Diff(asked, restored); diff != "" {
			t.Fatal(diff)
		}
		_, want := entryOf(t, c, asked[0].ID)
		if _, got := entryOf(t, at, asked[0].ID); got != want {
			t.Errorf("an entry is\n%s\nand was\n%s", got, want)
		}
		next := at.Get("/verification-requests/vr_completed")
		if e, _ := entryOf(t, at, idOf(next)); e.Sequence != len(asked)+1 {
			t.Errorf("the next request has the number %d", e.Sequence)
		}
	}
	wantStatus(t, at.Post(control+"reset", nil), 200, "")
	if items, _ := listed(t, at, ""); len(items) != 0 {
		t.Errorf("as new, its journal has %+v", items)
	}

	small := start(t, emulator.WithJournalSize(2)).Without(apitest.SSN)
	wantStatus(t, small.Put(control+"snapshot", taken), 200, "")
	if items, _ := listed(t, small, ""); cmp.Diff(asked[:2], items) != "" {
		t.Errorf("a journal of two has %+v", items)
	}
	off := start(t, emulator.WithJournalSize(0)).Without(apitest.SSN)
	wantStatus(t, off.Put(control+"snapshot", taken), 200, "")
	if got := string(off.Get(control + "snapshot").Body); !strings.HasSuffix(got, `"journal":{"dropped":0,"entries":[]}}`) {
		t.Errorf("without a journal: %s", got)
	}
}

// Contract 3: raw keys are never stored, also when somebody wrote one into a snapshot.
func TestSecretsInASnapshotAreLeftOut(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.Get("/verification-requests/vr_none?note=here")
	taken := string(c.Get(control + "snapshot").Body)
	written := strings.ReplaceAll(strings.ReplaceAll(taken, "vr_none", "000-12-3456"), "note=here", "note=svc_sk_test_mine")
	wantStatus(t, c.Put(control+"snapshot", written), 200, "")
	now := string(c.Get(control + "snapshot").Body)
	if strings.Contains(now, "000-12-3456") || strings.Contains(now, "svc_sk_test_mine") || !strings.Contains(now, "***-**-3456") {
		t.Error(now)
	}
}

// What the catalogue draws is never taken for what cannot be.
func TestASnapshotOfEveryScenarioIsTaken(t *testing.T) {
	t.Parallel()
	c := start(t).Without(apitest.SSN)
	catalogue, err := scenarios.LoadFolders()
	noError(t, err)
	for _, s := range catalogue.All() {
		if s.Magic.VerificationRequest != "" {
			wantStatus(t, c.Post(control+"verification-requests", `{"scenario":"`+s.Name+`"}`), 201, "")
		}
		if s.Magic.QualificationCheck != "" {
			wantStatus(t, c.Post(control+"qualification-checks", `{"scenario":"`+s.Name+`"}`), 201, "")
		}
		if s.Magic.SSN != "" && s.Magic.SSN != scenarios.AnySSN {
			c.Post("/credentials/session", session(string(s.Magic.SSN))) // some are answered with an error
		}
	}
	taken := c.Get(control + "snapshot")
	if n := strings.Count(string(taken.Body), `"vr/`); n < 100 {
		t.Errorf("the world remembers %d requests only", n)
	}
	wantStatus(t, c.Put(control+"snapshot", taken.Body), 200, "")
}
