package serve

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store"
)

// A process that is killed during many writes loses no acknowledged write, and leaves none half done. The simulation kills more.
func TestKill(t *testing.T) {
	t.Parallel()
	file := "file:" + filepath.Join(t.TempDir(), "understudy.db")
	writers := newWriters()
	for round := range 3 {
		s := commandtest.StartProcess(t, "--store", file)
		writers.check(t, s.URL)
		writers.write(t, s.URL, 10*(round+1), s.Kill) // whatever the other writers do
		wantWhole(t, file)
	}
	writers.check(t, commandtest.StartServer(t, "--store", file).URL)
}

// wantWhole wants bbolt's check of a closed file to pass.
func wantWhole(t *testing.T, spec string) {
	t.Helper()
	if err := store.Check(strings.TrimPrefix(spec, "file:")); err != nil {
		t.Error(err)
	}
}

// writers are clients, each with its own world, that count up the name of a property. They record what was acknowledged.
type writers []int // the last name of each

func newWriters() writers { return make(writers, 8) }

func (writers) key(i int) string { return fmt.Sprint("svc_sk_test_writer-", i) }

// write writes with all until no request is answered. One writer calls end after some writes.
func (all writers) write(t *testing.T, url string, some int, end func()) {
	t.Helper()
	var writing sync.WaitGroup
	for i := range all {
		writing.Go(func() {
			for n := 1; ; n++ {
				if i == 0 && n == some {
					end()
				}
				name := fmt.Sprintf(`{"name":"%d"}`, all[i]+1)
				response, body, err := commandtest.Send(http.DefaultClient, commandtest.NewRequest(all.key(i), "PUT", url+"/tenant-properties/tp_default", name))
				if err != nil {
					return
				}
				if response.StatusCode != http.StatusOK {
					t.Errorf("%s %s", response.Status, body)
					return
				}
				all[i]++
			}
		})
	}
	writing.Wait()
}

// check wants each world to have the name that was acknowledged last, or that of the write without an answer.
func (all writers) check(t *testing.T, url string) {
	t.Helper()
	for i, last := range all {
		r := apitest.New(t, url, all.key(i)).Get("/_understudy/v1/tenant-properties/tp_default")
		switch name := commandtest.Decoded[struct{ Name string }](t, r.Body).Name; {
		case name == fmt.Sprint(last+1):
			all[i]++
		case last > 0 && name != fmt.Sprint(last):
			t.Errorf("%s has the name %s, and %d was acknowledged", all.key(i), name, last)
		}
	}
}
