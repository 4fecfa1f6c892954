package surface

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// outcome is what becomes of a request: the resource, the refusal or failure in its place, and why.
type outcome struct {
	status   world.Status  // of the world; zero when the request reached none
	place    journal.Ref // of the world's journal
	decision world.Decision
	scenario string // that decided the answer, or of the resource; "" when there is none
	resource any    // rendered JSON, or a value that is to be
	err      error
	diagnosis
}

// diagnosis is what explains an answer.
type diagnosis struct {
	texts    []string
	findings []finding // of the texts
}

// finding is what the log tells of once.
type finding struct {
	world string // in which it was found
	kind  string
}

// add adds a text, unless it is empty.
func (d *diagnosis) add(world, kind, text string) {
	if text != "" {
		d.texts, d.findings = append(d.texts, text), append(d.findings, finding{world, kind})
	}
}

// handle serves an operation. What it asks of its world is done also when the client says nothing more: one that has
// closed its half of the connection waits for the answer all the same.
func (s *Surface) handle(op *operation) httprouter.Handle {
	transact := s.Worlds.Do
	if op.writes {
		transact = s.Worlds.Update
	}
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		x := s.newExchange(w, r, op)
		defer x.recoverPanic()
		key, err := s.Keys.Authenticate(r.Header["Authorization"])
		if err != nil {
			x.respond(outcome{err: err})
			return
		}
		x.respond(x.judge(transact, world.ByKey(key), params))
	}
}

// transact runs a function in a world: [world.Worlds.Do], Update or DryRun.
type transact func(context.Context, world.Ref, func(*world.World) error) error

// judge decodes a request and answers it in its world, in one transaction. The body of a request for a version that there
// is not, is left unread.
func (x *exchange) judge(transact transact, at world.Ref, params httprouter.Params) (out outcome) {
	id, _ := url.PathUnescape(params.ByName("id")) // the server has refused what cannot be decoded
	notes, err := api.Negotiate(x.request.Header["Accept"], x.operation.version)
	var in input
	if err == nil {
		in = x.operation.decode(x.request)
		if !x.operation.query {
			in.query.notes = api.NoteQuery(x.request.URL.RawQuery)
		}
	}
	in.id, in.version = id, decoded{notes, err}
	err = transact(context.WithoutCancel(x.request.Context()), at, func(w *world.World) (err error) {
		out, err = x.judgeIn(w, x.operation, in)
		if out.decision.Answer != nil {
			out.err = out.decision.Answer
		}
		if refusal := (*api.Error)(nil); errors.As(err, &refusal) {
			out.err, err = refusal, nil // what the request has changed by then, such as counters, stays
		}
		return err
	})
	if err != nil {
		out = outcome{status: out.status, place: out.place, diagnosis: out.diagnosis, err: err} // nothing of the rest was done
	}
	out.scenario = cmp.Or(out.scenario, out.decision.Scenario)
	return out
}

// judgeIn goes through the order of judgement; the first failure is the answer. Path and method were the router's, the key
// is judged; number, resource and state are the operation's.
func (s *Surface) judgeIn(w *world.World, op *operation, in input) (out outcome, err error) {
	out.status, out.place = w.Status(), w.Journal()
	if err := s.applyStrict(&out, in.version); err != nil {
		return out, err
	}
	if err := w.Admit(); err != nil {
		return out, err
	}
	var found world.Resource
	if op.kind != "" {
		if found, err = w.Find(op.kind, in.id); err != nil {
			return out, err
		}
	}
	if out.decision, err = w.Evaluate(op.on, found); err != nil || out.decision.Prevents() {
		return out, err
	}
	if err := s.applyStrict(&out, in.query); err != nil {
		return out, err
	}
	if in.session != nil {
		in.body.notes = append(in.body.notes[:len(in.body.notes):len(in.body.notes)], in.session.NoteAge(api.DateOf(w.Now()))...)
	}
	if err := s.applyStrict(&out, in.body); err != nil {
		return out, err
	}
	if in.session != nil {
		ssn := in.session.Target.SocialSecurityNumber
		if s.Strict && !w.NamesSSN(ssn) {
			return out, api.Invalid("refused by --strict: no scenario names target.social_security_number, which ends with " + ssn.LastFour())
		}
		if out.decision, err = w.EvaluateSSN(out.decision, ssn); err != nil || out.decision.Prevents() {
			return out, err
		}
	}
	out.resource, out.scenario, err = in.do(w, found)
	return out, err
}

// applyStrict takes what decoding a part of the request has found: an error, or notes, for some of which a strict emulator
// refuses the request.
func (s *Surface) applyStrict(out *outcome, part decoded) error {
	var refused []string
	for _, note := range part.notes {
		if s.Strict && note.Cause.Strict && part.err == nil {
			refused = append(refused, note.Refusal())
		} else {
			out.add(out.status.ID, "note "+note.Cause.Name, note.String())
		}
	}
	if len(refused) > 0 {
		return api.Invalid("refused by --strict: " + strings.Join(refused, "; "))
	}
	return part.err
}

// input is a request as it was decoded: what is wrong with it is kept for its turn in the order of judgement.
type input struct {
	id                   string // of the resource, "" when the operation has none
	version, query, body decoded
	session              *api.NewCredentialsSession // that the body asks for; nil for other operations
	do                   func(*world.World, world.Resource) (resource any, scenario string, err error)
}

// decoded is what decoding a part of a request has found.
type decoded struct {
	notes []api.Note
	err   error
}

// getVerificationRequest shows one verification request, whole or in part (spec 4.2).
func getVerificationRequest(r *http.Request) (in input) {
	var query api.ReadQuery
	query, in.query.notes, in.query.err = api.DecodeReadQuery(r.URL.RawQuery)
	in.do = func(w *world.World, found world.Resource) (any, string, error) {
		body, scenario, err := w.ReadVerification(found, query.IncomeAnalytics)
		if err == nil && query.Fields != nil {
			body, err = api.Select(body, query.Fields)
		}
		return body, scenario, err
	}
	return in
}

// cancelVerificationRequest ends a request that has not reached a terminal state (spec 4.1).
func cancelVerificationRequest(r *http.Request) (in input) {
	var cancellation api.Cancellation
	cancellation, in.body.notes, in.body.err = api.DecodeCancellation(r)
	in.do = func(w *world.World, found world.Resource) (any, string, error) {
		return w.CancelVerification(found, cancellation)
	}
	return in
}

// updateTenantProperty replaces a tenant property (spec 4.3).
func updateTenantProperty(r *http.Request) (in input) {
	var update api.TenantProperty
	update, in.body.notes, in.body.err = api.DecodeTenantPropertyUpdate(r)
	in.do = func(w *world.World, found world.Resource) (any, string, error) {
		return w.UpdateTenantProperty(found, update)
	}
	return in
}

// createCredentialsSession creates a session for a person, and the verification request that it leads to (spec 4.4).
func createCredentialsSession(r *http.Request) (in input) {
	session, notes, err := api.DecodeNewCredentialsSession(r)
	return input{body: decoded{notes, err}, session: &session, do: func(w *world.World, _ world.Resource) (any, string, error) {
		return w.CreateSession(session)
	}}
}

// getQualificationCheck shows the result of one qualification check (spec 4.5).
func getQualificationCheck(*http.Request) input {
	return input{do: func(w *world.World, found world.Resource) (any, string, error) { return w.ReadQualification(found) }}
}
