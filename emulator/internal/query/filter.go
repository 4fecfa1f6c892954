// Package query asks a journal for entries. A [Filter] or an [Expectation] and a journal flow in; the entries that the filter selects
// flow out, or whether the expectation holds, with the near misses. Whether an entry matches is decided in match.go.
package query

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// maxSearch is the maximum length of [Filter].Text, in bytes: each word is searched in all bodies.
const maxSearch = 200

// Filter selects entries of a world. An empty field selects all.
type Filter struct {
	Kind      journal.Kind
	Operation string
	Status    Status
	Path      string    // a pattern: * matches the text between two slashes
	Text      string    // words that are in id, path, query, method, status, scenario, fault, diagnosis or bodies, in any case; or status>=400
	Since     time.Time // by the world's clock
	From, To  time.Time // by the machine's clock
	After     string    // a request id: later entries only; if its entry was dropped, those with a greater id
	Limit     int       // the latest entries only; 0 for all
}

// Check returns a 400 for a filter that selects nothing of a journal, whatever is requested.
func Check(of *journal.Journal, f Filter) error {
	operations, err := ofKind(f.Kind, f.Operation)
	_, malformed := path.Match(f.Path, "")
	switch {
	case err != nil:
		return err
	case len(f.Text) > maxSearch:
		return invalid(fmt.Sprintf("The text is longer than %d bytes: search for fewer words", maxSearch))
	case !f.To.IsZero() && f.To.Before(f.From):
		return invalid("The requests are to end at " + f.To.UTC().Format(time.RFC3339) + ", which is before they begin, at " + f.From.UTC().Format(time.RFC3339))
	case f.Limit < 0:
		return invalid(fmt.Sprintf("The limit %d is not a number of requests; 0 is all", f.Limit))
	case malformed != nil:
		return invalid("The path " + api.Quote(f.Path) + " is not a path or a pattern such as /verification-requests/*/cancel")
	case f.Path != "" && f.Kind != journal.KindWebhook:
		if err := checkPath(f.Path); err != nil {
			return err
		}
		if of.Unmatched() != nil { // a request that reached no world may have any path
			err = operations.path(f.Path, func(pattern, segment string) bool {
				matched, _ := path.Match(pattern, segment)
				return matched
			})
		}
	}
	for _, word := range strings.Fields(f.Text) {
		if status, only := statusOf(word); only && err == nil {
			err = status.Check()
		}
	}
	if err != nil {
		return err
	}
	return f.Status.Check()
}

// ofKind begins with the operation of a name, or all for "", of which webhooks have none.
func ofKind(kind journal.Kind, operation string) (p possible, err error) {
	if err := kind.Check(); err != nil {
		return p, err
	}
	if kind == journal.KindWebhook && operation != "" {
		return p, invalid("Webhooks have no operation: leave it out, or the kind")
	}
	return named(operation)
}

// checkPath returns a 400 for a text that is not the path of a URL.
func checkPath(text string) error {
	switch {
	case !strings.HasPrefix(text, "/"):
		return invalid("The path " + api.Quote(text) + " does not begin with /: write it as in /verification-requests/vr_completed")
	case strings.Contains(text, "?"):
		return invalid("The path " + api.Quote(text) + " contains a query: omit it and the ?")
	}
	return nil
}

// Select returns the entries of a journal that a filter selects, the latest first. Its error for a journal that is off is
// [journal.ErrOff].
func Select(ctx context.Context, j *journal.Journal, ref journal.Ref, filter Filter) ([]*journal.Entry, error) {
	if err := Check(j, filter); err != nil {
		return nil, err
	}
	if !j.On() {
		return nil, journal.ErrOff
	}
	entries, _, err := j.Read(ctx, ref)
	if err != nil {
		return nil, err
	}
	return filter.Select(ctx, entries)
}

// Select returns the selected ones of entries in ascending order, the latest first. It stops when ctx ends.
func (f Filter) Select(ctx context.Context, entries []*journal.Entry) (selected []*journal.Entry, err error) {
	if i := slices.IndexFunc(entries, func(e *journal.Entry) bool { return e.ID == f.After }); f.After != "" && i >= 0 {
		entries = entries[i+1:]
	} else if f.After != "" { // its entry was dropped
		entries = slices.DeleteFunc(slices.Clone(entries), func(e *journal.Entry) bool { return e.ID <= f.After })
	}
	matches := f.Matcher()
	for _, e := range slices.Backward(entries) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if matches(e) {
			selected = append(selected, e)
		}
		if f.Limit > 0 && len(selected) == f.Limit {
			break
		}
	}
	return selected, nil
}

// Status matches a status, such as 404, a class, such as 4xx, what is compared, such as >=400, all others, such as -200, or any of a
// list, such as 400,406. "" matches all, and 0 a broken connection.
type Status string

// statuses is a part of a [Status].
type statuses struct {
	least, most int
	others      bool // those outside of it
}

// parse returns the parts of a status filter, or the first text that is none.
func (s Status) parse() (parts []statuses, bad string, ok bool) {
	for text := range strings.SplitSeq(string(s), ",") {
		part, ok := parseStatus(text)
		if !ok && s != "" {
			return nil, text, false
		}
		parts = append(parts, part)
	}
	return parts, "", true
}

func parseStatus(text string) (p statuses, ok bool) {
	text, p.others = strings.CutPrefix(text, "-")
	number := strings.TrimLeft(text, "<>=")
	if len(number) == 3 && strings.EqualFold(number[1:], "xx") {
		number = number[:1] + "00"
		p.most = 99
	}
	status, err := strconv.Atoi(number)
	if err != nil || status != 0 && (status < 200 || status > 599) || strconv.Itoa(status) != number {
		return p, false
	}
	p.least, p.most = status, status+p.most
	switch text[:len(text)-len(number)] {
	case "", "=":
	case ">=":
		p.most = 599
	case ">":
		p.least, p.most = p.most+1, 599
	case "<=":
		p.least = 1
	case "<":
		p.least, p.most = 1, p.least-1
	default:
		return p, false
	}
	return p, true
}

// Check returns a 400 for a text that is no status filter.
func (s Status) Check() error {
	if _, bad, ok := s.parse(); !ok {
		return invalid("The status " + api.Quote(bad) + " is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection, nor made of them as in >=400, 400,406 and -200")
	}
	return nil
}

// UnmarshalJSONFrom reads a number or a string.
func (s *Status) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	value, err := in.ReadValue()
	if err == nil && value.Kind() == '"' {
		value, err = jsontext.AppendUnquote(nil, value)
	}
	*s = Status(value)
	return err
}
