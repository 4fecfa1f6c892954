package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/understudy-sandbox/understudy/store"
)

var readCompleted = request("bench", "GET", "/verification-requests/vr_completed", "2019-10-15", "")

// BenchmarkReadCompleted reads a completed verification request with 26 paystubs over 32 connections, from the emulator
// and, in turns, from a bare net/http server that has the same bytes.
func BenchmarkReadCompleted(b *testing.B) {
	e := emulated(b)
	compare(b, e, bare(b, e.ask(b, readCompleted)), 20_000, func(int) string { return readCompleted })
}

// BenchmarkCreateSession creates credentials sessions, each of another person, on a temporary store; the reference is a
// bare net/http server that reads as much and answers with as much.
func BenchmarkCreateSession(b *testing.B) {
	e := emulated(b)
	text := func(n int) string {
		return request("bench", "POST", "/credentials/session", "2022-08-01", sessionBody(n))
	}
	compare(b, e, bare(b, e.ask(b, text(0))), 5_000, text)
}

// sessionBody asks for a credentials session of a person, by a number.
func sessionBody(n int) string {
	return fmt.Sprintf(`{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",`+
		`"target":{"first_name":"Ada","last_name":"Example","social_security_number":"000-12-%04d",`+
		`"date_of_birth":"1990-02-28","company":{"name":"Example Mill"}}}`, n%10_000)
}

// BenchmarkReadOfAMillion reads a hundred verification requests of a file with a million; the reference is an emulator on
// a file that has no more than these hundred.
func BenchmarkReadOfAMillion(b *testing.B) {
	const few, many = 100, 1_000_000
	open := func(name string, requests int) target {
		file := filepath.Join(b.TempDir(), name)
		fill(b, file, requests)
		return emulated(b, "--store", "file:"+file)
	}
	compare(b, open("many", many), open("few", few), 20_000, func(n int) string {
		return request("bench", "GET", "/verification-requests/"+numbered(n%few*(many/few)%many), "2019-10-15", "")
	})
}

func numbered(n int) string { return fmt.Sprintf("vr_%07d", n) }

