package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// BenchmarkReadOnEtcd reads a request at rest from an emulator whose store is in etcd; the reference has its own in a file.
func BenchmarkReadOnEtcd(b *testing.B) {
	shared := emulated(b, "--store", "etcd://"+etcdtest.Run(b, 1).Endpoints())
	compare(b, shared, emulated(b, "--store", "file:"+filepath.Join(b.TempDir(), "understudy.db")), 20_000, func(int) string { return readCompleted })
}

// BenchmarkReplicas has a third of the clients read from each of three replicas; the reference is one replica alone with
// all of them.
func BenchmarkReplicas(b *testing.B) {
	store := "etcd://" + etcdtest.Run(b, 1).Endpoints()
	all := replicas{emulated(b, "--store", store), emulated(b, "--store", store), emulated(b, "--store", store)}
	const requests = 20_001
	read := func(int) string { return readCompleted }
	var one, three measured
	for b.Loop() {
		one.add(all[0].drive(b, crowd, requests, read))
		three.add(all.drive(b, crowd, requests, read))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(one.took.Seconds()/three.took.Seconds(), "throughput-of-one")
	b.ReportMetric(float64(one.cpu.Microseconds())/float64(one.requests), "cpu-us-one")
	b.ReportMetric(float64(three.cpu.Microseconds())/float64(three.requests), "cpu-us-three")
}

// replicas are servers of the same worlds.
type replicas []target

// drive has the clients shared out among the replicas.
func (all replicas) drive(b *testing.B, clients, requests int, text func(n int) string) (m measured) {
	parts := make(chan measured)
	for _, replica := range all {
		go func() { parts <- replica.drive(b, clients/len(all), requests/len(all), text) }()
	}
	for range all {
		part := <-parts
		m.requests += part.requests
		m.cpu += part.cpu
		m.each = append(m.each, part.each...)
		m.took = max(m.took, part.took)
	}
	return m
}

// BenchmarkOnEtcd measures how long one client waits for each kind of request, where etcd has one member and where it has
// three.
func BenchmarkOnEtcd(b *testing.B) {
	for _, members := range []int{1, 3} {
		store := "etcd://" + etcdtest.Run(b, members).Endpoints()
		served := replicas{emulated(b, "--store", store), emulated(b, "--store", store), emulated(b, "--store", store)}
		for _, tt := range []struct {
			what string
			text func(world string, n int) string
		}{
			{"at-rest", func(world string, _ int) string {
				return request(world, "GET", "/verification-requests/vr_completed", "2019-10-15", "")
			}},
			{"moves-with-time", func(world string, _ int) string {
				return request(world, "GET", "/verification-requests/vr_lifecycle_timed", "2019-10-15", "")
			}},
			{"session", func(world string, n int) string {
				return request(world, "POST", "/credentials/session", "2022-08-01", sessionBody(n))
			}},
			{"tenant", func(world string, n int) string {
				return request(world, "PUT", "/tenant-properties/tp_default", "2023-10-30", fmt.Sprintf(`{"name":"%d"}`, n))
			}},
			{"new-world", func(string, int) string {
				return request(strconv.Itoa(rand.Int()), "GET", "/verification-requests/vr_completed", "2019-10-15", "")
			}},
			{"advance", func(world string, _ int) string {
				return request(world, "POST", "/_understudy/v1/clock/advance", "2019-10-15", `{"by":"1s"}`)
			}},
		} {
			b.Run(fmt.Sprintf("members=%d/%s", members, tt.what), func(b *testing.B) {
				const requests = 300
				world := strconv.Itoa(rand.Int())
				var m measured
				for b.Loop() {
					m.add(served[0].drive(b, 1, requests, func(n int) string { return tt.text(world, n) }))
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(m.percentile(50)/1000, "p50-us")
				b.ReportMetric(m.percentile(99)/1000, "p99-us")
				b.ReportMetric(float64(m.cpu.Microseconds())/float64(m.requests), "cpu-us")
			})
		}
	}
}

// BenchmarkWritesToEtcd has three replicas write for 33 clients to a cluster of three members: in eleven worlds, each by way of
// all three.
// Each update of a tenant property is one write.
func BenchmarkWritesToEtcd(b *testing.B) {
	store := "etcd://" + etcdtest.Run(b, 3).Endpoints()
	all := replicas{emulated(b, "--store", store), emulated(b, "--store", store), emulated(b, "--store", store)}
	const requests = 6_600
	var m measured
	for b.Loop() {
		run := strconv.Itoa(rand.Int())
		m.add(all.drive(b, crowd+1, requests, func(n int) string {
			world := run + "-" + strconv.Itoa(n%((crowd+1)/len(all)))
			return request(world, "PUT", "/tenant-properties/tp_default", "2023-10-30", fmt.Sprintf(`{"name":"%d"}`, n))
		}))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(m.requests)/m.took.Seconds(), "writes/s")
	b.ReportMetric(float64(m.cpu.Microseconds())/float64(m.requests), "cpu-us")
}

// BenchmarkWorldInEtcd has worlds do what a small CI job does, ten requests in all, and measures the bytes that etcd holds of
// each, with its journal and without: while etcd keeps what keys were before, and when that was compacted.
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
		if err != nil {
			b.Fatal(err)
		}
		return float64(status.DbSizeInUse)
	}
	e := emulated(b, "--journal-size", journal, "--store", "etcd://"+cluster.Endpoints())
	job := []func(world string) string{
		func(w string) string { return request(w, "POST", "/credentials/session", "2022-08-01", sessionBody(7)) },
		func(w string) string {
			return request(w, "GET", "/verification-requests/vr_lifecycle", "2019-10-15", "")
		},
		func(w string) string {
			return request(w, "GET", "/verification-requests/vr_lifecycle", "2019-10-15", "")
		},
		func(w string) string {
			return request(w, "GET", "/verification-requests/vr_lifecycle", "2019-10-15", "")
		},
		func(w string) string {
			return request(w, "GET", "/verification-requests/vr_completed", "2019-10-15", "")
		},
		func(w string) string {
			return request(w, "GET", "/verification-requests/vr_lifecycle_timed", "2019-10-15", "")
		},
		func(w string) string {
			return request(w, "POST", "/_understudy/v1/clock/advance", "2019-10-15", `{"by":"36h"}`)
		},
		func(w string) string {
			return request(w, "GET", "/verification-requests/vr_lifecycle_timed", "2019-10-15", "")
		},
		func(w string) string {
			return request(w, "PUT", "/verification-requests/vr_processing/cancel", "2022-08-01", `{"cancellation_reason":"other"}`)
		},
		func(w string) string {
			return request(w, "PUT", "/tenant-properties/tp_default", "2023-10-30", `{"name":"Elm Court"}`)
		},
	}
	for b.Loop() {
		before, run := inUse(), strconv.Itoa(rand.Int())
		for _, text := range job {
			e.drive(b, crowd, worlds, func(n int) string { return text(run + "-" + strconv.Itoa(n)) })
		}
		kept, err := client.Get(b.Context(), "/", clientv3.WithPrefix(), clientv3.WithCountOnly())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric((inUse()-before)/worlds, "B/world-before-compaction")
		if _, err := client.Compact(b.Context(), kept.Header.Revision, clientv3.WithCompactPhysical()); err != nil {
			b.Fatal(err)
		}
		if _, err := client.Defragment(b.Context(), cluster.Members[0].Endpoint); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric((inUse()-before)/worlds, "B/world")
		b.ReportMetric(float64(kept.Count)/worlds, "keys/world")
	}
	b.ReportMetric(0, "ns/op")
}
