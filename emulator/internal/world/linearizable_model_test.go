package world_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/go-json-experiment/json"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// modelScenarios are the scenarios of the model's resources.
const modelScenarios = `
name: counted
title: Moves by reads, and every fourth get fails
magic: {verification_request: vr_counted}
verification_request:
  timeline: [{state: pending-approval}, {state: processing, after: {reads: 2}}, {state: completed, after: {reads: 3}}]
rules: [{on: get, every: 4, respond: {status: 429}}]
---
name: timed
title: Moves by the clock
magic: {verification_request: vr_timed}
verification_request:
  timeline: [{state: pending-approval}, {state: processing, after: {elapsed: 5h}}, {state: completed, after: {elapsed: 10h}}]
---
name: tenant
title: A property
magic: {tenant_property: tp_model}
tenant_property: {set: {name: Quay, city: null, state: null}}
`

// model is a world that executes operations one after another. A nil answer is unknown: the operation may or may not have
// had its effect.
var model = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{newWorld} },
	Step: func(state, input, output any) (next []any) {
		after, want := input.(operation).apply(state.(worldState))
		switch output {
		case nil:
			return []any{state, after}
		case want:
			return []any{after}
		}
		return nil
	},
}).ToModel()

// worldState is the state of a world that clients can observe.
type worldState struct {
	hours      int // how far the clock was advanced
	gets       int // all gets of the counted request
	reads      int // gets that were answered with the counted request
	canceled   bool
	since      int // when the timed request began, in hours; -1: it has not begun
	timedEnded bool
	name, city string // of the tenant property
	faults     string // two bytes for each fault: its kind and how often it may still apply
}

var newWorld = worldState{since: -1, name: "Quay"}

// reply is the observable part of an answer. Fields that an operation does not answer with are zero.
type reply struct {
	Status     int
	Hours      int    // on the world's clock
	By         string // the fault that answered
	State      api.State
	Name, City string
	Faults     string
}

func (r reply) String() string {
	return strings.TrimSpace(fmt.Sprintf("%d %dh %s%s %s%s%s", r.Status, r.Hours, r.By, r.State, r.Name, r.City, r.Faults))
}

// operation is a request and its effect in the model.
type operation struct {
	method, path, body string
	reads              bool // without an effect
	apply              func(worldState) (worldState, reply)
}

func (op operation) String() string {
	return strings.TrimSpace(op.method + " " + op.path + " " + op.body)
}

// meet counts a request in all faults. The oldest fault that applies answers it.
func (s worldState) meet(get bool) (after worldState, by string) {
	faults := []byte(s.faults)
	for i := 0; i < len(faults); i += 2 {
		if kind := faults[i]; faults[i+1] == '0' || kind == 'g' && !get {
			continue
		} else if faults[i+1]--; kind != 'd' && by == "" {
			by = faultOf(i / 2)
		}
	}
	s.faults = string(faults)
	return s, by
}

func faultOf(index int) string { return fmt.Sprint("fault-", index+1) }

// onSurface is the effect of a request to the emulated API: a fault answers, else the resource does.
func onSurface(get bool, resource func(s *worldState, fault bool) reply) func(worldState) (worldState, reply) {
	return func(s worldState) (worldState, reply) {
		s, by := s.meet(get)
		a := resource(&s, by != "")
		if by != "" {
			a = reply{Status: 503, By: by}
		}
		a.Hours = s.hours
		return s, a
	}
}

// stateAfter returns the state of a request after n reads or hours.
func stateAfter(n, processing, completed int) api.State {
	switch {
	case n >= completed:
		return api.StateCompleted
	case n >= processing:
		return api.StateProcessing
	}
	return api.StatePendingApproval
}

func (s worldState) counted() api.State {
	if s.canceled {
		return api.StateCanceled
	}
	return stateAfter(s.reads-1, 2, 5)
}

func (s worldState) timed() api.State {
	switch {
	case s.timedEnded:
		return api.StateCanceled
	case s.since < 0:
		return api.StatePendingApproval
	}
	return stateAfter(s.hours-s.since, 5, 15)
}

var readCounted = operation{method: "GET", path: "/verification-requests/vr_counted?fields=state",
	apply: onSurface(true, func(s *worldState, fault bool) reply {
		s.gets++
		if s.gets %= 4; s.gets == 0 {
			return reply{Status: 429}
		}
		if !fault && !s.canceled {
			s.reads = min(s.reads+1, 6)
		}
		return reply{Status: 200, State: s.counted()}
	})}

var cancelCounted = operation{method: "PUT", path: "/verification-requests/vr_counted/cancel", body: lab.CancelOther,
	apply: onSurface(false, func(s *worldState, fault bool) reply {
		if s.counted().Terminal() {
			return reply{Status: 403}
		}
		s.canceled = s.canceled || !fault
		return reply{Status: 200, State: api.StateCanceled}
	})}

var readTimed = operation{method: "GET", path: "/verification-requests/vr_timed?fields=state",
	apply: onSurface(true, func(s *worldState, fault bool) reply {
		if !fault && s.since < 0 && !s.timedEnded {
			s.since = s.hours
		}
		return reply{Status: 200, State: s.timed()}
	})}

