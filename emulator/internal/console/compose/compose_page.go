package compose

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/reports"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/requests"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/resources"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// composePage is the data of pages/compose.html.
type composePage struct {
	trial
	Text    string
	Posted  bool // the text is of the form, and saved nowhere
	From    string
	Other   bool // no preset is what it is from
	Makings []making
	Changed bool // the sentence has changed the text
}

// job is an employment of the text in a sentence: part-time at Example Freight, 18.50 an hour, since 2021-04-21.
type job struct {
	Number         int               // from 0
	Per            string            // of the pay: hour or year
	Values, Errors map[string]string // by the names of jobKeys
}

// jobKeys are the paths of what a sentence says, below its report, by the names of its fields.
var jobKeys = map[string][]string{
	"status": {"employee", "status_detail"}, "since": {"employee", "hired"}, "until": {"employee", "terminated"},
	"hour": {"pay", "rate"}, "year": {"pay", "base"}, "employer": {"set", "employer", "name"},
}

// pathOf returns the path of what a sentence says. The first employer is the company of the scenario, unless its report sets one.
func (w written) pathOf(number int, name string) []string {
	path := append([]string{"reports", strconv.Itoa(number)}, jobKeys[name]...)
	if name == "employer" && number == 0 && w.at(path...) == "" {
		return []string{"company", "name"}
	}
	return path
}

// jobs returns the employments of a text: none of several documents, and of what has no reports.
func (w written) jobs() (all []job) {
	if w.root == nil || w.making().Kind == scenarios.TenantPropertyID {
		return nil
	}
	reports, _ := find(w.root, "reports")
	for i := range max(1, len(elementsOf(reports))) {
		j := job{Number: i, Per: "year", Values: make(map[string]string), Errors: make(map[string]string)}
		for name := range jobKeys {
			j.Values[name] = w.at(w.pathOf(i, name)...)
		}
		if j.Values["hour"] != "" {
			j.Per = "hour"
		}
		all = append(all, j)
	}
	return all
}

// withProblems adds the problems at what the sentences say.
func (w written) withProblems(all []job, problems scenarios.Problems) []job {
	for i := range all {
		for name := range jobKeys {
			value, key := find(w.root, w.pathOf(i, name)...)
			for _, p := range problems {
				if value == nil || p.Warning || p.At.Line != key.Position.Line {
					continue
				}
				if p.At.Column == key.Position.Column || p.At.Column == value.GetToken().Position.Column {
					all[i].Errors[name] = p.Cause()
				}
			}
		}
	}
	return all
}

// rewrite puts the sentences of the form into a text.
func rewrite(x *frame.Exchange, text string) string {
	w := writtenIn(text)
	if w.root == nil {
		return text
	}
	for _, j := range w.jobs() {
		field := fmt.Sprintf("job.%d.", j.Number)
		if !x.Request.PostForm.Has(field + "status") {
			continue
		}
		given := func(name string) string { return x.Value(field + name) }
		if reports, _ := find(w.root, "reports"); reports == nil && given("status")+given("pay")+given("since")+given("until") != "" {
			w = w.add(nil, "reports:\n  - {}")
		}
		status := given("status")
		if j.Values["until"] == "" && given("until") != "" && status == j.Values["status"] {
			status = string(api.DetailSeparated)
		}
		per, other := "year", "hour"
		if given("per") == "hour" {
			per, other = other, per
		}
		for _, part := range [][2]string{
			{"status", status}, {"employer", given("employer")}, {other, ""}, {per, given("pay")}, {"since", given("since")}, {"until", given("until")},
		} {
			w = w.set(part[1], w.pathOf(j.Number, part[0])...)
		}
	}
	switch drop, err := strconv.Atoi(x.Value("drop")); {
	case err == nil:
		w = w.removeJob(drop)
	case x.Value("say") == "add":
		w = w.addJob()
	}
	return w.text
}

// showCompose shows the text of the form, of what ?from= names, or of the request of ?entry=, and what it does.
func showCompose(x *frame.Exchange) (frame.Answer, error) {
	p := composePage{Posted: x.Request.Method == http.MethodPost, Makings: makings, From: x.Request.URL.Query().Get("from")}
	var err error
	switch {
	case p.Posted && x.Value("do") == "copy":
		p.Text, err = renamed(x, posted(x))
	case p.Posted:
		p.Text = textOf(x)
	case x.Value("entry") != "":
		p.Text, err = requests.RecordedScenario(x)
	default:
		p.Text, err = textFrom(x, cmp.Or(p.From, makings[0].Presets[0].Name))
	}
	if err != nil {
		return nil, err
	}
	p.Other = p.From != "" && !slices.ContainsFunc(makings, func(m making) bool {
		return slices.ContainsFunc(m.Presets, func(one preset) bool { return one.Name == p.From })
	})
	p.trial, err = tryOut(x, p.Text)
	return frame.Page{Name: "compose", Title: "Compose", Data: p}, err
}

