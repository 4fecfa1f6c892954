package emulator

import (
	"context"
	"errors"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/control"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// trial is a request that is answered in a dry world, and what became of it.
type trial struct {
	world  *world.World
	result *control.Resolution
}

// trialKey is where a request's context has its trial.
type trialKey struct{}

// resolve tells what a request would be answered in a world, and why. It goes the way of every request but that no key is
// looked at, nothing is kept, no delay is waited for and no fault done.
func (e *Emulator) resolve(r *http.Request, dry *world.World) (control.Resolution, error) {
	t := &trial{world: dry}
	answer := new(api.Recorder)
	r = r.WithContext(context.WithValue(r.Context(), trialKey{}, t))
	e.resolver.ServeHTTP(answer, withSentPath(r))
	if t.result != nil {
		return *t.result, nil
	}
	return control.Resolution{ // no operation has the path and method
		Status: answer.Status, Body: answer.Body.Bytes(), Diagnosis: []string{answer.Header().Get("Understudy-Diagnosis")},
	}, nil
}

// handleDry has an operation be tried.
func (e *Emulator) handleDry(op *operation) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		t := r.Context().Value(trialKey{}).(*trial)
		c := e.newCall(w, r, params, op)
		c.world = t.world
		t.result = c.tell(c.judgeInWorld())
	}
}

// tell says what an answer would be.
func (c *call) tell(resource any, err error) *control.Resolution {
	told := &control.Resolution{
		Operation: c.operation.name, Status: c.operation.success, Delay: c.world.Delay(), Fault: c.world.Damage(),
	}
	if err == nil {
		told.Body, err = render(resource)
	}
	c.noteRules()
	broken, failure := (*world.Broken)(nil), (*api.Error)(nil)
	switch {
	case errors.As(err, &broken):
		told.Status, told.Fault = 0, broken.Fault
	case errors.As(err, &failure):
		c.note(failure.Diagnosis)
		told.Status, told.Body = failure.Status, api.RenderError(failure)
	case err != nil:
		c.logFailure(err)
		told.Status, told.Body = http.StatusInternalServerError, api.RenderError(api.NewError(http.StatusInternalServerError, ""))
	}
	told.Scenario, told.Rule, told.Diagnosis = c.world.Scenario(), c.world.Rule(), c.notes
	return told
}
