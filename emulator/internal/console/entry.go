package console

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/manual"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

type entryView struct {
	*journal.Entry
	Outside    bool      // it reached no world
	Reset      time.Time // since which the world does not have it; zero: it has
	World      *world.Status
	Here       string // the page, with the filters of the list
	List       string // the page of the list
	Why        reason
	Help       string // the code of the refusal, for the troubleshooting page; "": none
	Refused    string // the field of the body that was refused; "": none
	Offending  *offending
	Code       snippet
	HAR        string // the file of the request
	AsScenario string // the address of a scenario that answers so; "": none can
	Resource   string // the page of the requested resource
	ScenarioAt string // the page of the scenario or fault; "": none
	RuleAt     string
	By         string // what decided, in words
	Newer      string // links; "" at the ends
	Older      string
	Failures   []rules.Preset // that the next request like this can meet
	Compare    string         // link to this page while it waits for the other request
	Comparing  *comparison
	Edit       string // link to this page with the form to edit the request
	Editing    bool
	Edited     editedRequest
}

// showEntry shows a request and its answer whole, beside the list. For the id clear it asks for confirmation.
func showEntry(x *exchange) (answer, error) {
	id := x.param("entry")
	if id == "clear" && x.status != nil {
		return confirm(x)
	}
	list, err := x.listRequests(id)
	if refusal := (*api.Error)(nil); err != nil && !errors.As(err, &refusal) {
		return nil, err
	}
	e, at, err := x.entry(id)
	if err != nil {
		return nil, err
	}
	view := x.viewEntry(e, list)
	view.Reset = at
	if x.request.Header.Get("HX-Target") == "detail" {
		return fragment{"journal", "detail", view}, nil
	}
	return page{name: "journal", title: e.Method + " " + e.Path, data: requestsPage{requestList: list, Entry: view, Chosen: true}}, nil
}

// entry returns the recorded request with an id. One from before the last reset comes with the instant of the reset.
func (x *exchange) entry(id string) (e *journal.Entry, reset time.Time, err error) {
	entries, _, err := x.entries()
	if err == nil {
		e = journal.Find(entries, id)
	}
	if err == nil && e == nil {
		e, reset, err = x.entryBefore(id)
	}
	if err == nil && e == nil {
		err = x.Worlds.EntryUnknown(id)
	}
	return e, reset, err
}

func (x *exchange) viewEntry(e *journal.Entry, list requestList) *entryView {
	view := &entryView{
		Entry: e, Outside: x.status == nil, World: x.status, Here: x.here("journal", e.ID) + x.filters(), List: x.here("journal") + x.filters() + "#entry-" + e.ID, Why: list.causes.reason(e),
		Code: x.snippetOf(e), Resource: x.resourceLink(e), Failures: failuresOf(e.Kind), Compare: x.here("journal", e.ID) + x.filters("with", e.ID),
		Edit: x.here("journal", e.ID) + x.filters("edit", "yes"), Editing: x.value("edit") != "" || x.value("do") == "send",
	}
	if e.Status >= 400 {
		view.Help = manual.Code(strings.Join(e.Diagnosis, "; "))
	}
	view.Refused = refusedField(e)
	view.Offending = offendingLine(e, view.Refused)
	view.Edited = x.edited(view.Code)
	view.HAR = x.here("har") + "?id=" + e.ID
	if _, err := scenarioOf(e); err == nil && !view.Outside {
		view.AsScenario = x.here("compose") + "?entry=" + e.ID
	}
	x.explain(view, list.causes)
	if i := slices.Index(list.wanted, e); i >= 0 {
		if i > 0 {
			view.Newer = x.here("journal", list.wanted[i-1].ID) + x.filters()
		}
		if i+1 < len(list.wanted) {
			view.Older = x.here("journal", list.wanted[i+1].ID) + x.filters()
		}
	}
	if other := journal.Find(list.entries, x.request.URL.Query().Get("with")); other != nil {
		view.Comparing = x.compare(other, e, list.entries)
	}
	return view
}

// explain finds the rule that decided, in the scenario or among the world's faults.
func (x *exchange) explain(view *entryView, c causes) {
	s, rule := c.scenario(view.Entry)
	fault := c.fault(view.Entry)
	switch {
	case view.Outside:
		view.By = "the checks before any world"
	case rule != nil:
		view.RuleAt, view.By = fmt.Sprintf("%s?world=%s#rule-%d", link("catalogue", s.Name), x.status.ID, rule.At.Line), "the rule “"+rule.String()+"”"
	case fault != nil:
		view.Code.Fault = string(fault.Source)
		view.By = "the rule “" + fault.Rule.String() + "”"
	case view.Rule != "":
		view.By = "a rule that is gone"
	case view.Scenario != "":
		view.By = "the resource, as its scenario has it"
	case view.Status >= 400:
		view.By = "the checks before any rule"
	default:
		view.By = "the resource"
	}
	if s != nil {
		view.ScenarioAt = link("catalogue", s.Name) + "?world=" + x.status.ID
	} else if strings.HasPrefix(view.Scenario, rules.FaultPrefix) {
		view.ScenarioAt = x.here("faults") + "#" + view.Scenario
	}
}

// resourceLink returns the page of the resource in an entry's path, "" when there is none.
func (x *exchange) resourceLink(e *journal.Entry) string {
	kind, id, _ := partsOf(e)
	if x.status == nil || id == "" || strings.Contains(id, "/") {
		return ""
	}
	return x.here(strings.Trim(kind, "/"), id)
}
