package world

import (
	"net/http"
	"slices"
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

	// Stored says that something was made of it, or became of it: else it is as its scenario begins it, at whatever
	// instant it is looked at.
	Stored bool

	shape fixtures.VerificationShape
	now   time.Time
}

// Inspect shows a verification request and moves nothing.
func (w *World) Inspect(id string) (Verification, error) {
	v, err := w.inspect(id)
	if err != nil {
		return Verification{}, err
	}
	return v.show(w), nil
}

// inspect returns a verification request for those who steer the world. An id that no request has is 404 for them, where the
// emulated API answers 400.
func (w *World) inspect(id string) (v verification, err error) {
	r, err := w.Find(scenarios.VerificationRequestID, id)
	if err != nil {
		return v, err
	}
	if v, err = w.verification(r); err != nil {
		message := r.unknown(w)
		err = api.Because(http.StatusNotFound, strings.ToUpper(message[:1])+message[1:])
	}
	return v, err
}

func (v *verification) show(w *World) Verification {
	shown := v.summary(w)
	shown.Document = v.document(w)
	return shown
}

// summary is all of show but the document, which takes the longest.
func (v *verification) summary(w *World) Verification {
	shown := Verification{
		ID: v.id, Scenario: w.catalogue.ByName(v.Scenario), Name: v.Scenario,
		Cursor: v.Cursor, Entered: v.Entered, Progress: v.Progress, Stored: v.stored, shape: v.Shape, now: w.now,
	}
	if v.Session != nil {
		shown.SessionID = v.Session.ID
	}
	return shown
}

// Analyzed returns the document with its income analytics, as read-one shows it with income_analytics=true (spec 4.2).
func (v Verification) Analyzed() api.VerificationRequest {
	document := v.Document
	document.Reports = slices.Clone(document.Reports)
	v.shape.Analyze(&document, v.now)
	return document
}

// Verifications returns up to limit of the verification requests that the world has stored and that are wanted, in the
// order of their ids, from the first behind after. What is wanted is asked of requests without their documents.
func (w *World) Verifications(after string, limit int, wanted func(Verification) bool) (all []Verification, err error) {
	err = w.scanVerifications(after, func(v verification) (more bool) {
		if seen := v.summary(w); wanted(seen) {
			seen.Document = v.document(w)
			all = append(all, seen)
		}
		return len(all) < limit
	})
	return all, err
}

// scanVerifications visits the verification requests that the world has stored, as they stand now.
func (w *World) scanVerifications(after string, visit func(verification) (more bool)) error {
	return w.scan(prefixes[scenarios.VerificationRequestID], after, func(id string, _ []byte) (more bool, err error) {
		v, err := w.inspect(id)
		return err == nil && visit(v), err
	})
}

// Sessions returns up to limit of the verification requests that credentials sessions made, in the order of their ids,
// from the first behind the session after.
func (w *World) Sessions(after string, limit int) ([]Verification, error) {
	return w.Verifications(requestOf(after), limit, func(v Verification) bool { return v.SessionID != "" })
}

// Session returns the verification request that a credentials session made.
func (w *World) Session(id string) (Verification, error) {
	r, err := w.Find(scenarios.VerificationRequestID, requestOf(id))
	if err != nil {
		return Verification{}, err
	}
	if v := r.request; v != nil && v.Session != nil && v.Session.ID == id {
		return v.show(w), nil
	}
	return Verification{}, api.Because(http.StatusNotFound, "There is no credentials session "+api.Quote(id))
}

// ValidSessionID reports whether a credentials session can have an id.
func ValidSessionID(id string) bool { return strings.HasPrefix(id, "cs_") && scenarios.ValidID(id) }

// requestOf returns the id of the verification request that a session made, "" for "".
func requestOf(session string) string { return strings.Replace(session, "cs_", "vr_", 1) }

// Place is where a step of a timeline lies, as seen from where a verification request stands.
type Place string

const (
	Past    Place = "past"
	Present Place = "present"
	Next    Place = "next"  // what happens when the request is moved on
	Ahead   Place = "ahead" // what happens later, if ever
)

// Stage is a step of a verification request's timeline.
type Stage struct {
	scenarios.Step
	Place Place
	Off   bool       // the timeline: no step leads there
	At    *time.Time // when it came, or will come; nil when that is not known, or it was jumped over
}

// Course returns the timeline of the request's scenario, none when that is gone, with the state in which the request stands at
// its place, present, also where no step leads to it. None is next when nothing moves the request any more.
func (v Verification) Course() (stages []Stage) {
	if v.Scenario == nil {
		return nil
	}
	steps, at := v.Scenario.Timeline(), v.Cursor.Step
	present := at < len(steps) && steps[at].State == v.Progress.State // else something else has become of the request
	reached := min(len(v.Entered), len(steps)) - 1                    // the last step that was entered
	if present {
		reached = at
	}
	for i, step := range steps {
		s := Stage{Step: step, Place: Ahead}
		switch {
		case present && i == at:
			s.Place, s.At = Present, new(v.Cursor.Entered.UTC())
		case i <= reached:
			if s.Place = Past; i < len(v.Entered) {
				s.At = v.Entered[i]
			}
		case present && i == at+1 && !v.Progress.State.Terminal():
			s.Place = Next
			if step.After.Elapsed > 0 {
				s.At = new(v.Cursor.Entered.Add(time.Duration(step.After.Elapsed)).UTC())
			}
		}
		stages = append(stages, s)
	}
	if !present {
		stages = slices.Insert(stages, reached+1, Stage{Step: scenarios.Step{State: v.Progress.State}, Place: Present, Off: true})
	}
	return stages
}

// Transition is a step that a verification request takes at an instant.
type Transition struct {
	ID    string // of the request
	State api.State
	At    time.Time
}

// NextTransition returns the first step that time alone leads to, of all verification requests that the world has stored;
// ok is false when there is none.
func (w *World) NextTransition() (next Transition, ok bool, err error) {
	err = w.scanVerifications("", func(v verification) (more bool) {
		timeline := v.timeline(w)
		if timeline.Ended(v.Cursor) {
			return true
		}
		step := timeline[v.Cursor.Step+1]
		at := v.Cursor.Entered.Add(time.Duration(step.After.Elapsed))
		if step.After.Elapsed > 0 && (!ok || at.Before(next.At)) {
			next, ok = Transition{ID: v.id, State: step.State, At: at}, true
		}
		return true
	})
	return next, ok, err
}
