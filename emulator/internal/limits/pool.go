package limits

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Owner is who takes a place: the client at an address, and the world that it asks about, "" for none.
type Owner struct{ Addr, World string }

// pool is what all requests share: a number of units, of which a client has three quarters at most, and a world half. The
// clients behind one proxy count as one.
type pool struct {
	size   int64
	wait   time.Duration // for a place
	status int           // of the refusal
	what   string        // the refusal, after its subject

	mu     sync.Mutex
	shares map[string]*share
}

// share is a part of a pool; it is deleted when nobody has anything of it.
type share struct {
	*semaphore.Weighted
	users int
}

// grant is units of a pool, by the shares that they are of.
type grant struct {
	pool *pool
	held map[string]int64
}

// take waits for n units. A larger request than a share gets the whole share. The error is the refusal of whose share is full.
func (p *pool) take(ctx context.Context, n int64, of Owner) (*grant, *api.Error) {
	waiting, cancel := context.WithTimeout(ctx, p.wait)
	defer cancel()
	client, _, _ := net.SplitHostPort(of.Addr)
	taken := &grant{p, make(map[string]int64)}
	for _, part := range []struct {
		owner   string
		size    int64
		nobody  bool
		subject string
	}{
		{"world " + of.World, p.size / 2, of.World == "", "This world"},
		{"client " + client, p.size * 3 / 4, client == "", "This client"},
		{"", p.size, false, "The server"},
	} {
		if part.nobody {
			continue
		}
		s, units := p.open(part.owner, part.size), min(n, part.size)
		if !s.TryAcquire(units) && (p.wait == 0 || s.Acquire(waiting, units) != nil) {
			p.close(part.owner)
			taken.release()
			refusal := api.NewError(p.status, part.subject+p.what)
			refusal.SetHeader("Retry-After", "1")
			if p.status != http.StatusTooManyRequests { // of the control plane, which has no diagnosis
				refusal.Message, refusal.Diagnosis = refusal.Diagnosis, ""
			}
			return nil, refusal
		}
		taken.held[part.owner] = units
	}
	return taken, nil
}

func (p *pool) open(owner string, size int64) *share {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.shares[owner]
	if s == nil {
		s = &share{Weighted: semaphore.NewWeighted(size)}
		p.shares[owner] = s
	}
	s.users++
	return s
}

func (p *pool) close(owner string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shares[owner].users--; p.shares[owner].users == 0 {
		delete(p.shares, owner)
	}
}

// reduce gives back all but n units.
func (t *grant) reduce(n int64) {
	for owner, units := range t.held {
		if units > n {
			t.pool.share(owner).Release(units - n)
			t.held[owner] = n
		}
	}
}

func (p *pool) share(owner string) *share {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shares[owner]
}

// release gives all back. It may be called several times, and for no place.
func (t *grant) release() {
	if t == nil {
		return
	}
	t.reduce(0)
	for owner := range t.held {
		t.pool.close(owner)
	}
	clear(t.held)
}
