package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Snapshot is the journal of a world in a snapshot document.
type Snapshot struct {
	Dropped uint64   `json:"dropped"` // number of earlier entries
	Entries []*Entry `json:"entries"` // the oldest first
}

// Snapshot returns a journal, empty if the journal is off.
func (j *Journal) Snapshot(ctx context.Context, p Ref) (Snapshot, error) {
	entries, dropped, err := j.Read(ctx, p)
	return Snapshot{dropped, append([]*Entry{}, entries...)}, err
}

// Validate returns an error for a snapshot that a journal of these operations cannot have.
func (s Snapshot) Validate(operations []string) error {
	if s.Entries == nil {
		return errors.New("entries is null: an empty journal has []")
	}
	seen := make(map[string]int)
	for i, e := range s.Entries {
		if e == nil {
			return fmt.Errorf("entry %d is null", i+1)
		}
		if why := e.violation(operations); why != "" {
			return fmt.Errorf("entry %d (sequence %d) %s", i+1, e.Sequence, why)
		}
		if other, ok := seen[e.ID]; ok {
			return fmt.Errorf("entry %d has the id of entry %d, %s: ids are unique", i+1, other, e.ID)
		}
		seen[e.ID] = i + 1
		if i > 0 && s.Entries[i-1].Sequence != e.Sequence-1 {
			return fmt.Errorf("entry %d has the sequence %d after %d: sequences have no gaps", i+1, e.Sequence, s.Entries[i-1].Sequence)
		}
	}
	return nil
}

// maxEntryBytes is more than the headers, bodies and diagnosis of an entry, even if each byte is replaced for invalid UTF-8.
const maxEntryBytes = maxTransaction / 3

// methods are the methods of the operations (spec 4).
var methods = []string{"GET", "POST", "PUT"}

// violation says what is invalid in an entry, "" if nothing is.
func (e *Entry) violation(operations []string) string {
	switch _, err := ulid.ParseStrict(e.ID); {
	case err != nil:
		return "has no request id"
	case e.Sequence == 0:
		return "has sequence 0: sequences begin with 1"
	case !slices.Contains(operations, e.Operation):
		return "has the unknown operation " + api.Quote(e.Operation) + ": it is one of " + strings.Join(operations, ", ")
	case !slices.Contains(methods, e.Method):
		return "has the method " + api.Quote(e.Method) + " of no operation: it is one of " + strings.Join(methods, ", ")
	case !strings.HasPrefix(e.Path, "/"):
		return "has the path " + api.Quote(e.Path) + ": a path begins with /"
	case e.Status != 0 && (e.Status < 100 || e.Status > 599):
		return fmt.Sprintf("has the status %d: it is 0 or 100 to 599", e.Status)
	case invalidTime(e.Time) || invalidTime(e.Wall) || e.Duration < 0:
		return "has a time outside the years 1970 to 9999, or a negative duration"
	case e.request != nil && e.request.Size <= 0 || e.response != nil && e.response.Size <= 0:
		return "has a body of size 0 or less"
	case e.size() > maxEntryBytes:
		return fmt.Sprintf("is larger than %d bytes", maxEntryBytes)
	}
	return ""
}

func invalidTime(at time.Time) bool { return at.Year() < 1970 || at.Year() > 9999 }
