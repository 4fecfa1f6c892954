package snapshot_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

func TestSnapshotLargeValue(t *testing.T) {
	t.Parallel()
	c := lab.Start(t).Without(apitest.SSN)
	body := strings.Replace(lab.Session("000-12-3456"), "{", `{"metadata":{"a":"`+strings.Repeat("<", 1_040_000)+`"},`, 1)
	lab.Create(t, c, body)
	taken := c.Get(lab.Control + "snapshot")
	lab.WantStatus(t, c.Put(lab.Control+"snapshot", taken.Body), 200, "")
	if second := c.Get(lab.Control + "snapshot"); string(second.Body) != string(taken.Body) {
		t.Error("taken again it is another one")
	}
}

func TestSnapshotRunningClock(t *testing.T) {
	t.Parallel()
	m := lab.NewMachine(lab.Epoch)
	c := lab.Start(t, emulator.WithClock(m.Clock()))
	lab.Read(t, c, "vr_completed")
	taken := c.Get(lab.Control + "snapshot")
	m.Pass(100 * time.Hour)
	lab.WantStatus(t, c.Put(lab.Control+"snapshot", taken.Body), 200, "")
	m.Pass(time.Minute)
	lab.PlayScript(t, c, `GET clock → 200 {"now":"2025-01-15T09:31:00Z","frozen":false}`)
}

// Requests whose scenario was deleted stay in their state, also in a snapshot.
func TestSnapshotDeletedScenario(t *testing.T) {
	t.Parallel()
	c := lab.Start(t).Without(apitest.SSN)
	lab.WantStatus(t, c.Put(lab.Control+"scenarios/mine", lab.OwnLifecycle), 200, "")
	lab.WantStatus(t, c.Post(lab.Control+"verification-requests", `{"id":"vr_left","scenario":"mine"}`), 201, "")
	lab.WantStatus(t, c.Send("DELETE", lab.Control+"scenarios/mine", nil), 204, "")
	want := c.Get("/verification-requests/vr_left").Body
	taken := c.Get(lab.Control + "snapshot").Body
	lab.WantStatus(t, c.Put(lab.Control+"snapshot", taken), 200, "")
	if got := c.Get("/verification-requests/vr_left").Body; string(got) != string(want) {
		t.Errorf("restored it is %s\nand was %s", got, want)
	}
}

// A snapshot contains the journal, with its ids and durations.
func TestSnapshotJournal(t *testing.T) {
	t.Parallel()
	c := lab.Start(t).Without(apitest.SSN)
	lab.Lively(t, c)
	asked, _ := lab.Listed(t, c, "")
	taken := c.Get(lab.Control + "snapshot").Body
	at := lab.Start(t, emulator.WithJournalSize(1000)).Without(apitest.SSN)
	lab.Read(t, at, "vr_lifecycle")
	for range 3 {
		lab.WantStatus(t, at.Put(lab.Control+"snapshot", taken), 200, "")
		restored, _ := lab.Listed(t, at, "")
		if diff := cmp.Diff(asked, restored); diff != "" {
			t.Fatal(diff)
		}
		_, want := lab.EntryOf(t, c, asked[0].ID)
		if _, got := lab.EntryOf(t, at, asked[0].ID); got != want {
			t.Errorf("an entry is\n%s\nand was\n%s", got, want)
		}
		next := at.Get("/verification-requests/vr_completed")
		if e, _ := lab.EntryOf(t, at, lab.IDOf(next)); e.Sequence != len(asked)+1 {
			t.Errorf("the next request has the number %d", e.Sequence)
		}
	}
	lab.WantStatus(t, at.Post(lab.Control+"reset", nil), 200, "")
	if items, _ := lab.Listed(t, at, ""); len(items) != 0 {
		t.Errorf("after a reset its journal has %+v", items)
	}

	small := lab.Start(t, emulator.WithJournalSize(2)).Without(apitest.SSN)
	lab.WantStatus(t, small.Put(lab.Control+"snapshot", taken), 200, "")
	if items, _ := lab.Listed(t, small, ""); cmp.Diff(asked[:2], items) != "" {
		t.Errorf("a journal of two has %+v", items)
	}
	off := lab.Start(t, emulator.WithJournalSize(0)).Without(apitest.SSN)
	lab.WantStatus(t, off.Put(lab.Control+"snapshot", taken), 200, "")
	if got := string(off.Get(lab.Control + "snapshot").Body); !strings.HasSuffix(got, `{"key":"end","value":{"journal_dropped":0}}`+"\n") {
		t.Errorf("without a journal: %s", got)
	}
}

