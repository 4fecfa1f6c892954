package surface

import (
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Resolution is the answer that a request would get, and why.
type Resolution struct {
	Operation string // "" when no operation has the path and method
	Status    int    // 0 when a fault breaks the connection
	Header    http.Header
	Body      []byte
	Scenario  string // the deciding rule's, or else the resource's; "" for none
	Rule      string // position of the deciding rule, file:line:column; "" for none
	Delay     time.Duration
	Fault     scenarios.Fault
	Diagnosis []string
}

// Resolve returns the answer that a request would get, and why. It is a dry run: it stores nothing, and applies neither delay
// nor fault. A request with an Authorization header is answered as its key is, in the key's world; one without, in the given.
func (s *Surface) Resolve(r *http.Request, at *world.World) (Resolution, error) {
	return s.answer(r, (*world.World).Preview, at)
}

// Do is [Surface.Resolve], but the world stores the changes.
func (s *Surface) Do(r *http.Request, at *world.World) (Resolution, error) {
	return s.answer(r, (*world.World).Do, at)
}

func (s *Surface) answer(r *http.Request, transact transact, at *world.World) (resolved Resolution, err error) {
	resolve := func(x *exchange, out outcome) {
		a := out.answer(x.operation)
		x.setHeaders(out, a)
		resolved = Resolution{
			Operation: x.operation.Name, Status: a.status, Header: x.writer.Header(), Body: a.body, Scenario: out.scenario,
			Rule: out.decision.Rule, Delay: out.decision.Delay, Fault: out.decision.Fault, Diagnosis: a.texts,
		}
		err = a.failure
	}
	run := func(op *operation) httprouter.Handle {
		return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
			x := s.newExchange(w, r, op)
			resolve(x, x.executeByKey(transact, at, params))
		}
	}
	refuse := func(w http.ResponseWriter, r *http.Request, refusal *api.Error) {
		resolve(s.newExchange(w, r, new(operation)), outcome{err: refusal})
	}
	s.routes(run, refuse).ServeHTTP(new(Recorder), r)
	return resolved, err
}

// executeByKey executes a request in the world of its key, or in a given one when it has no key.
func (x *exchange) executeByKey(transact transact, at *world.World, params httprouter.Params) outcome {
	if lines := x.request.Header["Authorization"]; lines != nil {
		key, err := x.Keys.Authenticate(lines)
		if err != nil {
			return outcome{err: err}
		}
		at = x.Worlds.ByKey(key)
	}
	return x.execute(transact, at, params)
}
