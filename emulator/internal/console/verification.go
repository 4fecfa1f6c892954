package console

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// verificationPage is the data of pages/verification.html.
type verificationPage struct {
	world.Verification
	resourceView
	Reports []api.Report
	Number  int         // of the report that is shown, from 1
	Report  *reportView // nil when there is none
}

// showVerification shows a verification request, one report of several at a time: that of ?report=.
func showVerification(x *exchange) (answer, error) {
	v, err := x.world.VerificationRequest(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	view, err := x.view(v.Document, x.liveVerification(v), x.here("verification-requests", v.ID), `{"loan_id": "7", "metadata": {"case": "12"}}`)
	data := verificationPage{Verification: v, resourceView: view, Reports: v.Analyzed().Reports, Number: 1}
	if number, err := strconv.Atoi(x.value("report")); err == nil && number >= 1 && number <= len(data.Reports) {
		data.Number = number
	}
	if len(data.Reports) > 0 {
		data.Report = new(viewReport(data.Reports[data.Number-1], data.Number, x.value("stubs") == "all"))
	}
	return page{name: "verification", title: v.ID, data: data}, err
}

// liveVerification returns the live part of the page of a verification request. While a request is not stored, its
// instants change with the clock; they do not count as a change of the request.
func (x *exchange) liveVerification(v world.Verification) liveView {
	live := liveView{Timeline: new(x.viewTimeline(v)), State: v.Progress.State}
	if !v.Stored {
		live.text = v.Name
	}
	return live
}

// locationOf joins city, state and ZIP code of a company.
func locationOf(c api.Company) value {
	var address []string
	for _, part := range []*string{c.City, c.State, c.ZipCode} {
		if part != nil {
			address = append(address, *part)
		}
	}
	return joined(address, "not stated")
}

// turnaround writes the expected duration of a request (spec 2.1).
func turnaround(t api.TurnaroundTime) value {
	if t.BestEstimate == nil && t.LowerBound == nil && t.UpperBound == nil {
		return value{Absent: "no estimate"}
	}
	text := "no best estimate"
	if t.BestEstimate != nil {
		text = plain(*t.BestEstimate) + " h"
	}
	if t.LowerBound != nil && t.UpperBound != nil {
		text += ", between " + plain(*t.LowerBound) + " h and " + plain(*t.UpperBound) + " h"
	}
	return value{Text: text}
}

func documents(all []api.Document) value {
	var names []string
	for _, d := range all {
		names = append(names, valueOf(d.Filename, "a file without a name").String())
	}
	return joined(names, "none")
}

// metadata lists the metadata of the caller, in the order of the keys.
func metadata(all map[string]string) value {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		pairs = append(pairs, key+": "+all[key])
	}
	return joined(pairs, "none")
}

func joined(parts []string, absent string) value {
	if len(parts) == 0 {
		return value{Absent: absent}
	}
	return value{Text: strings.Join(parts, ", ")}
}

// timelineView is the timeline of a verification request, and its next step: pages/part_timeline.html.
type timelineView struct {
	Stages []stageView
	Next   nextView
}

type stageView struct {
	world.Stage
	Word  string // for its place
	Class string // past, present, next, ahead, or lost: skipped, or out of reach
	After string // the condition of the step, in words
}

// nextView is the next step, and the form that makes it happen.
type nextView struct {
	Words string
	Do    string // action of the form; "": there is no next step
	Label string // of the button
	State api.State
	At    string // instant to move the clock to, in RFC 3339

	Action string // the path that the form posts to
}

func (x *exchange) viewTimeline(v world.Verification) timelineView {
	var view timelineView
	over, following := v.Progress.State.Terminal(), (*world.Stage)(nil)
	stages := datesAhead(v.Stages())
	words := map[world.Phase]string{world.Past: "past", world.Present: "now", world.Next: "next", world.Ahead: "later"}
	for i, s := range stages {
		shown := stageView{Stage: s, Word: words[s.Phase], Class: string(s.Phase)}
		switch {
		case v.Scenario == nil && v.Name != "":
			shown.After = "its scenario is gone"
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
		view.Stages = append(view.Stages, shown)
	}
	view.Next = viewNext(v, following, v.Now)
	view.Next.Action = x.here("verification-requests", v.ID)
	return view
}

// datesAhead adds the instants of stages that the clock alone reaches, from the next stage on.
func datesAhead(stages []world.Stage) []world.Stage {
	for i := 1; i < len(stages); i++ {
		before := stages[i-1]
		if before.Phase != world.Next && before.Phase != world.Ahead || before.At == nil {
			continue
		}
		if span := time.Duration(stages[i].After.Elapsed); span > 0 {
			stages[i].At = new(before.At.Add(span))
		}
	}
	return stages
}

func viewNext(v world.Verification, following *world.Stage, now time.Time) nextView {
	state := v.Progress.State
	switch {
	case state.Terminal():
		return nextView{Words: fmt.Sprintf("It is final: nothing leaves %s (spec section 3).", state)}
	case following == nil:
		return nextView{Words: fmt.Sprintf("It stays %s: its scenario has no further step.", state)}
	case !v.Stored && !following.After.Manual:
		return nextView{Words: "Nothing has read it yet: the first read begins its timeline.", Do: "read", Label: "Read it once"}
	case following.After.Manual:
		return nextView{
			Words: fmt.Sprintf("It waits to be made %s by hand.", following.State),
			Do:    "move", Label: "Move it on to " + string(following.State), State: following.State,
		}
	case following.At != nil:
		return nextView{
			Words: fmt.Sprintf("It becomes %s in %s, at %s.", following.State, lasting(following.At.Sub(now)), instant(*following.At)),
			Do:    "advance", Label: "Advance the clock to then", At: following.At.Format(time.RFC3339Nano),
		}
	}
	words := fmt.Sprintf("The next read makes it %s.", following.State)
	if more := following.After.Reads - v.Cursor.Reads; more > 0 {
		words = fmt.Sprintf("%s %s; the one after makes it %s.", count(more, "more read shows it", "more reads show it"), state, following.State)
	}
	return nextView{Words: words, Do: "read", Label: "Read it once"}
}