// fill has a store hold hundreds of verification requests in one world, spread evenly over a million ids: copies of one
// that the emulator itself has made.
func fill(b *testing.B, file string, requests int) {
	b.Helper()
	e := emulated(b, "--store", "file:"+file)
	e.ask(b, request("bench", "POST", "/_understudy/v1/verification-requests", "2019-10-15", `{"id":"vr_model","scenario":"completed"}`))
	if err := e.process.Process.Signal(os.Interrupt); err != nil {
		b.Fatal(err)
	}
	_ = e.process.Wait()
	s, err := store.Open("file:" + file)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var prefix string
	var model []byte
	err = s.View(b.Context(), func(tx store.Tx) error {
		for entry, err := range tx.Scan("w/", "") {
			if err != nil {
				return err
			}
			if before, ok := strings.CutSuffix(entry.Key, "vr_model"); ok {
				prefix, model = before, slices.Clone(entry.Value)
			}
		}
		return nil
	})
	if err != nil || model == nil {
		b.Fatal("the emulator stored no request", err)
	}
	for n := 0; n < requests; n += 100 { // as many as an Update takes
		err := s.Update(b.Context(), func(tx store.Tx) error {
			for i := range 100 {
				if err := tx.Put(prefix+numbered((n+i)*(1_000_000/requests)), model); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCancel cancels verification requests that are remembered in a file; the reference is bbolt's own Update, which
// replaces values as long as theirs, under keys like theirs, in a loop. of-bbolt is the ratio of their throughputs.
func BenchmarkCancel(b *testing.B) {
	for _, clients := range []int{1, crowd} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			const (
				requests             = 1_600
				processing, canceled = 285, 328 // bytes of a value
			)
			e := emulated(b, "--store", "file:"+filepath.Join(b.TempDir(), "understudy.db"))
			db := openBolt(b)
			var m measured
			var reference time.Duration
			for b.Loop() {
				world := strconv.Itoa(rand.Int())
				e.drive(b, crowd, requests, func(n int) string {
					return request(world, "POST", "/_understudy/v1/verification-requests", "2019-10-15",
						fmt.Sprintf(`{"id":"%s","scenario":"processing"}`, numbered(n)))
				})
				place := fmt.Sprintf("w/%024x/%010x/vr/", rand.Int(), b.N)
				updateBolt(b, db, crowd, requests, place, processing)
				reference += updateBolt(b, db, clients, requests, place, canceled)
				m.add(e.drive(b, clients, requests, func(n int) string {
					return request(world, "PUT", "/verification-requests/"+numbered(n)+"/cancel", "2022-08-01", `{"cancellation_reason":"other"}`)
				}))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(m.took.Microseconds())/float64(m.requests), "us-each")
			b.ReportMetric(reference.Seconds()/m.took.Seconds(), "of-bbolt")
		})
	}
}

var bucket = []byte("data")

// openBolt opens a file with bbolt alone.
func openBolt(b *testing.B) *bolt.DB {
	b.Helper()
	db, err := bolt.Open(filepath.Join(b.TempDir(), "bbolt.db"), 0o600, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	if err := db.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucket(bucket); return err }); err != nil {
		b.Fatal(err)
	}
	return db
}

// updateBolt writes values of a size in bytes, each in a transaction.
func updateBolt(b *testing.B, db *bolt.DB, clients, writes int, prefix string, size int) time.Duration {
	b.Helper()
	value := make([]byte, size)
	var writing sync.WaitGroup
	began := time.Now()
	for client := range clients {
		writing.Go(func() {
			for n := client; n < writes; n += clients {
				key := []byte(prefix + numbered(n))
				if err := db.Update(func(tx *bolt.Tx) error { return tx.Bucket(bucket).Put(key, value) }); err != nil {
					b.Error(err)
				}
			}
		})
	}
	writing.Wait()
	return time.Since(began)
}

// BenchmarkStart runs the program as it is released, and a bare server by turns, and measures the time from exec to the
// first 200, the memory that is resident then, and the size of the binary.
func BenchmarkStart(b *testing.B) {
	binary, reference := build(b), buildBare(b)
	var took, referenceTook []time.Duration
	var resident float64
	for b.Loop() {
		t, _ := start(b, exec.Command(reference))
		referenceTook = append(referenceTook, t)
		t, resident = start(b, exec.Command(binary, "serve", "--addr", "127.0.0.1:0"))
		took = append(took, t)
	}
	info, err := os.Stat(binary)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(took)*1000, "ms-to-first-200")
	b.ReportMetric(median(took)/median(referenceTook), "of-bare")
	b.ReportMetric(resident, "MiB-resident")
	b.ReportMetric(float64(info.Size())/(1<<20), "MiB-binary")
}

// start measures a server from exec to its first 200, and ends it.
func start(b *testing.B, c *exec.Cmd) (took time.Duration, resident float64) {
	b.Helper()
	began := time.Now()
	t := launch(b, c)
	t.ask(b, readCompleted)
	took = time.Since(began)
	resident = residentMiB(b, c.Process.Pid)
	if err := c.Process.Kill(); err != nil {
		b.Fatal(err)
	}
	_ = c.Wait() // it was killed
	return took, resident
}

func median(all []time.Duration) float64 {
	slices.Sort(all)
	return all[len(all)/2].Seconds()
}

// buildBare builds a server that has net/http and nothing else.
func buildBare(b *testing.B) (binary string) {
	b.Helper()
	const source = `package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(os.Stderr, "msg=listening url=http://%s \n", listener.Addr())
	panic(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("{}")) })))
}
`
	folder := b.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(source), 0o600); err != nil {
		b.Fatal(err)
	}
	binary = filepath.Join(folder, "bare")
	c := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, filepath.Join(folder, "main.go"))
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return binary
}
