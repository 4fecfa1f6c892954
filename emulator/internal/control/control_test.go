package control_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
)

// GET / leads a browser to the console, and lists the addresses for any other client; neither is a request of the emulated API.
func TestEntrance(t *testing.T) {
	t.Parallel()
	e := lab.Launch(t)
	const browser, relative = "text/html,application/xhtml+xml,*/*;q=0.8", "_understudy/" // a proxy may serve it below a prefix
	for name, handler := range map[string]http.Handler{"one address": e, "control plane alone": e.Control(nil, false)} {
		t.Run(name, func(t *testing.T) {
			for _, tt := range []struct{ method, path, accept, location, body string }{
				{"GET", "/", browser, relative, ""},
				{"HEAD", "/", browser, relative, ""},
				{"GET", "/_understudy", "*/*", relative, ""},
				{"GET", "/", "*/*", "", `{"console":"/_understudy/","openapi":"/_understudy/openapi.yaml","agents":"/_understudy/llms.txt","docs":"/_understudy/docs/"}`},
				{"GET", "/", "application/json", "", `"console":"/_understudy/"`},
			} {
				r := httptest.NewRequest(tt.method, tt.path, nil)
				r.Header.Set("Accept", tt.accept)
				shown := httptest.NewRecorder()
				handler.ServeHTTP(shown, r)
				status := map[bool]int{true: 307, false: 200}[tt.location != ""]
				if got := shown.Header().Get("Location"); shown.Code != status || got != tt.location || !strings.Contains(shown.Body.String(), tt.body) {
					t.Errorf("%s %s for %s: %d %s %s", tt.method, tt.path, tt.accept, shown.Code, got, shown.Body)
				}
			}
		})
	}
	if unmatched, err := e.Unmatched(t.Context(), emulator.JournalFilter{}); err != nil || len(unmatched) > 0 {
		t.Errorf("%v, %v", unmatched, err)
	}
}

func TestControlWithoutKey(t *testing.T) {
	t.Parallel()
	c := apitest.New(t, lab.Serve(t), "")
	lab.PlayScript(t, c, `
		GET health → 200 {"status":"ok"}
		GET ready → 200 {"status":"ready"}
		GET clock → 401 `+lab.Message401+`: there is no Authorization header: send Authorization: Bearer svc_sk_test_...
		GET /_understudy/v1 → 404 …The control plane has nothing here
		GET none → 404 The control plane has nothing here: see /_understudy/openapi.json
		GET /_understudy/verification-requests/vr_completed → 404 The emulated API is not here: leave /_understudy out of the base URL
		GET health/x → 404 The control plane has nothing here: did you mean "/_understudy/v1/health"?
		GET jornal → 404 The control plane has nothing here: did you mean "/_understudy/v1/journal"?
		GET verification-request/x → 404 The control plane has nothing here: did you mean "/_understudy/v1/verification-requests/x"?
		GET /_understudy//v1/clock → 404 The control plane has nothing here: did you mean "/_understudy/v1/clock"?`)
	if r := c.Send("HEAD", lab.Control+"health", nil); r.Status != 200 || len(r.Body) > 0 {
		t.Errorf("HEAD: %d %s", r.Status, r.Body)
	}
	for _, method := range []string{"POST", "OPTIONS"} {
		r := c.Send(method, lab.Control+"health", nil)
		lab.WantStatus(t, r, 405, "This call takes GET, HEAD only")
		if allow := r.Header.Get("Allow"); allow != "GET, HEAD" {
			t.Errorf("%s: Allow: %s", method, allow)
		}
	}
}

// Everybody may ask for a document, as often as they like, and to make one takes memory.
func TestControlDocumentsMadeOnce(t *testing.T) {
	e, err := emulator.New()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, name := range []string{"openapi.json", "openapi.yaml", "openapi-surface.json", "openapi-surface.yaml"} {
		allocations := testing.AllocsPerRun(5, func() {
			e.ServeHTTP(new(surface.Recorder), httptest.NewRequest("GET", "/_understudy/"+name, nil))
		})
		if allocations > 1000 {
			t.Errorf("%s: %.0f allocations", name, allocations)
		}
	}
}

