package emulatortest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
)

// Journal returns the requests of the world that a filter selects, whole, the latest first. The zero filter selects all.
func (w *World) Journal(filter emulator.JournalFilter) []*emulator.JournalEntry {
	w.t.Helper()
	return result[[]*emulator.JournalEntry](w, "read the journal")(w.world.Journal(context.Background(), filter))
}

// Unmatched returns the requests that reached no world, because of their key or path, the latest first.
func (s *Server) Unmatched(t TB) []*emulator.JournalEntry {
	t.Helper()
	entries, err := s.Emulator.Unmatched(context.Background(), emulator.JournalFilter{})
	if err != nil {
		t.Fatalf("emulatortest: list unmatched requests: %v", err)
	}
	return entries
}

// Verify marks the test as failed when an expectation does not hold, and logs the nearest requests.
func (w *World) Verify(expected emulator.Expectation) {
	w.t.Helper()
	result, err := w.world.Verify(context.Background(), expected)
	if err != nil {
		w.t.Errorf("emulatortest: %v", err)
	} else if result.Note != "" {
		w.t.Logf("emulatortest: %s", result.Note)
	}
}

const (
	maxLogged = 50      // requests of a failed test: the last
	maxBody   = 1 << 10 // bytes of a logged body
)

// logRequests logs the requests of a failed test from a journal: a line each, and the bodies of the failed ones.
func logRequests(t TB, what string, journal func(context.Context, emulator.JournalFilter) ([]*emulator.JournalEntry, error)) {
	entries, err := journal(context.Background(), emulator.JournalFilter{Limit: maxLogged})
	if err != nil || len(entries) == 0 {
		return // the journal is off, the server is gone, or there was no request
	}
	var text strings.Builder
	for _, e := range slices.Backward(entries) {
		fmt.Fprintf(&text, "\n%4d  %s  %s %s %s", e.Sequence, e.Time.UTC().Format(time.RFC3339), e.Outcome(), e.Method, e.Path)
		if e.Query != "" {
			fmt.Fprintf(&text, "?%s", e.Query)
		}
		if e.Scenario != "" {
			fmt.Fprintf(&text, "  [%s]", e.Scenario)
		}
		for _, note := range e.Diagnosis {
			fmt.Fprintf(&text, "\n      - %s", note)
		}
		if e.Status != 0 && e.Status < 400 {
			continue
		}
		if sent := e.Request(); sent != nil {
			fmt.Fprintf(&text, "\n      > %s", sent.Excerpt(maxBody))
		}
		if answered := e.Response(); answered != nil {
			fmt.Fprintf(&text, "\n      < %s", answered.Excerpt(maxBody))
		}
	}
	t.Logf("emulatortest: %s of %s:%s", what, t.Name(), &text)
}
