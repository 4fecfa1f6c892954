package surface

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/grease"
	"github.com/understudy-sandbox/understudy/emulator/internal/inventory"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/provenance"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// outcome is the result of a request: a resource or an error, and the diagnosis.
type outcome struct {
	status   world.Status // of the world; zero when the request reached none
	journal  journal.Ref  // of the world
	decision rules.Decision
	scenario string // the deciding rule's, or else the resource's; "" for none
	resource any    // JSON as []byte, or a value to render
	err      error
	noted    []string       // kinds of notes that were only diagnosed
	grease   *grease.Grease // nil: off
	diagnosis
}

// diagnosis explains an answer. Each text has a finding.
type diagnosis struct {
	texts    []string
	findings []finding
}

// finding identifies a kind of diagnosis in a world, so that the log reports it once.
type finding struct {
	world string
	kind  string
}

// add adds a text, unless it is empty.
func (d *diagnosis) add(world, kind, text string) {
	if text != "" {
		d.texts, d.findings = append(d.texts, text), append(d.findings, finding{world, kind})
	}
}

// addCause adds the cause of a refusal before the other texts, unless it is empty.
func (d *diagnosis) addCause(world, kind, text string) {
	rest := *d
	*d = diagnosis{}
	d.add(world, kind, text)
	d.texts, d.findings = append(d.texts, rest.texts...), append(d.findings, rest.findings...)
}

// handle returns the handler of an operation, in the world of the request's key.
func (s *Surface) handle(op *operation) httprouter.Handle {
	return s.handleIn(op, func(r *http.Request) (*world.World, error) {
		key, err := s.Keys.Authenticate(r.Header["Authorization"])
		return world.Hold(s.Worlds.ByKey(key)), err
	})
}

// Send serves a request like [Surface.ServeHTTP], but in a given world and without a key.
func (s *Surface) Send(w http.ResponseWriter, r *http.Request, at *world.World) {
	handle := func(op *operation) httprouter.Handle {
		own := *at
		return s.handleIn(op, func(*http.Request) (*world.World, error) { return world.Hold(&own), nil })
	}
	s.routes(handle, s.Refuse).ServeHTTP(w, r)
}

// handleIn returns the handler of an operation, in a world that worldOf finds.
func (s *Surface) handleIn(op *operation, worldOf func(*http.Request) (*world.World, error)) httprouter.Handle {
	transact := (*world.World).Do
	if op.writes {
		transact = (*world.World).Update
	}
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		x := s.newExchange(w, r, op)
		defer x.recoverPanic()
		at, err := worldOf(r)
		if err != nil {
			x.respond(outcome{err: err})
			return
		}
		defer x.sent(at)
		x.memory = s.Limits.Answer(r.RemoteAddr)
		defer x.memory.Release()
		release := x.limitBody()
		defer release()
		out := x.execute(transact, at, params)
		release() // a delay needs no body
		x.respond(out)
	}
}

// transact is [world.World.Do], Update or Preview.
type transact func(*world.World, context.Context, func(*world.Tx) error) error

// errBodyNeeded ends a transaction that needs the body of a client that still waits for 100 Continue.
var errBodyNeeded = errors.New("the body is needed")

// execute decodes the request and runs its operation in one transaction of the world. It does not read the body of a
// request whose version is refused. Where the client waits for 100 Continue, it reads the body only if the first transaction
// needs it, and then begins again. The transaction goes on when the client leaves: a client that closes only its sending half
// of the connection still waits for the answer.
func (x *exchange) execute(transact transact, at *world.World, params httprouter.Params) (out outcome) {
	id, _ := url.PathUnescape(params.ByName("id")) // the server has refused malformed escapes
	notes, refused := x.operation.Negotiate(x.request.Header["Accept"], x.Extended)
	ctx := context.WithoutCancel(x.request.Context())
	if x.memory != nil {
		ctx = x.memory.In(ctx)
	}
	run := func(in input) error {
		if !x.operation.query {
			in.query.notes = api.NoteQuery(x.request.URL.RawQuery)
		}
		in.id, in.version = id, decoded{notes, refused}
		return transact(at, ctx, func(w *world.Tx) (err error) {
			out, err = x.checkAndRun(w, x.operation, in)
			if out.decision.Answer != nil {
				out.err = out.decision.Answer
			}
			if refusal := (*api.Error)(nil); errors.As(err, &refusal) {
				out.err, err = refusal, nil // commit earlier changes, such as the counters of rules
			}
			return err
		})
	}
	err := errBodyNeeded
	if refused != nil || x.operation.writes && x.request.Header.Get("Expect") != "" {
		err = run(input{})
	}
	if errors.Is(err, errBodyNeeded) {
		err = run(x.operation.decode(x.request))
	}
	if err != nil {
		out = outcome{status: out.status, journal: out.journal, diagnosis: out.diagnosis, err: err} // nothing was committed
	}
	out.scenario = cmp.Or(out.decision.Scenario, out.scenario)
	return out
}

