package world

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// check returns an error for an invalid part of a snapshot, except for its stored values.
func (s Snapshot) check() error {
	never := func(at time.Time) bool { return at.IsZero() || FrozenAt(at).Check() != nil }
	switch {
	case s.Version != SnapshotVersion:
		return fmt.Errorf("understudy_snapshot must be %d, as this release writes it, and is %d", SnapshotVersion, s.Version)
	case never(s.Created) || never(s.Now):
		return errors.New("created and now must be instants from the year 1970 to 9990")
	case s.Journal.Dropped > journal.MaxCount:
		return fmt.Errorf("journal.dropped is %d: a count goes from 0 to %d", s.Journal.Dropped, journal.MaxCount)
	case s.Now.Before(s.Created):
		return fmt.Errorf("now is %s, which is before created, %s", s.Now.Format(time.RFC3339), s.Created.Format(time.RFC3339))
	case len(s.Faults) > maxFaults:
		return fmt.Errorf("faults are %d: a world has %d at most", len(s.Faults), maxFaults)
	case len(s.Scenarios) > maxFiles:
		return fmt.Errorf("scenarios are %d: a world has %d files of its own at most", len(s.Scenarios), maxFiles)
	}
	if err := s.Settings.Check(); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if err := checkCounts("", map[string]int{"scenarios_made": s.ScenariosMade, "faults_made": s.FaultsMade}); err != nil {
		return err
	}
	before := 0
	for _, f := range s.Faults {
		number := faultNumber(f.ID)
		switch _, err := f.scenario(); {
		case number <= before || number > s.FaultsMade:
			return fmt.Errorf("no fault here can have the id %s: they are %s1 to %s%d, by faults_made, each once and in order",
				api.Quote(f.ID), faultPrefix, faultPrefix, s.FaultsMade)
		case err != nil:
			return fmt.Errorf("fault %s is invalid", api.Quote(f.ID))
		case f.Resource != "" && !scenarios.ValidID(f.Resource):
			return fmt.Errorf("the fault %s is for %s, which no resource can have as its id", f.ID, api.Quote(f.Resource))
		case f.Expires != nil && outOfTime(*f.Expires):
			return fmt.Errorf("the fault %s expires at no time that a clock shows", f.ID)
		}
		before = number
	}
	for i, f := range s.Scenarios {
		if !scenarios.ValidName(f.Name) || i > 0 && s.Scenarios[i-1].Name >= f.Name {
			return fmt.Errorf("no scenario file here can have the name %s: it has 1 to 64 of a-z 0-9 . _ -, and they are in order", api.Quote(f.Name))
		}
	}
	return nil
}

// resourceKinds begin the names of resources.
var resourceKinds = []string{"vr", "tp", "qc"}

// check returns an error for a value that the world could not read under a name.
func (tx *Tx) check(name string, part json.RawMessage) error {
	kind, id, _ := strings.Cut(name, "/")
	switch resource := slices.Contains(resourceKinds, kind); {
	case resource && !scenarios.ValidID(id):
		return errors.New("has an id that no resource has")
	case kind == "vr":
		return strictly(part, func(v verification) error { v.id = id; return v.check(tx) })
	case kind == "tp":
		return strictly(part, func(p api.TenantProperty) error { return checkTenantProperty(id, p) })
	case kind == "qc":
		return strictly(part, func(q qualification) error { return tx.checkQualification(id, q) })
	case kind == "calls" && isCounter(id):
		return strictly(part, func(c scenarios.Counters) error {
			return cmp.Or(checkCounts("at calls.", c.Calls), checkCounts("at applied.", c.Applied), checkInstants(c.Arrivals))
		})
	case kind == "scenario" && id != "":
		return strictly(part, func(string) error { return nil })
	case name == "sessions" || name == "created":
		return strictly(part, func(count int) error { return checkCounts("", map[string]int{"": count}) })
	case name == "limit":
		return strictly(part, func(arrival time.Time) error { return checkInstants(map[string]time.Time{name: arrival}) })
	}
	return errors.New("is no name of a value that a world stores")
}

// isCounter reports whether a name is that of a rule's counters: of a resource, a fault, or a scenario for sessions or for
// every request.
func isCounter(of string) bool {
	kind, name, _ := strings.Cut(of, "/")
	resource, scenario := slices.Contains(resourceKinds, kind), slices.Contains([]string{"fault", "cs", "all"}, kind)
	return resource && scenarios.ValidID(name) || scenario && scenarios.ValidName(name)
}

