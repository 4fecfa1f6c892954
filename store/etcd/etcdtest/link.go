package etcdtest

import (
	"net"
	"sync"
	"testing"
)

// Link is a way to a member: what comes to its endpoint is passed on, until a test has it fail.
type Link struct {
	Endpoint string // HOST:PORT, to be used in place of the member's

	to string

	mu       sync.Mutex
	cut      bool
	requests *gate // for what goes to the member
	answers  *gate // for what comes from it
	open     map[net.Conn]struct{}
}

// NewLink returns a way to an address, which ends with the test.
func NewLink(t testing.TB, to string) *Link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{
		Endpoint: listener.Addr().String(), to: to,
		requests: newGate(), answers: newGate(), open: make(map[net.Conn]struct{}),
	}
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
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	for c := range l.open {
		c.Close()
	}
	l.requests.release()
	l.answers.release()
}

// Hold keeps back whatever is sent, both ways, as a network that swallows packets does; nobody is told. Connections can
// be made still.
func (l *Link) Hold() {
	l.requests.hold()
	l.answers.hold()
}

// HoldAnswers keeps back what comes from the member. Requests go through.
func (l *Link) HoldAnswers() { l.answers.hold() }

// Heal has the link work again. What it held back arrives late.
func (l *Link) Heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
	l.requests.release()
	l.answers.release()
}

func (l *Link) serve(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", l.to)
	if err != nil || !l.add(from, to) {
		return // as a connection that is refused
	}
	defer l.remove(from, to)
	var passing sync.WaitGroup
	passing.Go(func() { pass(to, from, l.requests) })
	passing.Go(func() { pass(from, to, l.answers) })
	passing.Wait()
}

// add takes connections in, unless the link is cut.
func (l *Link) add(from, to net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		to.Close()
		return false
	}
	l.open[from], l.open[to] = struct{}{}, struct{}{}
	return true
}

func (l *Link) remove(from, to net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, from)
	delete(l.open, to)
}

// pass passes on what one sends to the other, as the gate lets it, until one of them ends.
func pass(to, from net.Conn, g *gate) {
	defer to.Close()
	defer from.Close()
	for buffer := make([]byte, 32<<10); ; {
		n, err := from.Read(buffer)
		if n > 0 {
			g.wait()
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// gate holds back whoever comes to it, or lets all through.
type gate struct {
	mu   sync.Mutex
	free *sync.Cond
	held bool
}

func newGate() *gate {
	g := &gate{}
	g.free = sync.NewCond(&g.mu)
	return g
}

func (g *gate) hold() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = true
}

func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = false
	g.free.Broadcast()
}

func (g *gate) wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.held {
		g.free.Wait()
	}
}
