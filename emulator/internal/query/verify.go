package query

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// Times is how often a request should be sent, by default once or more.
type Times struct {
	Exactly *int `json:"exactly"`
	AtLeast *int `json:"at_least"`
	AtMost  *int `json:"at_most"`
}

const unbounded = math.MaxInt

func (t Times) bounds() (least, most int) {
	if t == (Times{}) {
		return 1, unbounded
	}
	return *cmp.Or(t.Exactly, t.AtLeast, new(0)), *cmp.Or(t.Exactly, t.AtMost, new(unbounded))
}

// String returns a text such as "at least 1".
func (t Times) String() string {
	least, most := t.bounds()
	switch {
	case least == most:
		return fmt.Sprintf("exactly %d", least)
	case most == unbounded:
		return fmt.Sprintf("at least %d", least)
	case least == 0:
		return fmt.Sprintf("at most %d", most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// VerifyResult is the result of an [Expectation]. If it does not hold, it is also the error of [VerifyResult.Err].
type VerifyResult struct {
	Count   int    // matching requests in the journal
	Dropped uint64 // earlier requests of the world, matching or not, that the journal has dropped
	Holds   bool
	Message string     // why it does not hold
	Nearest []NearMiss // if too few match: the requests that differ in the fewest fields
	Note    string     // if none matches: the requests that reached no world, "" for none
}

// NearMiss is a request that does not match, and why.
type NearMiss struct {
	Entry       *journal.Entry
	Differences []string
	fields      int // that differ
}

// Err returns nil if the expectation holds, else r.
func (r *VerifyResult) Err() error {
	if r.Holds {
		return nil
	}
	return r
}

// Error says how many requests matched, how many were expected, and which other request was nearest.
func (r *VerifyResult) Error() string { return r.Message }

// maxNearest limits the near misses, and the ids of too many matches.
const maxNearest = 3

// verifyTime bounds a comparison with a journal: regular expressions and lists may take long for each entry.
const verifyTime = 10 * time.Second

var errVerifyTime = api.Because(400, "The expectation takes too long to compare with the journal: match fewer values, or by simpler expressions")

// Verify compares an expectation with a journal. If requests were dropped, an expectation of at most n does not hold, because
// they may have matched. Verify stops soon after the end of ctx. An expectation that takes too long is a 400.
func Verify(ctx context.Context, j *journal.Journal, ref journal.Ref, x Expectation) (VerifyResult, error) {
	return x.VerifyWithin(ctx, j, ref, verifyTime)
}

// VerifyWithin is [Verify], with the longest that it takes.
func (x Expectation) VerifyWithin(ctx context.Context, j *journal.Journal, ref journal.Ref, longest time.Duration) (VerifyResult, error) {
	operations, err := x.check()
	if err != nil {
		return VerifyResult{}, err
	}
	entries, dropped, err := j.Read(ctx, ref)
	if err != nil {
		return VerifyResult{}, err
	}
	x.Match, x.Kind = x.Match.masked(), cmp.Or(x.Kind, journal.KindRequest)
	limited, cancel := context.WithTimeoutCause(ctx, longest, errVerifyTime)
	defer cancel()
	r := VerifyResult{Dropped: dropped}
	var latest []string               // ids of matches
	var alike, other []*journal.Entry // the latest of those that do not match, by whether they are of an operation that can match
	for _, e := range slices.Backward(entries) {
		if cmp.Or(e.Kind, journal.KindRequest) != x.Kind {
			continue
		}
		count, _ := x.Compare(limited, e, false)
		if limited.Err() != nil {
			return VerifyResult{}, context.Cause(limited)
		}
		switch {
		case count == 0 && r.Count < maxNearest:
			latest = append(latest, e.ID)
			fallthrough
		case count == 0:
			r.Count++
		case slices.Contains(operations, e.Operation):
			alike = append(alike, e)
		default:
			other = append(other, e)
		}
	}
	least, most := x.Times.bounds()
	r.Holds = least <= r.Count && r.Count <= most && (most == unbounded || dropped == 0)
	if r.Count < least {
		if len(alike) == 0 {
			alike = other
		}
		if r.Nearest = x.nearest(limited, alike); limited.Err() != nil {
			return VerifyResult{}, context.Cause(limited)
		}
	}
	if r.Count == 0 && x.Kind == journal.KindRequest {
		r.Note, err = noteUnmatched(ctx, j.Unmatched())
	}
	if !r.Holds {
		r.Message = strings.TrimSuffix(x.message(r, latest)+". "+r.Note, ". ")
	}
	return r, err
}

// maxCompared limits the requests among which the nearest are looked for, the latest first.
const maxCompared = 100

// nearest returns the requests that differ in the fewest fields. Those whose body cannot be compared come last.
func (x Expectation) nearest(ctx context.Context, entries []*journal.Entry) (misses []NearMiss) {
	for _, e := range entries[:min(len(entries), maxCompared)] {
		count, differences := x.Compare(ctx, e, true)
		misses = append(misses, NearMiss{e, differences, count})
	}
	slices.SortStableFunc(misses, func(a, b NearMiss) int { return cmp.Compare(a.fields, b.fields) })
	return misses[:min(len(misses), maxNearest)]
}

// noteUnmatched names the requests that reached no world, the last of them with its diagnosis; "" for none. What was not
// found may be among them.
func noteUnmatched(ctx context.Context, unmatched *journal.Journal) (string, error) {
	if unmatched == nil {
		return "", nil
	}
	entries, _, err := unmatched.Read(ctx, journal.Ref{})
	if err != nil || len(entries) == 0 {
		return "", err
	}
	last := entries[len(entries)-1]
	return fmt.Sprintf("Requests that reached no world: %d, the last is %s %s (%s): %s",
		len(entries), last.Method, last.Path, last.ID, strings.Join(last.Diagnosis, "; ")), nil
}

// masked returns what an entry is compared with: the texts of a match masked as those of entries are.
func (m Match) masked() Match {
	if m.Path != nil {
		m.Path = new(m.Path.masked())
	}
	m.Query, m.Headers = maps.Clone(m.Query), maps.Clone(m.Headers)
	for _, matchers := range []map[string]TextMatcher{m.Query, m.Headers} {
		for name, matcher := range matchers {
			matchers[name] = matcher.masked()
		}
	}
	if want := m.Body; want != nil {
		m.Body = &BodyMatcher{maskedJSON(want.Equals), maskedJSON(want.Contains), want.Matches, want.Absent}
	}
	return m
}

func (t TextMatcher) masked() TextMatcher {
	for _, text := range []**string{&t.Equals, &t.Contains} {
		if *text != nil {
			*text = new(api.Mask(**text))
		}
	}
	return t
}

// maskedJSON returns a value masked as in an entry.
func maskedJSON(value any) any {
	text, err := json.Marshal(value)
	if err != nil || json.Unmarshal(api.MaskBody(text), &value) != nil {
		return value // no entry has it
	}
	return value
}

// message says why an expectation does not hold.
func (x Expectation) message(r VerifyResult, latest []string) string {
	message := fmt.Sprintf("%d %ss matched", r.Count, x.Kind)
	switch r.Count {
	case 0:
		message = "No " + string(x.Kind) + " matched"
	case 1:
		message = "1 " + string(x.Kind) + " matched"
	}
	if x.Operation != "" {
		message += " " + x.Operation
	}
	message += "; expected " + x.Times.String()
	least, most := x.Times.bounds()
	if r.Count > most {
		if r.Count > len(latest) {
			latest = append(latest, "...")
		}
		return message + ": " + strings.Join(latest, ", ")
	}
	if r.Dropped > 0 {
		message += fmt.Sprintf(" (%d earlier requests were dropped and may have matched: see --journal-size)", r.Dropped)
	}
	if r.Count >= least {
		return message
	}
	if len(r.Nearest) == 0 {
		return message + ". The journal of this world has no other " + string(x.Kind)
	}
	n := r.Nearest[0]
	return message + fmt.Sprintf(". Nearest is %s %s (%s): %s", n.Entry.Method, n.Entry.Path, n.Entry.ID, strings.Join(n.Differences, "; "))
}
