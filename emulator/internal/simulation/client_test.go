package simulation

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
)

// Two worlds: the model has one, with a frozen clock; the clock of the other runs, and its requests obey laws.
const (
	modelKey   = "svc_sk_test_model"
	runningKey = "svc_sk_test_running"
)

// seen is what clients have seen of a world.
type seen struct {
	key, id    string
	operations []porcupine.Operation // of the model's world
	exchanges  []exchange
	begun      []int     // the steps at which it began another generation, or ended
	generation int64     // of its record; 0: none
	used       time.Time // when a client sent the last request that was answered
}

// exchange is a request and its answer.
type exchange struct {
	operation     operation
	called, ended int // steps
	answer        *httptest.ResponseRecorder
	sent          time.Time
	answered      time.Time
	unknown       bool // its outcome
	unread        bool // its body
	unused        bool // it may not be stored as a use of the world
	machine       *machine
}

// client sends one request at a time.
type client struct {
	sim  *simulation
	name string
	todo chan func()
	busy bool
	lost bool // the answer to one of its transactions, or what became of it
	left context.CancelFunc

	refused bool // one of its transactions was, or was lost: a use of the world may not be stored

	repeat *operation // without an answer, to be sent once more
	of     *seen
}

func (c *client) run() {
	for do := range c.todo {
		do()
		c.busy = false
	}
}

func (c *client) hangUp() { c.left() }

// act lets a client send a request, if one is idle and an emulator is up.
func (s *simulation) act(n uint64) bool {
	idle := slices.DeleteFunc(slices.Clone(s.clients), func(c *client) bool { return c.busy })
	m := s.machines[n/11%uint64(len(s.machines))]
	if len(idle) == 0 || !m.up() {
		return false
	}
	c := idle[n%uint64(len(idle))]
	of, draw := s.worlds[0], modelOperation
	if n/13%5 < 2 {
		of, draw = s.worlds[1], runningOperation
	}
	op := draw(n / 17)
	if c.repeat != nil {
		of, op = c.of, *c.repeat
	}
	if s.plan.small && n/29%8 == 0 {
		op.body += strings.Repeat(" ", bodies)
	}
	slow := n/23%8 == 0
	s.send(c, m, of, op, slow)
	if twice := n/19%16 == 0; twice && len(idle) > 1 {
		s.send(idle[(n+1)%uint64(len(idle))], m, of, op, slow)
	}
	return true
}

// stall waits, before it reads or writes nothing, for the scheduler, which may end the connection.
type stall struct {
	http.ResponseWriter
	wait func(what string) error
}

func (s stall) Read([]byte) (int, error) { return 0, cmp.Or(s.wait("sends"), io.EOF) }

func (s stall) Write(part []byte) (int, error) {
	if err := s.wait("receives"); err != nil {
		return 0, err
	}
	return s.ResponseWriter.Write(part)
}