var cancelTimed = operation{method: "PUT", path: "/verification-requests/vr_timed/cancel", body: lab.CancelOther,
	apply: onSurface(false, func(s *worldState, fault bool) reply {
		if s.timed().Terminal() {
			return reply{Status: 403}
		}
		s.timedEnded = s.timedEnded || !fault
		return reply{Status: 200, State: api.StateCanceled}
	})}

func updateTenant(name string) operation {
	return operation{method: "PUT", path: "/tenant-properties/tp_model", body: `{"name":"` + name + `"}`,
		apply: onSurface(false, func(s *worldState, fault bool) reply {
			if !fault {
				s.name, s.city = name, ""
			}
			return reply{Status: 200, Name: s.name}
		})}
}

func changeTenant(city string) operation {
	return operation{method: "PATCH", path: lab.Control + "tenant-properties/tp_model", body: `{"set":{"city":"` + city + `"}}`,
		apply: func(s worldState) (worldState, reply) {
			s.city = city
			return s, reply{Status: 200, Name: s.name, City: city}
		}}
}

var readTenant = operation{method: "GET", path: lab.Control + "tenant-properties/tp_model", reads: true,
	apply: func(s worldState) (worldState, reply) {
		return s, reply{Status: 200, Name: s.name, City: s.city}
	}}

func advance(hours int) operation {
	return operation{method: "POST", path: lab.Control + "clock/advance", body: fmt.Sprintf(`{"by":"%dh"}`, hours),
		apply: func(s worldState) (worldState, reply) {
			s.hours += hours
			return s, reply{Status: 200, Hours: s.hours}
		}}
}

var readClock = operation{method: "GET", path: lab.Control + "clock", reads: true,
	apply: func(s worldState) (worldState, reply) { return s, reply{Status: 200, Hours: s.hours} }}

// raiseFault adds a fault: g answers gets, a answers any request, d delays any request.
func raiseFault(kind byte, times int) operation {
	rule := map[byte]string{'g': `"on":"get","respond":{"status":503}`, 'a': `"on":"any","respond":{"status":503}`, 'd': `"on":"any","delay":{"fixed":"1s"}`}[kind]
	return operation{method: "POST", path: lab.Control + "faults", body: fmt.Sprintf(`{"rule":{%s,"times":%d}}`, rule, times),
		apply: func(s worldState) (worldState, reply) {
			s.faults += fmt.Sprintf("%c%d", kind, times)
			return s, reply{Status: 201, Faults: fmt.Sprintf("%s:%d ", faultOf(len(s.faults)/2-1), times)}
		}}
}

var listFaults = operation{method: "GET", path: lab.Control + "faults", reads: true,
	apply: func(s worldState) (worldState, reply) {
		a := reply{Status: 200}
		for i := 0; i < len(s.faults); i += 2 {
			if s.faults[i+1] != '0' {
				a.Faults += fmt.Sprintf("%s:%c ", faultOf(i/2), s.faults[i+1])
			}
		}
		return s, a
	}}

var resetWorld = operation{method: "POST", path: lab.Control + "reset",
	apply: func(worldState) (worldState, reply) { return newWorld, reply{Status: 200} }}

// randomOperation draws the i-th operation of a history.
func randomOperation(r *rand.Rand, i int) operation {
	switch n := r.IntN(100); {
	case n < 25:
		return readCounted
	case n < 34:
		return cancelCounted
	case n < 45:
		return readTimed
	case n < 52:
		return cancelTimed
	case n < 58:
		return updateTenant(fmt.Sprint("name ", i))
	case n < 63:
		return changeTenant(fmt.Sprint("city ", i))
	case n < 69:
		return readTenant
	case n < 76:
		return advance(1 + r.IntN(6))
	case n < 80:
		return readClock
	case n < 90:
		return raiseFault("gad"[r.IntN(3)], 1+r.IntN(4))
	case n < 95:
		return listFaults
	}
	return resetWorld
}

// answerOf converts an answer to the model's reply.
func answerOf(r *httptest.ResponseRecorder) (a reply, err error) {
	a.Status = r.Code
	if by := r.Header().Get("Understudy-Scenario"); strings.HasPrefix(by, "fault-") {
		a.By = by
	}
	type worldTime struct {
		Now time.Time `json:"now"`
	}
	type remaining struct {
		ID        string `json:"id"`
		Remaining *int   `json:"remaining"`
	}
	var body struct {
		State api.State   `json:"state"`
		Name  string      `json:"name"`
		City  string      `json:"city"`
		Clock worldTime   `json:"clock"`
		Items []remaining `json:"items"`
		worldTime
		remaining
	}
	if err := json.Unmarshal(r.Body.Bytes(), &body); err != nil {
		return a, err
	}
	a.State, a.Name, a.City = body.State, body.Name, body.City
	if body.Clock != (worldTime{}) { // of a world
		a.Name = ""
	}
	for _, fault := range append(body.Items, body.remaining) {
		if fault.Remaining != nil {
			a.Faults += fmt.Sprintf("%s:%d ", fault.ID, *fault.Remaining)
		}
	}
	now := body.Now
	if now.IsZero() {
		now = body.Clock.Now
	}
	if date := r.Header().Get("Date"); date != "" {
		now, err = http.ParseTime(date)
	}
	if !now.IsZero() {
		a.Hours = int(now.Sub(lab.Epoch) / time.Hour)
	}
	return a, err
}
