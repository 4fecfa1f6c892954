package requests

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/manual"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// EntryView is the data of pages/part_entry.html: a request and its answer.
type EntryView struct {
	*journal.Entry
	Outside    bool      // it reached no world
	Reset      time.Time // since which the world does not have it; zero: it has
	World      *world.Status
	Here       string // the page, with the filters of the list
	List       string // the page of the list
	Why        recorded.Reason
	Help       string // the code of the refusal, for the troubleshooting page; "": none
	Code       recorded.Snippet
	HAR        string // the file of the request
	AsScenario string // the address of a scenario that answers so; "": none can
	Resource   string // the page of the requested resource
	ScenarioAt string // the page of the scenario or fault; "": none
	RuleAt     string
	ByRule     string // the rule that was applied, in words; "": it is gone
	Newer      string // links; "" at the ends
	Older      string
	Failures   []rules.Preset // that the next request like this can meet
	Compare    string         // link to this page while it waits for the other request
	With       *journal.Entry // that it is compared with, itself while that is not chosen; nil: with none
	WithLink   string
	Stop       string // link to this page without it
	Parts      []recorded.ComparedPart
	Edit       string // link to this page with the form to edit the request
	Editing    bool
	Edited     editedRequest
}

// showEntry shows a request and its answer whole, beside the list. For the id clear it asks for confirmation.
func showEntry(x *frame.Exchange) (frame.Answer, error) {
	id := x.Param("entry")
	if id == "clear" && x.Status != nil {
		return frame.Confirm(x)
	}
	list, err := listRequests(x, id)
	if refusal := (*api.Error)(nil); err != nil && !errors.As(err, &refusal) {
		return nil, err
	}
	e, at, err := entry(x, id)
	if err != nil {
		return nil, err
	}
	view := viewEntry(x, e, list)
	view.Reset = at
	if x.Request.Header.Get("HX-Target") == "detail" {
		return frame.Fragment{Page: "journal", Name: "detail", Data: view}, nil
	}
	return frame.Page{Name: "journal", Title: e.Method + " " + e.Path, Data: requestsPage{requestList: list, Entry: view, Chosen: true}}, nil
}

// entry returns the recorded request with an id. One from before the last reset comes with the instant of the reset.
func entry(x *frame.Exchange, id string) (e *journal.Entry, reset time.Time, err error) {
	entries, _, err := Entries(x)
	if err == nil {
		e = journal.Find(entries, id)
	}
	if err == nil && e == nil && x.Status != nil {
		entries, reset, err = world.EntriesBefore(x.Context(), x.World)
		e = journal.Find(entries, id)
	}
	if err == nil && e == nil {
		err = x.Worlds.EntryUnknown(id)
	}
	return e, reset, err
}

func viewEntry(x *frame.Exchange, e *journal.Entry, list requestList) *EntryView {
	view := &EntryView{
		Entry: e, Outside: x.Status == nil, World: x.Status, Here: x.Here("journal", e.ID) + recorded.Filters(x), List: x.Here("journal") + recorded.Filters(x) + "#entry-" + e.ID, Why: list.causes.Reason(e),
		Code: recorded.SnippetOf(x, e), Resource: resourceLink(x, e), Failures: recorded.FailuresOf(e.Kind), Compare: x.Here("journal", e.ID) + recorded.Filters(x, "with", e.ID),
		Edit: x.Here("journal", e.ID) + recorded.Filters(x, "edit", "yes"), Editing: x.Value("edit") != "" || x.Value("do") == "send",
	}
	if e.Status >= 400 {
		view.Help = manual.Code(strings.Join(e.Diagnosis, "; "))
	}
	view.Edited = edited(x, view.Code)
	view.HAR = x.Here("har") + "?id=" + e.ID
	if _, err := scenarioOf(e); err == nil && !view.Outside {
		view.AsScenario = x.Here("compose") + "?entry=" + e.ID
	}
	Explain(x, view, list.causes)
	if i := slices.Index(list.wanted, e); i >= 0 {
		if i > 0 {
			view.Newer = x.Here("journal", list.wanted[i-1].ID) + recorded.Filters(x)
		}
		if i+1 < len(list.wanted) {
			view.Older = x.Here("journal", list.wanted[i+1].ID) + recorded.Filters(x)
		}
	}
	if other := journal.Find(list.entries, x.Request.URL.Query().Get("with")); other != nil {
		view.With, view.WithLink, view.Parts = other, x.Here("journal", other.ID)+recorded.Filters(x, "with", ""), recorded.ComparedParts(other, e)
		view.Stop = x.Here("journal", e.ID) + recorded.Filters(x, "with", "")
	}
	return view
}

// Explain finds the rule that decided, in the scenario or among the world's faults.
func Explain(x *frame.Exchange, view *EntryView, c recorded.Causes) {
	s, rule := c.Scenario(view.Entry)
	if s != nil {
		view.ScenarioAt = frame.Link("catalogue", s.Name) + "?world=" + x.Status.ID
	} else if strings.HasPrefix(view.Scenario, rules.FaultPrefix) {
		view.ScenarioAt = x.Here("faults") + "#" + view.Scenario
	}
	if fault := c.Fault(view.Entry); rule != nil {
		view.ByRule, view.RuleAt = rule.String(), fmt.Sprintf("%s#rule-%d", view.ScenarioAt, rule.At.Line)
	} else if fault != nil {
		view.ByRule, view.Code.Fault = fault.Rule.String(), string(fault.Source)
	}
}

// resourceLink returns the page of the resource in an entry's path, "" when there is none.
func resourceLink(x *frame.Exchange, e *journal.Entry) string {
	kind, id, _ := recorded.PartsOf(e)
	if x.Status == nil || id == "" || strings.Contains(id, "/") {
		return ""
	}
	return x.Here(strings.Trim(kind, "/"), id)
}
