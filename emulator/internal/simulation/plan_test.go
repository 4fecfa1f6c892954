package simulation

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// plan is all that happens in a simulation. A plan with fewer steps is a plan, too.
type plan struct {
	seed     uint64
	machines int  // with one emulator each, on one store
	calm     bool // nothing fails
	frozen   bool // and no time passes, so that nobody takes over what another one does
	ttl      bool // unused worlds are deleted
	small    bool // processes have little memory
	steps    []step
}

// step is one choice. Its number draws what it needs, so that it does the same in a shorter plan.
type step struct {
	kind   kind
	number uint64
}

type kind int

const (
	act      kind = iota // a client sends a request
	release              // somebody who waits goes on
	pass                 // time passes
	kill                 // a process dies while one of its calls waits
	restart              // one that is dead starts retry
	network              // a machine is cut off from the store, or comes back
	capacity             // the store is full, or has room retry
	leader               // the store elects a leader: all watches end
	turn                 // a machine's clock is set
	hangUp               // a client leaves before its answer
	folder               // the folder for temporary files is gone, or comes back
)

// clients is how many send requests at a time.
const clients = 4

// planOf draws the plan of a seed, with about so many requests.
func planOf(seed uint64, requests int) plan {
	r := rand.New(rand.NewPCG(seed, 36))
	p := plan{seed: seed, machines: []int{1, 1, 1, 2, 2, 3, 3, 5}[r.IntN(8)], calm: r.IntN(4) == 0, ttl: r.IntN(3) == 0}
	p.frozen = p.calm && r.IntN(2) == 0
	p.small = !p.calm && r.IntN(8) == 0
	for acts := 0; acts < requests; {
		s := step{kind: p.draw(r.IntN(1000)), number: r.Uint64()}
		if s.kind == act {
			acts++
		}
		p.steps = append(p.steps, s)
	}
	return p
}

// draw returns a kind by its share of 1,000.
func (p plan) draw(n int) kind {
	for _, share := range []struct {
		kind   kind
		of     int
		faulty bool
	}{
		{act, 340, false}, {pass, 50, false}, {turn, 4, true}, {kill, 8, true}, {restart, 24, true}, {network, 10, true}, {capacity, 8, true},
		{leader, 4, true}, {hangUp, 10, true}, {folder, 4, true},
	} {
		if n -= share.of; n < 0 {
			if share.faulty && p.calm || share.kind == pass && p.frozen {
				break
			}
			return share.kind
		}
	}
	return release
}

// spans are how long time passes: within the waits of the product, about them, and beyond.
var spans = []time.Duration{time.Second, 3 * time.Second, 11 * time.Second, 31 * time.Second, 61 * time.Second, 4 * time.Minute}

// verdictOf draws what becomes of a call.
func (p plan) verdictOf(n uint64) verdict {
	if p.calm {
		return goOn
	}
	switch n / 7 % 40 {
	case 0:
		return retry
	case 1:
		return refuse
	case 2:
		return drop
	case 3:
		return lose
	}
	return goOn
}

func (p plan) String() string {
	faults := "with faults"
	if p.calm {
		faults = "without faults"
	}
	return fmt.Sprintf("seed %d: %d emulators on one store, %s, %d steps", p.seed, p.machines, faults, len(p.steps))
}
