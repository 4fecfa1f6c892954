package simulation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// runningOperation draws an operation of the world whose clock runs.
func runningOperation(n uint64) operation {
	id := fmt.Sprint("vr_r", n/100%3)
	request := lab.Control + "verification-requests"
	switch n := n % 100; {
	case n < 15:
		return operation{method: "PUT", path: lab.Control + "clock", body: `{"frozen":false}`}
	case n < 20:
		return operation{method: "POST", path: lab.Control + "webhooks", body: `{"url":"http://10.0.0.1/hook"}`}
	case n < 37:
		timeline := `{"state":"pending-approval"},{"state":"processing","after":{"elapsed":"20s"}},{"state":"completed","after":{"elapsed":"40s"}}`
		return operation{method: "POST", path: request, body: `{"id":"` + id + `","verification_request":{"timeline":[` + timeline + `]}}`}
	case n < 70:
		return operation{method: "GET", path: "/verification-requests/" + id + "?fields=state", reads: true}
	case n < 78:
		return operation{method: "PUT", path: "/verification-requests/" + id + "/cancel", body: lab.CancelOther}
	case n < 85:
		return operation{method: "GET", path: lab.Control + "deliveries", reads: true}
	case n < 93:
		return operation{method: "POST", path: lab.Control + "clock/advance", body: fmt.Sprintf(`{"by":%q}`, advanced), advances: advanced}
	case n < 97:
		return operation{method: "POST", path: lab.Control + "reset"}
	}
	return operation{method: "DELETE", path: lab.Control + "worlds/" + world.IDOf(runningKey)}
}

// recorded checks a change of a world's record: nobody deletes a world in use.
func (s *simulation) recorded(of *seen, p *parked, value []byte) {
	var record struct {
		Generation int64 `json:"generation"`
	}
	if value != nil {
		_ = json.Unmarshal(value, &record)
	}
	if record.Generation == of.generation {
		return
	}
	of.generation = record.Generation
	of.begun = append(of.begun, s.now)
	if value != nil || p.by != "sweep" {
		return
	}
	if idle := time.Since(of.used); idle < timeToLive {
		s.fail("%s deletes a world that was used %s ago", p.machine.name, idle)
	}
	of.operations = append(of.operations, porcupine.Operation{ClientId: len(of.operations), Input: sweepWorld, Output: reply{}, Call: int64(2 * s.now), Return: int64(2*s.now + 1)})
}

// rest ends all faults, lets everything come to rest, and checks what has been seen.
func (s *simulation) rest() {
	defer s.stop()
	if len(s.broken) > 0 {
		return
	}
	s.checkReady()
	s.note("all", "faults end")
	s.full = false
	s.setFolder(false)
	for i, m := range s.machines {
		m.offline = false
		if m.dead.Load() {
			s.machines[i] = s.start(i, time.Duration(m.ahead.Load()))
		}
	}
	s.drain(20 * time.Second)
	s.checkBudgets()
	model := s.worlds[0]
	for i, op := range []operation{listFaults, readClock, readTenant, readCounted, readTimed, readFlaky, readCounted} {
		s.ask(i, model, op)
	}
	for i, of := range s.worlds {
		s.ask(i, of, operation{method: "GET", path: lab.Control + "ready", reads: true})
		s.ask(i+1, of, advanceFar)
		s.drain(20 * time.Second) // claims of processes that are gone
		s.ask(i, of, advanceFar)
		s.checkEvents(of)
	}
	s.checkDates(s.worlds[1])
	s.checkJournal(model)
	for i := range s.machines { // restores that failed have given back their turns and files
		s.ask(i, model, restoreWorld)
	}
	if s.disk.has("gone/") { // what restores have left is collected with what ends next
		s.drain(2*registry.RestoreTime + time.Minute)
	}
	if s.plan.ttl {
		s.drain(2 * timeToLive)
	} else {
		s.ask(1, s.worlds[1], operation{method: "DELETE", path: lab.Control + "worlds/" + world.IDOf(runningKey)})
	}
	s.ask(0, model, readTenant)
	s.ask(0, model, deleteWorld)
	s.drain(30 * time.Second)
	watches := make(map[string]int)
	for w := range s.disk.watchers {
		if watches[w.machine.name+" "+w.prefix]++; watches[w.machine.name+" "+w.prefix] == 2 {
			s.fail("%s watches %s twice", w.machine.name, w.prefix)
		}
	}
	if left := s.disk.keys; len(left) > 0 {
		s.fail("left of deleted worlds: %q", left)
	}
}

