// Package compose is the page that writes scenarios and resources as text, by sentences, presets and an editor.
package compose

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// making is a kind of resource that a text makes.
type making struct {
	Kind    scenarios.Kind
	One     string
	path    string // of its pages, below the world's
	prefix  string // of its ids
	key     string // of its id in magic, and of what only it has
	Presets []preset

	// create makes the resource of a text.
	create func(w *world.World, ctx context.Context, text string) (made, error)
}

// made is the resource that a text makes: one of the three.
type made struct {
	ID       string
	Request  *world.Verification
	Check    *api.QualificationCheck
	Property *api.TenantProperty
}

// preset is a scenario to start from.
type preset struct{ Name, Label string }

// makings are the kinds of resources that can be made, the most requested first.
var makings = []making{
	{scenarios.VerificationRequestID, "verification request", "verification-requests", "vr_", "verification_request", []preset{
		{"completed", "Full-time with a salary"},
		{"two-jobs-with-a-gap", "Two jobs with a gap"},
		{"two-part-time-jobs", "Part-time with two employers"},
		{"two-jobs", "Full-time and part-time, two employers"},
		{"frequency-hourly", "Paid by the hour"},
		{"contractor", "Contractor (1099)"},
		{"new-hire", "New hire"},
		{"status-on-leave", "On leave"},
		{"status-separated", "Separated"},
		{"multiple-reports", "Present employer and two former ones"},
		{"variable-income", "Income that varies"},
		{"tips", "Tips"},
		{"off-cycle-bonus", "Off-cycle bonus"},
		{"lifecycle", "Moves on with each read"},
		{"lifecycle-timed", "Moves on with the clock"},
		{"service-canceled", "Canceled by the service"},
	}, func(w *world.World, ctx context.Context, text string) (made, error) {
		v, err := w.CreateVerificationRequest(ctx, text)
		return made{ID: v.ID, Request: &v}, err
	}},
	{scenarios.QualificationCheckID, "qualification check", "qualification-checks", "qc_", "qualification_check", []preset{
		{"qualified", "Qualified"},
		{"not-qualified", "Not qualified"},
		{"guarantor-qualified", "Guarantor"},
		{"not-enough-information", "Not enough information"},
		{"qualification-multiple-reports", "Several employers"},
		{"qualification-document-requirements", "Documents as proof"},
	}, func(w *world.World, ctx context.Context, text string) (made, error) {
		q, err := w.CreateQualificationCheck(ctx, text)
		return made{ID: q.ID, Check: &q}, err
	}},
	{scenarios.TenantPropertyID, "tenant property", "tenant-properties", "tp_", "tenant_property", []preset{
		{"tenant-property", "A property with an address"},
	}, func(w *world.World, ctx context.Context, text string) (made, error) {
		p, err := w.CreateTenantProperty(ctx, text)
		return made{ID: p.ID, Property: &p}, err
	}},
}

//go:embed presets.yaml
var presetFile string

// ownPreset returns the text of a preset that no built-in scenario is like, "" for any other.
func ownPreset(name string) string {
	for text := range strings.SplitSeq(presetFile, "---\n") {
		if strings.HasPrefix(text, "name: "+name+"\n") {
			return text
		}
	}
	return ""
}

// making returns the kind of resource of a text: the first of a social security number alone.
func (w written) making() making {
	for _, m := range makings {
		node, _ := find(w.root, m.key)
		if node != nil || w.at("magic", m.key) != "" {
			return m
		}
	}
	return makings[0]
}

// resource returns the text that makes the resource of a scenario, without its id.
func (w written) resource() string {
	var text strings.Builder
	pairs := pairsOf(w.root)
	for i, pair := range pairs {
		end := len(w.text)
		if i+1 < len(pairs) {
			end = w.offset(pairs[i+1].Key.GetToken())
		}
		if key := pair.Key.GetToken(); slices.Contains([]string{"person", "company", "reports", w.making().key}, key.Value) {
			text.WriteString(strings.TrimRight(w.text[w.offset(key):end], " \n") + "\n")
		}
	}
	return text.String()
}

// inBlocks returns a text whose document is a block mapping, as the text of JSON is not.
func inBlocks(text string) string {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return text
	}
	blocks, err := yaml.JSONToYAML([]byte(text))
	if err != nil {
		return text
	}
	return string(blocks)
}

// composeAnywhere leads to the page in the latest world, or in that of the console's own key.
func composeAnywhere(x *frame.Exchange) (frame.Answer, error) {
	query := ""
	if x.Request.URL.RawQuery != "" {
		query = "?" + x.Request.URL.RawQuery
	}
	worlds, err := x.Worlds.Latest(x.Context(), 1, nil)
	if err != nil {
		return nil, err
	}
	if len(worlds) > 0 {
		return frame.SeeOther(frame.Link("worlds", worlds[0].ID, "compose") + query), nil
	}
	status, err := x.Worlds.ByKey(x.Key("console")).Status(x.Context())
	return frame.SeeOther(frame.Link("worlds", status.ID, "compose") + query), err
}

// textFrom returns the text of a preset, a scenario or a stored resource. All but a world scenario gets a free name and id.
func textFrom(x *frame.Exchange, name string) (string, error) {
	if text := ownPreset(name); text != "" {
		return renamed(x, text)
	}
	for _, m := range makings {
		if strings.HasPrefix(name, m.prefix) {
			source, err := world.Source(x.Context(), x.World, m.Kind, name)
			if err != nil {
				return "", err
			}
			text := fmt.Sprintf("name: %s\ntitle: %s\nmagic: {%s: %s}\n", nameOf(name), scalar("A copy of "+name), m.key, scalar(name))
			return renamed(x, text+inBlocks(string(source)))
		}
	}
	catalogue, own, err := x.World.Catalogue(x.Context())
	if err != nil {
		return "", err
	}
	s, err := resource.ScenarioNamed(catalogue, name)
	if err != nil {
		return "", err
	}
	if slices.Contains(own, s) {
		return s.Source(), nil
	}
	return renamed(x, inBlocks(s.Source()))
}

