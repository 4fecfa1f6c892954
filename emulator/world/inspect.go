package world

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Verification is a verification request as those see it who steer a world.
type Verification struct {
	ID        string
	Scenario  *scenarios.Scenario // nil when it is gone
	Name      string              // of the scenario
	Cursor    scenarios.Cursor
	Entered   Instants // when the steps of its timeline were
	Progress  fixtures.Progress
	SessionID string // of the credentials session that made it; "" when none did
	Document  api.VerificationRequest

	// Remembered says that something was made of it, or became of it: else it is as its scenario starts it, at whatever
	// instant it is looked at.
	Remembered bool

	shape fixtures.VerificationShape
	now   time.Time
}

// Inspect shows a verification request and moves nothing. Its error for an id that no request has is an [*api.Error].
func (w *World) Inspect(ctx context.Context, id string) (Verification, error) {
	stored, err := w.load(ctx, id)
	if err != nil {
		return Verification{}, err
	}
	v, err := w.verification(id, stored)
	if failure := (*api.Error)(nil); errors.As(err, &failure) {
		return Verification{}, w.verificationUnknown(id)
	}
	if err != nil {
		return Verification{}, err
	}
	seen := w.inspect(id, v)
	seen.Remembered = stored != nil
	return seen, nil
}

func (w *World) verificationUnknown(id string) error {
	message := w.unknownID(scenarios.VerificationRequestID, id)
	return api.Because(http.StatusNotFound, strings.ToUpper(message[:1])+message[1:])
}

func (w *World) inspect(id string, v verification) Verification {
	seen := w.glance(id, v)
	seen.Document = v.document(w, id)
	return seen
}

// glance returns all of a verification request but its document, which takes the longest.
func (w *World) glance(id string, v verification) Verification {
	seen := Verification{
		ID: id, Scenario: w.catalogue.ByName(v.Scenario), Name: v.Scenario,
		Cursor: v.Cursor, Entered: v.Entered, Progress: v.Progress, Remembered: true, shape: v.Shape, now: w.now,
	}
	if v.Session != nil {
		seen.SessionID = v.Session.ID
	}
	return seen
}

// Verifications returns up to limit of the verification requests that the world remembers and that are wanted, in the
// order of their ids, from the first behind after. What is wanted is said of requests without their documents.
func (w *World) Verifications(ctx context.Context, after string, limit int, wanted func(Verification) bool) (all []Verification, err error) {
	err = w.remembered(ctx, verificationName(""), after, func(id string, stored []byte) (more bool, err error) {
		v, err := w.verification(id, stored)
		if err != nil {
			return false, err
		}
		if seen := w.glance(id, v); wanted(seen) {
			seen.Document = v.document(w, id)
			all = append(all, seen)
		}
		return len(all) < limit, nil
	})
	return all, err
}

// remembered visits what the world remembers under names that begin with prefix, by the rest of the name, from the first
// behind after, for as long as visit wants more.
func (w *World) remembered(ctx context.Context, prefix, after string, visit func(id string, stored []byte) (more bool, err error)) error {
	begin := w.key(prefix)
	from := ""
	if after != "" {
		from = begin + after
	}
	err := w.worlds.config.Store.Scan(ctx, begin, from, func(key string, stored []byte) error {
		more, err := visit(strings.TrimPrefix(key, begin), stored)
		if err == nil && !more {
			return errEnough
		}
		return err
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// Move is what is to become of a verification request.
type Move struct {
	State        api.State
	Cancellation fixtures.Cancellation // when it is canceled
	Force        bool                  // whatever the spec allows
}

// Move puts a verification request into a state now, from where its timeline goes on. Its error for a state that the spec
// does not have or does not let it reach, and for an id that no request has, is an [*api.Error].
func (w *World) Move(ctx context.Context, id string, to Move) (Verification, error) {
	if err := to.check(); err != nil {
		return Verification{}, err
	}
	if _, err := w.Inspect(ctx, id); err != nil {
		return Verification{}, err
	}
	var v verification
	err := w.changeVerification(ctx, w.amend, id, &v, func() error { return v.move(w, to) })
	return w.inspect(id, v), err
}

// move puts the request into a state now. Its error for one that the spec does not let it reach is an [*api.Error].
func (v *verification) move(w *World, to Move) error {
	if why := scenarios.Forbidden(v.Progress.State, to.State); why != "" && !to.Force {
		return api.Because(http.StatusConflict, fmt.Sprintf("The request cannot become %s: %s; force it if that is meant", to.State, why))
	}
	var timeline scenarios.Timeline
	if s := w.catalogue.ByName(v.Scenario); s != nil {
		timeline = s.Timeline()
	}
	v.Progress.Completed, v.Progress.Canceled = time.Time{}, nil
	v.jump(timeline, scenarios.Step{
		State: to.State, CancellationReason: to.Cancellation.Reason, CancellationDetails: to.Cancellation.Details,
	}, w.now)
	return nil
}

// Forget deletes what the world remembers of a verification request. Its error when there is nothing to forget is an
// [*api.Error].
func (w *World) Forget(ctx context.Context, id string) error {
	return w.forget(ctx, scenarios.VerificationRequestID, id)
}
