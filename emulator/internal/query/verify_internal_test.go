package query

import (
	"context"
	"errors"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// A comparison that takes longer than verifyTime is a 400, one that its client has left has the client's error.
func TestVerifyTime(t *testing.T) {
	t.Parallel()
	j, ref := journal.New(journal.Config{Size: 10}), journal.Ref{World: "w", Generation: 1}
	if err := j.Append(t.Context(), ref, new(journal.Entry)); err != nil {
		t.Fatal(err)
	}
	if result, err := Verify(t.Context(), j, ref, Expectation{}); result.Count != 1 || err != nil {
		t.Fatalf("%d match, %v", result.Count, err)
	}
	if _, err := (Expectation{}).verify(t.Context(), j, ref, 0); !errors.Is(err, errVerifyTime) {
		t.Errorf("after its time: %v", err)
	}
}

// An expression is not matched, and an element not looked for, once the time is over.
func TestComparisonStops(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	body := []byte(`{"a":[1,2],"b":"x"}`)
	e := journal.NewEntry(journal.Request{Method: "GET", Body: body, Size: int64(len(body))}, nil, nil)
	for name, want := range map[string]BodyMatcher{
		"elements":    {Contains: map[string]any{"a": []any{3.0}}},
		"values":      {Contains: map[string]any{"b": "y"}},
		"expressions": {Matches: map[string]Pattern{"b": *Matching("y").Matches}},
	} {
		for _, ctx := range []context.Context{t.Context(), over} {
			c := comparison{ctx: ctx}
			if c.entry(Expectation{Match: Match{Body: &want}}, e); c.count != 1 && ctx != over || c.count != 0 && ctx == over {
				t.Errorf("%s: %d differences, the time is over: %v", name, c.count, ctx == over)
			}
		}
	}
}
