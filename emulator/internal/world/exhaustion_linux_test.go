package world_test

import (
	"fmt"
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
