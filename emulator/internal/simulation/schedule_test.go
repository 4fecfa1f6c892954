package simulation

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"
)

// simulation is a run of a plan. Its fields are changed by the scheduler, while all others are parked, unless mu guards them.
type simulation struct {
	plan     plan
	disk     *disk
	full     bool // the disk
	homeless bool // there is no folder for temporary files
	free     bool // nobody waits for the scheduler
	ending   bool // all processes have been killed
	machines []*machine
	clients  []*client
	worlds   []*seen
	receiver receiver
	now      int // the step

	mu      sync.Mutex
	waiting []*parked
	history []row
	broken  []string // laws that do not hold, the first decides

	trace bool
	ended time.Duration
	began time.Time
}

// row is a line of the report.
type row struct {
	step      int
	at        time.Duration
	who, what string
}

// parked is a call that waits until the scheduler lets it go on.
type parked struct {
	machine  *machine
	by       string // who calls
	what, on string // what it does, and with what
	changes  int    // writes that it would make
	answer   chan verdict
}

// park waits for the scheduler.
func (s *simulation) park(p *parked) verdict {
	v, _ := s.parkUntil(p, nil)
	return v
}

// parkUntil is park for a caller that does not wait for ever; ok is false when it has given up.
func (s *simulation) parkUntil(p *parked, done <-chan struct{}) (v verdict, ok bool) {
	if s.free {
		return goOn, true
	}
	if p.machine.dead.Load() {
		return dieBefore, true
	}
	p.answer = make(chan verdict, 1)
	s.mu.Lock()
	s.waiting = append(s.waiting, p)
	s.mu.Unlock()
	select {
	case v = <-p.answer:
		return v, true
	case <-done:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waiting = slices.DeleteFunc(s.waiting, func(other *parked) bool { return other == p })
		return v, false
	}
}

// take takes the n-th of the calls that wait, in an order that does not depend on Go's scheduler; nil for none.
func (s *simulation) take(n uint64, of func(*parked) bool) *parked {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortStableFunc(s.waiting, func(a, b *parked) int {
		return cmp.Or(cmp.Compare(a.machine.name, b.machine.name), cmp.Compare(a.by, b.by), cmp.Compare(a.what, b.what), cmp.Compare(a.on, b.on))
	})
	var found []int
	for i, p := range s.waiting {
		if of == nil || of(p) {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return nil
	}
	at := found[n%uint64(len(found))]
	p := s.waiting[at]
	s.waiting = slices.Delete(s.waiting, at, at+1)
	return p
}

type callerKey struct{}

// calls are the functions by which a call in the background differs from others.
var calls = []struct{ function, name string }{
	{"journal.(*shared).commit", "journal"}, {"sender.(*Sender).renew", "claim"}, {"sender.(*Sender).attempt", "attempt"}, {"sender.(*Sender).look", "look"}, {"sender.(*Sender).Complete", "look of a call"},
	{"sender.(*Sender).watch", "watch"}, {"registry.(*Collector).CollectUntil", "collect"}, {"emulator.(*Emulator).sweep", "sweep"}, {"emulator.New", "start"},
}

// callerOf names who calls the store: a client, or a function of the background.
func callerOf(ctx context.Context) (name string) {
	if name, _ := ctx.Value(callerKey{}).(string); name != "" {
		return name
	}
	var pcs [64]uintptr
	for _, pc := range pcs[:runtime.Callers(3, pcs[:])] {
		called, ok := callers.Load(pc)
		if !ok {
			called = callAt(pc)
			callers.Store(pc, called)
		}
		name = cmp.Or(called.(string), name)
	}
	return name
}

var callers sync.Map // of the names of calls by their places in the program

// callAt returns the name of the call at a place in the program, "" for another one.
func callAt(pc uintptr) (name string) {
	frames := runtime.CallersFrames([]uintptr{pc})
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		for _, call := range calls {
			if strings.Contains(frame.Function, call.function) {
				name = call.name
			}
		}
	}
	return name
}

