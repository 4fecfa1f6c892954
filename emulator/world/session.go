package world

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// CreateSession creates a credentials session and its verification request, which has the session's id with vr_ for cs_
// (spec 4.4). An [*api.Error] is the answer of a rule for the number in the body.
func (w *World) CreateSession(ctx context.Context, in api.NewCredentialsSession) (api.CredentialsSession, error) {
	var none api.CredentialsSession
	s := w.catalogue.BySSN(in.Target.SocialSecurityNumber)
	if s == nil {
		return none, errors.New("no scenario is for sessions: the catalogue needs one with magic: {ssn: any}")
	}
	if len(s.Rules) > 0 {
		ofNumber := ruling{scenario: s, place: "cs/" + s.Name}
		if err := w.decide(ctx, scenarios.Call{Operation: scenarios.OnCreate}, ofNumber); err != nil {
			return none, err
		}
	}
	w.scenario = s.Name
	shape := sessionShape(s, in)
	identity := w.fixtures.Identity(in.Target.SocialSecurityNumber)
	for {
		number, err := w.next(ctx, "sessions")
		if err != nil {
			return none, err
		}
		unique := w.fixtures.ID("", "session "+strconv.Itoa(number), w.now)
		session := api.CredentialsSession{
			ID:    "cs_" + unique,
			Token: w.fixtures.ID("cst_", "session token "+strconv.Itoa(number), w.now),
		}
		err = w.remember(ctx, w.update, scenarios.VerificationRequestID, "vr_"+unique, func(string) (any, error) {
			v := start(s, identity, shape, w.now, w.now)
			v.Session = &session
			return v, nil
		})
		if !errors.Is(err, errTaken) {
			return session, err
		}
	}
}

// Sessions returns up to limit of the verification requests that credentials sessions made, in the order of their ids,
// from the first behind the session after.
func (w *World) Sessions(ctx context.Context, after string, limit int) ([]Verification, error) {
	return w.Verifications(ctx, requestOf(after), limit, func(v Verification) bool { return v.SessionID != "" })
}

// Session returns the verification request that a credentials session made. Its error for an id that no session has is an
// [*api.Error].
func (w *World) Session(ctx context.Context, id string) (Verification, error) {
	v, err := w.Inspect(ctx, requestOf(id))
	if unknown := (*api.Error)(nil); err != nil && !errors.As(err, &unknown) {
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

// Names reports whether a scenario is for this very number.
func (w *World) Names(ssn api.SSN) bool {
	s := w.catalogue.BySSN(ssn)
	return s != nil && s.Magic.SSN != scenarios.AnySSN
}

// next counts from 1 under a name.
func (w *World) next(ctx context.Context, name string) (number int, err error) {
	err = w.update(ctx, name, func(old []byte) (_ []byte, err error) {
		number = 0
		if old != nil {
			if number, err = strconv.Atoi(string(old)); err != nil {
				return nil, fmt.Errorf("read the count of %s: %w", name, err)
			}
		}
		number++
		return strconv.AppendInt(nil, int64(number), 10), nil
	})
	return number, err
}

// sessionShape returns what a session's verification request looks like: the scenario's reports, and what the body said.
func sessionShape(s *scenarios.Scenario, in api.NewCredentialsSession) fixtures.VerificationShape {
	shape := s.VerificationShape()
	shape.Type, shape.UseCase, shape.PermissiblePurpose = in.Type, in.UseCase, in.PermissiblePurpose
	shape.Metadata = in.Metadata
	shape.ResellerOriginatingParty = in.ResellerOriginatingParty
	shape.PricingTier = api.TierCredentials
	shape.EmployerFilter = api.EmployersAll
	if in.Target.Company != nil {
		shape.EmployerFilter = api.EmployersTarget
	}
	shape.Person = &fixtures.Person{
		FirstName:   in.Target.FirstName,
		LastName:    in.Target.LastName,
		LastFour:    in.Target.SocialSecurityNumber.LastFour(),
		DateOfBirth: in.Target.DateOfBirth,
		Email:       in.Target.ContactEmail,
		Phone:       in.Target.PhoneNumber,
		Company:     in.Target.Company.Output(),
	}
	return shape
}
