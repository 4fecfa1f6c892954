package world

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// check returns an error for what no world has, beside what it remembers.
func (s Snapshot) check() error {
	switch {
	case s.ScenariosMade < 0:
		return fmt.Errorf("scenarios_made is %d: a count is not negative", s.ScenariosMade)
	case s.FaultsMade < 0:
		return fmt.Errorf("faults_made is %d: a count is not negative", s.FaultsMade)
	case s.Now.Before(s.Created):
		return fmt.Errorf("now is %s, which is before created, %s", s.Now.Format(time.RFC3339), s.Created.Format(time.RFC3339))
	case len(s.Faults) > maxFaults:
		return fmt.Errorf("faults are %d: a world has %d at most", len(s.Faults), maxFaults)
	case len(s.Scenarios) > maxOwnFiles:
		return fmt.Errorf("scenarios are %d: a world has %d files of its own at most", len(s.Scenarios), maxOwnFiles)
	}
	before := 0
	for _, f := range s.Faults {
		number := faultNumber(f.ID)
		if number <= before || number > s.FaultsMade {
			return fmt.Errorf("no fault here can have the id %s: they are %s1 to %s%d, by faults_made, each once and in order",
				api.Quote(f.ID), faultPrefix, faultPrefix, s.FaultsMade)
		}
		if _, err := f.scenario(); err != nil {
			return fmt.Errorf("fault %s is not right", api.Quote(f.ID))
		}
		if f.Expires != nil && outOfTime(*f.Expires) {
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

// check returns what is stored under a name, if it is what the world can read there.
func (w *World) check(name string, part json.RawMessage) (value []byte, err error) {
	kind, id, named := strings.Cut(name, "/")
	if slices.Contains(resourceKinds, kind) && !scenarios.ValidID(id) {
		return nil, errors.New("has an id that no resource has")
	}
	if slices.Contains(worldsOwn, kind) == named {
		return nil, errNotRemembered
	}
	switch kind {
	case "vr":
		err = w.checkVerification(id, part)
	case "tp":
		err = checkTenantProperty(id, part)
	case "qc":
		err = w.checkQualification(id, part)
	case "calls":
		err = checkCounters(id, part)
	case "sessions", "created":
		err = checkCount(part)
	case "limit":
		err = checkArrival(part)
	case "scenario":
		var text string
		err = strictly(part, &text)
		return []byte(text), err
	default:
		err = errNotRemembered
	}
	return part, err
}

var (
	resourceKinds = []string{"vr", "tp", "qc"}
	worldsOwn     = []string{"sessions", "created", "limit"} // of which a world has one each
)

var errNotRemembered = errors.New("is nothing that a world remembers")

func checkCount(part json.RawMessage) error {
	var count int
	if err := strictly(part, &count); err != nil {
		return err
	}
	return notNegative(count)
}

// checkCounters checks what was counted in a place: of a resource, a fault, or a scenario that is for sessions or global.
func checkCounters(place string, part json.RawMessage) error {
	kind, name, _ := strings.Cut(place, "/")
	resource := slices.Contains(resourceKinds, kind) && scenarios.ValidID(name)
	if !resource && !(slices.Contains([]string{"fault", "cs", "all"}, kind) && scenarios.ValidName(name)) {
		return errNotRemembered
	}
	var counters scenarios.Counters
	if err := strictly(part, &counters); err != nil {
		return err
	}
	return checkCounts(counters)
}

func checkCounts(counters scenarios.Counters) error {
	for _, counts := range []map[string]int{counters.Calls, counters.Applied} {
		for _, count := range counts {
			if err := notNegative(count); err != nil {
				return err
			}
		}
	}
	for _, arrival := range counters.Arrivals {
		if outOfTime(arrival) {
			return errOutOfTime
		}
	}
	return nil
}

func checkArrival(part json.RawMessage) error {
	var arrival time.Time
	if err := strictly(part, &arrival); err != nil {
		return err
	}
	if outOfTime(arrival) {
		return errOutOfTime
	}
	return nil
}

// The years of what a world remembers: what has been there since before it began is ten years older than its clock at
// most, and limits and faults end later than that shows.
const (
	earliestYear = firstYear - 11
	latestYear   = 9999
)

var errOutOfTime = fmt.Errorf("has an instant that no clock shows: they are of the years %d to %d", earliestYear, latestYear)

// outOfTime reports whether nothing in a world can be of an instant.
func outOfTime(at time.Time) bool { return at.Year() < earliestYear || at.Year() > latestYear }

func notNegative(count int) error {
	if count < 0 {
		return fmt.Errorf("has the count %d: none is negative", count)
	}
	return nil
}

// strictly reads JSON that has every key that is always written, and none that is not known.
func strictly(part json.RawMessage, into any) error {
	decoder := json.NewDecoder(strings.NewReader(string(part)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("cannot be read: %s", api.Excerpt(strings.TrimPrefix(err.Error(), "json: ")))
	}
	if lack := api.Missing(part, reflect.TypeOf(into).Elem()); lack != "" {
		return errors.New("lacks something: " + strings.TrimPrefix(lack, " "))
	}
	return nil
}
