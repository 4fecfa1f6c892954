package world

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// check returns an error for what no world has, beside what it remembers.
func (s Snapshot) check() error {
	switch {
	case s.ScenariosMade < 0:
		return fmt.Errorf("scenarios_made is %d: a count is not negative", s.ScenariosMade)
	case s.FaultsMade < 0:
		return fmt.Errorf("faults_made is %d: a count is not negative", s.FaultsMade)
	case len(s.Faults) > maxFaults:
		return fmt.Errorf("faults are %d: a world has %d at most", len(s.Faults), maxFaults)
	case len(s.Scenarios) > maxOwnFiles:
		return fmt.Errorf("scenarios are %d: a world has %d files of its own at most", len(s.Scenarios), maxOwnFiles)
	}
	before := 0
	for _, f := range s.Faults {
		number, err := strconv.Atoi(strings.TrimPrefix(f.ID, faultPrefix))
		if err != nil || faultID(number) != f.ID || number <= before || number > s.FaultsMade {
			return fmt.Errorf("no fault here can have the id %s: they are %s1 to %s%d, by faults_made, each once and in order",
				api.Quote(f.ID), faultPrefix, faultPrefix, s.FaultsMade)
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
	switch kind {
	case "vr", "tp", "qc":
		if !scenarios.ValidID(id) {
			return nil, errors.New("has an id that no resource has")
		}
	case "sessions", "created", "limit":
		if named {
			return nil, errNotRemembered
		}
	}
	switch kind {
	case "vr":
		return part, w.checkVerification(id, part)
	case "tp":
		return part, checkTenantProperty(id, part)
	case "qc":
		var q qualification
		if err = strictly(part, &q); err == nil {
			err = sound(q)
		}
	case "calls":
		return part, checkTally(part)
	case "sessions", "created":
		return part, checkCount(part)
	case "limit":
		err = strictly(part, new(time.Time))
	case "scenario":
		var text string
		err = strictly(part, &text)
		return []byte(text), err
	default:
		err = errNotRemembered
	}
	return part, err
}

var errNotRemembered = errors.New("is nothing that a world remembers")

func checkCount(part json.RawMessage) error {
	var count int
	if err := strictly(part, &count); err != nil {
		return err
	}
	return notNegative(count)
}

func checkTally(part json.RawMessage) error {
	var tally scenarios.Tally
	if err := strictly(part, &tally); err != nil {
		return err
	}
	return checkCounts(tally)
}

func checkCounts(tally scenarios.Tally) error {
	for _, counts := range []map[string]int{tally.Calls, tally.Applied} {
		for _, count := range counts {
			if err := notNegative(count); err != nil {
				return err
			}
		}
	}
	return nil
}

func notNegative(count int) error {
	if count < 0 {
		return fmt.Errorf("has the count %d: none is negative", count)
	}
	return nil
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
	return nil
}

// checkVerification reads a verification request and draws it.
func (w *World) checkVerification(id string, part json.RawMessage) (err error) {
	var v verification
	if err := strictly(part, &v); err != nil {
		return err
	}
	if !slices.Contains(v.Progress.State.Values(), v.Progress.State) || v.Cursor.Step < 0 || v.Cursor.Reads < 0 {
		return errors.New("stands nowhere that a request can stand")
	}
	if v.Session != nil && requestOf(v.Session.ID) != id {
		return fmt.Errorf("is of the session %s, whose request has another id", api.Quote(v.Session.ID))
	}
	if err := checkCounts(v.Tally); err != nil {
		return err
	}
	if err := sound(v); err != nil {
		return err
	}
	defer func() {
		if recover() != nil {
			err = errors.New("cannot be drawn")
		}
	}()
	v.document(w, id)
	return nil
}

// strictly reads JSON that has no key which is not known.
func strictly(part json.RawMessage, into any) error {
	decoder := json.NewDecoder(strings.NewReader(string(part)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("cannot be read: %s", api.Mask(strings.TrimPrefix(err.Error(), "json: ")))
	}
	return nil
}

// sound returns an error for what is remembered with a shape that has flaws, or a word that is none of its enumeration:
// it could be drawn, and the API never answers so.
func sound(remembered any) error { return soundPart(reflect.ValueOf(remembered), true) }

func soundPart(part reflect.Value, mayBeEmpty bool) error {
	if !part.CanInterface() {
		return nil
	}
	if flawed, ok := part.Interface().(interface{ Flaws() []fixtures.Flaw }); ok {
		if flaws := flawed.Flaws(); len(flaws) > 0 {
			return errors.New("has a shape that cannot be: " + strings.TrimSpace(flaws[0].Field+" "+flaws[0].What))
		}
	}
	switch part.Kind() {
	case reflect.String:
		return soundWord(part, mayBeEmpty)
	case reflect.Pointer:
		if !part.IsNil() {
			return soundPart(part.Elem(), false)
		}
	case reflect.Slice:
		for i := range part.Len() {
			if err := soundPart(part.Index(i), false); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for _, field := range part.Fields() {
			if err := soundPart(field, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// soundWord returns an error for a word that is none of its enumeration, if it is of one.
func soundWord(word reflect.Value, mayBeEmpty bool) error {
	values := word.MethodByName("Values")
	if !values.IsValid() || mayBeEmpty && word.Len() == 0 {
		return nil
	}
	listed := values.Call(nil)[0]
	for i := range listed.Len() {
		if listed.Index(i).Equal(word) {
			return nil
		}
	}
	return fmt.Errorf("has the word %s: it must be one of %v", api.Quote(word.String()), listed.Interface())
}
