package emulator_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// soakFor has the soak go on for a time, and not for a number of rounds:
//
//	go test -race ./emulator -run Soak -soak 20m -timeout 30m
var soakFor = flag.Duration("soak", 0, "how long the soak test takes; 0: some hundreds of rounds a client")

// Mixed traffic of many clients, with reloads, resets, snapshots, faults and moves of clocks: every answer is one that the
// OpenAPI document allows and that the client's own world explains, and nothing leaks.
func TestSoak_leaves_nothing_behind(t *testing.T) {
	folder := t.TempDir()
	writeScenario(t, folder, 0)
	real := emulator.WithClock(emulator.Clock{})
	url := serve(t, real, emulator.WithStore(opened(t, "file:")), emulator.WithScenarios(folder), emulator.WithJournalSize(200))
	client := manyClients(t)

	clients := make([]*soaker, 8)
	for i := range clients {
		clients[i] = &soaker{
			t:      t,
			Client: apitest.New(t, url, fmt.Sprintf("svc_sk_test_soak-%d", i)).Via(client),
			chance: rand.New(rand.NewPCG(1, uint64(i))),
		}
	}
	soak := func(rounds int, span time.Duration) figures {
		began := time.Now()
		var running sync.WaitGroup
		for _, c := range clients {
			running.Go(func() {
				for n := 0; n < rounds || time.Since(began) < span; n++ {
					c.round()
				}
			})
		}
		running.Go(func() {
			for n := 0; n < rounds/10 || time.Since(began) < span; n++ {
				writeScenario(t, folder, n)
				clients[0].With("Authorization", "Bearer svc_sk_test_soak-reload").Get("/verification-requests/vr_soak")
			}
		})
		running.Wait()
		client.CloseIdleConnections()
		return measure(t)
	}
	rounds := atFullSize(400)
	soak(rounds/2, 0) // until caches are full
	before := soak(rounds, *soakFor/2)
	after := soak(rounds, *soakFor/2)
	t.Logf("between the halves: %+v, at the end: %+v", before, after)
	if after.goroutines > before.goroutines+8 || after.descriptors > before.descriptors+8 {
		t.Errorf("goroutines and descriptors went from %+v to %+v", before, after)
	}
	if after.heap > before.heap+before.heap/4+4<<20 {
		t.Errorf("the heap went from %d to %d MiB", before.heap>>20, after.heap>>20)
	}
}

func writeScenario(t *testing.T, folder string, n int) {
	t.Helper()
	save(t, filepath.Join(folder, "soak.yaml"), fmt.Sprintf("name: soak\ntitle: Number %d\nmagic: {verification_request: vr_soak}\n", n))
}

// figures are what must not grow.
type figures struct {
	goroutines, descriptors int
	heap                    uint64
}

// measure measures, once what was let go is gone.
func measure(t *testing.T) figures {
	t.Helper()
	for before := runtime.NumGoroutine() + 1; runtime.NumGoroutine() < before; runtime.GC() {
		before = runtime.NumGoroutine()
	}
	f := figures{goroutines: runtime.NumGoroutine()}
	open, err := os.ReadDir("/proc/self/fd")
	noError(t, err)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f.descriptors, f.heap = len(open), m.HeapAlloc
	return f
}

// soaker is a client with a world of its own, which knows how often it has read vr_lifecycle there.
type soaker struct {
	*apitest.Client

	t      *testing.T
	chance *rand.Rand
	reads  int
	saved  []byte // a snapshot, taken when there had been so many reads:
	then   int
}

// rounds are what clients do, "METHOD PATH BODY; METHOD PATH BODY". %d is a number of minutes, {vr} is of the last session.
var rounds = []string{
	`POST reset`,
	`GET snapshot`,
	`PUT snapshot`,
	`POST clock/advance {"by":"%dm"}`,
	`POST faults {"rule":{"on":"update","respond":{"status":500},"times":2}}`,
	`DELETE faults`,
	`PUT scenarios/mine {"name":"mine","title":"Mine","magic":{"verification_request":"vr_mine"}}; GET /verification-requests/vr_mine`,
	`POST /credentials/session SESSION(000-12-3456); PUT /verification-requests/{vr}/cancel {"cancellation_reason":"other"}`,
	`PUT /tenant-properties/tp_default {"name":"Quay"}`,
	`GET /qualification-checks/qc_not_qualified`,
	`GET journal?limit=20; POST journal/verify {"operation":"cancelVerificationRequest","times":{"at_least":0}}`,
	`GET verification-requests?limit=50; GET info`,
	`GET /verification-requests/vr_large?income_analytics=true; GET /verification-requests/vr_nobody`,
	`GET /verification-requests/vr_lifecycle_timed`,
	`GET /verification-requests/vr_lifecycle?fields=state`,
	`GET /verification-requests/vr_lifecycle?fields=state`,
}

// round does one of the rounds.
func (s *soaker) round() {
	vr := "vr_none"
	for ask := range strings.SplitSeq(rounds[s.chance.IntN(len(rounds))], "; ") {
		ask = strings.NewReplacer("%d", fmt.Sprint(1+s.chance.IntN(90)), "{vr}", vr).Replace(withSessions(ask))
		method, path, body := splitRequest(ask)
		if ask == "PUT snapshot" {
			if body = string(s.saved); s.saved == nil {
				return
			}
		}
		r := s.Send(method, path, bodyOf(body))
		if id := madeID.FindSubmatch(r.Body); r.Status == 201 && id != nil {
			vr = "vr_" + string(id[2])
		}
		switch {
		case ask == "POST reset":
			s.reads = 0
		case ask == "GET snapshot":
			s.saved, s.then = r.Body, s.reads
		case ask == "PUT snapshot" && r.Status < 300:
			s.reads = s.then
		case path == "/verification-requests/vr_lifecycle?fields=state": // it moves with each read, in a world that nobody else knows
			states := []api.State{api.StatePendingApproval, api.StateProcessing, api.StateCompleted}
			if want := states[min(s.reads, 2)]; string(r.Body) != `{"state":"`+string(want)+`"}` {
				s.t.Errorf("read %d of vr_lifecycle shows %s, not %s", s.reads+1, r.Body, want)
			}
			s.reads++
		}
	}
}
