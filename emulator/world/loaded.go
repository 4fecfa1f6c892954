package world

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// loaded is what one call has found of a verification request.
type loaded struct {
	id      string
	record  []byte        // nil: nothing is remembered
	request *verification // as the record has it; nil: it was not decoded. Nobody changes what it leads to
}

// load returns what the world remembers of a verification request, nil when there is nothing. What one call needs of it
// before it changes anything is read once, and decoded once.
func (w *World) load(ctx context.Context, id string) (stored []byte, err error) {
	if w.loaded.id == id && id != "" {
		return w.loaded.record, nil
	}
	settled := func(stored []byte) bool { return w.settled(id, stored) }
	if stored, err = w.recall(ctx, verificationName(id), settled); err != nil {
		w.loaded = loaded{}
		return nil, err
	}
	if stored == nil {
		w.loaded = loaded{id: id}
		return nil, nil
	}
	v, err := w.decoded(id, stored)
	if err != nil {
		w.loaded = loaded{}
		return nil, err
	}
	w.loaded = loaded{id, stored, &v}
	if stored, err = w.valid(id, stored); stored == nil {
		w.loaded = loaded{id: id}
	}
	return stored, err
}

// settled reports whether a verification request is over, and nothing is counted with it: only who steers the world
// changes what is remembered of it.
func (w *World) settled(id string, stored []byte) bool {
	if stored == nil {
		s := w.catalogue.ByID(scenarios.VerificationRequestID, id)
		return s != nil && !s.DependsOnState() && s.Timeline().Still(scenarios.Cursor{}) && s.Timeline()[0].State.Terminal()
	}
	v, err := decodeVerification(id, stored)
	if err != nil {
		return false
	}
	w.loaded = loaded{id, stored, &v} // it is decoded once
	if stored, err = w.valid(id, stored); err != nil || stored == nil {
		return false // it begins anew
	}
	s := w.catalogue.ByName(v.Scenario)
	return v.Progress.State.Terminal() && (s == nil || !s.DependsOnState())
}

// valid returns what is remembered of a verification request, nil for a magic one whose scenario is no longer as it was
// when the request began: that begins anew, since half of it from the one file and half from the other would be what
// neither says.
func (w *World) valid(id string, stored []byte) ([]byte, error) {
	s := w.catalogue.ByID(scenarios.VerificationRequestID, id)
	if s == nil || stored == nil {
		return stored, nil
	}
	v, err := w.decoded(id, stored)
	if err != nil || v.Scenario == s.Name && v.Revision == s.Revision {
		return stored, err
	}
	return nil, nil
}

// decoded returns the request of a record, without decoding it where the call has done that already.
func (w *World) decoded(id string, stored []byte) (verification, error) {
	if l := w.loaded; l.request != nil && l.id == id && bytes.Equal(l.record, stored) {
		return *l.request, nil
	}
	return decodeVerification(id, stored)
}

func decodeVerification(id string, stored []byte) (v verification, err error) {
	if err := json.Unmarshal(stored, &v); err != nil {
		return v, fmt.Errorf("read verification request %s: %w", api.Quote(id), err)
	}
	return v, nil
}
