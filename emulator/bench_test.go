package emulator_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
)

// discard is a response of which nothing is kept.
type discard http.Header

func (d discard) Header() http.Header         { return http.Header(d) }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// BenchmarkJournal measures a read with and without its entry in the journal, of which the bar is a tenth of the throughput.
func BenchmarkJournal(b *testing.B) {
	for _, bench := range []struct {
		name string
		size int
	}{{"off", 0}, {"on", 1000}} {
		b.Run(bench.name, func(b *testing.B) {
			e := launch(b, emulator.WithJournalSize(bench.size))
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r := httptest.NewRequest(http.MethodGet, "/verification-requests/vr_completed", nil)
					r.Header.Set("Authorization", "Bearer "+key)
					r.Header.Set("Accept", "application/json; version=2019-10-15")
					r.Header.Set("User-Agent", "Go-http-client/1.1")
					e.ServeHTTP(discard{}, r)
				}
			})
		})
	}
}
