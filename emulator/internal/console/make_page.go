package console

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// makePage is the data of pages/make.html.
type makePage struct {
	making
	Makings []making
	Presets []makePreset
	Like    string // the scenario that the form began with
	Rules   bool   // it has rules, which a resource does not have
	Form    []sectionView
	Preview makePreview
}

// sectionView is a section of the form, an element of its list, or the button that adds one.
type sectionView struct {
	ID       string
	Title    string
	About    string // what it has, when it is folded
	Fields   []field
	Sections []sectionView
	Folds    bool
	Open     bool
	Add      string // the list that the button adds to
	Remove   string // the element that a button removes
	Focus    bool
}

// makePreview is what the form makes: pages/make.html, "preview".
type makePreview struct {
	made
	Text     string
	YAML     []yamlToken
	Problems []makeProblem
	Failed   []field // with their problems, and those that had one before
	Stages   []world.Stage
	Number   int         // of the report that is shown, from 1
	Report   *reportView // nil: there is none
}

// makeProblem is a problem of the form, at a field unless it is of the whole.
type makeProblem struct {
	Field   field
	What    string
	Warning bool
}

// makingOf returns the kind of resource that the page makes.
func (x *exchange) makingOf() (making, error) {
	at := path.Join("make", x.param("kind"))
	i := slices.IndexFunc(makings, func(m making) bool { return m.Path == at })
	if i < 0 {
		return making{}, errNoPage
	}
	return makings[i], nil
}

// makeAnywhere leads to the form in the latest world, or in that of the console's own key when there is none.
func makeAnywhere(x *exchange) (answer, error) {
	query := ""
	if x.request.URL.RawQuery != "" {
		query = "?" + x.request.URL.RawQuery
	}
	worlds, err := x.Worlds.Latest(x.context(), 1, nil)
	if err != nil {
		return nil, err
	}
	if len(worlds) == 0 {
		status, err := x.Worlds.ByKey(x.Key("console")).Status(x.context())
		return seeOther(link("worlds", status.ID, "make") + query), err
	}
	return seeOther(link("worlds", worlds[0].ID, "make") + query), nil
}

// showMake shows an empty form, or one that says what a scenario does: ?like=.
func showMake(x *exchange) (answer, error) {
	m, err := x.makingOf()
	if err != nil {
		return nil, err
	}
	form, like := url.Values{}, x.value("like")
	view := makePage{Like: like}
	switch {
	case like != "":
		var to making
		if to, view.Rules, err = x.fillLike(form, like); err != nil {
			return nil, err
		}
		if to.Path != m.Path {
			return seeOther(x.here(strings.Split(to.Path, "/")...) + "?" + x.request.URL.RawQuery), nil
		}
	case m.id != "magic.tenant_property":
		addElement(form, "reports")
	}
	if err := x.suggestID(m, form, like); err != nil {
		return nil, err
	}
	return x.makePage(m, form, view, "")
}

// fillLike puts a scenario into a form, and returns the kind of resource that it is of.
func (x *exchange) fillLike(form url.Values, like string) (m making, rules bool, err error) {
	text, ok := ownPresets[like]
	if !ok {
		catalogue, _, err := x.world.Catalogue(x.context())
		if err != nil {
			return m, false, err
		}
		s, err := world.ScenarioNamed(catalogue, like)
		if err != nil {
			return m, false, err
		}
		text, rules = s.Source(), len(s.Rules) > 0
	}
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		return m, false, err
	}
	m = makings[0] // also of a social security number alone
	for _, one := range makings {
		if find(file.Docs[0].Body, one.id) != nil {
			m = one
		}
	}
	dropNulls(find(file.Docs[0].Body, "verification_request.set"))
	fill(form, m.Sections, "", file.Docs[0].Body)
	if m.id != "magic.tenant_property" && elements(form, "reports") == 0 {
		addElement(form, "reports")
	}
	return m, rules, nil
}

