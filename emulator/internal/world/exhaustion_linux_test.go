package world_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// usage is what the process holds after a garbage collection. It must not grow.
type usage struct {
	goroutines, descriptors int
	heap                    int64
}

func measure(t *testing.T) usage {
	t.Helper()
	runtime.GC()
	for before := runtime.NumGoroutine() + 1; runtime.NumGoroutine() < before; runtime.GC() { // the second one frees what finalizers held in the first
		before = runtime.NumGoroutine()
	}
	open, err := os.ReadDir("/proc/self/fd")
	lab.NoError(t, err)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{goroutines: runtime.NumGoroutine(), descriptors: len(open), heap: int64(m.HeapAlloc)}
}

// onDisk returns the size of the open files of a folder. It looks at descriptors because a temporary store has no name.
func onDisk(t *testing.T, folder string) (size int64) {
	t.Helper()
	open, err := filepath.Glob("/proc/self/fd/*")
	lab.NoError(t, err)
	for _, descriptor := range open {
		name, err := os.Readlink(descriptor)
		if err != nil || !strings.HasPrefix(name, folder) {
			continue // closed meanwhile, or another file
		}
		info, err := os.Stat(descriptor)
		lab.NoError(t, err)
		size += info.Size()
	}
	if size == 0 {
		t.Fatal("the store is not in " + folder)
	}
	return size
}

// Any key makes a world at its first use. However many there are, memory is bounded by the caches, and the disk space of
// deleted worlds is used again. Journals have a bound of their own and are off here.
func TestWorldMemory(t *testing.T) {
	lab.OnlyCI(t)
	const keys = 25_000
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	s := newSweeper(t, emulator.WithStore(lab.Opened(t, "temp")), emulator.WithJournalSize(0))

	var made atomic.Int64
	ask := func(number int) {
		t.Helper()
		var running sync.WaitGroup
		const clients = 8
		for range clients {
			running.Go(func() {
				for range number / clients {
					if a := lab.Direct(s, fmt.Sprint("svc_sk_test_", made.Add(1)), "GET", "/verification-requests/vr_lifecycle?fields=state", ""); a.Code != 200 {
						t.Errorf("status %d", a.Code)
					}
				}
			})
		}
		running.Wait()
	}
	ask(keys) // fills the caches
	memory := measure(t).heap
	ask(keys)
	grown, size := measure(t).heap-memory, onDisk(t, folder)
	t.Logf("%d worlds: %d KiB of memory more, %d bytes of disk each", keys, grown>>10, size/int64(2*keys))
	if grown > keys*300+1<<20 {
		t.Errorf("%d worlds take %d KiB of memory", keys, grown>>10)
	}
	if each := size / int64(2*keys); each > 8<<10 {
		t.Errorf("a world takes %d bytes of disk", each)
	}

	s.look(t, 0)
	if s.look(t, 2*time.Hour); s.worlds(t) > 0 {
		t.Fatal("unused worlds were not deleted")
	}
	ask(keys)
	if now := onDisk(t, folder); now > size+size/4 { // size+size/2 if the space of deleted worlds were not used again
		t.Errorf("half as many worlds, after the others were deleted, take %d bytes of disk more", now-size)
	}
}

