package console

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// resourceKind is a kind of resource that a world has.
type resourceKind struct {
	Path  string // of its pages, below the world's
	Name  string // of many
	One   string
	Magic scenarios.Kind // of an id that leads to one, also before the world remembers it
	list  func(x *exchange, after string) ([]resourceRow, error)
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

func resourceKinds() []resourceKind {
	return []resourceKind{
		{"verification-requests", "Verification requests", "verification request", scenarios.VerificationRequestID, verificationRows},
		{"qualification-checks", "Qualification checks", "qualification check", scenarios.QualificationCheckID, qualificationRows},
		{"tenant-properties", "Tenant properties", "tenant property", scenarios.TenantPropertyID, tenantRows},
		{"credentials-sessions", "Credentials sessions", "credentials session", "", sessionRows},
	}
}

// kindOf returns the kind of resource of a path, the first when there is none.
func kindOf(path string) resourceKind {
	kinds := resourceKinds()
	for _, kind := range kinds {
		if kind.Path == path {
			return kind
		}
	}
	return kinds[0]
}

// showWorld shows the resources of a kind that the world remembers: ?kind=, and ?state= of verification requests.
func showWorld(x *exchange) (answer, error) {
	kind := kindOf(x.value("kind"))
	found, err := kind.list(x, x.value("after"))
	if err != nil {
		return nil, err
	}
	shown, last := rows(found, func(r resourceRow) string { return r.ID })
	return page{name: "world", title: kind.Name, data: struct {
		Kind   resourceKind
		Kinds  []resourceKind
		States []api.State
		Rows   []resourceRow
		Next   string
		Start  start
	}{kind, resourceKinds(), api.State("").Values(), shown, x.next(last), x.start()}}, nil
}

// openResource leads to the page of a resource, by ?kind= and ?id=.
func openResource(x *exchange) (answer, error) {
	id := x.value("id")
	if id == "" {
		return x.again(showWorld, api.Because(http.StatusBadRequest, "Say which resource: an id such as vr_completed"))
	}
	return seeOther(x.here(openedKind(x.value("kind"), id).Path, id)), nil
}

// openedKind returns the kind of resource that an id begins like; kind is for an id that begins like none.
func openedKind(kind, id string) resourceKind {
	prefix, _, _ := strings.Cut(id, "_")
	paths := map[string]string{
		"vr": "verification-requests", "qc": "qualification-checks", "tp": "tenant-properties", "cs": "credentials-sessions",
	}
	return kindOf(cmp.Or(paths[prefix], kind))
}

func verificationRows(x *exchange, after string) (all []resourceRow, err error) {
	state := api.State(x.value("state"))
	if state != "" {
		if err := world.CheckState(state); err != nil {
			return nil, err
		}
	}
	found, err := x.world.Verifications(x.context(), after, atOnce+1, func(v world.Verification) bool {
		return state == "" || v.Progress.State == state
	})
	for _, v := range found {
		row := rowOf(v)
		row.ID, row.Session = v.ID, v.SessionID
		all = append(all, row)
	}
	return all, err
}

// rowOf returns what the rows of a request and of its session have in common.
func rowOf(v world.Verification) resourceRow {
	state := string(v.Progress.State)
	return resourceRow{State: state, Class: "state-" + state, Scenario: v.Name, Created: v.Progress.Created}
}

func sessionRows(x *exchange, after string) (all []resourceRow, err error) {
	found, err := x.world.Sessions(x.context(), after, atOnce+1)
	for _, v := range found {
		row := rowOf(v)
		row.ID, row.Request = v.SessionID, v.ID
		all = append(all, row)
	}
	return all, err
}

func qualificationRows(x *exchange, after string) (all []resourceRow, err error) {
	found, err := x.world.QualificationChecks(x.context(), after, atOnce+1)
	for _, q := range found {
		outcome := string(q.Result.Outcome)
		all = append(all, resourceRow{ID: q.ID, State: outcome, Class: "outcome-" + outcome, About: string(q.Kind), Created: q.Created.Time})
	}
	return all, err
}

func tenantRows(x *exchange, after string) (all []resourceRow, err error) {
	found, err := x.world.TenantProperties(x.context(), after, atOnce+1)
	for _, p := range found {
		all = append(all, resourceRow{ID: p.ID, State: p.Status, Class: "state-" + p.Status, About: p.Name})
	}
	return all, err
}
