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
	if path, value := nothingIn(text); path != "" {
		return fmt.Errorf("%s is %s, which says nothing: leave it out, or say what must be there; that nothing is there is absent", path, value)
	}
	type plain Expectation
	return json.Unmarshal(text, (*plain)(x), in.Options())
}

// nothingIn returns the first path of a null or a "" that says nothing, and which it is.
func nothingIn(text jsontext.Value) (path, value string) {
	for in := jsontext.NewDecoder(bytes.NewReader(text)); ; {
		token, err := in.ReadToken()
		if err != nil {
			return "", "" // the end, as the text is valid
		}
		pointer := string(in.StackPointer())
		path := strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
		compared := strings.HasPrefix(pointer, "/match/body/equals/") || strings.HasPrefix(pointer, "/match/body/contains/")
		if token.Kind() == 'n' && !compared {
			return path, "null"
		}
		if token.Kind() == '"' && token.String() == "" && (path == "operation" || path == "match.method") {
			return path, `""`
		}
	}
}

// Times is how often: by default once or more.
type Times struct {
	Exactly *int `json:"exactly"`
	AtLeast *int `json:"at_least"`
	AtMost  *int `json:"at_most"`
}

// Check returns an error for what can never be.
func (x Expectation) Check() error { return errors.Join(x.Match.Check(), x.Times.Check()) }

// Check returns an error for numbers that exclude each other.
func (t Times) Check() error {
	least, most := t.bounds()
	if t.Exactly != nil && (t.AtLeast != nil || t.AtMost != nil) || least < 0 || least > most {
		return errors.New("times is {\"exactly\":n}, or at_least, at_most or both, which are not negative and in this order")
	}
	return nil
}

const unbounded = math.MaxInt

func (t Times) bounds() (least, most int) {
	least, most = 0, unbounded
	if t == (Times{}) {
		least = 1
	}
	if t.AtLeast != nil {
		least = *t.AtLeast
	}
	if t.AtMost != nil {
		most = *t.AtMost
	}
	if t.Exactly != nil {
		least, most = *t.Exactly, *t.Exactly
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
	Nearest []Miss // when too few were asked: what was asked instead, the nearest first
}

// Miss is a request that does not count.
type Miss struct {
	Entry       *Entry
	Differences []string
	distance    int
}

// Unmet is the error of an expectation that does not hold.
type Unmet struct{ Finding }

// Err returns nil when the expectation holds, else a [*Unmet].
func (f Finding) Err() error {
	if f.Holds {
		return nil
	}
	return &Unmet{f}
}

// Error says how often something was asked, how often it should have been, and what was nearest.
func (u *Unmet) Error() string { return u.Message }

// maxNearest is how many misses are told, and how many requests of too many.
const maxNearest = 3

// Verify compares an expectation with the journal of a place. Dropped requests may have counted: an expectation of at most
// n requests does not hold then. When ctx ends, Verify stops within a moment, and returns why.
func (j *Journal) Verify(ctx context.Context, p Place, x Expectation) (Finding, error) {
	entries, dropped, err := j.Read(ctx, p)
	if err != nil {
		return Finding{}, err
	}
	if want := x.Match.Body; want != nil {
		x.Match.Body = &JSON{redactValue(want.Equals), redactValue(want.Contains), want.Matches, want.Absent}
	}
	f := Finding{Dropped: dropped}
	var counted []string // the latest
	for _, e := range slices.Backward(entries) {
		c := comparison{ctx: ctx}
		if x.Operation != "" && e.Operation != x.Operation {
			c.differ("operation is %s, not %s", e.Operation, x.Operation)
		}
		c.entry(x.Match, e)
		if err := ctx.Err(); err != nil {
			return Finding{}, err
		}
		if len(c.differences) > 0 {
			f.miss(x, Miss{Entry: e, Differences: c.differences})
			continue
		}
		if f.Count++; f.Count <= maxNearest {
			counted = append(counted, e.ID)
		} else if f.Count == maxNearest+1 {
			counted = append(counted, "...")
		}
	}
	least, most := x.Times.bounds()
	f.Holds = least <= f.Count && f.Count <= most && (most == unbounded || dropped == 0)
	if f.Count >= least {
		f.Nearest = nil
	}
	if !f.Holds {
		f.Message = x.message(f, counted)
	}
	return f, nil
}

// message says why an expectation does not hold.
func (x Expectation) message(f Finding, counted []string) string {
	asked := "not asked"
	if f.Count > 0 {
		asked = "asked " + times(f.Count)
	}
	message := fmt.Sprintf("%s was %s; it should have been %s", cmp.Or(x.Operation, "This"), asked, x.Times)
	least, most := x.Times.bounds()
	if f.Count > most {
		return message + ": " + strings.Join(counted, ", ")
	}
	if f.Dropped > 0 {
		message += fmt.Sprintf(" (%d earlier requests are no longer kept and may have counted: see --journal-size)", f.Dropped)
	}
	if f.Count >= least {
		return message
	}
	if len(f.Nearest) == 0 {
		return message + ". Nothing else is in the journal of this world"
	}
	m := f.Nearest[0]
	return message + fmt.Sprintf(". Nearest is %s %s (%s): %s", m.Entry.Method, m.Entry.Path, m.Entry.ID, strings.Join(m.Differences, "; "))
}

// miss adds a miss to the nearest ones, which are in the order of their distances.
func (f *Finding) miss(x Expectation, m Miss) {
	m.distance = x.distance(m)
	at := len(f.Nearest)
	for at > 0 && f.Nearest[at-1].distance > m.distance {
		at--
	}
	f.Nearest = slices.Insert(f.Nearest, at, m)
	f.Nearest = f.Nearest[:min(len(f.Nearest), maxNearest)]
}

// distance is how far a request is from what was expected: another operation is farther than another value, as is a body
// that says nothing, and no value is farther than another one.
func (x Expectation) distance(m Miss) int {
	const farther = 3
	distance := len(m.Differences)
	if x.Operation != "" && m.Entry.Operation != x.Operation {
		distance += farther
	}
	noBody := func(d string) bool { return d == bodyTooLong || d == bodyNotJSON }
	if x.Match.Body != nil && (m.Entry.request.size == 0 || slices.ContainsFunc(m.Differences, noBody)) {
		distance += farther
	}
	if path := x.Match.Path; path != nil && path.Equals != nil {
		distance += differentSegments(*path.Equals, m.Entry.Path)
	}
	for _, difference := range m.Differences {
		if strings.HasSuffix(difference, isAbsent) {
			distance++
		}
	}
	return distance
}

func differentSegments(a, b string) (count int) {
	as, bs := strings.Split(withoutSlash(a), "/"), strings.Split(withoutSlash(b), "/")
	for i := range max(len(as), len(bs)) {
		if i >= len(as) || i >= len(bs) || as[i] != bs[i] {
			count++
		}
	}
	return count
}