// A body that is small to send and large to parse is refused.
func TestBodyCostlyToParse(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	for range 10 {
		c.Put("/tenant-properties/tp_default", `{"name":"`+strings.Repeat("a", 10_000)+`"}`)
	}
	var laughs strings.Builder
	laughs.WriteString("name: mine\ntitle: Mine\nmagic: {verification_request: vr_mine}\na0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := range 30 {
		fmt.Fprintf(&laughs, "a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 8), i)
	}
	deep := strings.Repeat("[", 1_000_000)
	for name, tt := range map[string]struct{ method, path, body string }{
		"aliases of aliases":              {"PUT", "scenarios/mine", laughs.String()},
		"lists in lists, in YAML":         {"PUT", "scenarios/mine", "name: mine\nreports: " + deep[:10_000]},
		"lists in lists":                  {"PUT", "clock", deep},
		"lists in lists of a match":       {"POST", "journal/verify", `{"match":{"body":` + deep[:9_000] + strings.Repeat("]", 9_000) + `}}`},
		"a fault of lists in lists":       {"POST", "faults", `{"rule":` + deep[:9_000] + strings.Repeat("]", 9_000) + `}`},
		"an expression of expressions":    {"POST", "journal/verify", `{"match":{"path":{"matches":"((((a{100}){100}){100}){100})"}}}`},
		"an expression that is very long": {"POST", "journal/verify", `{"match":{"path":{"matches":"` + strings.Repeat("(a|b|", 100_000) + `"}}}`},
		"a body that is too large":        {"PUT", "clock", strings.Repeat(" ", 1<<20) + "{}"},
	} {
		if r := c.Send(tt.method, lab.Control+tt.path, tt.body); r.Status/100 != 4 {
			t.Errorf("%s: %d: %.200s", name, r.Status, r.Body)
		}
	}
	for _, body := range []string{deep, `{"metadata":{` + strings.Repeat(`"a":"b",`, 100_000) + `"c":"d"}}`, `{"name":` + strings.Repeat("1", 1_000_000) + `}`} {
		if r := c.Put("/tenant-properties/tp_default", body); r.Status != http.StatusBadRequest {
			t.Errorf("%.20s: %d", body, r.Status)
		}
	}
}

// soakFor runs the soak for a time, not for a number of rounds:
//
//	go test -race ./emulator/internal/world -run Soak -soak 20m -timeout 30m
var soakFor = flag.Duration("soak", 0, "how long the soak test takes; 0: some hundreds of rounds a client")

// Many clients send mixed traffic with reloads, resets, snapshots, faults and clock changes. Every answer is one that the
// OpenAPI document allows and that the state of the client's world explains, and nothing leaks.
func TestSoak(t *testing.T) {
	folder := t.TempDir()
	writeScenario(t, folder, 0)
	real := emulator.WithClock(emulator.Clock{})
	url := lab.Serve(t, real, emulator.WithStore(lab.Opened(t, "file:")), emulator.WithScenarios(folder), emulator.WithJournalSize(200))
	client := manyClients(t)

	clients := make([]*soaker, 8)
	for i := range clients {
		clients[i] = &soaker{
			t:      t,
			Client: apitest.New(t, url, fmt.Sprintf("svc_sk_test_soak-%d", i)).Via(client),
			chance: rand.New(rand.NewPCG(1, uint64(i))),
		}
	}
	soak := func(rounds int, span time.Duration) usage {
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
	rounds := lab.Scaled(12, 400)
	soak(rounds/2, 0) // fills the caches
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
	lab.Save(t, filepath.Join(folder, "soak.yaml"), fmt.Sprintf("name: soak\ntitle: Number %d\nmagic: {verification_request: vr_soak}\n", n))
}

// soaker is a client with a world of its own. It counts its reads of vr_lifecycle.
type soaker struct {
	*apitest.Client

	t      *testing.T
	chance *rand.Rand
	reads  int
	saved  []byte // a snapshot
	then   int    // reads when it was taken
}

// rounds are the requests of clients, "METHOD PATH BODY; METHOD PATH BODY". %d is a number of minutes, {vr} is the request
// of the last session.
var rounds = []string{
	`POST reset`,
	`GET snapshot`,
	`PUT snapshot`,
	`POST clock/advance {"by":"%dm"}`,
	`POST faults {"rule":{"on":"update","respond":{"status":500},"times":2}}`,
	`DELETE faults`,
	`PUT scenarios/mine {"name":"mine","title":"Mine","magic":{"verification_request":"vr_mine"}}; GET /verification-requests/vr_mine`,
	`POST /credentials/session SESSION(000-12-3456); GET credentials-sessions/{cs}; PUT /verification-requests/{vr}/cancel {"cancellation_reason":"other"}`,
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
	cs, vr := "cs_none", "vr_none"
	for ask := range strings.SplitSeq(rounds[s.chance.IntN(len(rounds))], "; ") {
		ask = strings.NewReplacer("%d", fmt.Sprint(1+s.chance.IntN(90)), "{cs}", cs, "{vr}", vr).Replace(lab.WithSessions(ask))
		method, path, body := lab.SplitRequest(ask)
		if ask == "PUT snapshot" {
			if body = string(s.saved); s.saved == nil {
				return
			}
		}
		r := s.Send(method, path, lab.BodyOf(body))
		if id := lab.MadeID.FindSubmatch(r.Body); r.Status == 201 && id != nil {
			cs = string(id[1])
		}
		vr = cmp.Or(lab.RequestIn(r.Body), vr)
		switch {
		case ask == "POST reset":
			s.reads = 0
		case ask == "GET snapshot":
			s.saved, s.then = r.Body, s.reads
		case ask == "PUT snapshot" && r.Status < 300:
			s.reads = s.then
		case path == "/verification-requests/vr_lifecycle?fields=state": // each read moves it, and no other client has this world
			states := []api.State{api.StatePendingApproval, api.StateProcessing, api.StateCompleted}
			if want := states[min(s.reads, 2)]; string(r.Body) != `{"state":"`+string(want)+`"}` {
				s.t.Errorf("read %d of vr_lifecycle shows %s, not %s", s.reads+1, r.Body, want)
			}
			s.reads++
		}
	}
}
