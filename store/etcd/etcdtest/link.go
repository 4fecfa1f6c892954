package etcdtest

import (
	"net"
	"sync"
	"testing"
)

// Link is a TCP proxy to a member that can fail as a network does.
type Link struct {
	Endpoint string // HOST:PORT, for the client instead of the member's

	target string

	mu           sync.Mutex
	changed      *sync.Cond // signals a change of the next three
	disconnected bool
	holdRequests bool
	holdAnswers  bool
	open         map[net.Conn]bool
}

// NewLink starts a link to an address. It ends with the test.
func NewLink(t testing.TB, target string) *Link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{Endpoint: listener.Addr().String(), target: target, open: make(map[net.Conn]bool)}
	l.changed = sync.NewCond(&l.mu)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return // the listener is closed
			}
			serving.Go(func() { l.serve(from) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		l.Disconnect()
		serving.Wait()
	})
	return l
}

// Disconnect closes all connections, and each new one at once. Held data is lost.
func (l *Link) Disconnect() {
	l.change(func() {
		l.disconnected = true
		for c := range l.open {
			c.Close()
		}
	})
}

// Hold holds data in both directions without an error, as a network that drops packets does. New connections are accepted.
func (l *Link) Hold() { l.change(func() { l.holdRequests, l.holdAnswers = true, true }) }

// HoldAnswers holds data from the member. Requests pass.
func (l *Link) HoldAnswers() { l.change(func() { l.holdAnswers = true }) }

// Heal restores the link. Held data arrives late.
func (l *Link) Heal() {
	l.change(func() { l.disconnected, l.holdRequests, l.holdAnswers = false, false, false })
}

func (l *Link) change(set func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	set()
	l.changed.Broadcast()
}

func (l *Link) serve(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", l.target)
	if err != nil {
		return // the client sees a connection that closes
	}
	defer to.Close()
	l.mu.Lock()
	if l.disconnected {
		l.mu.Unlock()
		return
	}
	l.open[from], l.open[to] = true, true
	l.mu.Unlock()
	var copying sync.WaitGroup
	copying.Go(func() { l.copy(to, from, &l.holdRequests) })
	copying.Go(func() { l.copy(from, to, &l.holdAnswers) })
	copying.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, from)
	delete(l.open, to)
}

// copy copies data from one connection to another, waiting while it is held, until one of them closes.
func (l *Link) copy(to, from net.Conn, hold *bool) {
	defer to.Close()
	defer from.Close()
	for buffer := make([]byte, 32<<10); ; {
		n, err := from.Read(buffer)
		if n > 0 {
			l.mu.Lock()
			for *hold && !l.disconnected {
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
