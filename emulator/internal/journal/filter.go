package journal

import (
	"context"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Filter says which entries of a world are wanted. What is left out may be anything.
type Filter struct {
	Operation string
	Status    Status
	Path      string    // a pattern: * stands for what is between two slashes
	Since     time.Time // by the world's clock
	Behind    string    // the id of a request: only those that came behind it; where it is no longer kept, those that began later
	Limit     int       // at most so many, the latest; 0: all
}

// Check returns an error for a pattern that no path meets.
func (f Filter) Check() error {
	if f.Path == "" {
		return nil
	}
	if _, err := path.Match(f.Path, ""); err != nil {
		return errors.New(`is not a path, or a pattern such as /verification-requests/*/cancel`)
	}
	return checkPath(f.Path)
}

// checkPath returns an error for what is no path.
func checkPath(text string) error {
	switch {
	case !strings.HasPrefix(text, "/"):
		return errors.New(`begins with /, as in /verification-requests/vr_completed: write it so`)
	case strings.Contains(text, "?"):
		return errors.New(`has a ?, where a query begins: leave that out, a path is compared without`)
	}
	return nil
}

// Wants reports whether an entry is wanted, whatever its place.
func (f Filter) Wants(e *Entry) bool {
	return (f.Operation == "" || e.Operation == f.Operation) &&
		f.Status.holds(e.Status) &&
		(f.Path == "" || matchPath(f.Path, e.Path)) &&
		!e.Time.Before(f.Since)
}

// Select returns the wanted ones of entries that are in order, the latest first. When ctx ends, it returns why.
func (f Filter) Select(ctx context.Context, entries []*Entry) (wanted []*Entry, err error) {
	if i := slices.IndexFunc(entries, func(e *Entry) bool { return e.ID == f.Behind }); f.Behind != "" && i >= 0 {
		entries = entries[i+1:]
	} else if f.Behind != "" { // it is no longer kept
		entries = slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool { return e.ID <= f.Behind })
	}
	for _, e := range slices.Backward(entries) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.Wants(e) {
			wanted = append(wanted, e)
		}
		if f.Limit > 0 && len(wanted) == f.Limit {
			break
		}
	}
	return wanted, nil
}

// Find returns the entry of a request, nil when it is not there.
func Find(entries []*Entry, id string) *Entry {
	if i := slices.IndexFunc(entries, func(e *Entry) bool { return e.ID == id }); i >= 0 {
		return entries[i]
	}
	return nil
}

// matchPath compares a path, secrets left out and a trailing slash or not, with a pattern.
func matchPath(pattern, asked string) bool {
	matched, _ := path.Match(withoutSlash(api.Mask(pattern)), withoutSlash(asked)) // a valid pattern is never malformed
	return matched
}

// withoutSlash cuts a trailing slash, which makes no difference to the service.
func withoutSlash(text string) string {
	if trimmed := strings.TrimSuffix(text, "/"); trimmed != "" {
		return trimmed
	}
	return text
}

// Status is a status, such as 404, or all of a class, such as 4xx. The zero value is any; a broken connection is 0.
type Status struct{ text string }

// ParseStatus reads a status.
func ParseStatus(text string) (Status, error) {
	if len(text) == 3 && text[0] >= '1' && text[0] <= '5' && strings.EqualFold(text[1:], "xx") {
		return Status{strings.ToLower(text)}, nil
	}
	status, err := strconv.Atoi(text)
	if err != nil || status != 0 && (status < 100 || status > 599) || strconv.Itoa(status) != text {
		return Status{}, errors.New("is not a status such as 404 or 4xx, or 0 for a connection that was broken off")
	}
	return Status{text}, nil
}

// String returns the status as ParseStatus reads it, "" for any.
func (s Status) String() string { return s.text }

func (s Status) holds(status int) bool {
	text := strconv.Itoa(status)
	return s.text == "" || s.text == text || len(text) == 3 && s.text == text[:1]+"xx"
}
