package emulator_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
)

// heap is what the process holds, in bytes, after what nobody needs has gone.
func heap() int64 {
	var figures runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers held in the first
	runtime.ReadMemStats(&figures)
	return int64(figures.HeapAlloc)
}

// onDisk is how large the files of a folder are that the process has open: a temporary store has no name.
func onDisk(t *testing.T, folder string) (size int64) {
	t.Helper()
	open, err := filepath.Glob("/proc/self/fd/*")
	noError(t, err)
	for _, descriptor := range open {
		name, err := os.Readlink(descriptor)
		if err != nil || !strings.HasPrefix(name, folder) {
			continue // it was closed meanwhile, or is another file
		}
		info, err := os.Stat(descriptor)
		noError(t, err)
		size += info.Size()
	}
	if size == 0 {
		t.Fatal("the store is not in " + folder)
	}
	return size
}

// Contract 3: a world is made at first use, of whatever key. So somebody may make any number: they cost room on the disk,
// which is used again when they are forgotten, and in memory what the journal and the caches may take, however many.
func TestWorlds_without_number_cost_no_memory_and_go_with_their_time(t *testing.T) {
	keys := 100_000
	if testing.Short() || os.Getenv("CI") != "true" {
		keys = 5_000
	}
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	s := newSweeper(t, emulator.WithStore(opened(t, "temp")))

	ask := func(number int) {
		t.Helper()
		var running sync.WaitGroup
		const clients = 8
		for range clients {
			running.Go(func() {
				for range number / clients {
					if a := direct(s, "svc_sk_test_"+rand.Text(), "GET", "/verification-requests/vr_lifecycle?fields=state", ""); a.Code != 200 {
						t.Errorf("status %d", a.Code)
					}
				}
			})
		}
		running.Wait()
	}
	ask(1000) // which fill the caches
	memory, disk := heap(), onDisk(t, folder)
	ask(keys)
	grown, size := heap()-memory, onDisk(t, folder)
	t.Logf("%d worlds: %d MiB of memory more, %d bytes of disk each", keys, grown>>20, (size-disk)/int64(keys))
	const journals = 64 << 20 // what they may take together
	if grown > journals+32<<20 {
		t.Errorf("%d worlds take %d MiB of memory", keys, grown>>20)
	}
	if each := size / int64(keys); each > 8<<10 {
		t.Errorf("a world takes %d bytes of disk", each)
	}

	<-s.looks
	if s.look(t, 2*time.Hour); s.worlds(t) > 0 {
		t.Fatal("there are worlds still that nobody used")
	}
	ask(keys / 2)
	if again := onDisk(t, folder); again > size+size/4 { // half as much again, if the room were not used anew
		t.Errorf("half as many worlds, after those have gone, take %d bytes of disk more", again-size)
	}
}

// What is small to send and large to read: the answer comes at once, and is a refusal.
func TestBody_that_blows_up_is_refused(t *testing.T) {
	t.Parallel()
	c := start(t)
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
		began := time.Now()
		r := c.Send(tt.method, control+tt.path, tt.body)
		if took := time.Since(began); r.Status < 400 || r.Status >= 500 || took > time.Minute {
			t.Errorf("%s: %d after %s: %.200s", name, r.Status, took, r.Body)
		}
	}
	for _, body := range []string{deep, `{"metadata":{` + strings.Repeat(`"a":"b",`, 100_000) + `"c":"d"}}`, `{"name":` + strings.Repeat("1", 1_000_000) + `}`} {
		if r := c.Put("/tenant-properties/tp_default", body); r.Status != http.StatusBadRequest {
			t.Errorf("%.20s: %d", body, r.Status)
		}
	}
}
