package inventory

import (
	"cmp"
	"strconv"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// CreateSession creates a credentials session and its verification request (spec 4.4). Their ids are unrelated. It also
// returns the name of their scenario.
func (tx *Tx) CreateSession(in api.NewCredentialsSession) (session api.CredentialsSession, scenario string, err error) {
	s, err := tx.ScenarioOf(in.Target.SocialSecurityNumber)
	if err != nil {
		return session, "", err
	}
	var id string
	err = tx.Values.CountUp("sessions", func(n int) []string {
		number := strconv.Itoa(n)
		id = tx.Fixtures.ID("", "session "+number, tx.Now)
		if !tx.Fixtures.Grease {
			id = "vr_" + id
		}
		session.ID = tx.Fixtures.ID("cs_", "session "+number, tx.Now)
		session.Token = tx.Fixtures.ID("cst_", "session token "+number, tx.Now)
		return []string{resource.Prefixes[scenarios.VerificationRequestID] + id, resource.SessionPrefix + session.ID, resource.TokenPrefix + session.Token}
	})
	if err != nil {
		return session, s.Name, err
	}
	v := resource.StartSession(tx.Scene, s, id, in, &session)
	_, err = tx.saveVerification(&v)
	for _, entry := range v.Index() {
		err = cmp.Or(err, tx.Values.Put(entry.Name, entry.Bytes))
	}
	return session, s.Name, err
}

// NamesSSN reports whether a scenario names exactly this number.
func (tx *Tx) NamesSSN(ssn api.SSN) bool {
	s := tx.Catalogue.BySSN(ssn)
	return s != nil && s.Magic.SSN != scenarios.AnySSN
}

// CredentialsSession returns the verification request that a credentials session created.
func (tx *Tx) CredentialsSession(id string) (resource.Verification, error) {
	v, err := tx.session(id)
	if err != nil {
		return resource.Verification{}, err
	}
	return tx.show(v.ID(), &v)
}

// session returns the verification request of a credentials session.
func (tx *Tx) session(id string) (v resource.Request, err error) {
	request, err := tx.Values.Get(resource.SessionPrefix + id)
	if err == nil && request == nil {
		err = notFound("There is no credentials session " + api.Quote(id) + ": the list of credentials sessions has the ids")
	}
	if err != nil {
		return v, err
	}
	return tx.Inspect(string(request))
}

// SessionOfToken returns the verification request of the credentials session that has a token.
func (tx *Tx) SessionOfToken(token string) (resource.Verification, error) {
	id, err := tx.Values.Get(resource.TokenPrefix + token)
	if err == nil && id == nil {
		err = notFound("No credentials session of this world has this token")
	}
	if err != nil {
		return resource.Verification{}, err
	}
	return tx.CredentialsSession(string(id))
}

// ListCredentialsSessions returns up to limit verification requests that credentials sessions created, in the order of the
// sessions' ids, from the first after a session.
func (tx *Tx) ListCredentialsSessions(after string, limit int) (all []resource.Verification, err error) {
	err = tx.Values.Scan(resource.SessionPrefix, after, func(_ string, request []byte) (more bool, err error) {
		v, err := tx.Inspect(string(request))
		if err != nil {
			return false, err
		}
		shown := v.Summary(tx.Scene)
		shown.Document = v.Document(tx.Scene)
		all = append(all, shown)
		return len(all) < limit, nil
	})
	return all, err
}

// Waiting explains that a verification request waits for a person, "" for any other.
func (r Resource) Waiting() string { return r.request.Waiting() }

// FinishSession finishes a session of flow manual.
func (tx *Tx) FinishSession(id string, finish func(at resource.Scene, v *resource.Request) error) (shown resource.Verification, err error) {
	v, err := tx.session(id)
	if err == nil {
		err = finish(tx.Scene, &v)
	}
	if err != nil {
		return shown, err
	}
	return VerificationRequests.put(tx, v.ID(), &v, nil)
}
