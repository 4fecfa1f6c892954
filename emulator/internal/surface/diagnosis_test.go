package surface_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

func TestDiagnosisHeaderAndLog(t *testing.T) {
	t.Parallel()
	log, option := lab.Logged(slog.LevelInfo)
	c := lab.Start(t, option)
	plain := c.With("Accept", "application/json; version=2019-10-15").Get("/verification-requests/vr_completed?fields=id&income_analytics=true")
	lab.WantStatus(t, plain, 200, "")
	if diagnosis, ok := plain.Header["Understudy-Diagnosis"]; ok || log.String() != "" {
		t.Errorf("an answer that is plainly right is explained: %q, and logged: %s", diagnosis, log)
	}
	r := c.Put("/verification-requests/vr_processing/cancel", `{"cancellation_reason":"competitr"}`)
	lab.WantStatus(t, r, 400, lab.Invalid) // the body does not contain the diagnosis
	lab.WantDiagnosis(t, r, "cancellation_reason must be competitor")
	lab.WantParts(t, log.String(), "cancellation_reason must be competitor", "status=400", "method=PUT", "path=/verification-requests/vr_processing/cancel", "request="+lab.IDOf(r))
}

// The cause of a refusal comes first, whatever else is to be said of the request.
func TestDiagnosisCauseFirst(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	for path, cause := range map[string]string{
		"/verification-requests/vr_completd":             `no verification request is "vr_completd"`,
		"/verification-requests/vr_error_451":            "scenario error-451 answers so",
		"/verification-requests/vr_a?income_analytics=x": "income_analytics must be",
	} {
		if diagnosis := c.Get(path).Header.Get("Understudy-Diagnosis"); !strings.HasPrefix(diagnosis, cause) || !strings.Contains(diagnosis, "; no version was asked for") {
			t.Errorf("%s: %s", path, diagnosis)
		}
	}
}

// answeredAt counts the logged answers at a level.
func answeredAt(log *lab.LogText, level slog.Level) int {
	return strings.Count(log.String(), "level="+level.String()+" msg=answered ")
}

// A diagnosis is in the header each time. It is logged once for each world and kind, then at debug level.
func TestDiagnosisLoggedOncePerWorldAndKind(t *testing.T) {
	t.Parallel()
	log, option := lab.Logged(slog.LevelInfo)
	var p lab.Pauses
	url := lab.Serve(t, option, p.Option())
	one, other := apitest.New(t, url, lab.Key), apitest.New(t, url, lab.Key+"_other")
	const path = "/verification-requests/vr_completed"
	lines := 0
	for _, tt := range []struct {
		what  string
		c     *apitest.Client
		path  string
		want  string // in each header
		lines int
	}{
		{"the first of its kind", one, path, "no version was asked for", 1},
		{"the same again", one, "/verification-requests/vr_processing", "no version was asked for", 0},
		{"another world", other, path, "no version was asked for", 1},
		{"another kind", one, path + "?verbose=1", `unknown query parameter "verbose" was ignored`, 1},
		{"the same kind of another thing", one, path + "?debug=1", `unknown query parameter "debug" was ignored`, 0},
		{"a refusal", one, "/verification-requests/vr_none", `no verification request is "vr_none"`, 1},
		{"a refusal of the same kind", one, "/verification-requests/vr_nobody", `no verification request is "vr_nobody"`, 0},
		{"a refusal in another world", other, "/verification-requests/vr_none", `no verification request is "vr_none"`, 1},
		{"outside any world", one, "/nowhere", "no operation has this path", 1},
		{"outside any world, another path", one, "/nowhere/else", "no operation has this path", 1},
		{"a key that is refused", apitest.New(t, url, "svc_sk_live"), path, "", 1},
		{"another key that is refused", apitest.New(t, url, "svc_sk_test_expired"), path, "", 1},
		{"a delay by a rule", one, "/verification-requests/vr_slow", "scenario slow holds the answer back", 1},
	} {
		const reads = 50
		diagnosed := lab.InParallel(reads, func() bool {
			return strings.Contains(tt.c.Get(tt.path).Header.Get("Understudy-Diagnosis"), tt.want)
		})
		if diagnosed[false] > 0 {
			t.Errorf("%s: %d headers of %d lack the diagnosis", tt.what, diagnosed[false], reads)
		}
		if got := answeredAt(log, slog.LevelInfo) - lines; got != tt.lines {
			t.Errorf("%s: %d lines, want %d", tt.what, got, tt.lines)
		}
		lines = answeredAt(log, slog.LevelInfo)
	}
}

