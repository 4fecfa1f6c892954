package journal

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Times is how often: by default once or more.
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
		x.Match.Body = &JSON{redacted(want.Equals), redacted(want.Contains), want.Matches, want.Absent}
	}
	f := Finding{Dropped: dropped}
	var latest []string // of those that count
	for _, e := range slices.Backward(entries) {
		c := comparison{ctx: ctx}
		c.entry(x, e)
		if err := ctx.Err(); err != nil {
			return Finding{}, err
		}
		if len(c.differences) > 0 {
			f.Nearest = append(f.Nearest, Miss{e, c.differences, c.distance})
		} else if f.Count++; f.Count <= maxNearest {
			latest = append(latest, e.ID)
		}
	}
	least, most := x.Times.bounds()
	f.Holds = least <= f.Count && f.Count <= most && (most == unbounded || dropped == 0)
	if f.Count >= least {
		f.Nearest = nil
	}
	slices.SortStableFunc(f.Nearest, func(a, b Miss) int { return a.distance - b.distance })
	f.Nearest = f.Nearest[:min(len(f.Nearest), maxNearest)]
	if !f.Holds {
		f.Message = x.message(f, latest)
	}
	return f, nil
}

// redacted returns a value as an entry has it.
func redacted(value any) any {
	text, err := json.Marshal(value)
	if err != nil || json.Unmarshal(api.MaskBody(text), &value) != nil {
		return value // which no entry has
	}
	return value
}

// message says why an expectation does not hold.
func (x Expectation) message(f Finding, latest []string) string {
	asked := "not asked"
	if f.Count > 0 {
		asked = "asked " + times(f.Count)
	}
	message := fmt.Sprintf("%s was %s; it should have been %s", cmp.Or(x.Operation, "This"), asked, x.Times)
	least, most := x.Times.bounds()
	if f.Count > most {
		if f.Count > len(latest) {
			latest = append(latest, "...")
		}
		return message + ": " + strings.Join(latest, ", ")
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
