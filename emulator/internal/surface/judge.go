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
	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// outcome is what becomes of a request: the resource, the refusal or failure in its place, and why.
type outcome struct {
	status   world.Status  // of the world; zero when the request reached none
	place    journal.Place // of the world's journal
	decision world.Decision
	scenario string // that decided the answer, or of the resource; "" when there is none
	findings []finding
	resource any // rendered JSON, or a value that is to be
	err      error
}

// finding is something that explains an answer.
type finding struct {
	world string // in which it was found
	kind  string // of finding: the log tells of each once for a world
	text  string
}

// handle serves an operation. What it asks of its world is done also when the client says nothing more: one that has
// closed its half of the connection waits for the answer all the same.
func (s *Surface) handle(op *operation) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		x := s.newExchange(w, r, op)
		defer x.recoverPanic()
		key, err := s.Keys.Authenticate(r.Header["Authorization"])
		if err != nil {
			x.respond(outcome{err: err})
			return
		}
		transact := s.Worlds.Do
		if op.writes {
			transact = s.Worlds.Update
		}
		x.respond(s.judge(context.WithoutCancel(r.Context()), transact, world.ByKey(key), op, x.decode(unescape(params.ByName("id")))))
	}
}

// transact runs a function in a world: [world.Worlds.Do], Update or DryRun.
type transact func(context.Context, world.Ref, func(*world.World) error) error

// judge answers a request in its world, in one transaction.
func (s *Surface) judge(ctx context.Context, transact transact, at world.Ref, op *operation, in input) (out outcome) {
	err := transact(ctx, at, func(w *world.World) (err error) {
		out, err = s.judgeIn(w, op, in)
		if out.decision.Answer != nil {
			out.err = out.decision.Answer
		}
		if refusal := (*api.Error)(nil); errors.As(err, &refusal) {
			out.err, err = refusal, nil // what the request has changed by then, such as counters, stays
		}
		return err
	})
	if err != nil {
		out = outcome{status: out.status, place: out.place, findings: out.findings, err: err} // nothing of the rest was done
	}
	out.scenario = cmp.Or(out.scenario, out.decision.Scenario)
	return out
}

// judgeIn goes through the order of judgement; the first failure is the answer. Path and method were the router's, the key
// is judged; number, resource and state are the operation's.
func (s *Surface) judgeIn(w *world.World, op *operation, in input) (out outcome, err error) {
	out.status, out.place = w.Status(), w.Journal()
	if err := s.weigh(&out, in.versionNotes, in.versionErr); err != nil {
		return out, err
	}
	if err := w.Admit(); err != nil {
		return out, err
	}
	if out.decision, err = w.Evaluate(op.on, op.kind, in.id); err != nil || out.decision.Prevents() {
		return out, err
	}
	if err := s.weigh(&out, in.queryNotes, in.queryErr); err != nil {
		return out, err
	}
	if in.session != nil {
		in.notes = append(in.notes[:len(in.notes):len(in.notes)], in.session.NoteAge(api.DateOf(w.Now()))...)
	}
	if err := s.weigh(&out, in.notes, in.err); err != nil {
		return out, err
	}
	if in.session != nil {
		ssn := in.session.Target.SocialSecurityNumber
		if s.Strict && !w.NamesSSN(ssn) {
			return out, api.Invalid("refused by --strict: no scenario names target.social_security_number, which ends with " + ssn.LastFour())
		}
		bySSN, err := w.EvaluateSSN(ssn)
		out.decision = out.decision.And(bySSN)
		if err != nil || out.decision.Prevents() {
			return out, err
		}
	}
	out.resource, out.scenario, err = in.do(w)
	return out, err
}

// weigh takes what was found out about the request: an error, or notes, for some of which a strict emulator refuses it.
func (s *Surface) weigh(out *outcome, notes []api.Note, err error) error {
	var refused []string
	for _, note := range notes {
		if s.Strict && note.Strict() && err == nil {
			refused = append(refused, note.Refusal())
		} else {
			out.findings = append(out.findings, finding{out.status.ID, "note " + note.Cause.String(), note.String()})
		}
	}
	if len(refused) > 0 {
		return api.Invalid("refused by --strict: " + strings.Join(refused, "; "))
	}
	return err
}

// input is a request as it was decoded: what is wrong with it is kept for its turn in the order of judgement.
type input struct {
	id           string // of the resource, "" when the operation has none
	versionNotes []api.Note
	versionErr   error
	queryNotes   []api.Note
	queryErr     error
	notes        []api.Note // about the body
	err          error
	session      *api.NewCredentialsSession // that the body asks for; nil for other operations
	do           func(*world.World) (resource any, scenario string, err error)
}

// decode reads a request. The body of one that asks for no version that there is, is left unread.
func (x *exchange) decode(id string) (in input) {
	notes, err := api.Negotiate(x.request.Header["Accept"], x.operation.version)
	if err == nil {
		in = x.operation.decode(x.request, id)
		if !x.operation.query {
			in.queryNotes = api.NoteQuery(x.request.URL.RawQuery)
		}
	}
	in.id, in.versionNotes, in.versionErr = id, notes, err
	return in
}

// getVerificationRequest shows one verification request, whole or in part (spec 4.2).
func getVerificationRequest(r *http.Request, id string) (in input) {
	var query api.ReadQuery
	query, in.queryNotes, in.queryErr = api.DecodeReadQuery(r.URL.RawQuery)
	in.do = func(w *world.World) (any, string, error) {
		body, scenario, err := w.ReadVerification(id, query.IncomeAnalytics)
		if err == nil && query.Fields != nil {
			body, err = api.Select(body, query.Fields)
		}
		return body, scenario, err
	}
	return in
}

// cancelVerificationRequest ends a request that has not reached a terminal state (spec 4.1).
func cancelVerificationRequest(r *http.Request, id string) (in input) {
	var cancellation api.Cancellation
	cancellation, in.notes, in.err = api.DecodeCancellation(r)
	in.do = func(w *world.World) (any, string, error) { return w.CancelVerification(id, cancellation) }
	return in
}

// updateTenantProperty replaces a tenant property (spec 4.3).
func updateTenantProperty(r *http.Request, id string) (in input) {
	var update api.TenantProperty
	update, in.notes, in.err = api.DecodeTenantPropertyUpdate(r)
	in.do = func(w *world.World) (any, string, error) { return w.UpdateTenantProperty(id, update) }
	return in
}

// createCredentialsSession creates a session for a person, and the verification request that it leads to (spec 4.4).
func createCredentialsSession(r *http.Request, _ string) (in input) {
	session, notes, err := api.DecodeNewCredentialsSession(r)
	return input{notes: notes, err: err, session: &session, do: func(w *world.World) (any, string, error) {
		return w.CreateSession(session)
	}}
}

// getQualificationCheck shows the result of one qualification check (spec 4.5).
func getQualificationCheck(_ *http.Request, id string) input {
	return input{do: func(w *world.World) (any, string, error) { return w.ReadQualification(id) }}
}

// unescape decodes a path or a part of one. The server has refused what cannot be decoded.
func unescape(path string) string {
	decoded, err := url.PathUnescape(path)
	if err != nil {
		return path
	}
	return decoded
}
