package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// comparison collects the differences between an entry and an expectation. It stops when ctx ends.
type comparison struct {
	ctx         context.Context
	differences []string
	distance    int // to order near misses
}

// penalty is added to the distance for another operation, and for a body that cannot be compared.
const penalty = 3

func (c *comparison) differ(format string, args ...any) {
	c.distance++
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

// absent adds a missing value, which is more distant than another value.
func (c *comparison) absent(name string) {
	c.distance++
	c.differ("%s is absent", name)
}

// entry compares an entry with an expectation.
func (c *comparison) entry(x Expectation, e *Entry) {
	m := x.Match
	if x.Operation != "" && e.Operation != x.Operation {
		c.distance += penalty
		c.differ("operation is %s, not %s", e.Operation, x.Operation)
	}
	if m.Method != "" && !strings.EqualFold(m.Method, e.Method) {
		c.differ("method is %s, not %s", e.Method, quoted{m.Method})
	}
	if m.Path != nil { // a trailing slash makes no difference to the service
		path := *m.Path
		if path.Equals != nil {
			path.Equals = new(withoutSlash(*path.Equals))
			c.distance += differingSegments(*path.Equals, withoutSlash(e.Path))
		}
		c.text(path, "path", withoutSlash(e.Path), true)
	}
	query, _ := url.ParseQuery(e.Query) // malformed parameters are absent
	for _, name := range slices.Sorted(maps.Keys(m.Query)) {
		c.text(m.Query[name], "query."+name, query.Get(name), query.Has(name))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		value, present := "", false
		if i := slices.IndexFunc(e.Headers, func(h Header) bool { return strings.EqualFold(h.Name, name) }); i >= 0 {
			value, present = e.Headers[i].Value, true
		}
		c.text(m.Headers[name], "header "+name, value, present)
	}
	if m.Status != nil && !m.Status.matches(e.Status) {
		c.differ("status is %d, not %s", e.Status, m.Status)
	}
	if m.Body != nil {
		c.body(*m.Body, e.request)
	}
}

func differingSegments(a, b string) (count int) {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	for i := range max(len(as), len(bs)) {
		if i >= len(as) || i >= len(bs) || as[i] != bs[i] {
			count++
		}
	}
	return count
}

// text compares a named value: a text, or a value as JSON.
func (c *comparison) text(want TextMatcher, name string, value any, present bool) {
	text, ok := value.(string)
	if !ok {
		text = asJSON(value)
	}
	switch {
	case c.ctx.Err() != nil || want.Absent && !present:
	case want.Absent:
		c.differ("%s is %s, not absent", name, quoted{value})
	case !present:
		c.absent(name)
	case want.Equals != nil && api.Mask(*want.Equals) != text:
		c.differ("%s is %s, not %s", name, quoted{value}, quoted{*want.Equals})
	case want.Contains != nil && !strings.Contains(text, api.Mask(*want.Contains)):
		c.differ("%s is %s, which does not contain %s", name, quoted{value}, quoted{*want.Contains})
	case want.Matches != nil && !want.Matches.MatchString(text):
		c.differ("%s is %s, which does not match %s", name, quoted{value}, quoted{want.Matches.String()})
	}
}

// body compares a request's body.
func (c *comparison) body(want BodyMatcher, b *Body) {
	var value any
	switch {
	case b == nil:
		c.distance += penalty
		if want.Equals != nil || want.Contains != nil || len(want.Matches) > 0 {
			c.absent("body")
		}
		return
	case b.Truncated:
		c.distance += penalty
		c.differ("body is longer than the journal records")
		return
	case json.Unmarshal(b.content(), &value) != nil:
		c.distance += penalty
		c.differ("body is not JSON")
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
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			c.object(path, want, got, whole)
			return
		}
	case []any:
		if got, ok := got.([]any); ok {
			c.array(path, want, got, whole)
			return
		}
	}
	if !reflect.DeepEqual(want, got) {
		c.differ("%s is %s, not %s", path, quoted{got}, quoted{want})
	}
}

func (c *comparison) object(path string, want, got map[string]any, whole bool) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if c.ctx.Err() != nil {
			return
		}
		if value, ok := got[key]; ok {
			c.value(path+"."+key, want[key], value, whole)
		} else {
			c.absent(path + "." + key)
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
		if c.ctx.Err() != nil {
			return
		}
		if whole {
			c.value(fmt.Sprintf("%s.%d", path, i), element, got[i], true)
			continue
		}
		found := slices.ContainsFunc(got, func(value any) bool {
			inner := comparison{ctx: c.ctx}
			inner.value(path, element, value, false)
			return inner.differences == nil || c.ctx.Err() != nil
		})
		if !found {
			c.differ("%s has no element %s", path, quoted{element})
		}
	}
}

// quoted is a value as shown in messages.
type quoted struct{ value any }

func (q quoted) String() string {
	if text, ok := q.value.(string); ok {
		return api.Quote(text)
	}
	text := asJSON(q.value)
	if len(text) > 60 {
		text = text[:60] + "..."
	}
	return api.Excerpt(text)
}

// asJSON returns a value as JSON, or as Go prints it: a Go program may give a value that JSON does not have.
func asJSON(value any) string {
	text, err := api.Render(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