// checkReady checks that no emulator is ready while it cannot write.
func (s *simulation) checkReady() {
	for _, m := range s.machines {
		if !m.up() || !m.offline && !s.full {
			continue
		}
		if answer := lab.Direct(m.emulator.Load(), modelKey, "GET", lab.Control+"ready", ""); answer.Code != http.StatusServiceUnavailable {
			s.fail("%s is ready while its store takes no writes: %s", m.name, answer.Body)
		}
	}
}

// checkBudgets checks that processes with little memory have got all of it back. Then they get more.
func (s *simulation) checkBudgets() {
	if !s.plan.small {
		return
	}
	whole := changeTenant("all")
	whole.body += strings.Repeat(" ", bodies-len(whole.body))
	for i := range s.machines {
		s.ask(i, s.worlds[0], whole)
	}
	s.plan.small = false
	for i, m := range s.machines {
		s.kill(m)
		s.machines[i] = s.start(i, time.Duration(m.ahead.Load()))
	}
	s.drain(20 * time.Second)
}

var advanceFar = advance(100)

// stop ends all processes.
func (s *simulation) stop() {
	s.setFolder(false)
	for _, m := range s.machines {
		s.kill(m)
	}
	for _, c := range s.clients {
		if c.busy {
			c.hangUp()
		}
	}
	s.ending = true
	s.drain(20 * time.Second)
	for _, c := range s.clients {
		close(c.todo)
	}
}

// ask sends a request and returns its answer, which has to be none of the emulator's failures.
func (s *simulation) ask(machine int, of *seen, op operation) exchange {
	if len(s.broken) > 0 {
		return exchange{}
	}
	s.now++
	before := len(of.exchanges)
	s.send(s.clients[0], s.machines[machine%len(s.machines)], of, op, false)
	s.drain(0)
	if len(of.exchanges) == before {
		s.fail("%s fails", op)
		return exchange{answer: nil}
	}
	x := of.exchanges[len(of.exchanges)-1]
	if x.unknown || x.answer.Code == http.StatusServiceUnavailable && strings.HasSuffix(op.path, "/ready") {
		s.fail("%s fails: %d %s", op, x.answer.Code, x.answer.Body)
	}
	return x
}

