package world

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// checkVerification returns an error for what no verification request is, and for one that would be served as the API has
// none: its shape is held against the language of scenario files, and what is drawn of it against the API.
func (w *World) checkVerification(id string, part json.RawMessage) error {
	var v verification
	if err := strictly(part, &v); err != nil {
		return err
	}
	for _, check := range []error{
		firstFlaw("shape", v.Shape), v.checkState(), v.checkInstants(), v.checkPlace(w), v.checkOrigin(id), checkCounts(v.Tally),
	} {
		if check != nil {
			return check
		}
	}
	return drawn(func() any { return v.document(w, id) })
}

func (v *verification) checkState() error {
	if !slices.Contains(v.Progress.State.Values(), v.Progress.State) || v.Cursor.Step < 0 || v.Cursor.Reads < 0 {
		return errors.New("stands nowhere that a request can stand")
	}
	return firstFlaw("progress", v.Progress)
}

// checkInstants holds the request's instants against the clock, and against each other.
func (v *verification) checkInstants() error {
	type dated struct {
		name string
		at   time.Time
	}
	instants := []dated{{"progress.created", v.Progress.Created}, {"cursor.entered", v.Cursor.Entered}}
	if v.Progress.State == api.StateCompleted {
		instants = append(instants, dated{"progress.completed", v.Progress.Completed})
	}
	for i, at := range v.Entered {
		if at != nil {
			instants = append(instants, dated{fmt.Sprintf("entered.%d", i), *at})
		}
	}
	for _, instant := range instants {
		if outOfTime(instant.at) {
			return fmt.Errorf("has at %s an instant that no clock shows", instant.name)
		}
	}
	if v.Progress.State == api.StateCompleted && v.Progress.Completed.Before(v.Progress.Created) {
		return errors.New("has progress.completed before progress.created: nothing is completed before it was asked for")
	}
	return nil
}

// checkPlace holds the request's place against the timeline of its scenario, where that is as it was when it began.
func (v *verification) checkPlace(w *World) error {
	if v.Scenario != "" && v.Revision == "" {
		return errors.New("lacks revision, that of the scenario it began with")
	}
	s := w.catalogue.ByName(v.Scenario)
	if s == nil || s.Revision != v.Revision {
		return nil
	}
	if steps := len(s.Timeline()); v.Cursor.Step >= steps || len(v.Entered) > steps {
		return fmt.Errorf("has cursor.step %d and %d instants in entered: the timeline of %s has %d steps", v.Cursor.Step, len(v.Entered), s.Name, steps)
	}
	return nil
}

// checkOrigin holds what the request was made from against its id.
func (v *verification) checkOrigin(id string) error {
	switch {
	case v.Identity == "":
		return errors.New("has an identity that is empty: nothing can be drawn from it")
	case v.Session == nil:
		return nil
	case requestOf(v.Session.ID) != id || !ValidSessionID(v.Session.ID):
		return fmt.Errorf("is of the session %s, whose request has another id", api.Quote(v.Session.ID))
	case v.Session.Token == "":
		return errors.New("has a session.token that is empty")
	}
	return nil
}

func (w *World) checkQualification(id string, part json.RawMessage) error {
	var q qualification
	if err := strictly(part, &q); err != nil {
		return err
	}
	if err := firstFlaw("shape", q.Shape); err != nil {
		return err
	}
	if outOfTime(q.Created) {
		return errors.New("has at created an instant that no clock shows")
	}
	return drawn(func() any { return w.draw(id, q) })
}

func checkTenantProperty(id string, part json.RawMessage) error {
	var p api.TenantProperty
	if err := strictly(part, &p); err != nil {
		return err
	}
	if p.ID != id {
		return fmt.Errorf("has the id %s: it must be that of its name", api.Quote(p.ID))
	}
	if strings.TrimSpace(p.Name) == "" {
		return errors.New("has a name that is blank")
	}
	return firstFlaw("", p)
}

// drawn returns an error for a document that cannot be drawn, or is none of the API's.
func drawn(draw func() any) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("cannot be drawn")
		}
	}()
	return firstFlaw("document", draw())
}

// firstFlaw returns an error for the first of the flaws of a part.
func firstFlaw(name string, part any) error {
	for _, f := range scenarios.Flaws(part) {
		return fmt.Errorf("is not right at %s: %s", strings.Trim(name+"."+f.Field, "."), f.What)
	}
	return nil
}