// checkAndRun checks a request and runs its operation. The order of checks is: path and method, key, version, rate limit,
// rules by id, query and body, rules by social security number, resource, state. The first failure is the answer. The
// router checks path and method, handle checks the key, and the operation checks resource and state: for the 400 of a
// cancel of a terminal request see [inventory.Tx.CancelVerification].
func (s *Surface) checkAndRun(w *world.Tx, op *operation, in input) (out outcome, err error) {
	out.status, out.journal = w.Status(), w.Journal()
	settings := w.Settings
	if settings.Grease != "off" {
		words := settings.Grease == scenarios.GreaseValues
		out.grease = &grease.Grease{Seed: out.status.Seed, Identity: op.Name + " " + in.id, Words: words, Selected: in.selected}
	}
	if err := s.applyStrict(&out, in.version); err != nil {
		return out, err
	}
	if err := w.Admit(); err != nil {
		return out, err
	}
	var found inventory.Resource
	if strings.Contains(op.Path, ":id") {
		if found, err = w.Find(scenarios.Kind(op.Resource), in.id); err != nil {
			return out, err
		}
	}
	if out.decision, err = w.Evaluate(op.Operation, found); err != nil || out.decision.Prevents() {
		return out, err
	}
	if err := s.applyStrict(&out, in.query); err != nil {
		return out, err
	}
	if in.run == nil {
		return out, errBodyNeeded
	}
	if in.session != nil {
		listed := in.body.err != nil || w.NamesSSN(in.session.Target.SocialSecurityNumber)
		in.body.notes = slices.Concat(in.body.notes, in.session.Note(listed, api.DateOf(w.Now)))
		if settings.Account != nil && settings.Account.Reseller != nil { // it says more than the notes do
			in.body.notes = slices.DeleteFunc(in.body.notes, func(n api.Note) bool { return n.Strict == "reseller" })
		}
	}
	if err := s.applyStrict(&out, in.body); err != nil {
		return out, err
	}
	if in.session != nil {
		if err := settings.Account.Check(*in.session); err != nil {
			return out, err
		}
		if out.decision, err = w.EvaluateSSN(op.Operation, out.decision, in.session.Target.SocialSecurityNumber); err != nil || out.decision.Prevents() {
			return out, err
		}
	}
	if out.grease != nil {
		out.grease.Given = w.Given(found)
	}
	if out.resource, out.scenario, err = in.run(&w.Tx, found); err != nil {
		return out, err
	}
	if a, ok := out.resource.(given); ok {
		if out.resource = a.resource; out.grease != nil {
			out.grease.Given = a.given
		}
	}
	out.add(out.status.ID, "waiting", found.Waiting())
	if in.session != nil && !op.Extension {
		out.add(out.status.ID, "session flow", w.NoteFlow(in.session.Target.SocialSecurityNumber))
	}
	return out, nil
}

// applyStrict adds the notes of a decoded part to the diagnosis and returns the part's error. It refuses the request instead
// for notes of the meanings of strict mode that are on.
func (s *Surface) applyStrict(out *outcome, part decoded) error {
	var meanings, refused []string
	for i, note := range part.notes {
		if part.err == nil && slices.Contains(s.Strict, note.Strict) {
			meanings, refused = append(meanings, note.Strict), append(refused, note.Refusal)
			continue
		}
		text := note.Text
		if next := i + 1; note.Subject != "" && (next == len(part.notes) || part.notes[next].Subject != note.Subject) { // once for all alike
			text += provenance.Reason(note.Subject)
		}
		out.add(out.status.ID, "note "+note.Kind, text)
		if part.err == nil {
			out.noted = append(out.noted, note.Kind)
		}
	}
	if len(refused) > 0 {
		return api.Invalid("refused by --strict=" + strings.Join(slices.Compact(slices.Sorted(slices.Values(meanings))), ",") + ": " + strings.Join(refused, "; "))
	}
	return part.err
}

// input is a decoded request. The errors of its parts wait for their turn in the order of checks.
type input struct {
	id                   string // in the path; "" for none
	version, query, body decoded
	session              *api.NewCredentialsSession // in the body, or what a new verification request has of one; nil for other operations
	selected             bool                       // the query selects keys of the resource
	run                  func(*inventory.Tx, inventory.Resource) (resource any, scenario string, err error)
}

// decoded is the result of decoding a part of a request.
type decoded struct {
	notes []api.Note
	err   error
}

// getVerificationRequest returns one verification request, or the keys of it that the query names (spec 4.2).
func getVerificationRequest(r *http.Request) (in input) {
	var query api.ReadQuery
	query, in.query.notes, in.query.err = api.DecodeReadQuery(r.URL.RawQuery)
	in.selected = query.Fields != nil
	in.run = func(w *inventory.Tx, found inventory.Resource) (any, string, error) {
		body, scenario, err := w.ReadVerification(found, query.IncomeAnalytics)
		if err == nil && query.Fields != nil {
			body, err = api.Select(body, query.Fields)
		}
		return body, scenario, err
	}
	return in
}

// cancelVerificationRequest cancels a verification request. A request in a terminal state is answered 403.
func cancelVerificationRequest(r *http.Request) (in input) {
	var cancellation api.Cancellation
	cancellation, in.body.notes, in.body.err = api.DecodeCancellation(r)
	in.run = func(w *inventory.Tx, found inventory.Resource) (any, string, error) {
		return w.CancelVerification(found, cancellation)
	}
	return in
}

// updateTenantProperty replaces a tenant property (spec 4.3).
func updateTenantProperty(r *http.Request) (in input) {
	var update api.TenantProperty
	update, in.body.notes, in.body.err = api.DecodeTenantPropertyUpdate(r)
	in.run = func(w *inventory.Tx, found inventory.Resource) (any, string, error) {
		return w.UpdateTenantProperty(found, update)
	}
	return in
}

// createCredentialsSession creates a session for a person, and the session's verification request (spec 4.4).
func createCredentialsSession(r *http.Request) (in input) {
	session, notes, err := api.DecodeNewCredentialsSession(r)
	return input{body: decoded{notes, err}, session: &session, run: func(w *inventory.Tx, _ inventory.Resource) (any, string, error) {
		return w.CreateSession(session)
	}}
}

// getQualificationCheck returns one qualification check result (spec 4.5).
func getQualificationCheck(*http.Request) input {
	return input{run: func(w *inventory.Tx, found inventory.Resource) (any, string, error) {
		return w.ReadQualification(found)
	}}
}
