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

// Inspect shows a verification request and moves nothing. Its error for an id that no request has is an [*api.Error].
func (w *World) Inspect(id string) (Verification, error) {
	v, stored, err := w.verification(id)
	if isRefusal(err) {
		return Verification{}, w.verificationUnknown(id)
	}
	if err != nil {
		return Verification{}, err
	}
	seen := w.inspect(id, v)
	seen.Stored = stored != nil
	return seen, nil
}

// verificationUnknown is the 404 of the control plane, where the emulated API answers 400.
func (w *World) verificationUnknown(id string) error {
	message := w.unknownID(scenarios.VerificationRequestID, id)
	return api.Because(http.StatusNotFound, strings.ToUpper(message[:1])+message[1:])
}

func (w *World) inspect(id string, v verification) Verification {
	seen := w.summary(id, v)
	seen.Document = v.document(w, id)
	return seen
}

// summary returns all of a verification request but its document, which takes the longest.
func (w *World) summary(id string, v verification) Verification {
	seen := Verification{
		ID: id, Scenario: w.catalogue.ByName(v.Scenario), Name: v.Scenario,
		Cursor: v.Cursor, Entered: v.Entered, Progress: v.Progress, Stored: true, shape: v.Shape, now: w.now,
	}
	if v.Session != nil {
		seen.SessionID = v.Session.ID
	}
	return seen
}

// Verifications returns up to limit of the verification requests that the world has stored and that are wanted, in the
// order of their ids, from the first behind after. What is wanted is asked of requests without their documents.
func (w *World) Verifications(after string, limit int, wanted func(Verification) bool) (all []Verification, err error) {
	err = w.scanVerifications(after, func(id string, v verification) (more bool) {
		if seen := w.summary(id, v); wanted(seen) {
			seen.Document = v.document(w, id)
			all = append(all, seen)
		}
		return len(all) < limit
	})
	return all, err
}

// scanVerifications visits the verification requests that the world has stored, as they stand now.
func (w *World) scanVerifications(after string, visit func(id string, v verification) (more bool)) error {
	return w.scan(resourceName(scenarios.VerificationRequestID, ""), after, func(id string, _ []byte) (more bool, err error) {
		v, _, err := w.verification(id)
		return err == nil && visit(id, v), err
	})
}

// Sessions returns up to limit of the verification requests that credentials sessions made, in the order of their ids,
// from the first behind the session after.
func (w *World) Sessions(after string, limit int) ([]Verification, error) {
	return w.Verifications(requestOf(after), limit, func(v Verification) bool { return v.SessionID != "" })
}

// Session returns the verification request that a credentials session made. Its error for an id that no session has is an
// [*api.Error].
func (w *World) Session(id string) (Verification, error) {
	v, err := w.Inspect(requestOf(id))
	if err != nil && !isRefusal(err) {
		return v, err
	}
	if err != nil || v.SessionID != id {
		return v, api.Because(http.StatusNotFound, "There is no credentials session "+api.Quote(id))
	}
	return v, nil
}

// ValidSessionID reports whether a credentials session can have an id.
func ValidSessionID(id string) bool { return strings.HasPrefix(id, "cs_") && scenarios.ValidID(id) }

// requestOf returns the id of the verification request that a session made, "" for "".
func requestOf(session string) string { return strings.Replace(session, "cs_", "vr_", 1) }

// Analyzed returns the document with its income analytics, as read-one shows it with income_analytics=true (spec 4.2).
func (v Verification) Analyzed() api.VerificationRequest {
	document := v.Document
	document.Reports = slices.Clone(document.Reports)
	v.shape.Analyze(&document, v.now)
	return document
}