// Raw keys are never stored, even when a snapshot was edited to contain one.
func TestSnapshotSecrets(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	c.Get("/verification-requests/vr_none?note=here")
	taken := string(c.Get(lab.Control + "snapshot").Body)
	written := strings.ReplaceAll(strings.ReplaceAll(taken, "vr_none", "000-12-3456"), "note=here", "note=svc_sk_test_mine")
	lab.WantStatus(t, c.Put(lab.Control+"snapshot", written), 200, "")
	now := string(c.Get(lab.Control + "snapshot").Body)
	if strings.Contains(now, "000-12-3456") || strings.Contains(now, "svc_sk_test_mine") || !strings.Contains(now, "***-**-3456") {
		t.Error(now)
	}
}

// gone stands for a member that is removed.
type gone struct{}

// edited returns a snapshot with another value at a path of the line with a key, "" for the first line.
func edited(t *testing.T, text []byte, value any, key string, path ...string) []byte {
	t.Helper()
	lines := bytes.SplitAfter(text, []byte("\n"))
	lineOf := func(key string) int {
		return slices.IndexFunc(lines, func(line []byte) bool { return key == "" || bytes.HasPrefix(line, []byte(`{"key":"`+key+`"`)) })
	}
	i := lineOf(key)
	if i < 0 { // a new line
		i = lineOf("sessions")
		lines = slices.Insert(lines, i, fmt.Appendf(nil, `{"key":%q}`, key))
	}
	if key != "" {
		path = append([]string{"value"}, path...)
	}
	decoder := json.NewDecoder(bytes.NewReader(lines[i]))
	decoder.UseNumber()
	var root any
	lab.NoError(t, decoder.Decode(&root))
	at := root
	for _, step := range path[:len(path)-1] {
		switch within := at.(type) {
		case map[string]any:
			at = within[step]
		case []any:
			i, err := strconv.Atoi(step)
			lab.NoError(t, err)
			at = within[i]
		}
		if at == nil {
			t.Fatalf("nothing at %s of %v", step, path)
		}
	}
	members := at.(map[string]any)
	if members[path[len(path)-1]] = value; value == (gone{}) {
		delete(members, path[len(path)-1])
	}
	line, err := json.Marshal(root)
	lab.NoError(t, err)
	lines[i] = append(line, '\n')
	return bytes.Join(lines, nil)
}

const refused = "The snapshot is refused, and nothing is changed: "

// wantRefused checks that a snapshot is refused for a reason and that the world stays unchanged.
func wantRefused(t *testing.T, c *apitest.Client, snapshot string, taken []byte, why string) {
	t.Helper()
	r := c.Put(lab.Control+"snapshot", snapshot)
	if r.Status != 400 || !strings.HasPrefix(r.ErrorMessage(), refused) || !strings.Contains(r.ErrorMessage(), why) {
		t.Errorf("%d %s, want %s", r.Status, r.Body, why)
	}
	if now := c.Get(lab.Control + "snapshot").Body; string(now) != string(taken) {
		t.Fatalf("%s: the world is changed", why)
	}
}