func TestControlDocuments(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	whole, err := api.Parts{Control: true}.JSON()
	if err != nil {
		t.Fatal(err)
	}
	surface, err := api.Parts{}.JSON()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct {
		kind string
		body []byte
	}{
		"openapi.json":         {"application/json", whole},
		"openapi.yaml":         {"application/yaml", api.Parts{Control: true}.YAML()},
		"openapi-surface.json": {"application/json", surface},
		"openapi-surface.yaml": {"application/yaml", api.Parts{}.YAML()},
	} {
		r := c.Get("/_understudy/" + path)
		if r.Status != 200 || r.Header.Get("Content-Type") != want.kind || string(r.Body) != string(want.body) {
			t.Errorf("%s: %d %v %.80s", path, r.Status, r.Header, r.Body)
		}
	}
}

func TestControlInfo(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, emulator.WithSeed(7), lab.Mix(t), emulator.WithVersion("v1.2.3"), emulator.WithRateLimit(emulator.Limit{Requests: 10, Per: time.Second}))
	var got map[string]any
	c.Get(lab.Control + "info").JSON(&got)
	if n, ok := got["scenarios"].(float64); !ok || n < 1 {
		t.Errorf("scenarios: %v", got["scenarios"])
	}
	delete(got, "scenarios")
	want := map[string]any{"version": "v1.2.3", "key_prefix": "svc", "seed": 7.0, "store": "temp", "clock": "2025-01-15T09:30:00Z", "population": "mix", "rate_limit": "10/1s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

const after = "after is the next of the page before, an id, which "

func TestControlRefusals(t *testing.T) {
	t.Parallel()
	c := lab.Start(t).Without(apitest.SSN)
	for _, script := range []string{
		// A misspelled parameter would otherwise be ignored without a word.
		`GET verification-requests?sate=completed → 400 There is no query parameter "sate": did you mean state?
		GET verification-requests?worlds=a → 400 There is no query parameter "worlds": did you mean world?
		GET tenant-properties?state=completed → 400 There is no query parameter "state": this call has world, limit, after
		GET worlds?limits=3 → 400 There is no query parameter "limits": did you mean limit?
		GET worlds?world=a → 400 There is no query parameter "world": this call has limit, after
		GET clock?now=1 → 400 There is no query parameter "now": this call has world
		GET journal?statsu=404 → 400 There is no query parameter "statsu": did you mean status?
		HEAD journal/stream?operaton=a → 400
		GET info?verbose=1 → 400 There is no query parameter "verbose": this call has none
		GET clock?world=%zz → 400 The query cannot be read: write it as name=value, with & between two
		POST reset?word=a → 400 There is no query parameter "word": did you mean world?
		GET worlds?limit=1&limit=2 → 400 The query parameter limit is there more than once: send it once
		GET journal?limit=1&limit=1 → 400 The query parameter limit is there more than once: send it once
		GET faults?limit=3&limit=4 → 400 The query parameter limit is there more than once: send it once
		GET worlds?limit=0 → 400 limit must be a number from 1 to 1000
		GET scenarios?limit=0 → 400 limit must be a number from 1 to 1000
		GET /verification-requests/vr_completed?verbose=1 → 200`, // the emulated API only diagnoses it
		// scenario must exist; after must have the form of an id.
		`GET verification-requests?scenario=lifecicle → 400 There is no scenario "lifecicle": did you mean lifecycle?
		GET verification-requests?scenario=nope → 400 There is no scenario "nope": the list of scenarios has the names
		GET verification-requests?after=vr+left → 400 ` + after + `"vr left" cannot be
		GET verification-requests?after=.. → 400 ` + after + `".." cannot be
		GET tenant-properties?after=a/b → 400 ` + after + `"a/b" cannot be
		GET qualification-checks?after=a/b → 400 ` + after + `"a/b" cannot be
		GET credentials-sessions?after=a/b → 400 ` + after + `"a/b" cannot be
		GET worlds?after=first → 400 ` + after + `"first" cannot be
		GET journal?after=7 → 400 ` + after + `"7" cannot be
		GET faults?after=x → 400 ` + after + `"x" cannot be
		GET verification-requests?after=vr_gone → 200
		GET tenant-properties?after=tp_gone → 200
		GET qualification-checks?after=qc_gone → 200
		GET credentials-sessions?after=cs_gone → 200
		GET worlds?after=0123456789abcdef01234567 → 200
		GET journal?after=01JHMK1SM0X7FN8H22EASHJHYY → 200
		GET verification-requests?scenario=flaky → 200`,
		// A message repeats a world id, even one that looks like a number; anything else that may be a secret is masked.
		`GET clock?world=abcdef0123456789abcdef01 → 404 There is no world "abcdef0123456789abcdef01": the list of worlds has the ids
		DELETE worlds/abcdef0123456789abcdef01 → 404 There is no world "abcdef0123456789abcdef01": the list of worlds has the ids
		GET clock?world=000-12-3456 → 404 There is no world "***-**-3456": the list of worlds has the ids`,
		// Keys and SSNs are never repeated, not even to the client that sent them.
		`PUT clock {"now":"123-45-6789"} → 400 The body cannot be read: "/now" is not an instant such as 2025-01-15T09:00:00Z
		PUT clock {"svc_sk_test_abc":1} → 400 The body cannot be read: unknown key at "/svc###"
		PUT clock {"now":} → 400 The body cannot be read: not valid JSON at byte 7 at "/now": a value, or a key in quotes, must begin here
		POST journal/verify {"match":{"path":{"matches":"123456789("}}} → 400 The body cannot be read: "/match/path/matches" is not a regular expression: error parsing regexp: missing closing ): ` + "`***-**-6789(`" + `
		PUT snapshot {"remembered":{"svc_sk_test_abc":"` + "\xff" + `"}} → 400 …The snapshot is refused, and nothing is changed: line 1 cannot be read: not valid JSON at byte 34 at \"/remembered/svc###\": the text must be UTF-8`,
	} {
		lab.PlayScript(t, c, script)
	}
}

func TestResetBody(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	lab.Read(t, c, "vr_lifecycle")
	for _, body := range []string{`{"resources":true}`, `[]`, `null`, `true`, `{`, `{} {}`} {
		lab.WantStatus(t, c.Post(lab.Control+"reset", body), 400, "This call takes no body: leave it out, or send {}")
	}
	lab.WantStatus(t, c.Post(lab.Control+"reset", strings.Repeat(" ", 2<<20)), 413, "The body is larger than 1048576 bytes")
	lab.PlayScript(t, c, `
		GET tenant-properties → 200
		GET verification-requests → 200 items.0.id=vr_lifecycle`)
	for _, body := range []string{``, `{}`, " {\n} "} {
		lab.WantStatus(t, c.Post(lab.Control+"reset", body), 200, "")
	}
	lab.PlayScript(t, c, `GET verification-requests → 200 {"items":[],"next":null}`)
}

func TestControlPages(t *testing.T) {
	t.Parallel()
	c := lab.Start(t).Without(apitest.SSN)
	for range 5 {
		lab.PutFault(t, c, `{"rule":{"on":"update","respond":{"status":500}}}`)
	}
	lab.WantStatus(t, c.Put(lab.Control+"scenarios/mine", lab.OwnLifecycle), 200, "")
	pages := func(path, limit, key string) (all string) {
		t.Helper()
		for after := ""; ; {
			r := c.Get(lab.Control + path + "?limit=" + limit + after)
			lab.WantStatus(t, r, 200, "")
			var page map[string]any
			lab.NoError(t, json.Unmarshal(r.Body, &page))
			for _, item := range page["items"].([]any) {
				all += fmt.Sprint(item.(map[string]any)[key], " ")
			}
			if page["next"] == nil {
				return all
			}
			after = fmt.Sprint("&after=", page["next"])
		}
	}
	if diff := cmp.Diff("fault-1 fault-2 fault-3 fault-4 fault-5 ", pages("faults", "2", "id")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(pages("scenarios", "1000", "name"), pages("scenarios", "9", "name")); diff != "" {
		t.Error(diff)
	}
	lab.PlayScript(t, c, `
		DELETE faults/fault-2 → 204
		GET faults?limit=1&after=fault-2 → 200 items.#=1 items.0.id=fault-3`)
}

func TestWorldScenarios(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	c := apitest.New(t, url, lab.Key).Without(apitest.SSN) // scenario files have magic numbers
	other := apitest.New(t, url, "svc_sk_test_other")
	lab.PlayScript(t, c, `GET /verification-requests/vr_mine → 400 Verification not found`)
	r := c.Put(lab.Control+"scenarios/mine", lab.OwnLifecycle)
	lab.WantStatus(t, r, 200, "")
	lab.WantParts(t, string(r.Body), `"name":"mine"`, `"warnings":[]`)
	lab.PlayScript(t, c, `
		GET /verification-requests/vr_mine → 200 state=processing
		GET /verification-requests/vr_mine → 200 state=invalid
		POST /credentials/session SESSION(000-00-7001) → 201
		GET /verification-requests/{vr} → 200 state=processing
		GET scenarios/mine → 200 own=true timeline.#=2 timeline.0=processing timeline.1="invalid after 1 read"
		GET scenarios/mine → 200 …"kind":"SSN","value":"000-00-7001"
		GET scenarios/mine → 200 …verification_request: vr_mine`)
	lab.PlayScript(t, other, `
		GET /verification-requests/vr_mine → 400 Verification not found
		GET scenarios/mine → 404 There is no scenario "mine": the list of scenarios has the names`)
	lab.PlayScript(t, c, `
		POST verification-requests {"id":"vr_left","scenario":"mine"} → 201
		DELETE scenarios/mines → 404 The world has no scenario of its own that is named "mines": did you mean mine?
		DELETE scenarios/mine → 204
		DELETE scenarios/mine → 404 The world has no scenario of its own that is named "mine": the list of scenarios marks its own
		GET /verification-requests/vr_mine → 200 state=invalid
		GET verification-requests?scenario=mine → 200 …"vr_left"`)

	lab.PlayScript(t, c, lab.PutOther+` …:1:48: warning: leaves magic values without a scenario: 000-00-1001 vr_lifecycle
		GET /verification-requests/vr_lifecycle → 400 Verification not found
		`+lab.PutDone+` warnings.#=0
		PUT scenarios/third {"name":"third","title":"Third","magic":{"verification_request":"vr_third"}} → 200 warnings.#=0
		GET /verification-requests/vr_other → 200 state=invalid
		GET /verification-requests/vr_completed → 200 state=invalid
		POST reset → 200
		GET /verification-requests/vr_completed → 200 state=completed`)
}

func TestWorldScenariosRefused(t *testing.T) {
	t.Parallel()
	c := lab.Start(t).Without(apitest.SSN)
	put := func(name, text string) *apitest.Response { return c.Put(lab.Control+"scenarios/"+name, text) }
	lab.WantStatus(t, put("mine", lab.OwnLifecycle), 200, "")
	lab.WantStatus(t, put("mine", strings.Replace(lab.OwnLifecycle, "invalid", "invlid", 1)), 400,
		"The scenario file is invalid:\nmine.yaml:5:64: unknown value \"invlid\" for state: did you mean invalid?\n"+
			"  5 | verification_request: {timeline: [{state: processing}, {state: invlid, after: {reads: 1}}]}\n"+
			"    |                                                                ^")
	lab.WantStatus(t, put("yours", ""), 400, "The scenario file has no scenario in it")
	lab.WantStatus(t, put("yours", "name: yours\ntitle: t\nmagic: {ssn: 000-00-7001}\n"), 400,
		"The scenario file is invalid:\nyours.yaml:3:14: the SSN 000-00-7001 is taken: mine.yaml:2:1: choose another, or write replaces: mine to take its place\n  3 | magic: {ssn: 000-00-7001}\n    |              ^")
	lab.WantParts(t, string(put("yours", strings.ReplaceAll(strings.Replace(lab.OwnLifecycle, "mine", "yours", 1), "vr_mine", "vr_lifecycle")+"replaces: lifecicle\n").Body),
		"vr_lifecycle is taken: catalogue/verification-requests/lifecycle.yaml:", "which is built in: choose another, or write replaces: lifecycle to take its place", `there is no other scenario \"lifecicle\": did you mean lifecycle?`)
	lab.WantStatus(t, put("Not%20a%20name", lab.OwnLifecycle), 400, "The name of a scenario has 1 to 64 of a-z 0-9 . _ -")
	lab.WantStatus(t, put("yours", lab.OwnLifecycle), 400, "The body names the scenario mine, the address yours: use one name")
	lab.WantStatus(t, put("yours", "title: t\nmagic: {verification_request: vr_yours}\n"), 400,
		"The scenario file is invalid:\nyours.yaml:1:1: a scenario needs a name of 1 to 64 of a-z 0-9 . _ -, the first a letter or a digit, such as name: slow-approval\n  1 | title: t\n    | ^")
	lab.WantStatus(t, put("mine", lab.OwnLifecycle+"---\nname: yours\ntitle: t\nmagic: {verification_request: vr_yours}\n"), 400,
		"The scenario file has 2 scenarios, such as mine and yours: send each alone, to the address with its name")
	lab.WantStates(t, c, "vr_mine", "processing") // the last valid file still applies
}

// The scenario files of a world are limited together, also where a matrix multiplies their scenarios.
func TestWorldScenariosTooLarge(t *testing.T) {
	t.Parallel()
	file := func(name string) string {
		return "name: " + name + "\ntitle: A\nmagic: {tenant_property: tp_" + name + "}\n" + strings.Repeat("#"+strings.Repeat("-", 1022)+"\n", 62)
	}
	c := lab.Start(t)
	for i := range 16 {
		name := fmt.Sprint("a", i)
		lab.WantStatus(t, c.Put(lab.Control+"scenarios/"+name, file(name)), 200, "")
	}
	lab.WantStatus(t, c.Put(lab.Control+"scenarios/more", file("more")), 413, "The scenario files of a world may have 1024 KiB together: delete some first")
	lab.WantStatus(t, c.Send("DELETE", lab.Control+"scenarios/a0", nil), 204, "")
	lab.WantStatus(t, c.Put(lab.Control+"scenarios/more", file("more")), 200, "")
}

// A snapshot may have files of several scenarios.
func TestWorldScenariosTooLargeInSnapshot(t *testing.T) {
	t.Parallel()
	matrix := "name: a-<a>-<b>-<c>\ntitle: A\nmagic: {tenant_property: tp_a_<a>_<b>_<c>}\n" +
		"matrix: {a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], b: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], c: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]}\n" +
		strings.Repeat("#\n", 3000)
	c := lab.Start(t)
	lab.WantStatus(t, c.Put(lab.Control+"scenarios/a", "name: a\ntitle: A\nmagic: {tenant_property: tp_a}\n"), 200, "")
	snapshot := string(c.Get(lab.Control + "snapshot").Body)
	matrices := strings.Replace(snapshot, strconv.Quote("name: a\ntitle: A\nmagic: {tenant_property: tp_a}\n"), strconv.Quote(matrix), 1)
	lab.WantStatus(t, c.Put(lab.Control+"snapshot", matrices), 400,
		"The snapshot is refused, and nothing is changed: The scenarios of a world may take 24 MiB of memory together, and these take 29: write smaller matrices, or delete files first")
	lab.WantStatus(t, c.Get(lab.Control+"scenarios/a"), 200, "")
}

func TestWorldScenariosParallel(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	var made atomic.Int64
	got := lab.InParallel(16, func() int {
		i := made.Add(1)
		return c.Put(fmt.Sprintf("%sscenarios/s%d", lab.Control, i), fmt.Sprintf("name: s%d\ntitle: t\nmagic: {verification_request: vr_s%d}\n", i, i)).Status
	})
	if got[200] != 16 {
		t.Errorf("%v", got)
	}
	for i := range 16 {
		lab.Read(t, c, fmt.Sprintf("vr_s%d", i+1))
	}
}

// A dry run returns the answer that a request would get now, its scenario, its rule and the reason. It changes nothing.
func TestResolve(t *testing.T) {
	t.Parallel()
	const lifecycle, resolve = `{"method":"GET","path":"/verification-requests/vr_lifecycle?fields=state"}`, "POST scenarios/resolve "
	c := lab.Start(t, (&lab.Pauses{}).Option())
	lab.PlayScript(t, c, strings.Repeat(resolve+lifecycle+" → 200 body.state=pending-approval status=200 scenario=lifecycle rule=null\n", 3)+`
		GET /verification-requests/vr_lifecycle → 200 state=pending-approval
		GET /verification-requests/vr_lifecycle → 200 state=processing
		`+resolve+lifecycle+` → 200 body.state=completed
		POST scenarios/resolve {"method":"GET","path":"/verification-requests/vr_flaky"} → 200 status=500 operation=getVerificationRequest diagnosis.#=2
		POST scenarios/resolve {"method":"GET","path":"/verification-requests/vr_flaky"} → 200 …"rule":"catalogue/
		GET /verification-requests/vr_flaky → 500 Internal server error
		POST scenarios/resolve {"method":"GET","path":"/verification-requests/vr_slow?fields=id","headers":{"Accept":"application/json; version=2019-10-15"}} → 200 delay=3s body.id=vr_slow diagnosis.#=1
		POST scenarios/resolve {"method":"GET","path":"/verification-requests/vr_slow?fields=id","headers":{"Accept":"application/json; version=2019-10-15"}} → 200 …"diagnosis":["scenario slow holds the answer back for 3s, by its rule at `+`
		POST scenarios/resolve {"method":"GET","path":"/verification-requests/vr_fault_reset"} → 200 status=null fault=connection-reset body=null
		POST scenarios/resolve {"method":"PUT","path":"/verification-requests/vr_processing/cancel","body":{"cancellation_reason":"other"}} → 200 status=200
		GET /verification-requests/vr_processing → 200 state=processing
		POST scenarios/resolve {"method":"PUT","path":"/tenant-properties/tp_default","body":"{no JSON"} → 200 status=400
		POST scenarios/resolve {"method":"POST","path":"/credentials/session","body":SESSION(000-00-0451)} → 200 status=451 scenario=session-error-0451
		POST scenarios/resolve {"method":"GET","path":"/nowhere","headers":{"Authorization":"Bearer svc_sk_test_expired"}} → 200 status=404
		POST scenarios/resolve {"method":"DELETE","path":"/verification-requests/vr_completed"} → 200 status=405 operation=null diagnosis.#=1
		POST scenarios/resolve {"method":"GET","path":"vr_completed"} → 400 Send the request to resolve: {"method":"GET","path":"/verification-requests/vr_completed"}
		GET verification-requests?scenario=processing → 200 {"items":[],"next":null}`)
	for headers, message := range map[string]string{
		`{"Accept\nX":"a"}`:           `"Accept\nX" is not the name of a header: write one such as Accept`,
		`{"":"a"}`:                    `"" is not the name of a header: write one such as Accept`,
		`{"Accept":"a\r\nX: b"}`:      "The header Accept may have no control characters: it is one line",
		`{"Accept":"a","accept":"b"}`: "The header Accept is there more than once: send it once",
	} {
		r := c.Post(lab.Control+"scenarios/resolve", `{"method":"GET","path":"/verification-requests/vr_completed","headers":`+headers+`}`)
		lab.WantStatus(t, r, 400, message)
	}
}

// A dry run of a request with a key is answered as the API answers it, in the world of the key.
func TestResolveKey(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	c := apitest.New(t, url, lab.Key)
	const path = "/verification-requests/vr_lifecycle?fields=state"
	lab.PlayScript(t, apitest.New(t, url, "svc_sk_test_other"), `GET `+path+` → 200 state=pending-approval
		GET `+path+` → 200 state=processing`)
	for authorization, status := range map[string]int{
		"Bearer svc_sk_test_expired":      401,
		"Bearer svc_sk_test_revoked_2":    401,
		"Bearer svc_sk_test_forbidden":    403,
		"Bearer svc_sk_test_limited":      429,
		"Bearer svc_sk_live_abc":          401,
		"Bearer svc_pk_test_abc":          403,
		"Bearer svc_sk_test_":             401,
		"Basic svc_sk_test_a":             401,
		"":                                401,
		"Bearer svc_sk_test_other":        200,
		"bearer  svc_sk_test_other_world": 200,
	} {
		var resolved struct {
			Status    int             `json:"status"`
			Body      json.RawMessage `json:"body"`
			Diagnosis []string        `json:"diagnosis"`
		}
		c.Post(lab.Control+"scenarios/resolve", `{"method":"GET","path":"`+path+`","headers":{"Authorization":"`+authorization+`"}}`).JSON(&resolved)
		answer := c.With("Authorization", authorization).Get(path)
		if resolved.Status != status || answer.Status != status || string(resolved.Body) != string(answer.Body) {
			t.Errorf("%q: dry run %d %s, answer %d %s", authorization, resolved.Status, resolved.Body, answer.Status, answer.Body)
		}
		if got := strings.Join(resolved.Diagnosis, "; "); got != answer.Header.Get("Understudy-Diagnosis") {
			t.Errorf("%q: %s, want %s", authorization, got, answer.Header.Get("Understudy-Diagnosis"))
		}
	}
}
