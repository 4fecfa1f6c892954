package emulator_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
)

// discard is a response of which only the status is kept.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }

// BenchmarkOperations measures the handler alone, without the network: the time and the allocations of one request.
func BenchmarkOperations(b *testing.B) {
	e, err := emulator.New(emulator.WithClock(emulator.FrozenAt(epoch)))
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	for _, bench := range []struct {
		name, method, path, version, body string
		status                            int
	}{
		{"read", http.MethodGet, "/verification-requests/vr_completed", "2019-10-15", "", 200},
		{"read with analytics", http.MethodGet, "/verification-requests/vr_completed?income_analytics=true", "2019-10-15", "", 200},
		{"read two fields", http.MethodGet, "/verification-requests/vr_completed?fields=id,state", "2019-10-15", "", 200},
		{"cancel what is terminal", http.MethodPut, "/verification-requests/vr_completed/cancel", "2022-08-01", cancelOther, 400},
		{"update a tenant property", http.MethodPut, "/tenant-properties/tp_default", "2023-10-30", `{"name":"Quay"}`, 200},
		{"create a session", http.MethodPost, "/credentials/session", "2022-08-01", session("000-12-3456"), 201},
		{"read a qualification check", http.MethodGet, "/qualification-checks/qc_qualified", "2023-10-30", "", 200},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequest(bench.method, bench.path, strings.NewReader(bench.body))
				r.Header.Set("Authorization", "Bearer "+key)
				r.Header.Set("Accept", "application/json; version="+bench.version)
				r.Header.Set("Content-Type", "application/json")
				w := &discard{header: http.Header{}}
				e.ServeHTTP(w, r)
				if w.status != bench.status {
					b.Fatalf("status %d", w.status)
				}
			}
		})
	}
}

// BenchmarkJournal measures a read with and without its entry in the journal, of which the bar is a tenth of the throughput.
func BenchmarkJournal(b *testing.B) {
	for _, bench := range []struct {
		name string
		size int
	}{{"off", 0}, {"on", 1000}} {
		b.Run(bench.name, func(b *testing.B) {
			e, err := emulator.New(emulator.WithClock(emulator.FrozenAt(epoch)), emulator.WithJournalSize(bench.size))
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close()
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r := httptest.NewRequest(http.MethodGet, "/verification-requests/vr_completed", nil)
					r.Header.Set("Authorization", "Bearer "+key)
					r.Header.Set("Accept", "application/json; version=2019-10-15")
					r.Header.Set("User-Agent", "Go-http-client/1.1")
					e.ServeHTTP(&discard{header: http.Header{}}, r)
				}
			})
		})
	}
}