// runCompose shows what the text of the form does, for an open page.
func runCompose(x *frame.Exchange) (frame.Answer, error) {
	text := textOf(x)
	trial, err := tryOut(x, text)
	return frame.Fragment{Page: "compose", Name: "run", Data: composePage{trial: trial, Text: text, Changed: text != posted(x)}}, err
}

// posted returns the text of the form. Browsers send its lines as they came, or with CR LF.
func posted(x *frame.Exchange) string {
	return strings.ReplaceAll(x.Request.PostForm.Get("text"), "\r\n", "\n")
}

// textOf returns the text of the form, with its sentences where these were changed.
func textOf(x *frame.Exchange) string {
	if x.Value("say") == "" && x.Value("drop") == "" {
		return posted(x)
	}
	return rewrite(x, posted(x))
}

// trial is what a text does: its problems, one of its scenarios, the resource that this makes, and the answers to the steps.
type trial struct {
	Problems scenarios.Problems
	Failure  string // what is in the way of the chosen scenario as a resource; "": nothing
	Names    []string
	More     int // scenarios that have no tab
	Chosen   int // the index of the shown scenario
	Jobs     []job
	Making   making

	Reason  string   // of the last cancel
	Scratch *scratch // nil: the text has errors or no scenario
	made
	Number int                 // of the report that is shown, from 1
	Report *reports.ReportView // nil: none
}

// maxTabs bounds the scenarios of a text that can be chosen: a matrix makes up to 1,000.
const maxTabs = 24

// tryOut returns what a text does, by the scenario and the steps of the form.
func tryOut(x *frame.Exchange, text string) (t trial, err error) {
	w := writtenIn(text)
	t.Making = w.making()
	catalogue, err := catalogueOf(x, text)
	if errors.As(err, &t.Problems) {
		t.Jobs = w.withProblems(w.jobs(), t.Problems)
		return t, nil
	}
	t.Problems, t.Jobs = catalogue.Warnings(), w.jobs()
	added := catalogue.Added()
	if len(added) == 0 {
		return t, nil
	}
	shown := added[:min(len(added), maxTabs)]
	for _, s := range shown {
		t.Names = append(t.Names, s.Name)
	}
	t.More = len(added) - len(shown)
	chosen, _ := strconv.Atoi(cmp.Or(x.Value("choose"), x.Value("scenario")))
	t.Reason = x.Value("reason")
	t.Chosen = min(max(chosen, 0), len(shown)-1)
	if t.Scratch, err = play(x, catalogue, shown[t.Chosen]); err != nil || shown[t.Chosen].Magic == (scenarios.Magic{APIKey: shown[t.Chosen].Magic.APIKey}) {
		return t, err
	}
	err = preview(x, &t, writtenIn(inBlocks(shown[t.Chosen].Source())))
	if failure := (*api.Error)(nil); errors.As(err, &failure) {
		t.Failure, err = failure.Message, nil
	}
	return t, err
}

// textName names the text in problems and diagnoses.
const textName = "scenario.yaml"

// catalogueOf returns the scenarios of a text over those of all worlds. Its error is their problems.
func catalogueOf(x *frame.Exchange, text string) (*scenarios.Catalogue, error) {
	return scenarios.Files{}.With(textName, []byte(text)).Over(x.Worlds.Config().Catalogue)
}

// preview adds the resource that a scenario makes, and one of its reports as it is when the request is completed now. Nothing is
// changed.
func preview(x *frame.Exchange, t *trial, w written) (err error) {
	m, text := w.making(), w.resource()
	t.Making = m
	if id := w.at("magic", m.key); id != "" && taken(x, m, id) {
		t.Failure = "The id " + id + " is taken: Duplicate gives another"
	} else if id != "" {
		text = "id: " + scalar(id) + "\n" + text
	}
	if t.made, err = m.create(x.World.Dry(), x.Context(), cmp.Or(text, "{}")); err != nil || t.Request == nil {
		return err
	}
	v := *t.Request
	completes := slices.ContainsFunc(v.Stages(), func(s world.Stage) bool { return s.State == api.StateCompleted })
	if v.Progress.State != api.StateCompleted && completes {
		if v, err = x.World.Dry().CreateVerificationRequest(x.Context(), text+"state: completed\n"); err != nil {
			return err
		}
	}
	drawn := v.Analyzed().Reports
	if len(drawn) == 0 {
		return nil
	}
	t.Request, t.Number = &v, resources.NumberIn(x.Value("report"), drawn)
	t.Report = new(reports.ViewReport(drawn[t.Number-1], t.Number, v.Now))
	return nil
}
