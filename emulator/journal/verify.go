package journal

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Expectation is how often something should have been asked.
type Expectation struct {
	Operation string `json:"operation"` // "" for any
	Match     Match  `json:"match"`
	Times     Times  `json:"times"`
}

// UnmarshalJSONFrom reads an expectation in which null stands only within a body that is compared, and "" where it is a
// text that is compared.
func (x *Expectation) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	text, err := in.ReadValue()
	if err != nil {
		return err
	}
	if place, value := nothingIn(text); place != "" {
		return fmt.Errorf("%s is %s, which says nothing: leave it out, or say what must be there; that nothing is there is absent", place, value)
	}
	type plain Expectation
	return json.Unmarshal(text, (*plain)(x), in.Options())
}

// nothingIn returns the first place where null or "" stands and says nothing, "" when there is none.
func nothingIn(text jsontext.Value) (place, value string) {
	in := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := in.ReadToken()
		if err != nil {
			return "", "" // the end: it was whole when it was read
		}
		place := string(in.StackPointer())
		within := strings.HasPrefix(place, "/match/body/equals/") || strings.HasPrefix(place, "/match/body/contains/")
		word := place == "/operation" || place == "/match/method"
		if token.Kind() == 'n' && !within || token.Kind() == '"' && word && token.String() == "" {
			return strings.ReplaceAll(strings.TrimPrefix(place, "/"), "/", "."), spelled(token)
		}
	}
}

func spelled(token jsontext.Token) string {
	if token.Kind() == 'n' {
		return "null"
	}
	return `""`
}

// Times is how often: by default once or more.
type Times struct {
	Exactly *int `json:"exactly"`
	AtLeast *int `json:"at_least"`
	AtMost  *int `json:"at_most"`
}

// Check returns an error for what can never be.
func (x Expectation) Check() error { return errors.Join(x.Match.Check(), x.Times.Check()) }

var errTimes = errors.New("times is {\"exactly\":n}, or at_least, at_most or both, which are not negative and in this order")

// Check returns an error for numbers that exclude each other.
func (t Times) Check() error {
	least, most := t.bounds()
	if t.Exactly != nil && (t.AtLeast != nil || t.AtMost != nil) || least < 0 || least > most {
		return errTimes
	}
	return nil
}

// unbounded is how often something may be asked that may be asked at will.
const unbounded = math.MaxInt

func (t Times) bounds() (least, most int) {
	switch {
	case t.Exactly != nil:
		return *t.Exactly, *t.Exactly
	case t.AtLeast == nil && t.AtMost == nil:
		return 1, unbounded
	}
	least, most = 0, unbounded
	if t.AtLeast != nil {
		least = *t.AtLeast
	}
	if t.AtMost != nil {
		most = *t.AtMost
	}
	return least, most
}

// String says how often, such as "at least 1 time".
func (t Times) String() string {
	least, most := t.bounds()
	switch {
	case least == most:
		return "exactly " + times(least)
	case most == unbounded:
		return "at least " + times(least)
	case least == 0:
		return "at most " + times(most)
	}
	return fmt.Sprintf("%d to %s", least, times(most))
}

func times(n int) string {
	if n == 1 {
		return "1 time"
	}
	return fmt.Sprintf("%d times", n)
}

// Finding is what became of an expectation.
type Finding struct {
	Count   int    // of the requests that are still kept
	Dropped uint64 // how many earlier ones of the world, of whatever kind, are not
	Holds   bool
	Message string // why it does not hold
	Nearest []Miss // where too few were asked: what was asked instead, the nearest first
}

// Err returns nil when the expectation holds, else a [*Unmet].
func (f Finding) Err() error {
	if f.Holds {
		return nil
	}
	return &Unmet{f}
}

// Unmet is the error of an expectation that does not hold.
type Unmet struct{ Finding }

// Error says how often something was asked, how often it should have been, and what was nearest.
func (u *Unmet) Error() string { return u.Message }

// Miss is a request that does not count.
type Miss struct {
	Entry       *Entry
	Differences []string
}

