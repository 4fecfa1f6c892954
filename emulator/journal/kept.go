package journal

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Kept is what is kept of a world's requests, to be restored elsewhere.
type Kept struct {
	Dropped uint64   `json:"dropped"` // how many earlier ones are not
	Entries []*Entry `json:"entries"` // the oldest first
}

// Kept returns what is kept of a world's requests: nothing while the journal is off.
func (j *Journal) Kept(ctx context.Context, world string, generation int64) (Kept, error) {
	entries, dropped, err := j.Read(ctx, world, generation)
	if entries == nil {
		entries = []*Entry{}
	}
	return Kept{Dropped: dropped, Entries: entries}, err
}

// Check returns an error for what no journal has kept of the operations that there are.
func (k Kept) Check(operations []string) error {
	if k.Entries == nil {
		return errors.New("entries is null: where nothing is kept it is []")
	}
	seen := make(map[string]int)
	for i, e := range k.Entries {
		if e == nil {
			return fmt.Errorf("entry %d is null", i+1)
		}
		if why := e.flaw(operations); why != "" {
			return fmt.Errorf("entry %d (sequence %d) %s", i+1, e.Sequence, why)
		}
		if other, ok := seen[e.ID]; ok {
			return fmt.Errorf("entry %d has the id of entry %d, %s: each request has its own", i+1, other, e.ID)
		}
		seen[e.ID] = i + 1
		if before := e.Sequence - 1; i > 0 && k.Entries[i-1].Sequence != before {
			return fmt.Errorf("entry %d has the sequence %d, and %d comes before it", i+1, e.Sequence, k.Entries[i-1].Sequence)
		}
	}
	return nil
}

// mostText is how long a body of at most [MaxBody] bytes can be once each byte that is no UTF-8 is spelled out.
const mostText = 3 * MaxBody

// methods are those of the operations (spec section 4).
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut}

// flaw says what an entry has that none can have, "" when there is nothing.
func (e *Entry) flaw(operations []string) string {
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
	case e.request.impossible() || e.answer.impossible():
		return "has a body of a size that none has"
	}
	return ""
}

// impossible reports whether a body has a size that none has: one of no bytes is none.
func (k kept) impossible() bool {
	return len(k.text) > mostText || k.size < 0 || k.size == 0 && (k.text != nil || k.cut)
}

// outOfTime reports whether no clock shows an instant.
func outOfTime(at time.Time) bool { return at.Year() < 1970 || at.Year() > 9999 }
