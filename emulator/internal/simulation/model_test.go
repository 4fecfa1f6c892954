package simulation

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/go-json-experiment/json"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// model is a world that executes operations one after another. A nil answer is unknown: the operation may or may not have
// had its effect. One whose body was not read may have been counted in faults, and has no other effect.
var model = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{noWorld} },
	Step: func(state, input, output any) (next []any) {
		before := state.(worldState)
		if op := input.(operation); before == noWorld && op.method != "" && !strings.HasPrefix(op.path, lab.Control+"worlds/") {
			before = newWorld // by its use
		}
		after, want := input.(operation).apply(before)
		switch output {
		case nil:
			return []any{state, after}
		case unread:
			if op := input.(operation); !strings.HasPrefix(op.path, lab.Control) {
				after, _ = before.meet(op.method == http.MethodGet)
				return []any{state, after}
			}
			return []any{state}
		case want:
			return []any{after}
		case reply{Status: http.StatusNoContent}: // a restore that is under way has begun the world by its use
			return []any{noWorld}
		}
		return nil
	},
}).ToModel()

const unread = "its body was not read"

// worldState is the state of a world that clients can observe.
type worldState struct {
	hours      int // how far the clock was advanced
	calls      int // all gets of the request whose first two calls fail
	reads      int // gets that were answered with the counted request
	canceled   bool
	since      int // when the timed request began, in hours; -1: it has not begun
	timedEnded bool
	name, city string // of the tenant property
	faults     string // two bytes for each fault: its kind and how often it may still apply
}

var noWorld = worldState{since: -2}

var newWorld = worldState{since: -1, name: "Reese Gardens", city: "Providence"}

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
	reads              bool          // without an effect
	advances           time.Duration // the clock of the world
	apply              func(worldState) (worldState, reply)
}

func (op operation) String() string {
	first, _, _ := strings.Cut(op.body, "\n")
	return strings.TrimSpace(op.method + " " + op.path + " " + first)
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
	return stateAfter(s.reads-1, 1, 2)
}

func (s worldState) timed() api.State {
	switch {
	case s.timedEnded:
		return api.StateCanceled
	case s.since < 0:
		return api.StatePendingApproval
	}
	return stateAfter(s.hours-s.since, 1, 24)
}

var readCounted = operation{method: "GET", path: "/verification-requests/vr_lifecycle?fields=state",
	apply: onSurface(true, func(s *worldState, fault bool) reply {
		if !fault && !s.canceled {
			s.reads = min(s.reads+1, 3)
		}
		return reply{Status: 200, State: s.counted()}
	})}

var readFlaky = operation{method: "GET", path: "/verification-requests/vr_flaky?fields=state",
	apply: onSurface(true, func(s *worldState, _ bool) reply {
		s.calls = min(s.calls+1, 3)
		return []reply{{Status: 500}, {Status: 429}, {Status: 200, State: api.StateCompleted}}[s.calls-1]
	})}

var cancelCounted = operation{method: "PUT", path: "/verification-requests/vr_lifecycle/cancel", body: lab.CancelOther,
	apply: onSurface(false, func(s *worldState, fault bool) reply {
		if s.counted().Terminal() {
			return reply{Status: 403}
		}
		s.canceled = s.canceled || !fault
		return reply{Status: 200, State: api.StateCanceled}
	})}

var readTimed = operation{method: "GET", path: "/verification-requests/vr_lifecycle_timed?fields=state",
	apply: onSurface(true, func(s *worldState, fault bool) reply {
		if !fault && s.since < 0 && !s.timedEnded {
			s.since = s.hours
		}
		return reply{Status: 200, State: s.timed()}
	})}

var cancelTimed = operation{method: "PUT", path: "/verification-requests/vr_lifecycle_timed/cancel", body: lab.CancelOther,
	apply: onSurface(false, func(s *worldState, fault bool) reply {
		if s.timed().Terminal() {
			return reply{Status: 403}
		}
		s.timedEnded = s.timedEnded || !fault
		return reply{Status: 200, State: api.StateCanceled}
	})}

func updateTenant(name string) operation {
	return operation{method: "PUT", path: "/tenant-properties/tp_default", body: `{"name":"` + name + `"}`,
		apply: onSurface(false, func(s *worldState, fault bool) reply {
			if !fault {
				s.name, s.city = name, ""
			}
			return reply{Status: 200, Name: s.name}
		})}
}

