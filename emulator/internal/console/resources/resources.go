// Package resources is the pages of a world's resources, with what happens next, and what a request would get now.
package resources

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// ResourceKind is a kind of resource that a world has.
type ResourceKind struct {
	Path    string // of its pages, below the world's
	Name    string // of many
	One     string
	Prefix  string // of ids
	List    func(x *frame.Exchange, after string) ([]ResourceRow, error)
	Find    func(ctx context.Context, w *world.World, id string) error
	show    frame.Call
	actions map[string]action // by the name of a form's button
}

// ResourceKinds returns the kinds of resources, the most requested first.
func ResourceKinds() []ResourceKind {
	return []ResourceKind{
		{"verification-requests", "Verification requests", "verification request", "vr", verificationRows, findBy((*world.World).VerificationRequest), shown((*world.World).VerificationRequest, showVerification), map[string]action{
			"read":    {readOnce, "read"},
			"advance": {advanceTo, "advanced"},
			"move":    {move, "moved"},
			"cancel":  {cancelAsService, "canceled"},
			"set":     {setFieldsOf((*world.World).ChangeVerificationRequest), "changed"},
			"delete":  {deleteBy((*world.World).DeleteVerificationRequest), "removed"},
		}},
		{"qualification-checks", "Qualification checks", "qualification check", "qc", qualificationRows, findBy((*world.World).QualificationCheck), shown((*world.World).QualificationCheck, showQualification), map[string]action{
			"set":    {setFieldsOf((*world.World).ChangeQualificationCheck), "changed"},
			"delete": {deleteBy((*world.World).DeleteQualificationCheck), "removed"},
		}},
		{"tenant-properties", "Tenant properties", "tenant property", "tp", tenantRows, findBy((*world.World).TenantProperty), shown((*world.World).TenantProperty, showTenantProperty), map[string]action{
			"set":    {setFieldsOf((*world.World).ChangeTenantProperty), "changed"},
			"delete": {deleteBy((*world.World).DeleteTenantProperty), "removed"},
		}},
		{"credentials-sessions", "Credentials sessions", "credentials session", "cs", sessionRows, findBy((*world.World).CredentialsSession), shown((*world.World).CredentialsSession, showSession), map[string]action{
			"finish": {finish, "finished"},
		}},
	}
}

// ResourceRow is a resource in a list.
type ResourceRow struct {
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
func showWorld(x *frame.Exchange) (frame.Answer, error) {
	kinds := ResourceKinds()
	kind, id, unknown := kinds[0], x.Value("q"), ""
	if i := slices.IndexFunc(kinds, func(k ResourceKind) bool { return k.Path == x.Value("kind") }); i > 0 {
		kind = kinds[i]
	}
	if id != "" {
		named := kind
		for _, k := range kinds {
			if strings.HasPrefix(id, k.Prefix+"_") {
				named = k
			}
		}
		err, failure := named.Find(x.Context(), x.World, id), (*api.Error)(nil)
		switch {
		case err == nil:
			return frame.SeeOther(x.Here(named.Path, id)), nil
		case !errors.As(err, &failure):
			return nil, err
		}
		unknown = failure.Message
	}
	found, err := resourcesLike(x, kind, id, x.Value("after"))
	if err != nil {
		return nil, err
	}
	shown, last := frame.Rows(found, func(r ResourceRow) string { return r.ID })
	return frame.Page{Name: "world", Title: kind.Name, Data: struct {
		Kind    ResourceKind
		Kinds   []ResourceKind
		Rows    []ResourceRow
		Next    string
		Unknown string // why nothing has the id
		Start   recorded.Start
	}{kind, kinds, shown, x.Next(x.Here(), last), unknown, recorded.Starting(x)}}, nil
}

// resourcesLike returns the resources of a kind after an id that have a text in theirs: one more than a page shows.
func resourcesLike(x *frame.Exchange, kind ResourceKind, part, after string) (found []ResourceRow, err error) {
	for {
		some, err := kind.List(x, after)
		if err != nil {
			return nil, err
		}
		for _, row := range some {
			if strings.Contains(row.ID, part) {
				found = append(found, row)
			}
		}
		if len(found) > frame.PerPage || len(some) <= frame.PerPage {
			return found[:min(len(found), frame.PerPage+1)], nil
		}
		after = some[len(some)-1].ID
	}
}

func verificationRows(x *frame.Exchange, after string) (all []ResourceRow, err error) {
	state := api.State(x.Value("state"))
	if state != "" {
		if err := resource.CheckState(state); err != nil {
			return nil, err
		}
	}
	found, err := x.World.ListVerificationRequests(x.Context(), after, frame.PerPage+1, func(v world.Verification) bool {
		return (state == "" || v.Progress.State == state) && strings.Contains(v.ID, x.Value("q"))
	})
	for _, v := range found {
		all = append(all, rowOf(v, v.ID, v.SessionID, ""))
	}
	return all, err
}

func sessionRows(x *frame.Exchange, after string) (all []ResourceRow, err error) {
	found, err := x.World.ListCredentialsSessions(x.Context(), after, frame.PerPage+1)
	for _, v := range found {
		all = append(all, rowOf(v, v.SessionID, "", v.ID))
	}
	return all, err
}

func rowOf(v world.Verification, id, session, request string) ResourceRow {
	state := string(v.Progress.State)
	return ResourceRow{id, state, "state-" + state, "", v.Name, v.Progress.Created, session, request}
}

func qualificationRows(x *frame.Exchange, after string) (all []ResourceRow, err error) {
	found, err := x.World.ListQualificationChecks(x.Context(), after, frame.PerPage+1)
	for _, q := range found {
		outcome := string(q.Result.Outcome)
		all = append(all, ResourceRow{ID: q.ID, State: outcome, Class: "outcome-" + outcome, About: string(q.Kind), Created: q.Created.Time})
	}
	return all, err
}

func tenantRows(x *frame.Exchange, after string) (all []ResourceRow, err error) {
	found, err := x.World.ListTenantProperties(x.Context(), after, frame.PerPage+1)
	for _, p := range found {
		all = append(all, ResourceRow{ID: p.ID, State: p.Status, Class: "state-" + p.Status, About: words.Beginning(p.Name)})
	}
	return all, err
}

// notices are the messages after the forms of the room.
var notices = map[string]string{
	"moved":    "State changed.",
	"canceled": "Request canceled.",
	"changed":  "Fields changed.",
	"read":     "Request read once.",
	"removed":  "Resource deleted.",
	"finished": "Session finished.",
}

// Room is the resources of a world, and one of them.
func Room() frame.Room {
	r := frame.Room{Funcs: resourceFuncs, Messages: notices, Endpoints: []frame.Endpoint{
		{Method: http.MethodGet, Path: "flow", Public: true, Serve: showFlow},
		{Method: http.MethodPost, Path: "flow", Public: true, Serve: finishFlow, Form: showFlow},
		{Method: http.MethodGet, Path: "worlds/:world", Serve: showWorld},
	}}
	for _, kind := range ResourceKinds() {
		path := "worlds/:world/" + kind.Path + "/:id"
		r.Endpoints = append(r.Endpoints,
			frame.Endpoint{Method: http.MethodGet, Path: path, Serve: kind.show},
			frame.Endpoint{Method: http.MethodPost, Path: path, Serve: actOn(kind), Form: kind.show})
	}
	return r
}
