package query_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
)

// withWebhooks is conversation with two attempts to deliver a webhook, the first without an answer.
func withWebhooks(t *testing.T) *journal.Journal {
	t.Helper()
	j := conversation(t)
	const body = `{"hook":{"id":1},"data":{"state":"completed"}}`
	for id, status := range map[string]int{"g": 0, "h": 204} {
		e := journal.NewEntry(journal.Request{
			Kind: journal.KindWebhook, Method: "POST", Path: "http://127.0.0.1:8081/hooks?shop=1", Body: []byte(body), Size: int64(len(body)),
			Header: map[string][]string{"Content-Type": {"application/json"}, "X-Webhook-Token": {"correct-horse-4fd2"}, "X-Short": {"abc"}},
		}, nil, nil)
		e.ID, e.Delivery, e.Status = id, "d1", status
		lab.NoError(t, j.Append(t.Context(), w1, e))
	}
	return j
}

// An expectation counts requests alone, or webhooks alone.
func TestVerifyKind(t *testing.T) {
	t.Parallel()
	j := withWebhooks(t)
	for text, want := range map[string]string{
		`{"times":{"exactly":6}}`:                      "6 true ",
		`{"kind":"request","match":{"method":"POST"}}`: "1 true ",
		`{"kind":"webhook","times":{"exactly":2}}`:     "2 true ",
		`{"kind":"webhook","match":{"status":"0"}}`:    "1 true ",
		`{"kind":"webhook","match":{"status":"2xx"}}`:  "1 true ",
		`{"match":{"path":{"contains":"/hooks"}}}`:     `0 false No request matched; expected at least 1. Nearest is POST /credentials/session (f): path is "/credentials/session", which does not contain "/hooks"`,
		`{"kind":"webhook","match":{"path":{"contains":"/hooks"},"headers":{"X-Webhook-Token":"…4fd2","X-Short":"…"}}}`: "2 true ",
		`{"kind":"webhook","match":{"path":"http://127.0.0.1:8081/hooks?shop=2","status":204}}`: "0 false No webhook matched; expected at least 1. " +
			`Nearest is POST http://127.0.0.1:8081/hooks?shop=1 (h): path is "http://127.0.0.1:8081/hooks?shop=1", not "http://127.0.0.1:8081/hooks?shop=2"`,
		`{"kind":"webhook","times":{"at_most":1}}`: "2 false 2 webhooks matched; expected at most 1: ",
	} {
		result, err := query.Verify(t.Context(), j, w1, expectation(t, text))
		if got := fmt.Sprint(result.Count, " ", result.Holds, " ", result.Message); err != nil || got != want && !strings.HasPrefix(got, want+"h, g") && !strings.HasPrefix(got, want+"g, h") {
			t.Errorf("%s: %v\n%s\nwant %s", text, err, got, want)
		}
	}
	for text, want := range map[string]string{
		`{"kind":"webhook","operation":"cancelVerificationRequest"}`: "Webhooks have no operation: leave it out, or the kind",
		`{"kind":"webhok"}`:                      `The kind "webhok" is neither request nor webhook: did you mean webhook?`,
		`{"kind":"webhook","match":{"path":{}}}`: `The matcher of path is empty: give it a text, "equals", "contains" or "matches", or omit it`,
	} {
		_, err := query.Verify(t.Context(), j, w1, expectation(t, text))
		lab.WantRefusal(t, err, 400, want)
	}
	if err := json.Unmarshal([]byte(`{"kind":""}`), new(query.Expectation)); err == nil || !strings.Contains(err.Error(), "kind is \"\": give it a value, or omit it") {
		t.Errorf("an empty kind: %v", err)
	}
}

func TestFilterKind(t *testing.T) {
	t.Parallel()
	j := withWebhooks(t)
	for name, tt := range map[string]struct {
		filter query.Filter
		want   int
	}{
		"all":                        {query.Filter{}, 8},
		"webhooks":                   {query.Filter{Kind: journal.KindWebhook}, 2},
		"requests":                   {query.Filter{Kind: journal.KindRequest}, 6},
		"webhooks without an answer": {query.Filter{Kind: journal.KindWebhook, Status: "0"}, 1},
		"webhooks of a URL":          {query.Filter{Kind: journal.KindWebhook, Path: "http://127.0.0.1:8081/hooks?shop=*"}, 2},
		"webhooks by a word":         {query.Filter{Text: "hooks completed"}, 2},
	} {
		if found, err := query.Select(t.Context(), j, w1, tt.filter); err != nil || len(found) != tt.want {
			t.Errorf("%s: %d entries, %v, want %d", name, len(found), err, tt.want)
		}
	}
	_, err := query.Select(t.Context(), j, w1, query.Filter{Kind: "hook"})
	lab.WantRefusal(t, err, 400, `The kind "hook" is neither request nor webhook`)
	_, err = query.Select(t.Context(), j, w1, query.Filter{Kind: journal.KindWebhook, Operation: "getVerificationRequest"})
	lab.WantRefusal(t, err, 400, "Webhooks have no operation: leave it out, or the kind")
}

// An entry of a webhook goes through JSON, and one of an earlier release is of a request.
func TestKindInJSON(t *testing.T) {
	t.Parallel()
	entries, _, err := withWebhooks(t).Read(t.Context(), w1)
	lab.NoError(t, err)
	for _, e := range entries {
		text, err := e.MarshalJSON()
		lab.NoError(t, err)
		var back journal.Entry
		lab.NoError(t, back.UnmarshalJSON(text))
		if back.Kind != cmp.Or(e.Kind, journal.KindRequest) || back.Delivery != e.Delivery || strings.Contains(string(text), `"kind":"webhook"`) != (e.Kind == journal.KindWebhook) {
			t.Errorf("%s: kind %q, delivery %q", text, back.Kind, back.Delivery)
		}
		earlier := strings.Replace(string(text), `"kind":"request",`, "", 1)
		if lab.NoError(t, back.UnmarshalJSON([]byte(earlier))); back.Kind != cmp.Or(e.Kind, journal.KindRequest) {
			t.Errorf("%s: kind %q", earlier, back.Kind)
		}
		other := strings.Replace(string(text), `"kind":"`, `"kind":"x`, 1)
		if err := back.UnmarshalJSON([]byte(other)); err == nil {
			t.Errorf("%s: no error", other)
		}
	}
}
