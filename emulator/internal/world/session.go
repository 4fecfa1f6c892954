package world

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Prefixes of the names under which a world stores the id of a session's verification request, by the session's id, and the
// session's id, by its token. A snapshot has neither.
const (
	sessionPrefix = "cs/"
	tokenPrefix   = "token/"
)

// CreateSession creates a credentials session and its verification request (spec 4.4). Their ids are unrelated. It also
// returns the name of their scenario.
func (tx *Tx) CreateSession(in api.NewCredentialsSession) (session api.CredentialsSession, scenario string, err error) {
	s, err := tx.ScenarioOf(in.Target.SocialSecurityNumber)
	if err != nil {
		return session, "", err
	}
	var id string
	err = tx.values.CountUp("sessions", func(n int) []string {
		number := strconv.Itoa(n)
		id = tx.Fixtures.ID("", "session "+number, tx.Now)
		if !tx.Fixtures.Grease {
			id = "vr_" + id
		}
		session.ID = tx.Fixtures.ID("cs_", "session "+number, tx.Now)
		session.Token = tx.Fixtures.ID("cst_", "session token "+number, tx.Now)
		return []string{prefixes[scenarios.VerificationRequestID] + id, sessionPrefix + session.ID, tokenPrefix + session.Token}
	})
	if err != nil {
		return session, s.Name, err
	}
	v := resource.StartSession(tx.Scene, s, id, in, &session)
	_, err = tx.saveVerification(&v)
	for _, entry := range sessionIndex(&v) {
		err = cmp.Or(err, tx.values.Put(entry.name, entry.value))
	}
	return session, s.Name, err
}

// sessionIndex returns what a world stores beside the request, to find it by its session: nothing without one.
func sessionIndex(v *resource.Request) []storedValue {
	if v.Session == nil {
		return nil
	}
	return []storedValue{{sessionPrefix + v.Session.ID, []byte(v.ID())}, {tokenPrefix + v.Session.Token, []byte(v.Session.ID)}}
}

// indexOf returns what a world stores beside the value of a name: nothing beside most.
func indexOf(name string, stored []byte) []storedValue {
	if about := delivery.IndexOf(name, stored); about != "" {
		return []storedValue{{name: about}}
	}
	id, ok := strings.CutPrefix(name, prefixes[scenarios.VerificationRequestID])
	if !ok {
		return nil
	}
	v, err := resource.DecodeRequest(id, stored, true)
	if err != nil {
		return nil
	}
	return sessionIndex(v)
}

// NamesSSN reports whether a scenario names exactly this number.
func (tx *Tx) NamesSSN(ssn api.SSN) bool {
	s := tx.Catalogue.BySSN(ssn)
	return s != nil && s.Magic.SSN != scenarios.AnySSN
}

// CredentialsSession returns the verification request that a credentials session created.
func (w *World) CredentialsSession(ctx context.Context, id string) (Verification, error) {
	return read(ctx, w, func(tx *Tx) (Verification, error) { return tx.showSession(id) })
}

func (tx *Tx) showSession(id string) (Verification, error) {
	v, err := tx.session(id)
	if err != nil {
		return Verification{}, err
	}
	return tx.show(v.ID(), &v)
}

// session returns the verification request of a credentials session.
func (tx *Tx) session(id string) (v resource.Request, err error) {
	request, err := tx.values.Get(sessionPrefix + id)
	if err == nil && request == nil {
		err = notFound("There is no credentials session " + api.Quote(id))
	}
	if err != nil {
		return v, err
	}
	return tx.inspect(string(request))
}

// SessionOfToken returns the verification request of the credentials session that has a token.
func (tx *Tx) SessionOfToken(token string) (Verification, error) {
	id, err := tx.values.Get(tokenPrefix + token)
	if err == nil && id == nil {
		err = notFound("No credentials session of this world has this token")
	}
	if err != nil {
		return Verification{}, err
	}
	return tx.showSession(string(id))
}

// ListCredentialsSessions returns up to limit verification requests that credentials sessions created, in the order of the
// sessions' ids, from the first after a session.
func (w *World) ListCredentialsSessions(ctx context.Context, after string, limit int) ([]Verification, error) {
	return read(ctx, w, func(tx *Tx) (all []Verification, err error) {
		err = tx.values.Scan(sessionPrefix, after, func(_ string, request []byte) (more bool, err error) {
			v, err := tx.inspect(string(request))
			if err != nil {
				return false, err
			}
			shown := v.Summary(tx.Scene)
			shown.Document = v.Document(tx.Scene)
			all = append(all, shown)
			return len(all) < limit, nil
		})
		return all, err
	})
}

// Waiting explains that a verification request waits for a person, "" for any other.
func (r Resource) Waiting() string { return r.request.Waiting() }

// FinishSession finishes a session of flow manual, as the person does who uses its token: with success its request follows
// the scenario's timeline from now on, with failure the service cancels it, and abandoned it becomes invalid after 72 h. An
// empty outcome is success.
func (w *World) FinishSession(ctx context.Context, id, how string) (Verification, error) {
	finish, err := resource.FinishSession(how)
	if err != nil {
		return Verification{}, err
	}
	return update(ctx, w, func(tx *Tx) (Verification, error) {
		v, err := tx.session(id)
		if err == nil {
			err = finish(tx.Scene, &v)
		}
		if err != nil {
			return Verification{}, err
		}
		return verificationRequests.put(tx, v.ID(), &v, nil)
	})
}