func changeTenant(city string) operation {
	return operation{method: "PATCH", path: lab.Control + "tenant-properties/tp_default", body: `{"set":{"city":"` + city + `"}}`,
		apply: func(s worldState) (worldState, reply) {
			s.city = city
			return s, reply{Status: 200, Name: s.name, City: city}
		}}
}

var readTenant = operation{method: "GET", path: lab.Control + "tenant-properties/tp_default", reads: true,
	apply: func(s worldState) (worldState, reply) {
		return s, reply{Status: 200, Name: s.name, City: s.city}
	}}

func advance(hours int) operation {
	return operation{method: "POST", path: lab.Control + "clock/advance", body: fmt.Sprintf(`{"by":"%dh"}`, hours), advances: time.Duration(hours) * time.Hour,
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

var clearFaults = operation{method: "DELETE", path: lab.Control + "faults",
	apply: func(s worldState) (worldState, reply) {
		faults := []byte(s.faults)
		for i := 1; i < len(faults); i += 2 {
			faults[i] = '0'
		}
		s.faults = string(faults)
		return s, reply{Status: 204}
	}}

var resetWorld = operation{method: "POST", path: lab.Control + "reset",
	apply: func(worldState) (worldState, reply) { return newWorld, reply{Status: 200} }}

// restoreWorld restores the snapshot of a world some hours later, with a counter of a rule and a changed property.
var restoreWorld = operation{method: "PUT", path: lab.Control + "snapshot", body: `{"understudy_snapshot":2,"seed":1,"created":"2025-01-15T09:30:00Z","now":"2025-01-15T16:30:00Z","frozen":true,"scenarios":null,"scenarios_made":0,"faults":null,"faults_made":0}
{"key":"calls/vr/vr_flaky","value":{"calls":{"any":1}}}
{"key":"tp/tp_default","value":{"id":"tp_default","name":"Restored","address_line_1":null,"address_line_2":null,"address_line_3":null,"city":null,"postal_code":null,"state":null,"status":"active"}}
{"key":"end","value":{"journal_dropped":0}}
`, apply: func(worldState) (worldState, reply) {
	restored := newWorld
	restored.hours, restored.calls, restored.name, restored.city = 7, 1, "Restored", ""
	return restored, reply{Status: 200, Hours: 7}
}}

// deleteWorld is the deletion of a world: its key begins a new one.
var deleteWorld = operation{method: "DELETE", path: lab.Control + "worlds/" + world.IDOf(modelKey),
	apply: func(s worldState) (worldState, reply) {
		if s == noWorld {
			return noWorld, reply{Status: 404}
		}
		return noWorld, reply{Status: 204}
	}}

// sweepWorld is the deletion of a world by an emulator, because nobody has used it.
var sweepWorld = operation{apply: func(worldState) (worldState, reply) { return noWorld, reply{} }}

// modelOperation draws an operation of the world that the model has.
func modelOperation(n uint64) operation {
	span := int(n / 100 % 1000)
	switch n := n % 100; {
	case n < 22:
		return readCounted
	case n < 30:
		return cancelCounted
	case n < 38:
		return readFlaky
	case n < 47:
		return readTimed
	case n < 53:
		return cancelTimed
	case n < 59:
		return updateTenant(fmt.Sprint("name ", span))
	case n < 64:
		return changeTenant(fmt.Sprint("city ", span))
	case n < 69:
		return readTenant
	case n < 76:
		return advance(1 + span%6)
	case n < 80:
		return readClock
	case n < 90:
		return raiseFault("gad"[span%3], 1+span/3%4)
	case n < 94:
		return listFaults
	case n < 95:
		return clearFaults
	case n < 97:
		return resetWorld
	case n < 99:
		return restoreWorld
	}
	return deleteWorld
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
	if r.Code == http.StatusNoContent {
		return a, nil
	}
	if err := json.Unmarshal(r.Body.Bytes(), &body); err != nil {
		return a, err
	}
	a.State, a.Name, a.City = body.State, body.Name, body.City
	if body.Name != "" { // a property is in a state of the country
		a.State = ""
	}
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
