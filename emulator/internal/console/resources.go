package console

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// resourceKind is a kind of resource that a world has.
type resourceKind struct {
	Path    string // of its pages, below the world's
	Name    string // of many
	One     string
	prefix  string // of ids
	list    func(x *exchange, after string) ([]resourceRow, error)
	find    func(ctx context.Context, w *world.World, id string) error
	show    call
	actions map[string]action // by the name of a form's button
}

func resourceKinds() []resourceKind {
	return []resourceKind{
		{"verification-requests", "Verification requests", "verification request", "vr", verificationRows, findBy((*world.World).VerificationRequest), showVerification, map[string]action{
			"read":    {readOnce, "read"},
			"advance": {advanceTo, "advanced"},
			"move":    {move, "moved"},
			"cancel":  {cancelAsService, "canceled"},
			"set":     {setFieldsOf((*world.World).ChangeVerificationRequest), "changed"},
			"delete":  {deleteBy((*world.World).DeleteVerificationRequest), "removed"},
		}},
		{"qualification-checks", "Qualification checks", "qualification check", "qc", qualificationRows, findBy((*world.World).QualificationCheck), showQualification, map[string]action{
			"set":    {setFieldsOf((*world.World).ChangeQualificationCheck), "changed"},
			"delete": {deleteBy((*world.World).DeleteQualificationCheck), "removed"},
		}},
		{"tenant-properties", "Tenant properties", "tenant property", "tp", tenantRows, findBy((*world.World).TenantProperty), showTenantProperty, map[string]action{
			"set":    {setFieldsOf((*world.World).ChangeTenantProperty), "changed"},
			"delete": {deleteBy((*world.World).DeleteTenantProperty), "removed"},
		}},
		{"credentials-sessions", "Credentials sessions", "credentials session", "cs", sessionRows, findBy((*world.World).CredentialsSession), showSession, map[string]action{
			"finish": {finish, "finished"},
		}},
	}
}

type resourceRow struct {
	ID       string
	State    string // text of the badge; "": none
	Class    string // of the badge
	About    string
	Scenario string
	Created  time.Time // zero: unknown
	Session  string    // that created it
	Request  string    // that the session created
}

// findBy returns a call whose error says why there is no resource with an id.
func findBy[T any](get func(w *world.World, ctx context.Context, id string) (T, error)) func(context.Context, *world.World, string) error {
	return func(ctx context.Context, w *world.World, id string) error {
		_, err := get(w, ctx, id)
		return err
	}
}

// showWorld shows the stored resources of a kind: ?kind=, those with ?q= in their id, and ?state= of verification requests. For
// the id of a resource it redirects to its page.
func showWorld(x *exchange) (answer, error) {
	kinds := resourceKinds()
	kind, id, unknown := kinds[0], x.value("q"), ""
	if i := slices.IndexFunc(kinds, func(k resourceKind) bool { return k.Path == x.value("kind") }); i > 0 {
		kind = kinds[i]
	}
	if id != "" {
		named := kind
		for _, k := range kinds {
			if strings.HasPrefix(id, k.prefix+"_") {
				named = k
			}
		}
		err, failure := named.find(x.context(), x.world, id), (*api.Error)(nil)
		switch {
		case err == nil:
			return seeOther(x.here(named.Path, id)), nil
		case !errors.As(err, &failure):
			return nil, err
		}
		unknown = failure.Message
	}
	found, err := x.resourcesLike(kind, id, x.value("after"))
	if err != nil {
		return nil, err
	}
	shown, last := rows(found, func(r resourceRow) string { return r.ID })
	return page{name: "world", title: kind.Name, data: struct {
		Kind    resourceKind
		Kinds   []resourceKind
		Rows    []resourceRow
		Next    string
		Unknown string // why nothing has the id
		Start   start
	}{kind, kinds, shown, x.next(x.here(), last), unknown, x.starting()}}, nil
}

// resourcesLike returns the resources of a kind after an id that have a text in theirs: one more than a page shows.
func (x *exchange) resourcesLike(kind resourceKind, part, after string) (found []resourceRow, err error) {
	for {
		some, err := kind.list(x, after)
		if err != nil {
			return nil, err
		}
		for _, row := range some {
			if strings.Contains(row.ID, part) {
				found = append(found, row)
			}
		}
		if len(found) > perPage || len(some) <= perPage {
			return found[:min(len(found), perPage+1)], nil
		}
		after = some[len(some)-1].ID
	}
}

func verificationRows(x *exchange, after string) (all []resourceRow, err error) {
	state := api.State(x.value("state"))
	if state != "" {
		if err := world.CheckState(state); err != nil {
			return nil, err
		}
	}
	found, err := x.world.ListVerificationRequests(x.context(), after, perPage+1, func(v world.Verification) bool {
		return (state == "" || v.Progress.State == state) && strings.Contains(v.ID, x.value("q"))
	})
	for _, v := range found {
		all = append(all, rowOf(v, v.ID, v.SessionID, ""))
	}
	return all, err
}

func sessionRows(x *exchange, after string) (all []resourceRow, err error) {
	found, err := x.world.ListCredentialsSessions(x.context(), after, perPage+1)
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
	found, err := x.world.ListQualificationChecks(x.context(), after, perPage+1)
	for _, q := range found {
		outcome := string(q.Result.Outcome)
		all = append(all, resourceRow{ID: q.ID, State: outcome, Class: "outcome-" + outcome, About: string(q.Kind), Created: q.Created.Time})
	}
	return all, err
}

func tenantRows(x *exchange, after string) (all []resourceRow, err error) {
	found, err := x.world.ListTenantProperties(x.context(), after, perPage+1)
	for _, p := range found {
		all = append(all, resourceRow{ID: p.ID, State: p.Status, Class: "state-" + p.Status, About: beginning(p.Name)})
	}
	return all, err
}

// resourcesRoom is the resources of a world, and one of them.
func resourcesRoom() room {
	r := room{Funcs: resourceFuncs, Endpoints: []endpoint{
		{method: http.MethodGet, path: "flow", public: true, serve: showFlow},
		{method: http.MethodPost, path: "flow", public: true, serve: finishFlow, form: showFlow},
		{method: http.MethodGet, path: "worlds/:world", serve: showWorld},
	}}
	for _, kind := range resourceKinds() {
		path := "worlds/:world/" + kind.Path + "/:id"
		r.Endpoints = append(r.Endpoints,
			endpoint{method: http.MethodGet, path: path, serve: kind.show},
			endpoint{method: http.MethodGet, path: path + "/live", serve: drawLive(kind.show)},
			endpoint{method: http.MethodPost, path: path, serve: steer(kind), form: kind.show})
	}
	return r
}