func TestDiagnosisDebugLog(t *testing.T) {
	t.Parallel()
	log, option := lab.Logged(slog.LevelDebug)
	c := lab.Start(t, option)
	for range 50 {
		c.Get("/verification-requests/vr_completed")
	}
	if info, debug := answeredAt(log, slog.LevelInfo), answeredAt(log, slog.LevelDebug); info != 1 || debug != 49 {
		t.Errorf("%d lines for information and %d for debugging, want 1 and 49", info, debug)
	}
	if lines := strings.Count(log.String(), "no version was asked for"); lines != 50 {
		t.Errorf("%d lines of 50 have the diagnosis", lines)
	}
	c.With("Accept", "application/json; version=2019-10-15").Get("/verification-requests/vr_completed")
	lab.WantParts(t, log.String()[strings.LastIndex(log.String(), "msg=answered"):], "scenario=completed") // also of an answer without a diagnosis
}

func TestDiagnosisTexts(t *testing.T) {
	t.Parallel()
	lab.PlayScript(t, lab.Start(t), `
		GET /verification-requests/vr_completed → 200 | send Accept: application/json; version=2019-10-15
		GET /qualification-checks/qc_qualified?verbose=1 → 200 | unknown query parameter "verbose" was ignored
		PUT /tenant-properties/tp_default?x=y {"name":"a"} → 200 | unknown query parameter "x" was ignored
		PUT /tenant-properties/tp_default {"name":"a","nmae":"b"} → 200 | unknown key "nmae" was ignored
		GET /verification-requests/vr_error_451 → 451 The social security number is frozen | scenario error-451 answers so`)
}

// An answer that rests on a decision says on which kind, once for all findings alike. Any other says nothing of it.
func TestDiagnosisReason(t *testing.T) {
	t.Parallel()
	const ours, seen = "(our decision; the specification is silent)", "(seen in public material; the specification does not show it)"
	c := lab.Start(t, emulator.WithSessionFlow("auto"))
	for name, tt := range map[string]struct {
		answer     *apitest.Response
		ours, seen int
	}{
		"a read":                        {c.Get("/verification-requests/vr_completed"), 0, 0},
		"an unknown id":                 {c.Get("/verification-requests/vr_none"), 0, 0},
		"two unknown parameters":        {c.Get("/verification-requests/vr_completed?a=1&b=2"), 1, 0},
		"unknown parameters and fields": {c.Get("/verification-requests/vr_completed?a=1&b=2&fields=idd,stat"), 2, 0},
		"another boolean":               {c.Get("/verification-requests/vr_completed?income_analytics=yes"), 1, 0},
		"a terminal request":            {c.Put("/verification-requests/vr_completed/cancel", lab.CancelOther), 0, 1},
		"a session of a listed number":  {c.Post("/credentials/session", lab.Session("000-00-0000")), 1, 0},
		"a publishable key":             {c.With("Authorization", "Bearer svc_pk_test_a").Get("/verification-requests/vr_completed"), 1, 0},
	} {
		diagnosis := tt.answer.Header.Get("Understudy-Diagnosis")
		if strings.Count(diagnosis, ours) != tt.ours || strings.Count(diagnosis, seen) != tt.seen {
			t.Errorf("%s: %s", name, diagnosis)
		}
	}
}

// The journal entry, the log and the header have the diagnosis. A broken connection has no header.
func TestDiagnosisDelaysAndFaults(t *testing.T) {
	t.Parallel()
	log, option := lab.Logged(slog.LevelInfo)
	var p lab.Pauses
	url := lab.Serve(t, option, p.Option())
	c := apitest.New(t, url, lab.Key)
	lab.PutFault(t, c, `{"rule":{"on":"get","state":["processing"],"delay":{"fixed":"250ms"}}}`)
	lab.PutFault(t, c, `{"rule":{"on":"get","state":["invalid"],"calls":"1-2","fault":"truncated"}}`)
	for id, want := range map[string]string{
		"vr_slow":            "scenario slow holds the answer back for 3s, by its rule at catalogue/",
		"vr_processing":      "scenario fault-1 holds the answer back for 250ms, by its rule at fault-1:1:1",
		"vr_invalid":         "scenario fault-2 has the fault truncated, by its rule at fault-2:1:1, at call 1",
		"vr_fault_truncated": "scenario fault-truncated has the fault truncated, by its rule at catalogue/",
		"vr_fault_dribble":   "scenario fault-dribble has the fault dribble, by its rule at catalogue/",
		"vr_fault_reset":     "scenario fault-reset has the fault connection-reset, by its rule at catalogue/",
		"vr_fault_empty":     "scenario fault-empty has the fault empty, by its rule at catalogue/",
		"vr_fault_malformed": "scenario fault-malformed has the fault malformed, by its rule at catalogue/",
	} {
		r := lab.RequestTo("GET", url+"/verification-requests/"+id, lab.Key, "")
		r.Header.Set("Accept", "application/json; version=2019-10-15")
		if answer, err := http.DefaultTransport.RoundTrip(r); err == nil {
			_ = answer.Body.Close()
			if got := answer.Header.Get("Understudy-Diagnosis"); !strings.HasPrefix(got, want) {
				t.Errorf("%s: the header says %q", id, got)
			}
		}
		entries, _ := lab.Listed(t, c, "?limit=1")
		if got := strings.Join(entries[0].Diagnosis, "; "); !strings.HasPrefix(got, want) {
			t.Errorf("%s: the journal says %q", id, got)
		}
		if !strings.Contains(log.String(), want) {
			t.Errorf("%s: the log does not say %q", id, want)
		}
	}
}