// random is what no seed draws: ids of requests.
var random = regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}\b`)

// note adds a row to the report.
func (s *simulation) note(who, what string, args ...any) {
	if s.trace {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.broken) > 0 {
			return // the report ends with what is wrong
		}
		text := strings.ReplaceAll(random.ReplaceAllString(fmt.Sprintf(what, args...), ""), temporary, "TMPDIR")
		for _, of := range s.worlds {
			text = strings.ReplaceAll(text, of.id, strings.TrimPrefix(of.key, "svc_sk_test_"))
		}
		s.history = append(s.history, row{s.now, s.passed().Round(time.Millisecond), who, text[:min(len(text), 240)]})
	}
}

// fail notes that a law does not hold.
func (s *simulation) fail(law string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = append(s.broken, fmt.Sprintf(law, args...))
}

// run carries out the plan, then lets everything come to rest, and checks.
func (s *simulation) run() {
	s.began = time.Now()
	for i := range s.machines {
		s.machines[i] = s.start(i, 0)
	}
	s.drain(0)
	for i, step := range s.plan.steps {
		s.now = i + 1
		synctest.Wait()
		if s.perform(step); len(s.broken) > 0 {
			break
		}
	}
	s.now++
	synctest.Wait() // for who was killed last
	s.rest()
}

func (s *simulation) perform(st step) {
	n := st.number
	m := s.machines[n%uint64(len(s.machines))]
	switch st.kind {
	case act:
		if !s.act(n) {
			s.next(n)
		}
	case release:
		s.next(n)
	case pass:
		span := spans[n/5%uint64(len(spans))]
		s.note("time", "%s pass", span)
		sleep(span)
	case kill:
		if p := s.take(n, func(p *parked) bool { return !p.machine.dead.Load() && p.machine.up() }); p != nil {
			s.release(p, []verdict{dieBefore, dieAfter}[n/3%2])
		}
	case restart:
		if m.dead.Load() {
			s.machines[m.index] = s.start(m.index, time.Duration(m.ahead.Load()))
		}
	case network:
		m.offline = !m.offline && s.plan.machines > 1
		s.note(m.name, "cut off from the store: %t", m.offline)
		if m.offline {
			s.disk.unwatch(func(w *watcher) bool { return w.machine == m })
		}
	case capacity:
		s.full = !s.full
		s.note("store", "full: %t", s.full)
	case leader:
		s.note("store", "elects a leader: all watches end")
		s.disk.unwatch(func(*watcher) bool { return true })
	case turn:
		by := []time.Duration{-10 * time.Minute, 10 * time.Minute, -time.Hour, time.Hour, -20 * time.Second, 20 * time.Second}[n/5%6]
		m.ahead.Add(int64(by))
		s.note(m.name, "its clock is set by %s", by)
	case hangUp:
		if c := s.clients[n/5%uint64(len(s.clients))]; c.busy {
			s.note(c.name, "leaves")
			c.hangUp()
		}
	case folder:
		s.setFolder(!s.homeless)
		s.note("folder", "for temporary files gone: %t", s.homeless)
	}
}

// next lets one go on who waits: a watcher receives what has changed, or a call is carried out.
func (s *simulation) next(n uint64) {
	if behind := s.disk.behind(); len(behind) > 0 && n/3%3 == 0 {
		w := behind[n/9%uint64(len(behind))]
		s.note(w.machine.name, "hears that %s… has changed", w.prefix)
		w.notify()
	} else if p := s.take(n, nil); p != nil {
		s.release(p, s.plan.verdictOf(n))
	}
}

// setFolder takes the folder for temporary files away, or gives it back.
func (s *simulation) setFolder(gone bool) {
	s.homeless = gone
	_ = os.Setenv("TMPDIR", map[bool]string{false: temporary, true: temporary + "/gone"}[gone])
}

var temporary string // the folder for temporary files

// release lets a call go on.
func (s *simulation) release(p *parked, v verdict) {
	s.note(p.machine.name, "%s %s %s (%d changes): it %s", p.by, p.what, p.on, p.changes, v)
	for _, c := range s.clients {
		if c.name == p.by {
			c.lost = c.lost || v == drop || v == lose
			c.refused = c.refused || v == refuse || v == drop || s.full
		}
	}
	if v == dieBefore {
		s.kill(p.machine)
	}
	p.answer <- v
}

// sleep lets time pass, and a moment more: which of two timers of one instant comes first is not the scheduler's choice.
func sleep(span time.Duration) { time.Sleep(span + time.Nanosecond) }

// drain lets time pass, and all go on who wait.
func (s *simulation) drain(span time.Duration) {
	end := time.Now().Add(span)
	for calls := 0; s.ending || len(s.broken) == 0; calls++ {
		synctest.Wait()
		if p := s.take(0, nil); p != nil {
			s.release(p, goOn)
			continue
		}
		if behind := s.disk.behind(); len(behind) > 0 {
			behind[0].notify()
			continue
		}
		busy := slices.ContainsFunc(s.clients, func(c *client) bool { return c.busy })
		left := time.Until(end)
		switch {
		case left <= 0 && !busy:
			return
		case calls > 6_000:
			s.fail("it never comes to rest")
			return
		}
		sleep(max(time.Second, min(left, 5*time.Second)))
	}
}

// passed is the time since the beginning; in the bubble, so that the checks outside it have the last.
func (s *simulation) passed() time.Duration {
	if s.ended == 0 {
		return time.Since(s.began)
	}
	return s.ended
}
