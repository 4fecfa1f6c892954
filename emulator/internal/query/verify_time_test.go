package query_test

import (
	"context"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
)

// A comparison that takes longer than its time is a 400.
func TestVerifyTime(t *testing.T) {
	t.Parallel()
	j := conversation(t)
	if result, err := query.Verify(t.Context(), j, w1, query.Expectation{}); result.Count == 0 || err != nil {
		t.Fatalf("%d match, %v", result.Count, err)
	}
	_, err := query.Expectation{}.VerifyWithin(t.Context(), j, w1, 0)
	lab.WantRefusal(t, err, 400, "The expectation takes too long to compare with the journal: match fewer values, or by simpler expressions")
}

// An expression is not matched, and an element not looked for, once the time is over.
func TestComparisonStops(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	body := []byte(`{"a":[1,2],"b":"x"}`)
	e := journal.NewEntry(journal.Request{Method: "GET", Body: body, Size: int64(len(body))}, nil, nil)
	for name, body := range map[string]query.BodyMatcher{
		"elements":    {Contains: map[string]any{"a": []any{3.0}}},
		"values":      {Contains: map[string]any{"b": "y"}},
		"expressions": {Matches: map[string]query.Pattern{"b": *query.Matching("y").Matches}},
	} {
		expected := query.Expectation{Match: query.Match{Body: &body}}
		for ctx, want := range map[context.Context]int{t.Context(): 1, over: 0} {
			if count, _ := expected.Compare(ctx, e, false); count != want {
				t.Errorf("%s: %d differences, want %d", name, count, want)
			}
		}
	}
}
