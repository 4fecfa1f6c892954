package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// BenchmarkReadOnEtcd reads a still request from an emulator whose store is in etcd; the reference has its own in a file.
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
			{"still", func(world string, _ int) string {
				return request(world, "GET", "/verification-requests/vr_completed", "2019-10-15", "")
			}},
			{"moves-with-time", func(world string, _ int) string {
				return request(world, "GET", "/verification-requests/vr_lifecycle_timed", "2019-10-15", "")
			}},
			{"session", func(world string, n int) string {
				return request(world, "POST", "/credentials/session", "2022-08-01", fmt.Sprintf(
					`{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",`+
						`"target":{"first_name":"Ada","last_name":"Example","social_security_number":"000-12-%04d",`+
						`"date_of_birth":"1990-02-28","company":{"name":"Example Mill"}}}`, n%10_000))
			}},
			{"tenant", func(world string, n int) string {
				return request(world, "PUT", "/tenant-properties/tp_default", "2023-10-30", fmt.Sprintf(`{"name":"%d"}`, n))
			}},
			{"new-world", func(string, int) string {
				return request(strconv.Itoa(rand.Int()), "GET", "/verification-requests/vr_completed", "2019-10-15", "")
			}},
			{"amendment", func(world string, _ int) string {
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