// mostMisses is how many of them are told.
const mostMisses = 3

// Verify holds an expectation against the journal of a world. What is no longer kept may have counted: an expectation of
// how much there is at most cannot hold then.
func (j *Journal) Verify(ctx context.Context, world string, generation int64, x Expectation) (Finding, error) {
	entries, dropped, err := j.Read(ctx, world, generation)
	if err != nil {
		return Finding{}, err
	}
	return x.hold(entries, dropped), nil
}

// hold holds an expectation against the entries that are kept of a world.
func (x Expectation) hold(entries []*Entry, dropped uint64) Finding {
	f := Finding{Dropped: dropped}
	var counted []*Entry
	var misses []Miss
	for _, e := range slices.Backward(entries) {
		if differences := x.differences(e); len(differences) > 0 {
			misses = append(misses, Miss{e, differences})
		} else {
			counted = append(counted, e)
		}
	}
	f.Count = len(counted)
	least, most := x.Times.bounds()
	switch {
	case f.Count < least:
		slices.SortStableFunc(misses, func(a, b Miss) int { return cmp.Compare(x.distance(a), x.distance(b)) })
		f.Nearest = misses[:min(len(misses), mostMisses)]
		f.Message = f.asked(x) + dropNote(dropped) + nearest(f.Nearest)
	case f.Count > most:
		f.Message = f.asked(x) + ": " + someOf(counted)
	case most != unbounded && dropped > 0:
		f.Message = f.asked(x) + dropNote(dropped)
	default:
		f.Holds = true
	}
	return f
}

// distance is how far a request is from what was expected: another operation is farther than another value, as is a body
// that says nothing, and no value is farther than another one.
func (x Expectation) distance(m Miss) int {
	const farther = 3
	distance := len(m.Differences)
	if x.Operation != "" && m.Entry.Operation != x.Operation {
		distance += farther
	}
	if x.Match.Body != nil && (m.Entry.request.size == 0 || slices.ContainsFunc(m.Differences, saysNoBody)) {
		distance += farther
	}
	if path := x.Match.Path; path != nil && path.Equals != nil {
		distance += differentParts(*path.Equals, m.Entry.Path)
	}
	for _, difference := range m.Differences {
		if strings.HasSuffix(difference, isAbsent) {
			distance++
		}
	}
	return distance
}

// differentParts counts the parts of two paths that differ.
func differentParts(a, b string) (count int) {
	as, bs := strings.Split(samePath(a), "/"), strings.Split(samePath(b), "/")
	for i := range max(len(as), len(bs)) {
		if i >= len(as) || i >= len(bs) || as[i] != bs[i] {
			count++
		}
	}
	return count
}

func (x Expectation) differences(e *Entry) []string {
	if x.Operation != "" && e.Operation != x.Operation {
		return append([]string{"operation is " + e.Operation + ", not " + x.Operation}, x.Match.differences(e)...)
	}
	return x.Match.differences(e)
}

func (f Finding) asked(x Expectation) string {
	what := "This"
	if x.Operation != "" {
		what = x.Operation
	}
	if f.Count == 0 {
		return fmt.Sprintf("%s was not asked; it should have been %s", what, x.Times)
	}
	return fmt.Sprintf("%s was asked %s; it should have been %s", what, times(f.Count), x.Times)
}

func dropNote(dropped uint64) string {
	if dropped == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d earlier requests are no longer kept and may have counted: see --journal-size)", dropped)
}

func nearest(misses []Miss) string {
	if len(misses) == 0 {
		return ". Nothing else is in the journal of this world"
	}
	m := misses[0]
	return fmt.Sprintf(". Nearest is %s %s (%s): %s", m.Entry.Method, m.Entry.Path, m.Entry.ID, strings.Join(m.Differences, "; "))
}

// someOf names a few requests.
func someOf(entries []*Entry) string {
	var ids []string
	for _, e := range entries[:min(len(entries), mostMisses)] {
		ids = append(ids, e.ID)
	}
	if len(entries) > mostMisses {
		ids = append(ids, "...")
	}
	return strings.Join(ids, ", ")
}
