package collection_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/collection"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Every format has each magic value, but for those that break the connection.
func TestMagicValues(t *testing.T) {
	t.Parallel()
	texts := make(map[string]string)
	for format := range collection.Formats {
		all, err := collection.Files(t.Context(), format, true, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all {
			texts[format] += "=== " + f.Name + "\n" + f.Text
		}
	}
	catalogue, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	for format, text := range texts {
		for _, s := range catalogue.All() {
			for _, magic := range s.MagicValues() {
				value := strings.Replace(magic.Value, string(scenarios.AnySSN), "any other SSN", 1)
				if has := strings.Contains(text, value); has == strings.HasPrefix(s.Name, "fault-") {
					t.Errorf("%s: has %s: %v", format, value, has)
				}
			}
		}
	}
	checkStatuses(t, texts["http"])
	if text := texts["bruno"]; !strings.Contains(text, "assert {\n  res.status: eq 451\n}") || !strings.Contains(text, "  token: {{key}}\n") {
		t.Errorf("%.3000s", text)
	}
}

// checkStatuses checks that a value that moves has a request for each step, and one that fails the call that it fails.
func checkStatuses(t *testing.T, text string) {
	t.Helper()
	for _, want := range []string{
		"### reset: answers 200\n", "### vr_lifecycle 3 of 3: answers 200\n", "### vr_flaky 1 of 3: answers 500\n", "### vr_flaky 2 of 3: answers 429\n",
		"### vr_error_451: answers 451\n", "### vr_error_429: answers 429\n", "### qc_error_406: answers 406\n", "### tp_default: answers 200\n",
		"### 000-00-0451: answers 451\n", "PUT {{url}}/verification-requests/vr_cancel_error_403/cancel\n", "### vr_cancel_error_403: answers 403\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, "vr_lifecycle 4") || strings.Contains(text, "vr_completed 1 of") {
		t.Error("a value that stays as it is has more than one request")
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	all, err := collection.Files(t.Context(), "postman", false, true)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	var c struct {
		Variable []struct{ Key, Value string }
		Item     []struct {
			Name string
			Item []struct{ Request struct{ URL string } }
		}
	}
	if err := json.Unmarshal([]byte(all[0].Text), &c, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	if len(c.Variable) != 2 || c.Variable[0].Key != "url" || c.Variable[1].Key != "key" || len(c.Item) != 4 || c.Item[0].Name != "credentials-sessions" {
		t.Errorf("%+v", c)
	}
}