// dropNulls drops the nulls that a scenario may set for later states of its request, and that no request is made with.
func dropNulls(set ast.Node) {
	if set, ok := set.(*ast.MappingNode); ok {
		set.Values = slices.DeleteFunc(set.Values, func(v *ast.MappingValueNode) bool {
			ofState := []string{"date_of_completion", "cancellation_reason", "cancellation_details"}
			return slices.Contains(ofState, v.Key.GetToken().Value) && v.Value.Type() == ast.NullType
		})
	}
}

// suggestID puts an id into a form that no resource has.
func (x *exchange) suggestID(m making, form url.Values, like string) error {
	base := m.prefix + "mine"
	if like != "" {
		base = m.prefix + "my_" + strings.ReplaceAll(like, "-", "_")
	}
	id := base
	for n := 2; ; n++ {
		_, err := m.create(x.world.Dry(), x.context(), "id: "+scalar(id))
		if failure := (*api.Error)(nil); !errors.As(err, &failure) || failure.Status != http.StatusConflict {
			form.Set(m.id, id)
			return err
		}
		id = fmt.Sprintf("%s_%d", base, n)
	}
}

// makeResource serves the buttons of the form, and shows the preview while it is filled in.
func makeResource(x *exchange) (answer, error) {
	m, err := x.makingOf()
	if err != nil {
		return nil, err
	}
	form, view := x.request.PostForm, makePage{Like: x.value("like")}
	// A field that is named remove would hide the method of the form's element that scripts call.
	switch add, drop := x.value("add"), x.value("drop"); {
	case add != "":
		addElement(form, add)
		return x.makePage(m, form, view, fmt.Sprintf("%s.%d.", add, elements(form, add)-1))
	case drop != "":
		removeElement(form, drop)
		return x.makePage(m, form, view, strings.TrimRight(drop, "0123456789")+"add")
	case x.value("do") == "show":
		return x.makePage(m, form, view, "")
	}
	preview, err := x.preview(m, form)
	if err != nil || x.value("do") == "preview" {
		return fragment{"make", "preview", preview}, err
	}
	if slices.ContainsFunc(preview.Problems, func(p makeProblem) bool { return !p.Warning }) {
		answer, err := x.makePage(m, form, view, "")
		if err != nil {
			return nil, err
		}
		shown := answer.(page)
		shown.status, shown.alert = http.StatusBadRequest, "Fix the marked fields"
		return shown, nil
	}
	if x.value("do") == "file" {
		name := `attachment; filename="` + nameOf(form.Get(m.id)) + `.yaml"`
		return content{"application/yaml", "Content-Disposition", name, []byte(preview.Text)}, nil
	}
	resource := m.resource(form)
	made, err := m.create(x.world, x.context(), resource.String())
	return done(x.here(m.Resource, made.ID), "created"), err
}

// makePage returns the page with a form. The cursor goes to the focus: the path of an element, or a list with "add" after it.
func (x *exchange) makePage(m making, form url.Values, view makePage, focus string) (answer, error) {
	preview, err := x.preview(m, form)
	if err != nil {
		return nil, err
	}
	view.making, view.Makings, view.Preview = m, makings, preview
	view.Presets = m.presets
	if listed := func(p makePreset) bool { return p.Name == view.Like }; view.Like != "" && !slices.ContainsFunc(m.presets, listed) {
		view.Presets = append([]makePreset{{view.Like, view.Like}}, m.presets...)
	}
	view.Form = formView{form, preview.Failed, focus}.sections(m.Sections, "")
	return page{name: "make", title: "Make a " + m.One, data: view}, nil
}

