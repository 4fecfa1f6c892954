package delivery_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// hooked returns a global scenario with subscriptions.
func hooked(magic string, urls ...string) string {
	text := "name: hooked\ntitle: Hooked\n" + magic + "webhooks:\n"
	for _, url := range urls {
		text += "  - {url: " + url + "}\n"
	}
	return text
}

// Worlds begin with the webhooks of --webhook and of scenario files, and have them again after a reset, by key or by id.
func TestWebhooksOfFiles(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t, emulator.WithWebhooks(emulator.Webhooks{URLs: []string{"http://127.0.0.1:1/flag"}}),
		lab.ScenarioFile(t, hooked("magic: {api_key: \"*_hooked\"}\n", "http://127.0.0.1:1/file", "http://app/file")))
	with, without := apitest.New(t, url, "svc_sk_test_a_hooked"), apitest.New(t, url, "svc_sk_test_b")
	lab.PlayScript(t, without, `GET webhooks → 200 items.#=1 items.0.id=1 items.0.url=http://127.0.0.1:1/flag`)
	const begun = "GET webhooks → 200 items.#=3 items.0.url=http://127.0.0.1:1/flag items.1.id=2 items.1.url=http://127.0.0.1:1/file items.2.url=http://app/file\n"
	lab.PlayScript(t, with, begun+`
		DELETE webhooks/1 → 204
		POST webhooks {"url":"http://127.0.0.1:1/own"} → 201 id=4
		POST reset → 200 key=*
		`+begun+`
		POST webhooks {"url":"http://127.0.0.1:1/own"} → 201 id=4`)
	id := with.Get("/verification-requests/vr_completed").Header.Get("Understudy-World")
	lab.WantStatus(t, without.Post(lab.Control+"reset?world="+id, nil), 200, "")
	lab.PlayScript(t, with, begun)
}

func TestWebhooksOfFiles_refused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"a public host": {hooked("", "http://app/", "http://hooks.example.com/"), `own.yaml:1:1: item 2 of webhooks: url goes to "hooks.example.com"`},
		"eleven":        {hooked("", strings.Split(strings.Repeat("http://app/ ", 11), " ")[:11]...), "own.yaml:1:1: all files and --webhook have 11 webhooks together, and a world has 10 at most: remove 1"},
	} {
		_, err := emulator.New(lab.ScenarioFile(t, tt.text))
		if err == nil || !strings.Contains(fmt.Sprint(err), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
	lab.Serve(t, lab.ScenarioFile(t, hooked("", "http://hooks.example.com/")), emulator.WithWebhooks(emulator.Webhooks{Hosts: []string{"hooks.example.com"}}))
	c := lab.Start(t)
	lab.WantStatus(t, c.Put(lab.Control+"scenarios/hooked", hooked("", "http://app/")), 400,
		"A scenario of one world has no webhooks, which are those of new worlds: subscribe this world by POST /_understudy/v1/webhooks, or understudy webhooks add")
}

// Scenario files and the control plane take the same events and versions.
func TestWebhooksOfFiles_words(t *testing.T) {
	t.Parallel()
	_, words, _ := strings.Cut(lab.Start(t).Post(lab.Control+"webhooks", `{"url":"http://app/","events":["x"]}`).ErrorMessage(), "must be one of ")
	_, versions, _ := strings.Cut(lab.Start(t).Post(lab.Control+"webhooks", `{"url":"http://app/","version":"x"}`).ErrorMessage(), "must be one of ")
	for key, want := range map[string]string{"events: [x]": words, "version: x": versions} {
		_, err := emulator.New(lab.ScenarioFile(t, "name: hooked\ntitle: Hooked\nwebhooks: [{url: http://app/, "+key+"}]\n"))
		if err == nil || want == "" || !strings.HasSuffix(err.Error(), "must be one of "+want) {
			t.Errorf("%s: %v, want %q", key, err, want)
		}
	}
}

// A file that is saved with a webhook that is not allowed leaves the last valid files in use.
func TestWebhooksOfFiles_reload(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "own.yaml")
	lab.Save(t, file, hooked("", "http://127.0.0.1:1/one"))
	url := lab.Serve(t, emulator.WithScenarios(folder))
	lab.Save(t, file, hooked("", "http://hooks.example.com/"))
	lab.Until(t, "the file is refused", func() bool {
		return strings.Contains(string(apitest.New(t, url, lab.Key).Get(lab.Control+"ready").Body), "own.yaml:1:1: the last valid ones")
	})
	lab.PlayScript(t, apitest.New(t, url, "svc_sk_test_later"), "GET webhooks → 200 items.#=1 items.0.url=http://127.0.0.1:1/one")
}
