package surface_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// outages are what each preset, and the magic values of its scenario, answer. The content type and Retry-After are "" for none.
var outages = []struct {
	name, ssn                string
	status                   int
	contentType, after, body string // the body begins so; "" is none
}{
	{"outage-502", "000-00-0502", 502, "text/html", "", "<html>"},
	{"outage-503", "000-00-0503", 503, "text/html", "", "<html>"},
	{"outage-504", "000-00-0504", 504, "text/html", "", "<html>"},
	{"outage-500-empty", "000-00-4001", 500, "", "", ""},
	{"outage-200-empty", "000-00-4002", 200, "", "", ""},
	{"outage-200-html", "000-00-4003", 200, "text/html; charset=utf-8", "", "<!DOCTYPE html>"},
	{"limited-bare", "000-00-4004", 429, "application/json", "", `{"error":`},
	{"limited-date", "000-00-4005", 429, "application/json", "Wed, 15 Jan 2025 09:30:30 GMT", `{"error":`},
	{"limited-long", "000-00-4006", 429, "application/json", "3600", `{"error":`},
	{"wrong-shape", "000-00-4007", 200, "application/json", "", `{"status":"success"`},
	{"wrong-type", "000-00-4008", 0, "text/plain", "", `{"id":"`}, // of the call
	{"outage-then-fine", "000-00-4009", 503, "text/html", "", "<html>"},
}

func TestOutage(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	for _, want := range outages {
		compare := func(t *testing.T, r *apitest.Response, success int) {
			t.Helper()
			status := want.status
			if status == 0 {
				status = success
			}
			if r.Status != status || r.Header.Get("Content-Type") != want.contentType || r.Header.Get("Retry-After") != want.after {
				t.Errorf("%d %v", r.Status, r.Header)
			}
			if body := string(r.Body); !strings.HasPrefix(body, want.body) || want.body == "" && body != "" {
				t.Errorf("body %q", body)
			}
			lab.WantDiagnosis(t, r, ", by its rule at ")
			if r.Header.Get("Understudy-Request-Id") == "" || r.Header.Get("Understudy-World") == "" || r.Header.Get("Date") == "" {
				t.Errorf("headers %v", r.Header)
			}
		}
		t.Run(want.name, func(t *testing.T) {
			t.Parallel()
			c := apitest.New(t, url, lab.WorldKey(want.name))
			id := "/verification-requests/vr_" + strings.ReplaceAll(want.name, "-", "_")
			compare(t, c.Get(id), 200)
			compare(t, c.Post("/credentials/session", lab.Session(want.ssn)), 201)
			lab.WantStatus(t, c.Post(lab.Control+"faults", `{"rule":"`+want.name+`","resource":"vr_processing"}`), 201, "")
			compare(t, c.Without(lab.Ugly...).Get("/verification-requests/vr_processing"), 200)
			lab.WantStatus(t, c.Get("/verification-requests/vr_completed"), 200, "")
		})
	}
}

func TestOutageEnds(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	for _, status := range []int{503, 503, 200, 200} {
		if r := c.Get("/verification-requests/vr_outage_then_fine"); r.Status != status {
			t.Errorf("status %d, want %d", r.Status, status)
		}
	}
	for _, status := range []int{503, 503, 201} {
		if r := c.Post("/credentials/session", lab.Session("000-00-4009")); r.Status != status {
			t.Errorf("status %d, want %d", r.Status, status)
		}
	}
}

func TestOutageRetryAfterDate(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	lab.WantStatus(t, c.Post(lab.Control+"clock/advance", `{"by":"1h"}`), 200, "")
	if got := c.Get("/verification-requests/vr_limited_date").Header.Get("Retry-After"); got != "Wed, 15 Jan 2025 10:30:30 GMT" {
		t.Errorf("Retry-After is %s", got)
	}
}