// renamed returns a text under a name and an id that the world does not have. A text without an id replaces its scenario.
func renamed(x *frame.Exchange, text string) (string, error) {
	w := writtenIn(text)
	m, name := w.making(), w.at("name")
	id := w.at("magic", m.key)
	if id == "" {
		if w.at("replaces") == "" {
			w = w.set(name, "replaces")
		}
		return w.text, nil
	}
	base := m.prefix + "my_" + strings.TrimPrefix(strings.TrimRight(strings.TrimPrefix(id, m.prefix), "_0123456789"), "my_")
	catalogue, _, err := x.World.Catalogue(x.Context())
	if err != nil {
		return "", err
	}
	id = base
	for n := 2; catalogue.ByName(nameOf(id)) != nil || taken(x, m, id); n++ {
		id = fmt.Sprintf("%s_%d", base, n)
	}
	w = w.set(nameOf(id), "name").set(id, "magic", m.key)
	for _, other := range []string{"ssn", "api_key"} {
		w = w.set("", "magic", other)
	}
	return w.set("", "replaces").text, nil
}

// taken reports whether a resource of the world has an id.
func taken(x *frame.Exchange, m making, id string) bool {
	_, err := m.create(x.World.Dry(), x.Context(), "id: "+scalar(id))
	failure := (*api.Error)(nil)
	return errors.As(err, &failure) && failure.Status == http.StatusConflict
}

// createComposed makes the resource of the chosen scenario.
func createComposed(x *frame.Exchange) (frame.Answer, error) {
	added, err := scenariosOf(x, posted(x))
	if err != nil {
		return nil, err
	}
	number, _ := strconv.Atoi(x.Value("scenario"))
	w := writtenIn(inBlocks(added[min(max(number, 0), len(added)-1)].Source()))
	m := w.making()
	id := ""
	if name := w.at("magic", m.key); name != "" {
		id = "id: " + scalar(name) + "\n"
	}
	made, err := m.create(x.World, x.Context(), cmp.Or(id+w.resource(), "{}"))
	return frame.Done(x.Here(m.path, made.ID), "created"), err
}

// scenariosOf returns the scenarios of a text, one at least.
func scenariosOf(x *frame.Exchange, text string) ([]*scenarios.Scenario, error) {
	catalogue, err := catalogueOf(x, text)
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return nil, api.Because(http.StatusBadRequest, problems.Count()+" in the text: correct it first")
	}
	added := catalogue.Added()
	if len(added) == 0 {
		return nil, api.Because(http.StatusBadRequest, "The text has no scenario in it")
	}
	return added, nil
}

// saveScenarios saves the scenarios of the text, each under its name.
func saveScenarios(x *frame.Exchange) (frame.Answer, error) {
	text := posted(x)
	added, err := scenariosOf(x, text)
	if err != nil {
		return nil, err
	}
	for _, s := range added {
		if len(added) > 1 {
			text = s.Source()
		}
		if _, _, err := x.World.PutScenario(x.Context(), s.Name, text); err != nil {
			return nil, err
		}
	}
	if len(added) > 1 {
		return frame.Done(frame.Link("catalogue")+"?world="+x.Status.ID, "saved"), nil
	}
	return frame.Done(frame.Link("catalogue", added[0].Name)+"?world="+x.Status.ID, "saved"), nil
}

// downloadScenario answers with the text as a file.
func downloadScenario(x *frame.Exchange) (frame.Answer, error) {
	text, name := posted(x), "scenario"
	if found, _ := scenarios.Parse("", []byte(text)); len(found) > 0 && scenarios.ValidName(found[0].Name) {
		name = found[0].Name
	}
	disposition := "attachment; filename=" + strconv.Quote(name+".yaml")
	return frame.Content{ContentType: "application/yaml; charset=utf-8", Header: "Content-Disposition", Value: disposition, Text: []byte(text)}, nil
}

// showSchema answers with the JSON Schema of scenario files, for the completion.
func showSchema(*frame.Exchange) (frame.Answer, error) {
	return frame.Content{ContentType: "application/schema+json", Header: "Cache-Control", Value: "no-cache", Text: scenarios.Schema("scenario")}, nil
}

// notices are the messages after the forms of the room.
var notices = map[string]string{
	"created": "Created.",
	"saved":   "Saved. The world's key now answers its magic values.",
}

// Room is the writing of scenarios and resources.
func Room() frame.Room {
	return frame.Room{Messages: notices, Endpoints: []frame.Endpoint{
		{Method: http.MethodGet, Path: "compose", Serve: composeAnywhere},
		{Method: http.MethodGet, Path: "worlds/:world/compose", Serve: showCompose},
		{Method: http.MethodPost, Path: "worlds/:world/compose", Serve: showCompose},
		{Method: http.MethodPost, Path: "worlds/:world/compose/run", Serve: runCompose},
		{Method: http.MethodPost, Path: "worlds/:world/compose/create", Serve: createComposed, Form: showCompose},
		{Method: http.MethodPost, Path: "worlds/:world/compose/save", Serve: saveScenarios, Form: showCompose},
		{Method: http.MethodPost, Path: "worlds/:world/compose/file", Serve: downloadScenario},
		{Method: http.MethodGet, Path: "worlds/:world/compose/schema", Serve: showSchema},
	}}
}
