package emulator_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// wholeSnapshot is of a world that remembers one thing, which stands for NAMED.
const wholeSnapshot = `{"understudy_snapshot":1,"seed":1,"created":"2025-01-15T09:30:00Z","now":"2025-01-15T09:30:00Z","frozen":true,` +
	`"scenarios":[],"scenarios_made":0,"faults":[],"faults_made":0,"remembered":{NAMED},"journal":{"entries":[],"dropped":0}}`

// seedSnapshots adds a snapshot as it is taken, and one of each thing that it remembers.
func (z *fuzzed) seedSnapshots(f *testing.F) {
	f.Helper()
	z.again(f)
	z.steer(f, "PUT", "scenarios/mine", ownLifecycle)
	z.steer(f, "POST", "faults", `{"rule":{"on":"update","respond":{"status":500},"times":1}}`)
	z.live(f)
	var taken struct {
		Remembered map[string]json.RawMessage `json:"remembered"`
	}
	text := z.steer(f, "GET", "snapshot", "").Body
	if err := json.Unmarshal(text, &taken); err != nil {
		f.Fatal(err)
	}
	f.Add(string(text), "", "")
	for name, value := range taken.Remembered {
		f.Add(wholeSnapshot, name, string(value))
	}
}

// Contract 6, snapshot: one that is taken is a world that serves, and can be taken again.
func FuzzSnapshots(f *testing.F) {
	z := newFuzzed(f)
	z.seedSnapshots(f)
	f.Add(strings.Replace(wholeSnapshot, `"frozen":true`, `"frozen":false`, 1), "vr/vr_lifecycle", `{"scenario":"lifecycle"}`)
	f.Add(strings.Replace(wholeSnapshot, `:1,"seed"`, `:2,"seed"`, 1), "svc_sk_test_abc", `"123-45-6789"`)
	for name, value := range map[string]string{
		"tp/tp_default": `{"id":"other","name":""}`, "scenario/mine": `"name: mine"`, "calls/vr_flaky": `{"calls":{"get":-1}}`, "sessions": `-1`,
		"limit": `"0001-01-01T00:00:00Z"`, "created": `9223372036854775807`, "qc/qc_qualified": `{}`, "vr/": `{"progress":{"state":"completed"}}`,
	} {
		f.Add(wholeSnapshot, name, value)
	}
	f.Fuzz(func(t *testing.T, text, name, value string) {
		z.again(t)
		text = strings.Replace(text, "NAMED", `"`+name+`":`+value, 1)
		if z.steer(t, "PUT", "snapshot", text).Status != 200 {
			return
		}
		z.live(t)
		if kind, id, ok := strings.Cut(name, "/"); ok && kind == "vr" {
			z.ask(t, request("GET", "/verification-requests/"+url.PathEscape(id), key, ""))
		}
		if taken := z.steer(t, "GET", "snapshot", ""); taken.Status != 200 || z.steer(t, "PUT", "snapshot", string(taken.Body)).Status != 200 {
			t.Errorf("what was taken of it is refused: %s", taken.Body)
		}
	})
}
