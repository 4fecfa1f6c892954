package etcdtest

import (
	"net"
	"sync"
	"testing"
)

// Link is a way to a member: what comes to its endpoint is passed on, until a test has it fail.
type Link struct {
	Endpoint string // HOST:PORT, to be used in place of the member's

	to      string
	mu      sync.Mutex
	changed *sync.Cond // cut, requests or answers

	cut               bool
	requests, answers bool // what goes to the member, and what comes from it, is held back
	open              map[net.Conn]bool
}

// NewLink returns a way to an address, which ends with the test.
func NewLink(t testing.TB, to string) *Link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{Endpoint: listener.Addr().String(), to: to, open: make(map[net.Conn]bool)}
	l.changed = sync.NewCond(&l.mu)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return // the test is over
			}
			serving.Go(func() { l.serve(from) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		l.Cut()
		serving.Wait()
	})
	return l
}

// Cut ends all connections, and each new one at once. What the link held back is lost.
func (l *Link) Cut() {
	l.change(func() {
		l.cut = true
		for c := range l.open {
			c.Close()
		}
	})
}

// Hold keeps back whatever is sent, both ways, as a network that swallows packets does; nobody is told. Connections can
// be made still.
func (l *Link) Hold() { l.change(func() { l.requests, l.answers = true, true }) }

// HoldAnswers keeps back what comes from the member. Requests go through.
func (l *Link) HoldAnswers() { l.change(func() { l.answers = true }) }

// Heal has the link work again. What it held back arrives late.
func (l *Link) Heal() { l.change(func() { l.cut, l.requests, l.answers = false, false, false }) }

func (l *Link) change(set func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	set()
	l.changed.Broadcast()
}

func (l *Link) serve(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", l.to)
	if err != nil {
		return // as a connection that is refused
	}
	defer to.Close()
	l.mu.Lock()
	if l.cut {
		l.mu.Unlock()
		return
	}
	l.open[from], l.open[to] = true, true
	l.mu.Unlock()
	var passing sync.WaitGroup
	passing.Go(func() { l.pass(to, from, &l.requests) })
	passing.Go(func() { l.pass(from, to, &l.answers) })
	passing.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, from)
	delete(l.open, to)
}

// pass passes on what one sends to the other, unless it is held, until one of them ends.
func (l *Link) pass(to, from net.Conn, held *bool) {
	defer to.Close()
	defer from.Close()
	for buffer := make([]byte, 32<<10); ; {
		n, err := from.Read(buffer)
		if n > 0 {
			l.mu.Lock()
			for *held && !l.cut {
				l.changed.Wait()
			}
			l.mu.Unlock()
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
