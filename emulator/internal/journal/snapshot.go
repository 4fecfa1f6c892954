package journal

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// MaxCount is the largest count that is restored from a snapshot: there is room to count on.
const MaxCount = 1 << 52

// Restored is the journal of a snapshot, to be restored. Its entries are checked.
type Restored struct {
	Entries iter.Seq2[*Entry, error] // the oldest first; an error ends them
	Count   int                      // of the entries
	Dropped uint64                   // number of earlier entries
}

// last returns the journal with at most size entries, the last ones.
func (r Restored) last(size int) Restored {
	over := r.Count - size
	if over <= 0 {
		return r
	}
	return Restored{Count: size, Dropped: r.Dropped + uint64(over), Entries: func(yield func(*Entry, error) bool) {
		skipped := 0
		for e, err := range r.Entries {
			if skipped++; err == nil && skipped <= over {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}}
}

// Checker checks the entries of a snapshot one after the other.
type Checker struct {
	names, methods []string // of the operations
	seen           map[ulid.ULID]bool
	last           uint64
}

// Checker returns a checker of the entries of a snapshot.
func (j *Journal) Checker() *Checker {
	return &Checker{names: NamesOf(api.Operations()), methods: MethodsOf(api.Operations()), seen: make(map[ulid.ULID]bool)}
}

// Check returns an error for an entry that the journal cannot have after the earlier ones.
func (c *Checker) Check(e *Entry) error {
	if why := c.violation(e); why != "" {
		return errors.New(why)
	}
	id := ulid.MustParseStrict(e.ID)
	if c.seen[id] {
		return fmt.Errorf("has the id of an earlier entry, %s: ids are unique", e.ID)
	}
	if c.last > 0 && c.last != e.Sequence-1 {
		return fmt.Errorf("has the sequence %d after %d: sequences have no gaps", e.Sequence, c.last)
	}
	c.seen[id], c.last = true, e.Sequence
	return nil
}

// maxEntryBytes is more than the headers, bodies and diagnosis of an entry, even if each byte is replaced for invalid UTF-8.
const maxEntryBytes = maxTransaction / 3

// violation says what is invalid in an entry, "" if nothing is.
func (c *Checker) violation(e *Entry) string {
	if e == nil {
		return "is null"
	}
	webhook := e.Kind == KindWebhook
	switch _, err := ulid.ParseStrict(e.ID); {
	case err != nil:
		return "has no request id"
	case e.Sequence == 0 || e.Sequence > MaxCount:
		return fmt.Sprintf("has sequence %d: sequences go from 1 to %d", e.Sequence, MaxCount)
	case webhook && (e.Operation != "" || e.Method != http.MethodPost || !strings.HasPrefix(e.Path, "http")):
		return "is no webhook: one has the method POST, a URL as its path, and no operation"
	case webhook:
	case !slices.Contains(c.names, e.Operation):
		return "has the unknown operation " + api.Quote(e.Operation) + ": it is one of " + strings.Join(c.names, ", ")
	case !slices.Contains(c.methods, e.Method):
		return "has the method " + api.Quote(e.Method) + " of no operation: it is one of " + strings.Join(c.methods, ", ")
	case !strings.HasPrefix(e.Path, "/"):
		return "has the path " + api.Quote(e.Path) + ": a path begins with /"
	case e.Delivery != "":
		return "has a delivery, and only webhooks have one"
	}
	switch {
	case e.Status != 0 && (e.Status < 100 || e.Status > 599 && !webhook || e.Status > 999):
		return fmt.Sprintf("has the status %d: it is 0 or 100 to 599", e.Status)
	case invalidTime(e.Time) || invalidTime(e.Wall) || e.Duration < 0:
		return "has a time outside the years 1970 to 9999, or a negative duration"
	case e.request.impossible() || e.response.impossible():
		return fmt.Sprintf("has a body whose size is not 1 to %d", MaxCount)
	case e.size() > maxEntryBytes:
		return fmt.Sprintf("is larger than %d bytes", maxEntryBytes)
	}
	return ""
}

func (b *Body) impossible() bool { return b != nil && (b.Size <= 0 || b.Size > MaxCount) }

func invalidTime(at time.Time) bool { return at.Year() < 1970 || at.Year() > 9999 }
