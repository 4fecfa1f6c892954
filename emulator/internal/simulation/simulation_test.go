package simulation

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

var (
	oneSeed  = flag.String("seed", "", "print the simulation of one seed")
	seeds    = flag.Uint64("seeds", 60, "simulate so many seeds")
	first    = flag.Uint64("first", 0, "from this one on")
	requests = flag.Int("requests", 200, "about so many in each simulation")
)

// simulate runs a plan in a bubble.
func simulate(t *testing.T, p plan, trace bool) *simulation {
	var s *simulation
	synctest.Test(t, func(*testing.T) {
		s = &simulation{plan: p, disk: newDisk(), machines: make([]*machine, p.machines), trace: trace}
		for _, key := range []string{modelKey, runningKey} {
			s.worlds = append(s.worlds, &seen{key: key, id: world.IDOf(key), used: time.Now()})
		}
		for i := range clients {
			c := &client{sim: s, name: fmt.Sprint("client ", i+1), todo: make(chan func())}
			s.clients = append(s.clients, c)
			go c.run()
		}
		s.run()
		s.ended = time.Since(s.began)
	})
	if len(s.broken) == 0 {
		s.checkModel(s.worlds[0])
	}
	return s
}

// TestMain uses one core, on which a plan runs the same each time: run two processes, with -first, to use two. It makes what is made
// once in a process, which must not be in a bubble.
func TestMain(m *testing.M) {
	flag.Parse()
	if *oneSeed != "" {
		_ = flag.Set("test.run", "^TestSeeds$")
	}
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(800)
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	temporary = folder
	_ = os.Setenv("TMPDIR", folder)
	if e, err := emulator.New(); err == nil {
		_ = e.Close()
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// Every seed obeys the model and the laws.
func TestSeeds(t *testing.T) {
	if *oneSeed != "" {
		seed, err := strconv.ParseUint(*oneSeed, 10, 64)
		if err != nil {
			t.Fatalf("-seed %s: write a whole number from 0 on, such as 42", *oneSeed)
		}
		p := planOf(seed, *requests)
		if s := simulate(t, p, false); len(s.broken) > 0 {
			p = shrunk(t, p)
		}
		s := simulate(t, p, true)
		t.Logf("%s\n%s", s.plan, s.report())
		if len(s.broken) > 0 {
			t.Errorf("seed %d: %s", seed, s.broken[0])
		}
		return
	}
	began, operations := time.Now(), 0
	for seed := *first; seed < *first+*seeds && !t.Failed(); seed++ {
		s := simulate(t, planOf(seed, *requests), false)
		for _, of := range s.worlds {
			operations += len(of.exchanges)
		}
		if len(s.broken) > 0 {
			t.Errorf("seed %d: %s", seed, strings.Join(s.broken, "\n"))
		}
	}
	t.Logf("%d seeds, %d operations, %s", *seeds, operations, time.Since(began).Round(time.Second))
}

// A seed is the same table each time.
func TestSame(t *testing.T) {
	for seed := range uint64(same) {
		p := planOf(*first+seed, 100)
		a, b := strings.Split(simulate(t, p, true).report(), "\n"), strings.Split(simulate(t, p, true).report(), "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Errorf("seed %d: once\n%s\nand once\n%s", p.seed, strings.Join(a[max(0, i-3):i+1], "\n"), b[i])
				break
			}
		}
	}
}

const same = 10

// shrunk returns the fewest steps of a plan that break the same law, by leaving out ever smaller parts.
func shrunk(t *testing.T, p plan) plan {
	law := func(p plan) string {
		s := simulate(t, p, false)
		if len(s.broken) == 0 {
			return ""
		}
		return strings.Join(strings.FieldsFunc(s.broken[0], func(r rune) bool { return !unicode.IsLetter(r) })[:3], " ")
	}
	broken := law(p)
	for part := len(p.steps) / 2; part > 0; part /= 2 {
		for at := 0; at+part <= len(p.steps); {
			fewer := p
			fewer.steps = slices.Delete(slices.Clone(p.steps), at, at+part)
			if law(fewer) == broken {
				p = fewer
			} else {
				at += part
			}
		}
	}
	return p
}

// report is the history as a table of who did what when.
func (s *simulation) report() string {
	var text strings.Builder
	slices.SortStableFunc(s.history, func(a, b row) int {
		order := cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.at, b.at), cmp.Compare(a.who, b.who))
		if strings.HasPrefix(a.what, "logs") && strings.HasPrefix(b.what, "logs") { // of two clients at once
			order = cmp.Or(order, cmp.Compare(a.what, b.what))
		}
		return order
	})
	for _, r := range s.history {
		fmt.Fprintf(&text, "%5d %9s  %-10s %s\n", r.step, r.at, r.who, r.what)
	}
	return text.String()
}
