package journal

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Filter selects entries of a world. An empty field selects all.
type Filter struct {
	Operation string
	Status    Status
	Path      string    // a pattern: * matches the text between two slashes
	Text      string    // words that are in id, path, query, method, status, scenario, fault or bodies, in any case
	Since     time.Time // by the world's clock
	After     string    // a request id: later entries only; if its entry was dropped, those with a greater id
	Limit     int       // the latest entries only; 0 for all
}

// Validate returns an error for an invalid path pattern, or a text that is too long.
func (f Filter) Validate() error {
	if len(f.Text) > maxSearch {
		return fmt.Errorf("text is longer than %d bytes: search for fewer words", maxSearch)
	}
	if f.Path == "" {
		return nil
	}
	if _, err := path.Match(f.Path, ""); err != nil {
		return errors.New(`path is not a path or a pattern such as /verification-requests/*/cancel`)
	}
	if err := checkPath(f.Path); err != nil {
		return fmt.Errorf("path %w", err)
	}
	return nil
}

// checkPath returns an error for a text that is not the path of a URL.
func checkPath(text string) error {
	switch {
	case !strings.HasPrefix(text, "/"):
		return errors.New(`does not begin with /: write it as in /verification-requests/vr_completed`)
	case strings.Contains(text, "?"):
		return errors.New(`contains a query: omit it and the ?`)
	}
	return nil
}

// Matches reports whether the filter selects an entry, apart from After and Limit.
func (f Filter) Matches(e *Entry) bool {
	return f.matches(e, wordsOf(f.Text), newEffort(context.Background(), errSearchEffort))
}

func (f Filter) matches(e *Entry, words [][]word, c *effort) bool {
	return (f.Operation == "" || e.Operation == f.Operation) &&
		f.Status.matches(e.Status) &&
		(f.Path == "" || matchPath(f.Path, e.Path)) &&
		!e.Time.Before(f.Since) &&
		e.matchesText(words, c)
}

// Select returns the selected ones of entries in ascending order, the latest first. It stops when ctx ends. A text that takes
// too many steps is a 400.
func (f Filter) Select(ctx context.Context, entries []*Entry) (selected []*Entry, err error) {
	if i := slices.IndexFunc(entries, func(e *Entry) bool { return e.ID == f.After }); f.After != "" && i >= 0 {
		entries = entries[i+1:]
	} else if f.After != "" { // its entry was dropped
		entries = slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool { return e.ID <= f.After })
	}
	words, c := wordsOf(f.Text), newEffort(ctx, errSearchEffort)
	for _, e := range slices.Backward(entries) {
		matches := f.matches(e, words, c)
		if err := c.err(); err != nil {
			return nil, err
		}
		if matches {
			selected = append(selected, e)
		}
		if f.Limit > 0 && len(selected) == f.Limit {
			break
		}
	}
	return selected, nil
}

// Find returns the entry of a request, nil if there is none.
func Find(entries []*Entry, id string) *Entry {
	if i := slices.IndexFunc(entries, func(e *Entry) bool { return e.ID == id }); i >= 0 {
		return entries[i]
	}
	return nil
}

// matchPath reports whether a masked path matches a pattern. A trailing slash makes no difference.
func matchPath(pattern, masked string) bool {
	matched, _ := path.Match(withoutSlash(api.Mask(pattern)), withoutSlash(masked)) // Validate refuses malformed patterns
	return matched
}

// withoutSlash removes a trailing slash, which makes no difference to the service.
func withoutSlash(text string) string {
	if trimmed := strings.TrimSuffix(text, "/"); trimmed != "" {
		return trimmed
	}
	return text
}

// Status matches a status, such as 404, or a class, such as 4xx. The zero value matches all; 0 matches a broken connection.
type Status struct{ text string }

// ParseStatus parses a status or a class.
func ParseStatus(text string) (Status, error) {
	if len(text) == 3 && text[0] >= '1' && text[0] <= '5' && strings.EqualFold(text[1:], "xx") {
		return Status{strings.ToLower(text)}, nil
	}
	status, err := strconv.Atoi(text)
	if err != nil || status != 0 && (status < 100 || status > 599) || strconv.Itoa(status) != text {
		return Status{}, errors.New("is not a status such as 404 or 4xx, or 0 for a broken connection")
	}
	return Status{text}, nil
}

// UnmarshalJSONFrom reads a number or a string.
func (s *Status) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	value, err := in.ReadValue()
	if err != nil {
		return err
	}
	*s, err = ParseStatus(strings.Trim(string(value), `"`))
	return err
}

// String returns the text for ParseStatus, "" for any status.
func (s Status) String() string { return s.text }

func (s Status) matches(status int) bool {
	text := strconv.Itoa(status)
	return s.text == "" || s.text == text || len(text) == 3 && s.text == text[:1]+"xx"
}
