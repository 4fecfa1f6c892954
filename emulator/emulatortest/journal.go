package emulatortest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// Journal returns the requests of the world that a filter wants, the latest first; the zero Filter wants all.
func (w *World) Journal(filter emulator.JournalFilter) []*emulator.JournalEntry {
	w.t.Helper()
	return result[[]*emulator.JournalEntry](w, "read the journal")(w.world.Journal(context.Background(), filter))
}

// Verify marks the test as failed when something was not asked as often as it should have been, and says what was asked
// instead.
func (w *World) Verify(expected emulator.Expectation) {
	w.t.Helper()
	if _, err := w.world.Verify(context.Background(), expected); err != nil {
		w.t.Errorf("emulatortest: %v", err)
	}
}

// mostTold is how many requests of a failed test are told: the last.
const mostTold = 50

// tell writes what a failed test asked: a line for each request, and below it, when it failed, what was sent and answered.
func tell(t TB, w *emulator.World) {
	entries, err := w.Journal(context.Background(), emulator.JournalFilter{Limit: mostTold})
	if err != nil || len(entries) == 0 {
		return // the journal is off, or the server has gone, or nothing was asked
	}
	var text strings.Builder
	for _, e := range slices.Backward(entries) {
		fmt.Fprintf(&text, "\n%4d  %s  %s %s %s", e.Sequence, e.Time.UTC().Format(time.RFC3339), outcome(e), e.Method, e.Path)
		if e.Query != "" {
			fmt.Fprintf(&text, "?%s", e.Query)
		}
		if e.Scenario != "" {
			fmt.Fprintf(&text, "  [%s]", e.Scenario)
		}
		for _, note := range e.Diagnosis {
			fmt.Fprintf(&text, "\n      - %s", note)
		}
		if e.Status == 0 || e.Status >= 400 {
			tellBody(&text, ">", e.Request())
			tellBody(&text, "<", e.Response())
		}
	}
	t.Logf("emulatortest: what %s asked:%s", t.Name(), &text)
}

// outcome is the status of an answer, or what became of it instead.
func outcome(e *emulator.JournalEntry) string {
	switch {
	case e.Fault != "" && e.Status != 0:
		return fmt.Sprintf("%d (%s)", e.Status, e.Fault)
	case e.Fault != "":
		return "--- (" + e.Fault + ")"
	case e.Status == 0:
		return "---"
	}
	return fmt.Sprint(e.Status)
}

// mostBody is how much of a body is told, in bytes.
const mostBody = 1 << 10

func tellBody(text *strings.Builder, sign string, body *journal.Body) {
	if body == nil {
		return
	}
	shown := string(body.JSON)
	if body.Text != nil {
		shown = *body.Text
	}
	if len(shown) > mostBody {
		shown = shown[:mostBody] + "..."
	}
	fmt.Fprintf(text, "\n      %s %s", sign, strings.ToValidUTF8(shown, "\uFFFD"))
}
