package journal

import "sync"

// Arrival is a request that was recorded. Without an id it is a journal that was cleared, or began anew.
type Arrival struct {
	World  string `json:"world"` // "" for none
	ID     string `json:"id"`
	Status int    `json:"status"` // 0 for a broken connection
}

// maxArrivals bounds the requests between two calls of [Arrivals.Take]: people read no faster.
const maxArrivals = 20

// Arrivals collects requests: see [Journal.Follow].
type Arrivals struct {
	mu    sync.Mutex
	first []Arrival
	more  bool
	wake  chan struct{}
}

// NewArrivals returns arrivals of no journal yet.
func NewArrivals() *Arrivals { return &Arrivals{wake: make(chan struct{}, 1)} }

// Wake returns a channel that receives when there is something to take.
func (a *Arrivals) Wake() <-chan struct{} { return a.wake }

// Take returns what came since the last call: the first requests, and whether there were others. A journal in a store that
// replicas share only says that there were some.
func (a *Arrivals) Take() (first []Arrival, more bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	first, more = a.first, a.more
	a.first, a.more = nil, false
	return first, more
}

func (a *Arrivals) add(arrived ...Arrival) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(arrived) == 0 || len(a.first) == maxArrivals {
		a.more = true
	} else {
		a.first = append(a.first, arrived...)
	}
	notify(a.wake)
}