// send lets a client send a request; a slow one stalls within its body, and before it takes the answer.
func (s *simulation) send(c *client, m *machine, of *seen, op operation, slow bool) {
	s.note(c.name, "→ %s, %s: %s", m.name, strings.TrimPrefix(of.key, "svc_sk_test_"), op)
	x := exchange{operation: op, called: s.now, sent: time.Now(), machine: m}
	ctx, left := context.WithCancel(context.WithValue(context.Background(), callerKey{}, c.name))
	c.busy, c.lost, c.refused, c.left, c.repeat, c.of = true, false, false, left, nil, of
	c.todo <- func() {
		defer left()
		broken := "" // while it stalled so
		x.answer = httptest.NewRecorder()
		answer := stall{x.answer, func(what string) error {
			v, ok := goOn, true
			if slow && (op.body != "" || what != "sends") {
				v, ok = s.parkUntil(&parked{machine: m, by: c.name, what: what, on: op.path}, ctx.Done())
			}
			switch {
			case v == dieAfter:
				s.kill(m)
			case v != goOn && v != retry || !ok:
				left()
			default:
				return nil
			}
			broken = what
			return io.ErrUnexpectedEOF
		}}
		half := len(op.body) / 2
		body := io.MultiReader(strings.NewReader(op.body[:half]), answer, strings.NewReader(op.body[half:]))
		r, _ := http.NewRequestWithContext(ctx, op.method, "http://localhost"+op.path, body)
		r.ContentLength = int64(len(op.body))
		r.Header.Set("Authorization", "Bearer "+of.key)
		r.Header.Set("Content-Type", "application/json")
		r.RemoteAddr = "127.0.0.1:1"
		gone := func() (gone any) {
			defer func() { gone = recover() }()
			m.emulator.Load().ServeHTTP(answer, r)
			return nil
		}()
		x.ended, x.answered = s.now, time.Now()
		switch {
		case m.dead.Load():
			x.unknown = true
			s.note(c.name, "no answer: %s is dead", m.name)
		case gone == http.ErrAbortHandler:
			x.unknown = true
			s.note(c.name, "did not wait")
		case gone != nil:
			s.fail("panic: %v", gone)
		case ctx.Err() != nil && x.answer.Code == http.StatusBadRequest:
			x.unknown, x.unread = true, true
			s.note(c.name, "left before its body was read")
		case broken != "":
			x.unknown, x.unread = true, broken == "sends"
			s.note(c.name, "left while it %s", broken)
		default:
			s.note(c.name, "← %d %s", x.answer.Code, strings.TrimSpace(x.answer.Body.String()))
		}
		s.record(c, of, x)
	}
}

// record records a request and its answer for the checks.
func (s *simulation) record(c *client, of *seen, x exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	done := porcupine.Operation{Input: x.operation, Call: int64(2 * x.called), Return: int64(2*x.ended + 1)}
	diagnosis := x.answer.Header().Get("Understudy-Diagnosis")
	if x.unknown {
		c.repeat = &x.operation
	}
	noRoom := x.answer.Code == http.StatusInsufficientStorage || x.answer.Code == http.StatusServiceUnavailable
	noMemory := x.answer.Code == http.StatusTooManyRequests && strings.Contains(diagnosis+x.answer.Body.String(), "more memory")
	if noRoom && x.operation.path == restoreWorld.path { // for the snapshot, or for two at once: it has no effect
		return
	}
	if x.answer.Code == http.StatusInternalServerError && x.answer.Header().Get("Understudy-Scenario") != "flaky" || strings.Contains(diagnosis, "outcome is unknown") {
		x.unknown = true
		certain := !strings.HasPrefix(x.operation.path, lab.Control) // the control plane does not say
		if x.operation.reads || !strings.Contains(diagnosis, "outcome is unknown") && (certain || !c.lost) && !x.machine.dead.Load() {
			return // it has no effect
		}
	}
	large := s.plan.small && len(x.operation.body) > bodies && x.operation.method != http.MethodGet && x.operation.path != restoreWorld.path
	if noMemory || x.unknown && large {
		x.unknown, x.unread = true, true
	}
	x.unused = c.refused
	if of.exchanges = append(of.exchanges, x); !x.unknown && !x.unused && x.sent.After(of.used) {
		of.used = x.sent
	}
	if x.operation.apply == nil {
		return
	}
	switch {
	case x.unread:
		done.Output = unread
	case !x.unknown:
		output, err := answerOf(x.answer)
		if done.Output = output; err != nil {
			done.Output = fmt.Sprint(err, " ", x.answer.Code, x.answer.Body)
		}
	}
	done.ClientId = len(of.operations)
	of.operations = append(of.operations, done)
}

// committed looks at what a transaction has changed.
func (s *simulation) committed(p *parked, a *attempt) {
	for _, w := range a.writes {
		for _, of := range s.worlds {
			if w.Key == registry.RecordKey(of.id) {
				s.recorded(of, p, w.Value)
			}
		}
	}
}