func TestSnapshotRefused(t *testing.T) {
	t.Parallel()
	c := lab.Start(t).Without(apitest.SSN)
	lab.Lively(t, c)
	lab.WantStatus(t, c.Post(lab.Control+"tenant-properties", `{"id":"tp_made","tenant_property":{"set":{"name":"Quay Made"}}}`), 201, "")
	body := c.Get(lab.Control + "snapshot").Body
	taken := string(body)
	for name, tt := range map[string]struct{ old, new, why string }{
		"a part that is missing":    {`"seed":1,`, ``, "seed is missing"},
		"another version":           {`"understudy_snapshot":2`, `"understudy_snapshot":1`, "understudy_snapshot must be 2, as this release writes it, and is 1: restore it by the release that took it"},
		"no snapshot":               {taken, `{"a":1}`, `line 1 cannot be read: unknown key at "/a"`},
		"an empty object":           {taken, `{}`, "line 1 lacks something: understudy_snapshot is missing"},
		"nothing":                   {taken, "", "it is empty"},
		"no JSON":                   {taken, taken[:len(taken)/2], "cannot be read: "},
		"something that is nothing": {`{"key":"sessions"`, `{"key":"what/ever","value":1}` + "\n" + `{"key":"sessions"`, `"what/ever", is no name of a value that a world stores`},
		"a state that is none":      {`"progress":{"state":"pending-approval"`, `"progress":{"state":"pending"`, `"vr/vr_lifecycle", stands nowhere`},
		"a history of other states": {`"history":[{"state":"pending-approval","step":0`, `"history":[{"state":"processing","step":0`, `"vr/vr_lifecycle", has a history that does not end with its state`},
		"a key that is not known":   {`"cursor":{`, `"cursor":{"speed":1,`, `", cannot be read: unknown field "speed"`},
		"an invalid fault":          {`"times":3`, `"tims":3`, `fault "fault-1" is invalid`},
		"a text that is missing":    {`"name":"mine","text":"`, `"name":"mine","text":"9`, `", is the text of no file in scenarios of the first line`},
		"texts without a file":      {`"scenarios":[{"name":"mine"`, `"scenarios":[{"name":"also","text":"2-a"},{"name":"mine"`, "scenarios of the first line are 2, and the texts of 1 follow"},
		"an invalid text":           {`state: invalid`, `state: invlid`, "its scenario files are invalid:"},
		"a request that is missing": {`"sequence":2`, `"sequence":7`, `journal/2", has the sequence 7 after 1: sequences have no gaps`},
		"a request without an id":   {`journal/1","value":{"id":"0`, `journal/1","value":{"id":"U`, "has no request id"},
		"a status that is none":     {`"status":500,"fault":null`, `"status":5000,"fault":null`, "has the status 5000"},
		"a journal with other keys": {`"journal_dropped":0`, `"journal_droped":0`, `"end", cannot be read: unknown field "journal_droped"`},
		"a property of another id":  {`{"id":"tp_made",`, `{"id":"tp_other",`, `"tp/tp_made", has the id "tp_other": it must be that of its name`},
		"a property without a name": {`"name":"Quay Made"`, `"name":" "`, `"tp/tp_made", has a name that is blank`},
		"a session without an id":   {`"session":{"id":"cs_0`, `"session":{"id":"cs 0`, `"vr/vr_0`},
		"an id that is none":        {`"tp/tp_made"`, `"tp/tp made"`, `"tp/tp made", has an id that no resource has`},
		"a count that is negative":  {`"sessions","value":1`, `"sessions","value":-1`, `"sessions", is -1: a count goes from 0 to 4503599627370496`},
		"a count of something":      {`"sessions"`, `"sessions/a"`, `"sessions/a", is no name of a value that a world stores`},
		"calls that are negative":   {`{"calls":{"any":1}`, `{"calls":{"any":-1}`, `"calls/`},
		"faults that are negative":  {`"faults_made":1`, `"faults_made":-1`, "faults_made is -1: a count goes from 0"},
		"faults without end":        {`"faults_made":1`, `"faults_made":9223372036854775807`, "faults_made is 9223372036854775807: a count goes from 0 to 4503599627370496"},
		"files without end":         {`"scenarios_made":1`, `"scenarios_made":9223372036854775807`, "scenarios_made is 9"},
		"calls without end":         {`{"calls":{"any":1}`, `{"calls":{"any":9223372036854775807}`, `"calls/vr/vr_flaky", at calls.any is 9223372036854775807: a count goes from 0 to`},
		"sessions without end":      {`"sessions","value":1`, `"sessions","value":4503599627370497`, `"sessions", is 4503599627370497: a count goes`},
		"reads without end":         {`"reads":`, `"reads":9007199254740993`, `"vr/vr_`},
		"a sequence without end":    {`"sequence":1,`, `"sequence":18446744073709551615,`, "has sequence 18446744073709551615: "},
		"requests without end":      {`"journal_dropped":0`, `"journal_dropped":18446744073709551615`, "journal_dropped is 9223372036854775807: a count goes"},
		"a body without end":        {`"size":`, `"size":9007199254740993`, "has a body whose size is not 1 to 4503599627370496"},
		"files that are negative":   {`"scenarios_made":1`, `"scenarios_made":-1`, "scenarios_made is -1: a count goes from 0"},
		"a fault without a number":  {`"faults":[{"id":"fault-1"`, `"faults":[{"id":"fault-one"`, `no fault here can have the id "fault-one"`},
		"a fault that was not made": {`"faults":[{"id":"fault-1"`, `"faults":[{"id":"fault-2"`, `no fault here can have the id "fault-2": they are fault-1 to fault-1, by faults_made`},
		"a file of no name":         {`"scenarios":[{"name":"mine"`, `"scenarios":[{"name":"a mine"`, `no scenario file here can have the name "a mine"`},
		"an operation that is none": {`"operation":"getVerificationRequest"`, `"operation":"getVerification"`, `journal/2", has the unknown operation "getVerification": it is one of cancelVerificationRequest,`},
		"a method that is none":     {`"method":"PUT"`, `"method":"PUTT"`, `journal/1", has the method "PUTT" of no operation: it is one of PUT, GET, POST`},
		"a path that is none":       {`"path":"/ten`, `"path":"ten`, `journal/1", has the path "tenant-`},
		"a value twice":             {`{"key":"sessions","value":1}`, `{"key":"sessions","value":1}` + "\n" + `{"key":"sessions","value":1}`, `"sessions" is there twice`},
		"a part twice":              {`"seed":1`, `"seed":1,"seed":1`, `line 1 cannot be read: "/seed" stands twice`},
		"a value with a key twice":  {`{"calls":{"any":1}`, `{"calls":{"any":1,"any":1}`, `cannot be read: "/value/calls/any" stands twice`},
		"a value that is too large": {`{"key":"sessions"`, `{"key":"a","value":"` + strings.Repeat("a", 8<<20) + `"}` + "\n" + `{"key":"sessions"`, "is larger than 7 MiB"},
		"space that is too large":   {`{"key":"sessions"`, strings.Repeat(" ", 8<<20) + `{"key":"sessions"`, "is larger than 7 MiB"},
		"parts that are too large":  {`"faults":[`, `"faults":[` + strings.Repeat("{},", 500_000), "line 1 is larger than 1 MiB: a snapshot has one key a line"},
		"something after its end":   {taken, taken + `{"key":"a","value":1}`, `"a", is not in its place`},
		"an end twice":              {`{"key":"end","value":{"journal_dropped":0}}`, strings.Repeat(`{"key":"end","value":{"journal_dropped":0}}`+"\n", 2), `"end", is not in its place`},
		"a later line alone":        {taken, taken + `{"key":"a"}`, `cannot be read: it has no key, or no value`},
		"a text after a value":      {`{"key":"sessions"`, `{"key":"scenario/mine/1-b5335219f0b1af40","value":""}` + "\n" + `{"key":"sessions"`, "is not in its place: the keys of scenario/ come first"},
		"no end":                    {`{"key":"end","value":{"journal_dropped":0}}`, "", "it is not whole: its last line has the key end"},
		"another sequence":          {`journal/1","value"`, `journal/9","value"`, "has the sequence of the key journal/1"},
		"an entry with other keys":  {`"duration_ms":`, `"span":`, `journal/1", cannot be read: `},
	} {
		t.Run(name, func(t *testing.T) {
			corrupt := strings.Replace(taken, tt.old, tt.new, 1)
			if corrupt == taken {
				t.Fatalf("nothing to replace in %s", taken)
			}
			wantRefused(t, c, corrupt, body, tt.why)
		})
	}
	lab.WantStates(t, c, "vr_lifecycle", "processing") // the world still works
}

