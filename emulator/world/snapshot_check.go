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
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// check returns what is stored under a name, if it is what the world can read there.
func (w *World) check(name string, part json.RawMessage) (value []byte, err error) {
	kind, id, _ := strings.Cut(name, "/")
	switch kind {
	case "vr":
		return part, w.checkVerification(id, part)
	case "tp":
		err = strictly(part, new(api.TenantProperty))
	case "calls":
		err = strictly(part, new(scenarios.Tally))
	case "qc":
		var q qualification
		if err = strictly(part, &q); err == nil {
			err = sound(q)
		}
	case "sessions", "created":
		err = strictly(part, new(int))
	case "limit":
		err = strictly(part, new(time.Time))
	case "scenario":
		var text string
		err = strictly(part, &text)
		return []byte(text), err
	default:
		err = errors.New("is nothing that a world remembers")
	}
	return part, err
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