// checkCounts returns an error for a count from which a world could not count on.
func checkCounts(path string, counts map[string]int) error {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if count := counts[name]; count < 0 || count > journal.MaxCount {
			return errors.New(strings.TrimSpace(fmt.Sprintf("%s%s is %d: a count goes from 0 to %d", path, name, count, journal.MaxCount)))
		}
	}
	return nil
}

func checkInstants(instants map[string]time.Time) error {
	for _, name := range slices.Sorted(maps.Keys(instants)) {
		if outOfTime(instants[name]) {
			return fmt.Errorf("has at %s an instant that no clock shows: they are of the years %d to %d", name, earliestYear, latestYear)
		}
	}
	return nil
}

// The years of stored instants: requests that existed before their world are at most ten years older than its clock, and
// limits and faults may end after its last instant.
const (
	earliestYear = firstYear - 11
	latestYear   = 9999
)

// outOfTime reports whether no stored value can have an instant.
func outOfTime(at time.Time) bool { return at.Year() < earliestYear || at.Year() > latestYear }

// strictly decodes JSON without unknown or missing keys, and checks the value.
func strictly[T any](part json.RawMessage, check func(T) error) error {
	var value T
	decoder := json.NewDecoder(strings.NewReader(string(part)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&value); err != nil {
		return fmt.Errorf("cannot be read: %s", api.Excerpt(strings.TrimPrefix(err.Error(), "json: ")))
	}
	if lack := api.Missing(part, reflect.TypeFor[T]()); lack != "" {
		return errors.New("lacks something: " + strings.TrimPrefix(lack, " "))
	}
	return check(value)
}

// check returns an error for an invalid verification request: its shape must be valid in the language of scenario
// files, and its document valid in the API.
func (v *verification) check(tx *Tx) error {
	if !slices.Contains(v.Progress.State.Values(), v.Progress.State) {
		return errors.New("stands nowhere that a request can stand")
	}
	if err := checkCounts("at cursor.", map[string]int{"step": v.Cursor.Step, "reads": v.Cursor.Reads}); err != nil {
		return err
	}
	if err := cmp.Or(firstViolation("", *v), firstViolation("verification_request", scenarios.VerificationRequest{Timeline: v.Timeline})); err != nil {
		return err
	}
	instants := map[string]time.Time{"progress.created": v.Progress.Created, "cursor.entered": v.Cursor.Entered}
	if v.Progress.State == api.StateCompleted {
		instants["progress.completed"] = v.Progress.Completed
	}
	for i, at := range v.Entered {
		if at != nil {
			instants[fmt.Sprintf("entered.%d", i)] = *at
		}
	}
	for i, visit := range v.History {
		if !visit.At.IsZero() {
			instants[fmt.Sprintf("history.%d.at", i)] = visit.At
		}
	}
	if n := len(v.History); n > maxHistory || n > 0 && v.History[n-1].State != v.Progress.State {
		return errors.New("has a history that does not end with its state")
	}
	if err := checkInstants(instants); err != nil {
		return err
	}
	if v.Progress.State == api.StateCompleted && v.Progress.Completed.Before(v.Progress.Created) {
		return errors.New("has progress.completed before progress.created: nothing is completed before it was asked for")
	}
	if err := v.checkOrigin(tx); err != nil {
		return err
	}
	return drawn(func() any { return v.document(tx) })
}

// checkOrigin checks the request against its timeline, or its scenario's unless that has changed since, and against its
// session.
func (v *verification) checkOrigin(tx *Tx) error {
	switch s, timeline := tx.catalogue.ByName(v.Scenario), v.steps(tx); {
	case v.Scenario != "" && v.Revision == "":
		return errors.New("lacks revision, that of the scenario it began with")
	case v.Timeline != nil && v.Cursor.Step >= len(timeline):
		return fmt.Errorf("has cursor.step %d: its timeline has %d steps", v.Cursor.Step, len(timeline))
	case s != nil && v.Timeline == nil && s.Revision == v.Revision && (v.Cursor.Step >= len(timeline) || len(v.Entered) > len(timeline)):
		return fmt.Errorf("has cursor.step %d and %d instants in entered: the timeline of %s has %d steps",
			v.Cursor.Step, len(v.Entered), s.Name, len(timeline))
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

func (tx *Tx) checkQualification(id string, q qualification) error {
	if err := cmp.Or(firstViolation("", q), checkInstants(map[string]time.Time{"created": q.Created})); err != nil {
		return err
	}
	return drawn(func() any { return tx.draw(id, q) })
}

func checkTenantProperty(id string, p api.TenantProperty) error {
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
