package resource

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Check returns an error for an invalid verification request: its shape must be valid in the language of scenario
// files, and its document valid in the API.
func (v Request) Check(at Scene, id string) error {
	v.id = id
	if !slices.Contains(v.Progress.State.Values(), v.Progress.State) {
		return errors.New("stands nowhere that a request can stand")
	}
	if err := stored.CheckCounts("at cursor.", map[string]int{"step": v.Cursor.Step, "reads": v.Cursor.Reads}); err != nil {
		return err
	}
	if err := cmp.Or(firstViolation("", v), firstViolation("verification_request", scenarios.VerificationRequest{Timeline: v.Timeline})); err != nil {
		return err
	}
	instants := map[string]time.Time{"progress.created": v.Progress.Created, "cursor.entered": v.Cursor.Entered}
	if v.Progress.State == api.StateCompleted {
		instants["progress.completed"] = v.Progress.Completed
	}
	for i, visit := range v.History {
		instants[fmt.Sprintf("history.%d.at", i)] = visit.At
	}
	if n := len(v.History); n == 0 || n > maxHistory || v.History[n-1].State != v.Progress.State {
		return errors.New("has a history that does not end with its state")
	}
	if err := stored.CheckInstants(instants); err != nil {
		return err
	}
	if v.Progress.State == api.StateCompleted && v.Progress.Completed.Before(v.Progress.Created) {
		return errors.New("has progress.completed before progress.created: nothing is completed before it was asked for")
	}
	if err := v.checkOrigin(at); err != nil {
		return err
	}
	return drawn(func() any { return v.Document(at) })
}

// checkOrigin checks the request against its timeline, or its scenario's unless that has changed since, and against its
// session.
func (v *Request) checkOrigin(at Scene) error {
	switch s, timeline := at.Catalogue.ByName(v.Scenario), v.Steps(at); {
	case v.Scenario != "" && v.Revision == "":
		return errors.New("lacks revision, that of the scenario it began with")
	case v.Timeline != nil && v.Cursor.Step >= len(timeline):
		return fmt.Errorf("has cursor.step %d: its timeline has %d steps", v.Cursor.Step, len(timeline))
	case s != nil && v.Timeline == nil && s.Revision == v.Revision && v.Cursor.Step >= len(timeline):
		return fmt.Errorf("has cursor.step %d: the timeline of %s has %d steps", v.Cursor.Step, s.Name, len(timeline))
	case v.Identity == "":
		return errors.New("has an identity that is empty: nothing can be drawn from it")
	case v.Manual && v.Session == nil, v.Outcome != "" && !v.Manual:
		return errors.New("is manual, or has an outcome, without a session that a person finishes")
	case v.Session == nil:
		return nil
	case !scenarios.ValidID(v.Session.ID):
		return fmt.Errorf("is of the session %s, which no session has as its id", api.Quote(v.Session.ID))
	case !scenarios.ValidID(v.Session.Token):
		return errors.New("has a session.token that no session has")
	}
	return nil
}

// Check returns an error for an invalid qualification check.
func (q Qualification) Check(at Scene, id string) error {
	if err := cmp.Or(firstViolation("", q), stored.CheckInstants(map[string]time.Time{"created": q.Created})); err != nil {
		return err
	}
	return drawn(func() any { return q.Draw(at, id) })
}

// CheckProperty returns an error for an invalid tenant property.
func CheckProperty(id string, p api.TenantProperty) error {
	if p.ID != id {
		return fmt.Errorf("has the id %s: it must be that of its name", api.Quote(p.ID))
	}
	if strings.TrimSpace(p.Name) == "" {
		return errors.New("has a name that is blank")
	}
	return firstViolation("", p)
}

// drawn returns an error for a document that cannot be drawn, or that is invalid in the API.
func drawn(draw func() any) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("cannot be drawn")
		}
	}()
	return firstViolation("document", draw())
}

// firstViolation returns an error for the first violation of a value.
func firstViolation(name string, part any) error {
	for _, f := range fixtures.Validate(part) {
		return fmt.Errorf("is invalid at %s: %s", strings.Trim(name+"."+f.Field, "."), f.What)
	}
	return nil
}
