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

// Snapshot is the journal of a world, to be restored elsewhere.
type Snapshot struct {
	Dropped uint64   `json:"dropped"` // how many earlier entries there were
	Entries []*Entry `json:"entries"` // the oldest first
}

// Snapshot returns the journal of a place: an empty one while the journal is off.
func (j *Journal) Snapshot(ctx context.Context, p Place) (Snapshot, error) {
	entries, dropped, err := j.Read(ctx, p)
	return Snapshot{dropped, append([]*Entry{}, entries...)}, err
}

// Check returns an error for what no journal of these operations can be.
func (s Snapshot) Check(operations []string) error {
	if s.Entries == nil {
		return errors.New("entries is null: where nothing is kept it is []")
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
			return fmt.Errorf("entry %d has the id of entry %d, %s: each request has its own", i+1, other, e.ID)
		}
		seen[e.ID] = i + 1
		if i > 0 && s.Entries[i-1].Sequence != e.Sequence-1 {
			return fmt.Errorf("entry %d has the sequence %d, and %d comes before it", i+1, e.Sequence, s.Entries[i-1].Sequence)
		}
	}
	return nil
}

// mostBytes is more than any entry takes: its headers, its bodies, and the diagnosis, also where each byte was no UTF-8.
const mostBytes = maxTransaction / 3

// methods are those of the operations (spec section 4).
var methods = []string{"GET", "POST", "PUT"}

// violation says what an entry has that none can have, "" when there is nothing.
func (e *Entry) violation(operations []string) string {
	switch _, err := ulid.ParseStrict(e.ID); {
	case err != nil:
		return "has no request id"
	case e.Sequence == 0:
		return "has no place: sequences begin with 1"
	case !slices.Contains(operations, e.Operation):
		return "has the operation " + api.Quote(e.Operation) + ", which is none: it is one of " + strings.Join(operations, ", ")
	case !slices.Contains(methods, e.Method):
		return "has the method " + api.Quote(e.Method) + ", with which no operation is asked: it is one of " + strings.Join(methods, ", ")
	case !strings.HasPrefix(e.Path, "/"):
		return "has the path " + api.Quote(e.Path) + ", which is none: it begins with /"
	case e.Status != 0 && (e.Status < 100 || e.Status > 599):
		return fmt.Sprintf("has the status %d, which is none", e.Status)
	case outOfTime(e.Time) || outOfTime(e.Wall) || e.Duration < 0:
		return "was asked at no time that a clock shows"
	case e.request != nil && e.request.Size <= 0 || e.response != nil && e.response.Size <= 0:
		return "has a body of a size that none has"
	case e.size() > mostBytes:
		return "is larger than any"
	}
	return ""
}

func outOfTime(at time.Time) bool { return at.Year() < 1970 || at.Year() > 9999 }