// A snapshot cannot make a world that answers outside of spec 2.1, 2.2 and 8.
func TestSnapshotImpossibleWorld(t *testing.T) {
	t.Parallel()
	c := lab.Start(t).Without(apitest.SSN)
	lab.Lively(t, c)
	c.Get("/verification-requests/vr_completed")
	lab.WantStatus(t, c.Post(lab.Control+"qualification-checks", `{"id":"qc_made"}`), 201, "")
	lab.WantStatus(t, c.Send("PATCH", lab.Control+"verification-requests/vr_completed", `{"set":{"loan_id":"7"}}`), 200, "")
	lab.WantStatus(t, c.Put("/verification-requests/vr_processing/cancel", `{"cancellation_reason":"other"}`), 200, "")
	made := lab.RequestOf(t, c, lab.Create(t, c, lab.Session("000-12-3456")))
	taken := c.Get(lab.Control + "snapshot").Body
	lab.WantStatus(t, c.Put(lab.Control+"snapshot", taken), 200, "")
	for _, tt := range []struct {
		value any
		path  string // separated by dots, after the key of a line if it has a slash
		why   string
	}{
		{"zzz", "vr/vr_lifecycle.shape.type", `is invalid at shape.type: has the unknown value "zzz": it must be one of`},
		{"zzz", "vr/vr_lifecycle.shape.use_case", `is invalid at shape.use_case: has the unknown value "zzz": it must be one of`},
		{"zzz", "vr/vr_lifecycle.shape.permissible_purpose", `is invalid at shape.permissible_purpose: has the unknown value "zzz": it must be one of`},
		{"zzz", "vr/vr_lifecycle.shape.employer_filter", `is invalid at shape.employer_filter: has the unknown value "zzz": it must be one of`},
		{"zzz", "vr/vr_lifecycle.shape.pricing_tier", `is invalid at shape.pricing_tier: has the unknown value "zzz": it must be one of`},
		{"000123456", "vr/" + made + ".shape.person.last_four", `is invalid at shape.person.last_four: must be the last four digits`},
		{map[string]any{"price": nil}, "vr/vr_lifecycle.shape.set", `is invalid at shape.set.price: may not be null`},
		{map[string]any{"use_case": "zzz"}, "vr/vr_lifecycle.shape.set", `is invalid at shape.set.use_case: has the unknown value "zzz": it must be one of`},
		{"zzz", "vr/vr_processing.progress.canceled.reason", `is invalid at progress.canceled.reason: has the unknown value "zzz": it must be one of immediate`},
		{gone{}, "vr/vr_lifecycle.progress.created", `lacks something: progress.created is missing`},
		{"0001-01-01T00:00:00Z", "vr/vr_lifecycle.progress.created", `has at progress.created an instant that no clock shows`},
		{gone{}, "vr/vr_completed.progress.completed", `has at progress.completed an instant that no clock shows`},
		{"2024-01-01T00:00:00Z", "vr/vr_completed.progress.completed", `has progress.completed before progress.created`},
		{"9999-01-01T00:00:00Z", "now", `created and now must be instants from the year 1970 to 9990`},
		{"2024-01-01T00:00:00Z", "now", `now is 2024-01-01T00:00:00Z, which is before created, 2025-01-15T09:30:00Z`},
		{7, "vr/vr_lifecycle.cursor.step", `has cursor.step 7: the timeline of lifecycle has 3 steps`},
		{"1900-01-01T00:00:00Z", "vr/vr_lifecycle.cursor.entered", `has at cursor.entered an instant that no clock shows`},
		{"1900-01-01T00:00:00Z", "vr/vr_lifecycle.history.0.at", `has at history.0.at an instant that no clock shows`},
		{"", "vr/" + made + ".session.token", `has a session.token that no session has`},
		{map[string]any{"created": "2025-01-15T08:00:00.0000001Z"}, "vr/vr_lifecycle.shape.set", `has more than six digits of a second`},
		{[]string{}, "vr/vr_lifecycle.history", `has a history that does not end with its state`},
		{gone{}, "vr/vr_lifecycle.revision", `lacks revision`},
		{"", "vr/vr_lifecycle.identity", `has an identity that is empty`},
		{"zzz", "qc/qc_made.shape.kind", `is invalid at shape.kind: has the unknown value "zzz": it must be one of`},
		{gone{}, "qc/qc_made.created", `lacks something: created is missing`},
		{nil, "vr/vr_lifecycle", `lacks something: is null`},
		{"0001-01-01T00:00:00Z", "limit/", `has at limit an instant that no clock shows`},
		{gone{}, "end/.journal_dropped", `journal_dropped is missing`},
		{gone{}, "faults", `faults is missing`},
		{gone{}, "scenarios", `scenarios is missing`},
		{gone{}, "faults.0.rule", `faults.0.rule is missing`},
		{gone{}, "journal/1.request.size", `request.size is missing`},
		{0, "journal/1.request.size", `has a body whose size is not 1 to`},
		{gone{}, "journal/1.diagnosis", `diagnosis is missing`},
		{"1900-01-01T00:00:00Z", "faults.0.expires", `the fault fault-1 expires at no time`},
	} {
		path, key := strings.Split(tt.path, "."), ""
		if strings.Contains(path[0], "/") {
			key, path = strings.TrimSuffix(path[0], "/"), path[1:]
		}
		wantRefused(t, c, string(edited(t, taken, tt.value, key, path...)), taken, tt.why)
	}
	first := string(taken)[strings.Index(string(taken), `journal/1","value":{"id":"`)+len(`journal/1","value":{"id":"`):][:26]
	wantRefused(t, c, string(edited(t, taken, first, "journal/2", "id")), taken, "has the id of an earlier entry, "+first+": ids are unique")
}

