package console

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/snapshot"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// resourceKind is a kind of resource that a world has.
type resourceKind struct {
	Path    string // of its pages, below the world's
	Name    string // of many
	One     string
	prefix  string // of ids
	list    func(x *exchange, after string) ([]resourceRow, error)
	show    call
	actions map[string]action // by the name of a form's button; nil: there are none
}

func resourceKinds() []resourceKind {
	return []resourceKind{
		{"verification-requests", "Verification requests", "verification request", "vr", verificationRows, showVerification, map[string]action{
			"read":    {readOnce, "read"},
			"advance": {advanceTo, "advanced"},
			"move":    {move, "moved"},
			"cancel":  {cancelAsService, "canceled"},
			"set":     {setFieldsOf((*world.World).ChangeVerification), "changed"},
			"forget":  {forgetOf(scenarios.VerificationRequestID), "forgotten"},
		}},
		{"qualification-checks", "Qualification checks", "qualification check", "qc", qualificationRows, showQualification, map[string]action{
			"set":    {setFieldsOf((*world.World).ChangeQualification), "changed"},
			"forget": {forgetOf(scenarios.QualificationCheckID), "forgotten"},
		}},
		{"tenant-properties", "Tenant properties", "tenant property", "tp", tenantRows, showTenantProperty, map[string]action{
			"set":    {setFieldsOf((*world.World).ChangeTenantProperty), "changed"},
			"forget": {forgetOf(scenarios.TenantPropertyID), "forgotten"},
		}},
		{"credentials-sessions", "Credentials sessions", "credentials session", "cs", sessionRows, showSession, nil},
	}
}

// kindOf returns the kind of resource of a path, the first when there is none.
func kindOf(path string) resourceKind {
	kinds := resourceKinds()
	return kinds[max(0, slices.IndexFunc(kinds, func(k resourceKind) bool { return k.Path == path }))]
}

// resourceRow is a resource as a list shows it.
type resourceRow struct {
	ID       string
	State    string // what a badge says; "" when there is nothing to say
	Class    string // of the badge
	About    string
	Scenario string
	Created  time.Time // zero when that is not known
	Session  string    // that made it
	Request  string    // that a session made
}

// showWorld shows the stored resources of a kind: ?kind=, and ?state= of verification requests.
func showWorld(x *exchange) (answer, error) {
	kind := kindOf(x.value("kind"))
	found, err := kind.list(x, x.value("after"))
	if err != nil {
		return nil, err
	}
	shown, last := rows(found, func(r resourceRow) string { return r.ID })
	return page{name: "world", title: kind.Name, data: struct {
		Kind  resourceKind
		Kinds []resourceKind
		Rows  []resourceRow
		Next  string
		Start start
	}{kind, resourceKinds(), shown, x.next(last), x.start()}}, nil
}

// openResource leads to the page of a resource: of the kind that ?id= begins like, else of ?kind=.
func openResource(x *exchange) (answer, error) {
	id := x.value("id")
	if id == "" {
		return nil, api.Because(http.StatusBadRequest, "Say which resource: an id such as vr_completed")
	}
	kind := kindOf(x.value("kind"))
	prefix, _, _ := strings.Cut(id, "_")
	for _, k := range resourceKinds() {
		if k.prefix == prefix {
			kind = k
		}
	}
	return seeOther(x.here(kind.Path, id)), nil
}

func verificationRows(x *exchange, after string) (all []resourceRow, err error) {
	state := api.State(x.value("state"))
	if state != "" {
		if err := world.CheckState(state); err != nil {
			return nil, err
		}
	}
	found, err := x.world.Verifications(after, perPage+1, func(v world.Verification) bool {
		return state == "" || v.Progress.State == state
	})
	for _, v := range found {
		all = append(all, rowOf(v, v.ID, v.SessionID, ""))
	}
	return all, err
}

