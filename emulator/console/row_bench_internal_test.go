package console

import (
	"net/http"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/journal"
)

// A row is made for every request and every journal that is open, up to a rush.
func BenchmarkRow(b *testing.B) {
	e := journal.NewEntry(journal.Asked{
		Method: "GET", Path: "/verification-requests/vr_completed", Header: http.Header{"Accept": {"application/json"}},
	}, []byte(`{}`))
	e.ID, e.Operation, e.Status, e.Scenario = "01JHMMRQE0X7FN8H22EASHJHYY", "getVerificationRequest", 200, "completed"
	e.Time, e.Diagnosis = time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC), []string{"no version was asked for"}
	for b.Loop() {
		if _, err := render("journal", "row", entryRow{Entry: e, World: "2e893488fac199256a8aec23", Fresh: true}); err != nil {
			b.Fatal(err)
		}
	}
}
