package resources

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// event is a row of a resource's timeline: a state, a request, several alike, or a move of the clock.
type event struct {
	Stage *StageView
	Asked []asked       // alike, or of one second; the latest first
	Moved time.Duration // the clock, at least
}

// Folded reports whether the requests are shown in one row, which unfolds.
func (e event) Folded() bool { return len(e.Asked) > maxAsked }

// Reads reports whether the requests only read.
func (e event) Reads() bool {
	return !slices.ContainsFunc(e.Asked, func(a asked) bool { return a.Method != http.MethodGet })
}

// Statuses returns those of the answers, each once.
func (e event) Statuses() (all []int) {
	for _, a := range e.Asked {
		all = append(all, a.Status)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// asked is a request of a timeline.
type asked struct {
	*journal.Entry
	Verb  string
	Link  string // to its page
	Why   string // not 2xx; "": the resource answered
	Fault string // link to the world's fault that hit it; "": none did
}

// verbs are the operations on a resource, in a word.
var verbs = map[string]string{
	"getVerificationRequest": "Read", "getQualificationCheck": "Read", "cancelVerificationRequest": "Cancel", "updateTenantProperty": "Update",
	"getReport": "Report", "reverify": "Reverify",
	"createCredentialsSession": "Created with its session",
}

func askedBy(x *frame.Exchange, e *journal.Entry, c recorded.Causes) asked {
	a := asked{Entry: e, Verb: cmp.Or(verbs[e.Operation], e.Method), Link: x.Here("journal", e.ID)}
	if why := c.Reason(e); !why.Plain {
		a.Why = why.Cause
	}
	if strings.HasPrefix(e.Scenario, "fault-") {
		a.Fault = x.Here("faults") + "#" + e.Scenario
	}
	return a
}

// A timeline folds more than maxAsked requests that follow one another with the same answer or within a second. It has the
// last maxEvents of them, and of its rows.
const (
	maxAsked  = 4
	maxEvents = 100
)

// StageView is a state in a timeline.
type StageView struct {
	world.Stage
	Word  string // for its place
	Class string // past, present, next, ahead, or lost: skipped, or out of reach
	After string // the condition of the step, in words
}

// StagesOf returns the states of a verification request: past, present and ahead.
func StagesOf(v world.Verification) (all []StageView, following *world.Stage) {
	over, stages := v.Progress.State.Terminal(), datesAhead(v.Stages())
	words := map[world.Phase]string{world.Past: "past", world.Present: "now", world.Next: "next", world.Ahead: "later"}
	followed := false // its timeline
	for i, s := range stages {
		followed = followed || !s.Off
		shown := StageView{Stage: s, Word: words[s.Phase], Class: string(s.Phase)}
		switch {
		case v.Scenario == nil && v.Name != "" && !v.OwnTimeline:
			shown.After = "its scenario is gone"
		case s.Off && v.SessionID != "" && !followed:
			shown.After = "as every session's request"
		case s.Off:
			shown.After = "put there from outside its scenario"
		case i > 0:
			shown.After = s.After.String()
		}
		switch {
		case s.Phase == world.Next:
			following = &stages[i]
		case s.Phase == world.Past && s.At == nil:
			shown.Word, shown.Class = "passed over", "lost"
		case s.Phase == world.Ahead && over:
			shown.Word, shown.Class = "not any more", "lost"
		}
		all = append(all, shown)
	}
	return all, following
}

// timeline is the past of a resource, the oldest event first.
type timeline struct {
	events  []event
	pending []StageView // reached, and not among the events
}

// subject is the resource of a timeline.
type subject struct {
	kind, id string
	session  string // that created it; "": none
	created  time.Time
	stages   []StageView
}

// events merges the states of a resource with the requests for it and the moves of the clock, the latest first. It returns how
// many earlier requests it leaves out.
func events(x *frame.Exchange, of subject) (events []event, earlier int, err error) {
	entries, _, err := x.World.JournalEntries(x.Context())
	if err != nil && !errors.Is(err, journal.ErrOff) {
		return nil, 0, err
	}
	path, about := of.path(), make([]bool, len(entries))
	for i, e := range entries {
		if about[i] = of.isAbout(e, path); about[i] {
			earlier++
		}
	}
	earlier = max(0, earlier-maxEvents)
	skip := earlier
	ahead := slices.IndexFunc(of.stages, func(s StageView) bool { return s.Phase == world.Next || s.Phase == world.Ahead })
	if ahead < 0 {
		ahead = len(of.stages)
	}
	why, err := recorded.CausesHere(x)
	t := timeline{pending: of.stages[:ahead]}
	for i, e := range entries {
		if i > 0 {
			t.move(entries[i-1], e)
		}
		switch {
		case !about[i]:
		case skip > 0:
			skip--
		default:
			t.request(askedBy(x, e, why))
		}
	}
	if n := len(entries); n > 0 {
		t.move(entries[n-1], &journal.Entry{Time: x.Status.Now, Wall: x.At})
	}
	t.reach(len(t.pending))
	t.pending = of.stages[ahead:]
	t.reach(len(t.pending))
	for len(t.events) > maxEvents {
		earlier += len(t.events[0].Asked)
		t.events = t.events[1:]
	}
	slices.Reverse(t.events)
	return t.events, earlier, err
}

// path returns the path of the resource in the API, masked as in the journal.
func (of subject) path() string { return "/" + of.kind + "/" + api.Mask(of.id) }

// isAbout reports whether a request was for the resource with a path, or created it with its session.
func (of subject) isAbout(e *journal.Entry, path string) bool {
	if of.session != "" && e.Operation == "createCredentialsSession" {
		return e.Time.Sub(of.created).Abs() < time.Second && e.Response() != nil && strings.Contains(recorded.RawBody(e.Response()), `"`+of.session+`"`)
	}
	rest, ok := strings.CutPrefix(e.Path, path)
	return ok && (rest == "" || rest[0] == '/')
}

// reach adds the next n states.
func (t *timeline) reach(n int) {
	for i := range t.pending[:n] {
		t.events = append(t.events, event{Stage: &t.pending[i]})
	}
	t.pending = t.pending[n:]
}

// reachBefore adds the states that were reached before an instant.
func (t *timeline) reachBefore(at time.Time) {
	for i := len(t.pending); i > 0; i-- {
		if entered := t.pending[i-1].At; entered != nil && entered.Before(at) {
			t.reach(i)
			return
		}
	}
}

// move adds the move of the clock between two requests, if there was one and the resource existed.
func (t *timeline) move(from, to *journal.Entry) {
	moved := movedBetween(from, to)
	if moved < time.Second {
		return
	}
	t.reachBefore(from.Time.Add(time.Nanosecond))
	switch n := len(t.events); {
	case n > 0 && t.events[n-1].Moved > 0:
		t.events[n-1].Moved += moved
	case n > 0:
		t.events = append(t.events, event{Moved: moved})
	}
}

// movedBetween returns how far a world's clock was moved on between two requests: what it went on by beside the machine's.
// Only a clock that was frozen goes on by whole seconds.
func movedBetween(from, to *journal.Entry) time.Duration {
	went := to.Time.Sub(from.Time)
	if went%time.Second == 0 {
		return went
	}
	return (went - to.Wall.Sub(from.Wall) - to.Duration).Round(time.Second)
}

// request adds a request, after the states that were reached before it and before those that its answer is the first to show.
func (t *timeline) request(row asked) {
	t.reachBefore(row.Time)
	reached := func() bool {
		return len(t.pending) > 0 && (t.pending[0].At == nil || !t.pending[0].At.After(row.Time.Add(row.Duration)))
	}
	if len(t.events) == 0 && row.Status != http.StatusCreated && reached() {
		t.reach(1)
	}
	last := len(t.events) - 1
	if last >= 0 && len(t.events[last].Asked) > 0 && joins(t.events[last].Asked[0].Entry, row.Entry) {
		t.events[last].Asked = append([]asked{row}, t.events[last].Asked...)
	} else {
		t.events = append(t.events, event{Asked: []asked{row}})
	}
	if reached() {
		state := shownState(row.Entry)
		t.reach(1 + slices.IndexFunc(t.pending, func(s StageView) bool { return string(s.State) == state }))
	}
}

// joins reports whether a request can share a row with the one after it.
func joins(a, b *journal.Entry) bool {
	return recorded.Alike(a, b) || a.Wall.Truncate(time.Second).Equal(b.Wall.Truncate(time.Second))
}

var stateMember = words.Expression(`"state": ?"([a-z-]+)"`)

// shownState returns the state of a verification request that an answer shows, "" for none.
func shownState(e *journal.Entry) string {
	if body := e.Response(); body != nil {
		if found := stateMember().FindStringSubmatch(recorded.RawBody(body)); found != nil {
			return found[1]
		}
	}
	return ""
}
