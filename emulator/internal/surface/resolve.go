package surface

import (
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Resolution is what a request would be answered, and why.
type Resolution struct {
	Operation string // "" when none has the path and method
	Status    int    // 0: none, the connection breaks
	Body      []byte
	Scenario  string // that decides; "" when none does
	Rule      string // its position, file:line:column; "" when the answer is the resource's
	Delay     time.Duration
	Fault     scenarios.Fault
	Diagnosis []string
}

// Resolve tells what a request would be answered in a world, and why. It is judged as every request is, but that no key is
// looked at, nothing is stored, no delay is waited for and no fault done.
func (s *Surface) Resolve(r *http.Request, at *world.World) (Resolution, error) {
	return s.answer(r, (*world.World).DryRun, at)
}

// Do is [Surface.Resolve] of which the world keeps what it changes.
func (s *Surface) Do(r *http.Request, at *world.World) (Resolution, error) {
	return s.answer(r, (*world.World).Do, at)
}

func (s *Surface) answer(r *http.Request, transact transact, at *world.World) (resolved Resolution, err error) {
	found, recorder := false, new(api.Recorder)
	s.routes(func(op *operation) httprouter.Handle {
		return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
			found = true
			out := s.newExchange(w, r, op).judge(transact, at, params)
			a := out.answer(op)
			resolved = Resolution{
				Operation: op.name, Status: a.status, Body: a.body, Scenario: out.scenario, Rule: out.decision.Rule,
				Delay: out.decision.Delay, Fault: out.decision.Fault, Diagnosis: a.texts,
			}
			err = a.failure
		}
	}).ServeHTTP(recorder, r)
	if found {
		return resolved, err
	}
	return Resolution{
		Status: recorder.Status, Body: recorder.Body.Bytes(), Diagnosis: []string{recorder.Header().Get("Understudy-Diagnosis")},
	}, nil
}
