package query

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// This file decides whether an entry matches: a filter, or an expectation.

// Matcher returns a function that reports whether the filter selects an entry, apart from After and Limit.
func (f Filter) Matcher() func(*journal.Entry) bool {
	words, ofStatus := wordsOf(f.Text), f.Status.matcher()
	return func(e *journal.Entry) bool {
		return (f.Kind == "" || cmp.Or(e.Kind, journal.KindRequest) == f.Kind) &&
			(f.Operation == "" || e.Operation == f.Operation) &&
			ofStatus(e.Status) &&
			(f.Path == "" || matchPath(f.Path, e.Path)) &&
			!e.Time.Before(f.Since) && !e.Wall.Before(f.From) && (f.To.IsZero() || !e.Wall.After(f.To)) &&
			(len(words) == 0 || hasWords(e, words))
	}
}

// matchPath reports whether a masked path matches a pattern. A trailing slash makes no difference.
func matchPath(pattern, masked string) bool {
	matched, _ := path.Match(withoutSlash(api.Mask(pattern)), withoutSlash(masked)) // Check refuses malformed patterns
	return matched
}

// withoutSlash removes a trailing slash, which makes no difference to the service.
func withoutSlash(text string) string {
	if trimmed := strings.TrimSuffix(text, "/"); trimmed != "" {
		return trimmed
	}
	return text
}

// matcher returns a function that reports whether a status matches. Of the parts that have a status, the last decides.
func (s Status) matcher() func(status int) bool {
	if s == "" {
		return func(int) bool { return true }
	}
	parts, _, ok := s.parse()
	others := !slices.ContainsFunc(parts, func(p statuses) bool { return !p.others })
	return func(status int) bool {
		wanted := others
		for _, p := range parts {
			if p.least <= status && status <= p.most {
				wanted = !p.others
			}
		}
		return ok && wanted
	}
}

// comparison collects how an entry differs from an expectation. It stops at the first difference, or when ctx ends.
type comparison struct {
	ctx      context.Context
	describe bool // collects up to maxDifferences instead

	count       int      // of the differences, by their weight
	differences []string // none unless they are described
}

// maxDifferences limits the differences that are described of one entry.
const maxDifferences = 20

func (c *comparison) done() bool {
	return c.count >= maxDifferences || c.count > 0 && !c.describe || c.ctx.Err() != nil
}

func (c *comparison) differ(format string, args ...any) {
	if c.done() {
		return
	}
	if c.count++; c.describe {
		c.differences = append(c.differences, fmt.Sprintf(format, args...))
	}
}

// missing adds a value that is not there. It counts as two differences: another value is nearer.
func (c *comparison) missing(format string, args ...any) {
	c.differ(format, args...)
	c.count++
}

// unreadable adds a body that cannot be compared. It counts as more differences than any other has.
func (c *comparison) unreadable(why string) {
	c.differ("%s", why)
	c.count += maxDifferences
}

// Compare returns how many fields of an entry differ from an expectation whose texts are masked, by their weight: all with a
// description of each, or up to the first. It stops when ctx ends.
func (x Expectation) Compare(ctx context.Context, e *journal.Entry, describe bool) (count int, differences []string) {
	c := comparison{ctx: ctx, describe: describe}
	c.entry(x, e)
	return c.count, c.differences
}