// An edited snapshot may have counters that are lower than its ids: new resources get new ids all the same.
func TestSnapshotNewIDs(t *testing.T) {
	t.Parallel()
	c := lab.Start(t).Without(apitest.SSN)
	makeAll := func() (ids []string) {
		t.Helper()
		ids = append(ids, lab.RequestOf(t, c, lab.Create(t, c, lab.Session("000-12-3456"))))
		for _, kind := range []string{"verification-requests", "tenant-properties", "qualification-checks"} {
			ids = append(ids, lab.NewID(t, c, kind, `{}`))
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
		taken := c.Get(lab.Control + "snapshot").Body
		taken = edited(t, taken, 0, "created")
		lab.WantStatus(t, c.Put(lab.Control+"snapshot", edited(t, taken, 0, "sessions")), 200, "")
	}
	lab.WantStatus(t, c.Post(lab.Control+"tenant-properties", `{"id":"tp_default"}`), 409, "The id tp_default is taken: choose another")
}

// A snapshot of every scenario of the catalogue can be restored, also at the end of the clock's range.
func TestSnapshotEveryScenario(t *testing.T) {
	t.Parallel()
	for name, began := range map[string]time.Time{
		"now":           lab.Epoch,
		"at the first":  time.Date(1970, time.January, 1, 0, 0, 0, 0, time.UTC),
		"near the last": time.Date(9989, time.December, 1, 0, 0, 0, 0, time.UTC),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := lab.Start(t, emulator.WithClock(emulator.FrozenAt(began))).Without(apitest.SSN, apitest.Document) // other tests check these answers
			var all struct {
				Items []struct {
					Name  string
					Magic []struct{ Kind, Value string }
				}
			}
			lab.NoError(t, json.Unmarshal(c.Get(lab.Control+"scenarios?limit=1000").Body, &all))
			for i, s := range all.Items {
				if name != "now" && i%lab.Scaled(5, 1) > 0 {
					continue
				}
				for _, m := range s.Magic {
					of := map[string]string{"qualification check": "qualification-checks", "tenant property": "tenant-properties"}[m.Kind]
					if of == "" {
						of = "verification-requests"
					}
					lab.WantStatus(t, c.Post(lab.Control+of, `{"scenario":"`+s.Name+`"}`), 201, "")
					switch {
					case m.Kind == "SSN" && m.Value != "any":
						c.Post("/credentials/session", lab.Session(m.Value))
					case m.Kind == "verification request":
						lab.WantStatus(t, c.Send("PATCH", lab.Control+"verification-requests/"+m.Value, `{"set":{"loan_id":"7"}}`), 200, "")
					}
				}
			}
			lab.WantStatus(t, c.Post("/credentials/session", `{"permissible_purpose":"employment","type":"assets","use_case":"health","metadata":{"a\u0000b\ud83d\ude00":"\u2028<é>"},`+
				`"reseller_originating_party":{"originating_party":"A","permissible_purpose":"subpoena","use_case":"auto"},`+
				`"target":{"first_name":"Ada \"\\ \t","last_name":"E","social_security_number":"000123456","company":{"id":"7"}}}`), 201, "")
			lab.WantStatus(t, c.Send("PATCH", lab.Control+"verification-requests/vr_lifecycle_timed", `{"state":"action-required"}`), 200, "")
			taken := c.Get(lab.Control + "snapshot").Body
			if r := c.Put(lab.Control+"snapshot", taken); r.Status != 200 {
				t.Errorf("%d %s", r.Status, r.Body)
			}
		})
	}
}
