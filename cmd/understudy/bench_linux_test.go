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
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// request is a request of a client that names a version.
type request struct{ method, path, version, body string }

// in returns the text of the request in a world.
func (r request) in(world string) string {
	text := r.method + " " + r.path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer svc_sk_test_" + world +
		"\r\nAccept: application/json; version=" + r.version + "\r\n"
	if r.body != "" {
		text += "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(r.body)) + "\r\n"
	}
	return text + "\r\n" + r.body
}

func read(id string) request {
	return request{"GET", "/verification-requests/" + id, "2019-10-15", ""}
}

func create(id, scenario string) request {
	return request{"POST", "/_understudy/v1/verification-requests", "2019-10-15", fmt.Sprintf(`{"id":%q,"scenario":%q}`, id, scenario)}
}

func cancel(id string) request {
	return request{"PUT", "/verification-requests/" + id + "/cancel", "2022-08-01", `{"cancellation_reason":"other"}`}
}

// session creates a credentials session for person n.
func session(n int) request {
	return request{"POST", "/credentials/session", "2022-08-01", strings.Replace(commandtest.NewSession, "000-00-1001", fmt.Sprintf("000-12-%04d", n%10_000), 1)}
}

func advance(by string) request {
	return request{"POST", "/_understudy/v1/clock/advance", "2019-10-15", fmt.Sprintf(`{"by":%q}`, by)}
}

func property(name string) request {
	return request{"PUT", "/tenant-properties/tp_default", "2023-10-30", fmt.Sprintf(`{"name":%q}`, name)}
}

func numbered(n int) string { return fmt.Sprintf("vr_%07d", n) }

// BenchmarkReadCompleted reads a completed verification request with 26 paystubs over 32 connections. The reference is a bare
// net/http server that sends the same bytes.
func BenchmarkReadCompleted(b *testing.B) {
	text := read("vr_completed").in("bench")
	measure(b, 20_000, func(int) string { return text })
}

// BenchmarkCreateSession creates credentials sessions, each for another person, on a temporary store. The reference is a bare
// net/http server that reads and sends as many bytes.
func BenchmarkCreateSession(b *testing.B) {
	measure(b, 5_000, func(n int) string { return session(n).in("bench") })
}

// BenchmarkCancel cancels verification requests in a store file. The reference is a loop of bbolt's own Update with keys and
// values of the same size; of-bbolt is the ratio of the throughputs.
func BenchmarkCancel(b *testing.B) {
	for _, clients := range []int{1, crowd} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			const (
				requests             = 1_600
				processing, canceled = 285, 328 // bytes of a value
			)
			e := emulated(b, "--store", "file:"+filepath.Join(b.TempDir(), "understudy.db"))
			db, err := bolt.Open(filepath.Join(b.TempDir(), "bbolt.db"), 0o600, nil)
			commandtest.NoError(b, err)
			defer db.Close()
			var m measured
			var reference time.Duration
			for b.Loop() {
				world := strconv.Itoa(rand.Int())
				drive(e, b, crowd, requests, func(n int) string { return create(numbered(n), "processing").in(world) })
				updateBolt(b, db, crowd, requests, world, processing)
				reference += updateBolt(b, db, clients, requests, world, canceled)
				m.add(drive(e, b, clients, requests, func(n int) string { return cancel(numbered(n)).in(world) }))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(m.took.Microseconds())/float64(len(m.each)), "us-each")
			b.ReportMetric(reference.Seconds()/m.took.Seconds(), "of-bbolt")
		})
	}
}