// entry compares an entry with an expectation.
func (c *comparison) entry(x Expectation, e *journal.Entry) {
	m := x.Match
	if x.Operation != "" && e.Operation != x.Operation {
		c.differ("operation is %s, not %s", e.Operation, x.Operation)
	}
	if m.Method != "" && !strings.EqualFold(m.Method, e.Method) {
		c.differ("method is %s, not %s", e.Method, quoted{m.Method})
	}
	if !m.Status.matcher()(e.Status) {
		c.differ("status is %d, not %s", e.Status, m.Status)
	}
	if m.Path != nil {
		path := *m.Path
		if path.Equals != nil {
			path.Equals = new(withoutSlash(*path.Equals))
		}
		c.text(path, "path", withoutSlash(e.Path), true)
	}
	if c.done() {
		return
	}
	query, _ := url.ParseQuery(e.Query) // malformed parameters are absent
	for _, name := range slices.Sorted(maps.Keys(m.Query)) {
		if c.done() {
			return
		}
		if query.Has(name) || m.Query[name].Absent {
			c.text(m.Query[name], "query."+name, query.Get(name), query.Has(name))
		} else {
			c.absent("query.", name, slices.Collect(maps.Keys(query)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		value, present := "", false
		if i := slices.IndexFunc(e.Headers, func(h journal.Header) bool { return strings.EqualFold(h.Name, name) }); i >= 0 {
			value, present = e.Headers[i].Value, true
		}
		c.text(m.Headers[name], "header "+name, value, present)
	}
	if m.Body != nil {
		c.body(*m.Body, e.Request())
	}
}

// absent adds a value that is missing. The nearest of the names that are there may be a misspelling.
func (c *comparison) absent(path, name string, there []string) {
	near := ""
	if c.describe && !c.done() {
		slices.Sort(there)
		if found, ok := api.Nearest(name, there); ok {
			near = ", and " + api.Quote(found) + " is there"
		}
	}
	c.missing("%s%s is absent%s", path, name, near)
}

// text compares a named value: a text, or a value as JSON.
func (c *comparison) text(want TextMatcher, name string, value any, present bool) {
	text := plain(value)
	switch {
	case c.done() || want.Absent && !present:
	case want.Absent:
		c.differ("%s is %s, not absent", name, quoted{value})
	case !present:
		c.missing("%s is absent", name)
	case want.Equals != nil && *want.Equals != text:
		c.differ("%s is %s, not %s", name, quoted{value}, quoted{*want.Equals})
	case want.Contains != nil && !strings.Contains(text, *want.Contains):
		c.differ("%s is %s, which does not contain %s", name, quoted{value}, quoted{*want.Contains})
	case want.Matches != nil && !want.Matches.MatchString(text):
		c.differ("%s is %s, which does not match %s", name, quoted{value}, quoted{want.Matches.String()})
	}
}

// body compares a request's body.
func (c *comparison) body(want BodyMatcher, b *journal.Body) {
	var value any
	switch {
	case c.done():
		return
	case b == nil:
		if want.Equals != nil || want.Contains != nil || len(want.Matches) > 0 {
			c.unreadable("body is absent")
		}
		return
	case b.Truncated:
		c.unreadable("body is longer than the journal records")
		return
	case json.Unmarshal(b.Content(), &value) != nil:
		c.unreadable("body is not JSON")
		return
	}
	if want.Equals != nil {
		c.value("body", want.Equals, value, true)
	}
	if want.Contains != nil {
		c.value("body", want.Contains, value, false)
	}
	for _, path := range slices.Sorted(maps.Keys(want.Matches)) {
		found, ok := at(value, path)
		c.text(TextMatcher{Matches: new(want.Matches[path])}, "body."+path, found, ok)
	}
	for _, path := range want.Absent {
		found, _ := at(value, path)
		c.text(TextMatcher{Absent: true}, "body."+path, found, found != nil)
	}
}

// at returns the value at a path: a JSON pointer, or keys and indices from 0 separated by dots.
func at(value any, path string) (found any, ok bool) {
	names := strings.SplitSeq(path, ".")
	if strings.HasPrefix(path, "/") {
		names = jsontext.Pointer(path).Tokens()
	}
	for name := range names {
		switch v := value.(type) {
		case map[string]any:
			value, ok = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if ok = err == nil && i >= 0 && i < len(v); ok {
				value = v[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return value, true
}

// value compares a value, or a part of it unless whole.
func (c *comparison) value(path string, want, got any, whole bool) {
	wanted, isObject := want.(map[string]any)
	found, areObjects := got.(map[string]any)
	list, isList := want.([]any)
	elements, areLists := got.([]any)
	switch {
	case c.done():
	case isObject && areObjects && (c.describe || !whole):
		c.object(path, wanted, found, whole)
	case isList && areLists && (c.describe || !whole):
		c.array(path, list, elements, whole)
	case !reflect.DeepEqual(want, got):
		c.differ("%s is %s, not %s", path, quoted{got}, quoted{want})
	}
}

func (c *comparison) object(path string, want, got map[string]any, whole bool) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if c.done() {
			return
		}
		if value, ok := got[key]; ok {
			c.value(path+"."+key, want[key], value, whole)
		} else {
			c.absent(path+".", key, slices.Collect(maps.Keys(got)))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := want[key]; whole && !wanted {
			c.differ("%s.%s is %s, not absent", path, key, quoted{got[key]})
		}
	}
}

func (c *comparison) array(path string, want, got []any, whole bool) {
	if whole && len(want) != len(got) {
		c.differ("%s has %d elements, not %d", path, len(got), len(want))
		return
	}
	for i, element := range want {
		switch {
		case c.done():
			return
		case whole:
			c.value(fmt.Sprintf("%s.%d", path, i), element, got[i], true)
		case !slices.ContainsFunc(got, func(value any) bool { return c.holds(element, value) }):
			c.differ("%s has no element %s", path, quoted{element})
		}
	}
}

// holds reports whether an element of an array contains another value.
func (c *comparison) holds(want, element any) bool {
	inner := comparison{ctx: c.ctx}
	inner.value("", want, element, false)
	return inner.count == 0
}

// quoted is a value as shown in messages.
type quoted struct{ value any }

func (q quoted) String() string {
	if text, ok := q.value.(string); ok {
		return api.Quote(text)
	}
	text := plain(q.value)
	if len(text) > 60 {
		text = text[:60] + "..."
	}
	return api.Excerpt(text)
}

// plain returns a text as it is, and any other value as JSON, or as Go prints it: a Go program may give a value that JSON does
// not have.
func plain(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, err := api.Render(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
