package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// JSON says what a body must be. All that is said must hold.
type JSON struct {
	Equals   any                `json:"equals"`   // the whole of it, whatever the order of its keys
	Contains any                `json:"contains"` // a part of it: an object has these keys and may have more, an array these elements
	Matches  map[string]Pattern `json:"matches"`  // regular expressions, by the path of the value that they match
	Absent   []string           `json:"absent"`   // paths where nothing is, or null
}

// What a body is that cannot be compared.
const (
	bodyTooLong = "body is too long to be kept whole"
	bodyNotJSON = "body is not JSON"
)

// comparison collects the differences between an entry and what is wanted. It stops when ctx ends.
type comparison struct {
	ctx         context.Context
	differences []string
	first       bool // one is enough, whatever it says
}

func (c *comparison) differ(format string, args ...any) {
	if c.first {
		c.differences = []string{""}
	} else {
		c.differences = append(c.differences, fmt.Sprintf(format, args...))
	}
}

func (c *comparison) over() bool { return c.ctx.Err() != nil || c.first && c.differences != nil }

// body compares a request's body.
func (c *comparison) body(want JSON, b body) {
	var value any
	switch {
	case b.size == 0:
		if want.Equals != nil || want.Contains != nil || len(want.Matches) > 0 {
			c.differ("body%s", isAbsent)
		}
		return
	case b.cut:
		c.differ(bodyTooLong)
		return
	case json.Unmarshal(b.text, &value) != nil:
		c.differ(bodyNotJSON)
		return
	}
	if want.Equals != nil {
		c.value("body", want.Equals, value, true)
	}
	if want.Contains != nil {
		c.value("body", want.Contains, value, false)
	}
	for _, path := range slices.Sorted(maps.Keys(want.Matches)) {
		c.match(want.Matches[path], value, path)
	}
	for _, path := range want.Absent {
		if found, ok := at(value, path); ok && found != nil && !c.over() {
			c.differ("body.%s is %s, not absent", path, quoted{found})
		}
	}
}

func (c *comparison) match(pattern Pattern, body any, path string) {
	found, ok := at(body, path)
	text, isText := found.(string)
	if !isText {
		text = plainJSON(found)
	}
	switch {
	case !ok:
		c.differ("body.%s%s", path, isAbsent)
	case !c.over() && !pattern.MatchString(text):
		c.differ("body.%s is %s, which does not match %s", path, quoted{found}, api.Quote(pattern.String()))
	}
}

// at returns the value at a path: keys, and numbers of elements from 0, with dots between them, or a JSON pointer.
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

// value compares all of a value, or a part.
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
	default:
		if reflect.DeepEqual(want, got) {
			return
		}
	}
	c.differ("%s is %s, not %s", path, quoted{got}, quoted{want})
}

func (c *comparison) object(path string, want, got map[string]any, whole bool) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if c.over() {
			return
		}
		if value, ok := got[key]; ok {
			c.value(path+"."+key, want[key], value, whole)
		} else {
			c.differ("%s.%s%s", path, key, isAbsent)
		}
	}
	if !whole {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := want[key]; !wanted {
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
		if c.over() {
			return
		}
		if whole {
			c.value(fmt.Sprintf("%s.%d", path, i), element, got[i], true)
		} else if !slices.ContainsFunc(got, func(value any) bool { return c.contains(value, element) }) {
			c.differ("%s has no element %s", path, quoted{element})
		}
	}
}

func (c *comparison) contains(value, part any) bool {
	inner := comparison{ctx: c.ctx, first: true}
	inner.value("", part, value, false)
	return c.over() || inner.differences == nil
}

// quoted is a value as a person reads it.
type quoted struct{ value any }

func (q quoted) String() string {
	if text, ok := q.value.(string); ok {
		return api.Quote(text)
	}
	text := plainJSON(q.value)
	if len(text) > 60 {
		text = text[:60] + "..."
	}
	return api.Excerpt(text)
}

func plainJSON(value any) string {
	text, err := api.Render(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// redactValue returns a value as an entry has it.
func redactValue(value any) any {
	text, err := json.Marshal(value)
	if err != nil || json.Unmarshal(api.MaskBody(text), &value) != nil {
		return value // which no entry has
	}
	return value
}