// updateBolt writes values of a size in bytes, each in its own transaction.
func updateBolt(b *testing.B, db *bolt.DB, clients, writes int, world string, size int) time.Duration {
	b.Helper()
	value := make([]byte, size)
	var writing sync.WaitGroup
	began := time.Now()
	for client := range clients {
		writing.Go(func() {
			for n := client; n < writes; n += clients {
				err := db.Update(func(tx *bolt.Tx) error {
					bucket, err := tx.CreateBucketIfNotExists([]byte("data"))
					if err != nil {
						return err
					}
					return bucket.Put(fmt.Appendf(nil, "w/%024s/%010x/vr/%s", world, 0, numbered(n)), value)
				})
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	writing.Wait()
	return time.Since(began)
}

// BenchmarkStart measures the released program: the time from exec to the first 200, the resident memory then, and the size
// of the binary.
func BenchmarkStart(b *testing.B) {
	binary := build(b)
	var took []time.Duration
	var resident int
	for b.Loop() {
		began := time.Now()
		s := commandtest.Launch(b, exec.Command(binary, commandtest.ServeArgs()...))
		drive(s, b, 1, 1, func(int) string { return read("vr_completed").in("bench") })
		took = append(took, time.Since(began))
		resident = commandtest.ProcessStatus(b, s.Process.Process.Pid, "VmRSS")
		s.Kill()
	}
	info, err := os.Stat(binary)
	commandtest.NoError(b, err)
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "ms-to-first-200")
	b.ReportMetric(float64(resident)/(1<<10), "MiB-resident")
	b.ReportMetric(float64(info.Size())/(1<<20), "MiB-binary")
}

// BenchmarkOnEtcd measures the latency of each kind of request for one client, on one and on three members of etcd.
func BenchmarkOnEtcd(b *testing.B) {
	for _, members := range []int{1, 3} {
		e := emulated(b, "--store", "etcd://"+etcdtest.Run(b, members).Endpoints())
		for what, text := range map[string]func(world string, n int) string{
			"at-rest":         func(world string, _ int) string { return read("vr_completed").in(world) },
			"moves-with-time": func(world string, _ int) string { return read("vr_lifecycle_timed").in(world) },
			"session":         func(world string, n int) string { return session(n).in(world) },
			"tenant":          func(world string, n int) string { return property(strconv.Itoa(n)).in(world) },
			"new-world":       func(string, int) string { return read("vr_completed").in(strconv.Itoa(rand.Int())) },
			"advance":         func(world string, _ int) string { return advance("1s").in(world) },
		} {
			b.Run(fmt.Sprintf("members=%d/%s", members, what), func(b *testing.B) {
				world := strconv.Itoa(rand.Int())
				var m measured
				for b.Loop() {
					m.add(drive(e, b, 1, 300, func(n int) string { return text(world, n) }))
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(m.percentile(50)/1000, "p50-us")
				b.ReportMetric(m.percentile(99)/1000, "p99-us")
				b.ReportMetric(m.cpuEach(), "cpu-us")
			})
		}
	}
}

// BenchmarkWorldInEtcd sends ten requests to each world, as a small CI job does, and measures the bytes of a world in etcd, with
// its journal and without, before and after compaction.
func BenchmarkWorldInEtcd(b *testing.B) {
	for _, journal := range []string{"1000", "0"} {
		b.Run("journal="+journal, func(b *testing.B) { measureWorlds(b, journal) })
	}
}

func measureWorlds(b *testing.B, journal string) {
	const worlds = 500
	cluster := etcdtest.Run(b, 1)
	client := cluster.Client(b)
	inUse := func() float64 {
		status, err := client.Status(b.Context(), cluster.Members[0].Endpoint)
		commandtest.NoError(b, err)
		return float64(status.DbSizeInUse)
	}
	e := emulated(b, "--journal-size", journal, "--store", "etcd://"+cluster.Endpoints())
	job := []request{
		session(7), read("vr_lifecycle"), read("vr_lifecycle"), read("vr_lifecycle"), read("vr_completed"),
		read("vr_lifecycle_timed"), advance("36h"), read("vr_lifecycle_timed"), cancel("vr_processing"), property("Elm Court"),
	}
	for b.Loop() {
		before, run := inUse(), strconv.Itoa(rand.Int())
		for _, r := range job {
			drive(e, b, crowd, worlds, func(n int) string { return r.in(run + "-" + strconv.Itoa(n)) })
		}
		stored, err := client.Get(b.Context(), "/", clientv3.WithPrefix(), clientv3.WithCountOnly())
		commandtest.NoError(b, err)
		b.ReportMetric((inUse()-before)/worlds, "B/world-before-compaction")
		_, err = client.Compact(b.Context(), stored.Header.Revision, clientv3.WithCompactPhysical())
		commandtest.NoError(b, err)
		_, err = client.Defragment(b.Context(), cluster.Members[0].Endpoint)
		commandtest.NoError(b, err)
		b.ReportMetric((inUse()-before)/worlds, "B/world")
		b.ReportMetric(float64(stored.Count)/worlds, "keys/world")
	}
	b.ReportMetric(0, "ns/op")
}