// preview says what the form makes, and what is wrong with it. Nothing is changed.
func (x *exchange) preview(m making, form url.Values) (view makePreview, err error) {
	file := m.scenario(form)
	view.Text = file.String()
	view.YAML = highlightYAML(view.Text)
	_, problems := scenarios.Parse("scenario", []byte(view.Text))
	for _, p := range problems {
		view.addProblem(file.fieldAt(p.At.Line, p.At.Column), p.Cause(), p.Warning)
	}
	if problems.Errors() == 0 {
		resource := m.resource(form)
		text := resource.String()
		if view.made, err = m.create(x.world.Dry(), x.context(), text); err == nil && view.Request != nil {
			err = x.previewReport(&view, text, form.Get("report"))
		}
		failure := (*api.Error)(nil)
		if errors.As(err, &failure) {
			name := ""
			if failure.Status == http.StatusConflict {
				name = m.id
			}
			view.addProblem(name, failure.Message, false)
			view.made, err = made{}, nil
		}
	}
	for _, name := range form["failed"] { // which is right now
		if !slices.ContainsFunc(view.Failed, func(f field) bool { return f.Name == name }) {
			view.Failed = append(view.Failed, field{Name: name, ID: strings.ReplaceAll(name, ".", "-")})
		}
	}
	return view, err
}

// previewReport adds a report as it is when the request is completed now.
func (x *exchange) previewReport(view *makePreview, text, number string) error {
	v := *view.Request
	view.Stages = v.Stages()
	completes := slices.ContainsFunc(view.Stages, func(s world.Stage) bool { return s.State == api.StateCompleted })
	if v.Progress.State != api.StateCompleted && completes {
		later, err := x.world.Dry().CreateVerificationRequest(x.context(), text+"state: completed\n")
		if err != nil {
			return err
		}
		v = later
	}
	reports := v.Analyzed().Reports
	if len(reports) == 0 {
		return nil
	}
	view.Request, view.Number = &v, numberIn(number, reports)
	view.Report = new(viewReport(reports[view.Number-1], view.Number, v.Now, false))
	if view.Report.More != "" { // its page has the older pay stubs
		view.Report.More, view.Report.Older.Rows = "", nil
	}
	return nil
}

// addProblem adds a problem, to its field too unless it is of the whole.
func (view *makePreview) addProblem(name, what string, warning bool) {
	p := makeProblem{What: what, Warning: warning}
	if name != "" {
		p.Field = fieldOf(name)
		i := slices.IndexFunc(view.Failed, func(f field) bool { return f.Name == name })
		if i < 0 {
			i = len(view.Failed)
			view.Failed = append(view.Failed, p.Field)
		}
		view.Failed[i].Error = strings.TrimPrefix(view.Failed[i].Error+"; "+what, "; ")
	}
	view.Problems = append(view.Problems, p)
}

// formView draws the sections of a form.
type formView struct {
	form   url.Values
	failed []field
	focus  string
}

func (v formView) sections(all []formSection, path string) (views []sectionView) {
	for _, s := range all {
		elements := s.paths(v.form, path)
		for i, element := range elements {
			view := sectionView{ID: "of-" + strings.NewReplacer(".", "-", " ", "-").Replace(element+s.Title), Title: s.Title, Folds: !s.Open, Open: s.List != "" && strings.HasPrefix(v.focus, element)}
			if s.List != "" {
				view.Title = fmt.Sprintf("%s %d", s.Title, i+1)
				view.Remove = strings.TrimSuffix(element, ".")
				view.Folds = false
			}
			var about []string
			for _, name := range s.fields(i) {
				f := v.field(element + name)
				about = append(about, f.Label)
				f.Focus = element == v.focus && len(view.Fields) == 0 && s.List != ""
				view.Open = view.Open || f.Value != "" && name != "title" || f.Error != ""
				view.Fields = append(view.Fields, f)
			}
			view.About = cmp.Or(strings.Join(about, ", "), "Completed from the start")
			view.Sections = v.sections(s.Sections, element)
			view.Open = view.Open || slices.ContainsFunc(view.Sections, func(one sectionView) bool { return one.Remove != "" || one.Focus })
			views = append(views, view)
		}
		if s.List != "" && len(elements) < maxElements {
			views = append(views, sectionView{Title: s.Title, Add: path + s.List, Focus: v.focus == path+s.List+".add"})
		}
	}
	return views
}

func (v formView) field(name string) field {
	f := fieldOf(name)
	f.Value = strings.TrimSpace(v.form.Get(name))
	for _, failed := range v.failed {
		if failed.Name == name {
			f.Error = failed.Error
		}
	}
	return f
}
