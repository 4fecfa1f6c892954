package console

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/journal"
)

// entryView is a request and its answer, side by side.
type entryView struct {
	*journal.Entry
	Why        why
	ScenarioAt string // the page of the scenario, or of the fault; "" when there is none
	RuleAt     string
	Asked      *bodyView
	Answered   *bodyView
	Curl       curl
	Newer      string // entries' ids; "" at the ends
	Older      string
	Resource   string // the page of the resource that was asked for
}

// bodyView is a body for people.
type bodyView struct {
	Text      string
	Size      int64
	Truncated bool
}

// showEntry shows a request and its answer whole; stream, which is in the place of an id, tells of those to come, and clear
// asks whether to forget them.
func showEntry(x *exchange) (answer, error) {
	id := x.param("entry")
	switch id {
	case "stream":
		return streamJournal(x)
	case "clear":
		return askClear(x)
	}
	if !x.Journal.On() {
		return nil, journal.ErrOff
	}
	entries, _, err := x.Journal.Read(x.context(), x.world.ID, x.world.Generation())
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		if e.ID != id {
			continue
		}
		view := x.entry(e)
		if i > 0 {
			view.Older = entries[i-1].ID
		}
		if i+1 < len(entries) {
			view.Newer = entries[i+1].ID
		}
		return page{name: "entry", title: e.Method + " " + e.Path, data: view}, nil
	}
	return nil, api.Because(http.StatusNotFound, fmt.Sprintf(
		"This world's journal has no request %s: it keeps the last %d that reached the world", api.Quote(id), x.Journal.Size()))
}

func (x *exchange) entry(e *journal.Entry) entryView {
	view := entryView{
		Entry: e, Why: whyOf(e), Asked: viewBody(e.Request()), Answered: viewBody(e.Response()),
		Curl: x.curl(e), Resource: x.resourceAsked(e.Path),
	}
	switch {
	case e.Scenario == "":
	case x.world.Catalogue().ByName(e.Scenario) != nil:
		view.ScenarioAt = link("catalogue", e.Scenario) + "?world=" + x.world.ID
		if parts := strings.Split(e.Rule, ":"); len(parts) >= 3 {
			view.RuleAt = view.ScenarioAt + "#rule-" + parts[len(parts)-2]
		}
	case strings.HasPrefix(e.Scenario, "fault-"):
		view.ScenarioAt = x.here("faults") + "#" + e.Scenario
	}
	return view
}

func viewBody(b *journal.Body) *bodyView {
	if b == nil {
		return nil
	}
	view := &bodyView{Size: b.Size, Truncated: b.Truncated}
	if b.Text != nil {
		view.Text = *b.Text
		return view
	}
	shown := jsontext.Value(strings.Clone(string(b.JSON)))
	if shown.Indent(jsontext.WithIndent("  ")) != nil {
		shown = b.JSON
	}
	view.Text = string(shown)
	return view
}

// resourceAsked returns the page of the resource that a path leads to, "" when it leads to none.
func (x *exchange) resourceAsked(path string) string {
	kind, id, _ := strings.Cut(strings.Trim(path, "/"), "/")
	id = strings.TrimSuffix(id, "/cancel")
	if id == "" || kind == "credentials" || strings.Contains(id, "/") {
		return ""
	}
	return x.here(kind, id)
}

// bytesOf writes a size for people.
func bytesOf(size int64) string {
	if size < 1<<10 {
		return strconv.FormatInt(size, 10) + " B"
	}
	return strconv.FormatFloat(float64(size)/(1<<10), 'f', 1, 64) + " kB"
}