// checkModel checks that there is an order of all operations that the model has: each takes effect at one instant between call and
// answer, and none that failed has an effect. It looks for the order outside the bubble, where time passes.
func (s *simulation) checkModel(of *seen) {
	result, info := porcupine.CheckOperationsVerbose(model, of.operations, time.Minute)
	if result == porcupine.Ok {
		return
	}
	var longest []porcupine.Operation
	for _, order := range info.PartialLinearizationsOperations()[0] {
		if len(order) > len(longest) {
			longest = order
		}
	}
	if s.trace {
		state := model.Init()
		for _, op := range longest {
			_, state = model.Step(state, op.Input, op.Output)
		}
		s.note("check", "%d of %d operations could be put in order; then the world is %+v", len(longest), len(of.operations), state)
	}
	ordered := slices.SortedFunc(slices.Values(of.operations), func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	for _, op := range ordered {
		if !slices.ContainsFunc(longest, func(o porcupine.Operation) bool { return o.ClientId == op.ClientId }) {
			s.fail("no order of the operations (%s) explains the answer to %s, called at step %d: %v", result, op.Input, op.Call/2, op.Output)
			return
		}
	}
}

// sight is what a client has seen of a world.
type sight struct {
	x     exchange
	about string // a request
	date  time.Time
	state api.State
}

// advanced is by how much each advance of the running world's clock moves it.
const advanced = 30 * time.Second

// checkDates checks that no clock goes back, that advances add up, and not to more, and that states only move along section 3 of the specification.
func (s *simulation) checkDates(of *seen) {
	var all []sight
	for _, x := range of.exchanges {
		var body struct {
			State api.State
			Now   time.Time
		}
		if x.unknown || x.answer.Code >= 300 {
			continue
		}
		_ = json.Unmarshal(x.answer.Body.Bytes(), &body)
		about := strings.FieldsFunc(x.operation.path, func(r rune) bool { return r == '/' || r == '?' })[1]
		if date, err := http.ParseTime(x.answer.Header().Get("Date")); err == nil {
			all = append(all, sight{x, about, date, body.State})
		} else if !body.Now.IsZero() {
			all = append(all, sight{x, about, body.Now, ""})
		}
	}
	behind := time.Second // which dates leave out
	if s.plan.machines > 1 {
		behind = time.Minute // so late the last use of a world is stored, from which another machine's clock goes on
	}
	for i, later := range all {
		for j, earlier := range all[:i] {
			if earlier.x.unused || earlier.x.ended >= later.x.called || slices.ContainsFunc(of.begun, func(step int) bool { return step >= earlier.x.called && step <= later.x.ended }) {
				continue
			}
			least := earlier.date
			for k := j + 1; k <= i; k++ {
				if between := all[k].x; between.called > earlier.x.ended && (between.ended < later.x.called || k == i) {
					least = least.Add(between.operation.advances)
				}
			}
			if most := of.latest(earlier, later); s.plan.calm && later.date.After(most.Add(behind+advanced/2)) { // no machine's clock was set
				s.fail("the clock of a world runs ahead: %s at step %d, and %s at step %d, not %s", earlier.date, earlier.x.ended, later.date, later.x.ended, most)
				return
			}
			if later.date.Before(least.Add(-behind)) {
				s.fail("the clock of a world goes back: %s at step %d, and %s at step %d, not %s", earlier.date, earlier.x.ended, later.date, later.x.ended, least)
				return
			}
			if earlier.about != later.about || earlier.state == "" || later.state == "" {
				continue
			}
			if rank(later.state) < rank(earlier.state) || earlier.state.Terminal() && later.state != earlier.state {
				s.fail("%s goes from %s, at step %d, to %s, at step %d", later.about, earlier.state, earlier.x.ended, later.state, later.x.ended)
				return
			}
		}
	}
}

// latest returns the latest date that a client can see after it has seen another one.
func (of *seen) latest(earlier, later sight) time.Time {
	most, began := earlier.date, earlier.x.sent
	for _, x := range of.exchanges {
		if x.ended < earlier.x.called || x.called > later.x.ended {
			continue
		}
		most = most.Add(x.operation.advances)
		if x.called <= earlier.x.ended && x.sent.Before(began) { // it may have let the clock run from its own beginning
			began = x.sent
		}
	}
	return most.Add(later.x.answered.Sub(began))
}

func rank(s api.State) int {
	return slices.Index([]api.State{api.StatePendingApproval, api.StateProcessing}, s) & 3 // any other is the last
}

// checkEvents checks that every event was delivered, in order; and once, where nothing failed and nobody waited.
func (s *simulation) checkEvents(of *seen) {
	x := s.ask(0, of, operation{method: "GET", path: lab.Control + "deliveries?limit=1000", reads: true})
	if x.answer == nil {
		return
	}
	var page struct {
		Items []struct {
			ID, State, Status, Resource string

			Webhook  int
			Attempts []struct {
				Time  time.Time
				Error *string
			}
		}
	}
	if err := json.Unmarshal(x.answer.Body.Bytes(), &page); err != nil {
		s.fail("deliveries: %s", err)
	}
	began := 0
	if len(of.begun) > 0 {
		began = of.begun[len(of.begun)-1]
	}
	received, want := make(map[string][]string), make(map[string][]string)
	for _, e := range s.receiver.taken {
		if e.arrived > began {
			received[e.about] = append(received[e.about], e.state)
		}
	}
	for _, d := range page.Items {
		about := fmt.Sprint(d.Webhook, " ", d.Resource)
		switch n := len(d.Attempts); {
		case d.Status == "delivered":
			want[about] = append(want[about], d.State)
		case d.Status == "given-up" && n > 1 && d.Attempts[n-1].Time.Sub(d.Attempts[0].Time) > 24*time.Hour:
		default:
			s.fail("%s of %s is %s after %d attempts", d.ID, about, d.Status, n)
		}
	}
	for about, states := range want {
		got := received[about]
		if s.plan.frozen && len(got) > len(states) {
			s.fail("%s: the receiver got %v, and the events are %v", about, got, states)
		}
		for _, state := range states {
			at := slices.Index(got, state)
			if at < 0 {
				s.fail("%s: the receiver got %v, and the events are %v", about, received[about], states)
				break
			}
			got = got[at+1:]
		}
	}
}

// checkJournal checks that each answered request is in the journal of its world, once.
func (s *simulation) checkJournal(of *seen) {
	x := s.ask(0, of, operation{method: "GET", path: lab.Control + "journal?limit=1000", reads: true})
	if x.answer == nil {
		return
	}
	var page struct{ Items []struct{ ID string } }
	if err := json.Unmarshal(x.answer.Body.Bytes(), &page); err != nil {
		s.fail("journal: %s", err)
	}
	entries := make(map[string]int)
	for _, e := range page.Items {
		entries[e.ID]++
	}
	for _, x := range of.exchanges {
		id := x.answer.Header().Get("Understudy-Request-Id")
		began := slices.ContainsFunc(of.begun, func(step int) bool { return step >= x.called })
		mine := s.plan.machines > 1 || x.machine == s.machines[0]
		if n := entries[id]; id != "" && !x.unknown && !began && mine && n != 1 {
			s.fail("%s, answered at step %d, is in the journal %d times", x.operation, x.ended, n)
			return
		}
	}
}