func sessionRows(x *exchange, after string) (all []resourceRow, err error) {
	found, err := x.world.Sessions(after, perPage+1)
	for _, v := range found {
		all = append(all, rowOf(v, v.SessionID, "", v.ID))
	}
	return all, err
}

func rowOf(v world.Verification, id, session, request string) resourceRow {
	state := string(v.Progress.State)
	return resourceRow{id, state, "state-" + state, "", v.Name, v.Progress.Created, session, request}
}

func qualificationRows(x *exchange, after string) (all []resourceRow, err error) {
	found, err := x.world.QualificationChecks(after, perPage+1)
	for _, q := range found {
		outcome := string(q.Result.Outcome)
		all = append(all, resourceRow{ID: q.ID, State: outcome, Class: "outcome-" + outcome, About: string(q.Kind), Created: q.Created.Time})
	}
	return all, err
}

func tenantRows(x *exchange, after string) (all []resourceRow, err error) {
	found, err := x.world.TenantProperties(after, perPage+1)
	for _, p := range found {
		all = append(all, resourceRow{ID: p.ID, State: p.Status, Class: "state-" + p.Status, About: p.Name})
	}
	return all, err
}

// askFirst asks before something is done that cannot be undone. The answer is posted to the path of the question.
func askFirst(x *exchange) (answer, error) {
	what := path.Base(x.request.URL.Path)
	return page{name: "confirm", title: labelOf(what), data: what}, nil
}

func reset(x *exchange) (answer, error) {
	return done(x.here(), "reset"), x.do((*world.World).Reset)
}

func deleteWorld(x *exchange) (answer, error) {
	return done(link("worlds"), "deleted"), x.Worlds.Delete(x.context(), x.param("world"))
}

func showSnapshot(*exchange) (answer, error) { return page{name: "snapshot", title: "Snapshot"}, nil }

// takeSnapshot hands out the whole world as a file.
func takeSnapshot(x *exchange) (answer, error) {
	taken, err := snapshot.Take(x.context(), x.Worlds, x.at)
	if err != nil {
		return nil, err
	}
	if err := x.open(); err != nil {
		return nil, err
	}
	text, err := api.Render(taken)
	name := fmt.Sprintf("understudy-%.8s-%s.json", x.world.ID, x.world.Now().UTC().Format("20060102T150405Z"))
	return content{"application/json", "Content-Disposition", `attachment; filename="` + name + `"`, text}, err
}

// restoreSnapshot makes the world what a file says. The form has a box to confirm that this replaces everything.
func restoreSnapshot(x *exchange) (answer, error) {
	text, err := x.upload()
	if err != nil {
		return nil, err
	}
	return done(x.here(), "restored"), snapshot.Restore(x.context(), x.Worlds, x.at, text, x.Operations)
}

// upload returns the file of a form whose box is checked.
func (x *exchange) upload() (text []byte, err error) {
	err = x.request.ParseMultipartForm(maxSnapshot)
	tooLarge := (*http.MaxBytesError)(nil)
	switch {
	case errors.Is(err, http.ErrNotMultipart) || errors.Is(err, http.ErrMissingBoundary):
		return nil, api.Because(http.StatusBadRequest, "The form has no file: choose one")
	case errors.As(err, &tooLarge):
		return nil, api.Because(http.StatusRequestEntityTooLarge, fmt.Sprintf("The file is larger than %d MB", tooLarge.Limit>>20))
	case err != nil:
		return nil, api.Because(http.StatusBadRequest, "The file did not arrive whole: "+strings.TrimPrefix(err.Error(), "multipart: "))
	}
	file, _, err := x.request.FormFile("snapshot")
	switch {
	case err != nil:
		return nil, api.Because(http.StatusBadRequest, "No file was chosen: a snapshot is a JSON file that was downloaded here")
	case x.value("sure") == "":
		return nil, api.Because(http.StatusBadRequest, "The file replaces everything in this world: check the box if that is meant")
	}
	return io.ReadAll(file)
}