// Each rule of what a fault may answer, and how a bad one is refused.
func TestRespond(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	const read = "/verification-requests/vr_completed"
	for name, tt := range map[string]struct {
		respond string // of a fault for any call
		status  int
		header  http.Header // "" is none
		body    string      // whole; "{" is the document
	}{
		"text":                        {`{"status":502,"content_type":"text/html","body":"<b>"}`, 502, http.Header{"Content-Type": {"text/html"}, "Content-Length": {"3"}}, "<b>"},
		"type without a body":         {`{"status":500,"content_type":"text/html","body":"none"}`, 500, http.Header{"Content-Type": {"text/html"}, "Content-Length": {"0"}}, ""},
		"no content":                  {`{"status":204,"body":"none"}`, 204, http.Header{"Content-Type": {""}, "Content-Length": {""}}, ""},
		"redirect":                    {`{"status":302,"body":"none","headers":{"location":"/elsewhere"}}`, 302, http.Header{"Location": {"/elsewhere"}}, ""},
		"nothing that can be omitted": {`{"status":401,"omit":["Content-Type","Date","Retry-After","WWW-Authenticate"]}`, 401, http.Header{"Content-Type": {""}, "Date": {""}, "Www-Authenticate": {""}}, `{"error":{"message":"` + lab.Message401 + `"}}`},
		"headers of the call":         {`{"omit":"Date","headers":{"retry-after":"5"}}`, 200, http.Header{"Date": {""}, "Retry-After": {"5"}, "Content-Type": {"application/json"}}, "{"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := apitest.New(t, url, lab.WorldKey(name)).Without(append(lab.Ugly, apitest.Headers)...)
			lab.WantStatus(t, c.Post(lab.Control+"faults", `{"rule":{"on":"any","respond":`+tt.respond+`}}`), 201, "")
			var shown struct {
				Status  int               `json:"status"`
				Headers map[string]string `json:"headers"`
				Body    any               `json:"body"`
			}
			c.Post(lab.Control+"scenarios/resolve", `{"method":"GET","path":"`+read+`"}`).JSON(&shown)
			r := c.Get(read)
			if r.Status != tt.status || shown.Status != tt.status {
				t.Errorf("status %d, the dry run %d", r.Status, shown.Status)
			}
			for name, values := range tt.header {
				if r.Header.Get(name) != values[0] || shown.Headers[name] != values[0] {
					t.Errorf("%s: %q, the dry run %q", name, r.Header.Get(name), shown.Headers[name])
				}
			}
			if text, quoted := shown.Body.(string); string(r.Body) != tt.body && tt.body != "{" || quoted && text != tt.body {
				t.Errorf("body %s, the dry run %v", r.Body, shown.Body)
			}
			lab.PlayScript(t, c, `GET journal → 200 items.0.scenario="fault-1"`)
		})
	}
}

func TestRespondRefused(t *testing.T) {
	t.Parallel()
	lab.PlayScript(t, lab.Start(t), `
		POST faults {"rule":{"on":"get","respond":{"status":502,"headers":{"Content-Type":"text/html"}}}} → 400 The rule is invalid: rule:1:48: the header Content-Type has a key of its own: write content_type: text/html
		POST faults {"rule":"outage-52"} → 400 "outage-52" is neither a rule, such as {on: get, respond: {status: 500}}, nor a preset: did you mean outage-502?
		GET faults → 200 items.#=0`)
}

// The journal has the body as it was sent, and its headers.
func TestOutageJournal(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	sent := c.Get("/verification-requests/vr_outage_502")
	var entry struct {
		Status   int    `json:"status"`
		Rule     string `json:"rule"`
		Response struct {
			Text string `json:"text"`
		} `json:"response"`
		Headers []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"response_headers"`
	}
	c.Get(lab.Control + "journal/" + sent.Header.Get("Understudy-Request-Id")).JSON(&entry)
	if entry.Status != 502 || entry.Response.Text != string(sent.Body) || !strings.Contains(entry.Rule, "outages.yaml") {
		t.Errorf("%+v", entry)
	}
	for _, h := range entry.Headers {
		if h.Name == "Content-Type" && h.Value != "text/html" {
			t.Errorf("%+v", h)
		}
	}
}