// A diagnosis of 1024 bytes is whole, and a longer one is cut to as many.
func TestDiagnosisHeaderLimit(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	unknown, last := "", 0
	diagnosis := func(more int) string { // two keys have as many characters more
		keys := fmt.Sprintf(`"x%s":1,"y%s":1`, strings.Repeat("x", more/2), strings.Repeat("y", more-more/2))
		return c.Put("/tenant-properties/tp_default", `{"name":"a",`+unknown+keys+"}").Header.Get("Understudy-Diagnosis")
	}
	for n := 0; last < 1024-80; n++ {
		unknown += fmt.Sprintf(`"not of the spec %d":1,`, n)
		last = len(diagnosis(0))
	}
	if got := diagnosis(1024 - last); len(got) != 1024 || strings.HasSuffix(got, "...") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if got := diagnosis(1025 - last); len(got) != 1024 || !strings.HasSuffix(got, "...") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// incidental matches values that may contain any digits: instants, durations, ids of requests and worlds.
var incidental = regexp.MustCompile(`(?:time|took)=\S+|"wall_time":"[^"]+"|"duration_ms":[^,]+|\b[0-9A-HJKMNP-TV-Z]{26}\b|\b[0-9a-f]{24}\b`)

// Headers, log and journal never contain keys, and contain SSNs only masked.
func TestSecrets(t *testing.T) {
	t.Parallel()
	log, option := lab.Logged(slog.LevelDebug)
	url := lab.Serve(t, option)
	const number, dashed, secret = "123456789", "123-45-6789", "svc_sk_test_very_private"
	wantNone := func(what, text string) {
		t.Helper()
		text = incidental.ReplaceAllString(strings.ReplaceAll(text, "***-**-6789", ""), "")
		for _, secret := range []string{"6789", "very_private", percentEncoded("6789"), "%2D6789"} {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("%s contains a secret: …%s", what, text[max(0, i-200):i+len(secret)])
			}
		}
	}
	for _, key := range []string{secret, "svc_sk_live_very_private", "very_private"} {
		for _, text := range []string{number, dashed, secret, percentEncoded(number), percentEncoded(dashed), strings.ReplaceAll(dashed, "-", "%2D")} {
			c := apitest.New(t, url, key).Without(apitest.SSN).With("User-Agent", text)
			for _, r := range []*apitest.Response{
				c.Post("/credentials/session", lab.Session(text)),
				c.Post("/credentials/session", `{"target":{"social_security_number":`+number+`}}`),
				c.Post("/credentials/session", `{"`+text+`":1}`),
				c.Post("/credentials/session", `{"`+text+`":`+number+`x`),
				c.Post("/credentials/session", text),
				c.Put("/tenant-properties/"+text, `{"name":"`+text+`"}`),
				c.Put("/tenant-properties/tp_default", `{"name":"`+text+`"}`),
				c.Get("/verification-requests/" + text + "?" + text + "=" + text),
				c.Get("/nowhere/" + text),
				c.Get("/verification-requests/vr_completed?" + text + "=" + text + "&fields=" + text),
				c.Put("/verification-requests/vr_processing/cancel", `{"cancellation_reason":"`+text+`"}`),
				c.With("Accept", text).Get("/verification-requests/vr_completed"),
				c.With("Content-Type", text).Post("/credentials/session", "{}"),
			} {
				wantNone("a header", strings.Join(r.Header["Understudy-Diagnosis"], "")+strings.Join(r.Header["Understudy-Scenario"], ""))
			}
		}
	}
	wantNone("the log", log.String())
	c := apitest.New(t, url, secret).Without(apitest.SSN)
	items, _ := lab.Listed(t, c, "?limit=1000")
	if len(items) != 6*12 { // requests to /nowhere are not recorded
		t.Errorf("%d requests", len(items))
	}
	for _, e := range items {
		_, text := lab.EntryOf(t, c, e.ID)
		wantNone("the journal", text)
	}
}

func percentEncoded(text string) string {
	var encoded strings.Builder
	for _, b := range []byte(text) {
		fmt.Fprintf(&encoded, "%%%02X", b)
	}
	return encoded.String()
}

func TestRequestIDsDiffer(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	seen := map[string]bool{}
	for _, path := range []string{"/verification-requests/vr_completed", "/verification-requests/vr_completed", "/nowhere", "/reports"} {
		id := c.Get(path).Header.Get("Understudy-Request-Id")
		if len(id) != 26 || seen[id] {
			t.Errorf("%s: request id %q", path, id)
		}
		seen[id] = true
	}
}
