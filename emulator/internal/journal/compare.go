package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// comparison collects the differences between an entry and an expectation. It stops when its effort ends.
type comparison struct {
	*effort
	differences []string
	distance    float64 // to order near misses: the sum of those of the differences
	untold      bool    // whether nobody reads the differences, which are "" then
}

// effort bounds the time that the comparisons of one [Journal.Verify] or [Filter.Select] take together.
type effort struct {
	ctx     context.Context
	left    int // steps
	refusal error
}

// newEffort returns the effort of maxSteps steps, each of some microseconds.
func newEffort(ctx context.Context, refusal error) *effort { return &effort{ctx, maxSteps, refusal} }

const maxSteps = 500_000

var (
	errVerifyEffort = api.Because(400, "The expectation takes too long to compare with the journal: match fewer values, or by simpler expressions")
	errSearchEffort = api.Because(400, "The text takes too long to search for: search for fewer or longer words")
)

// spend takes steps, and reports whether more may follow.
func (e *effort) spend(steps int) bool {
	e.left -= steps
	return e.err() == nil
}

// err returns why the effort has ended, nil if it has not.
func (e *effort) err() error {
	if e.left < 0 {
		return e.refusal
	}
	return e.ctx.Err()
}

// The distances of what has no edit distance. That of two values is at most 1.
const (
	unwanted = 0.5 // a value that should be absent
	missing  = 2   // a value that is absent
	penalty  = 3   // another operation, or a body that cannot be compared
)

func (c *comparison) differ(distance float64, format string, args ...any) {
	c.distance += distance
	if c.untold {
		format, args = "", nil
	}
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

// absent adds a value that is missing among others by their names. A misspelled name is as distant as its spelling.
func (c *comparison) absent(path, name string, value any, others iter.Seq[string]) {
	near, ok, names := "", false, slices.Sorted(others)
	if len(name) <= maxCompared && c.spend(1+len(names)/4) {
		near, ok = api.Nearest(name, names)
	}
	if ok {
		c.differ(missing*values(value)*editDistance(name, near), "%s%s is absent, and %s is there", path, name, api.Quote(near))
		return
	}
	c.differ(missing*values(value), "%s%s is absent", path, name)
}

// maxCompared is the number of characters of a text that count for a distance, whose time grows with their square.
const maxCompared = 100

// editDistance returns the edit distance of two texts in proportion to the longer one, from 0 to 1.
func editDistance(want, got string) float64 {
	a, b := beginning(want), beginning(got)
	return float64(levenshtein.ComputeDistance(string(a), string(b))) / float64(max(1, len(a), len(b)))
}

// beginning returns the characters of a text that count for a distance.
func beginning(text string) []rune {
	runes := []rune(text[:min(len(text), utf8.UTFMax*maxCompared)])
	return runes[:min(len(runes), maxCompared)]
}

// pathDistance is the sum of the edit distances of the segments of two paths.
func pathDistance(want, got string) (sum float64) {
	wanted, found := strings.Split(want, "/"), strings.Split(got, "/")
	for i := range max(len(wanted), len(found)) {
		if i >= len(wanted) || i >= len(found) {
			sum++
		} else {
			sum += editDistance(wanted[i], found[i])
		}
	}
	return sum
}

// values returns how many values a value consists of, at least 1: its weight in the distance.
func values(value any) (count float64) {
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			count += values(member)
		}
	case []any:
		for _, element := range v {
			count += values(element)
		}
	}
	return max(1, count)
}

// entry compares an entry with an expectation.
func (c *comparison) entry(x Expectation, e *Entry) {
	m := x.Match
	if x.Operation != "" && e.Operation != x.Operation {
		c.distance += penalty
		c.differ(editDistance(x.Operation, e.Operation), "operation is %s, not %s", e.Operation, x.Operation)
	}
	if m.Method != "" && !strings.EqualFold(m.Method, e.Method) {
		c.differ(editDistance(strings.ToUpper(m.Method), e.Method), "method is %s, not %s", e.Method, quoted{m.Method})
	}
	if m.Path != nil { // a trailing slash makes no difference to the service
		path := *m.Path
		if path.Equals != nil {
			path.Equals = new(withoutSlash(*path.Equals))
			c.distance += 2 * pathDistance((*path.Equals)[:min(len(*path.Equals), maxText)], withoutSlash(e.Path)) // it names what the request is about
		}
		c.text(path, "path", withoutSlash(e.Path), true)
	}
	query, _ := url.ParseQuery(e.Query) // malformed parameters are absent
	for _, name := range slices.Sorted(maps.Keys(m.Query)) {
		if !query.Has(name) && !m.Query[name].Absent {
			c.absent("query.", name, nil, maps.Keys(query))
			continue
		}
		c.text(m.Query[name], "query."+name, query.Get(name), query.Has(name))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		value, present := "", false
		if i := slices.IndexFunc(e.Headers, func(h Header) bool { return strings.EqualFold(h.Name, name) }); i >= 0 {
			value, present = e.Headers[i].Value, true
		}
		c.text(m.Headers[name], "header "+name, value, present)
	}
	if !m.Status.matches(e.Status) {
		c.differ(editDistance(string(m.Status), strconv.Itoa(e.Status)), "status is %d, not %s", e.Status, m.Status)
	}
	if m.Body != nil {
		c.body(*m.Body, e.request)
	}
}

// text compares a named value: a text, or a value as JSON.
func (c *comparison) text(want TextMatcher, name string, value any, present bool) {
	text := plain(value)
	switch {
	case !c.spend(1) || want.Absent && !present:
	case want.Absent:
		c.differ(unwanted, "%s is %s, not absent", name, quoted{value})
	case !present:
		c.differ(missing, "%s is absent", name)
	case want.Equals != nil && *want.Equals != text:
		c.differ(editDistance(*want.Equals, text), "%s is %s, not %s", name, quoted{value}, quoted{*want.Equals})
	case want.Contains != nil && !strings.Contains(text, *want.Contains):
		c.differ(editDistance(*want.Contains, text), "%s is %s, which does not contain %s", name, quoted{value}, quoted{*want.Contains})
	case want.Matches != nil && c.spend(want.Matches.steps(text)) && !want.Matches.MatchString(text):
		c.differ(editDistance(want.Matches.String(), text), "%s is %s, which does not match %s", name, quoted{value}, quoted{want.Matches.String()})
	}
}

// body compares a request's body.
func (c *comparison) body(want BodyMatcher, b *Body) {
	var value any
	all := penalty + missing*(values(want.Equals)+values(want.Contains)+float64(len(want.Matches)))
	switch {
	case b == nil:
		if want.Equals != nil || want.Contains != nil || len(want.Matches) > 0 {
			c.differ(all, "body is absent")
		}
		return
	case b.Truncated:
		c.differ(all, "body is longer than the journal records")
		return
	case json.Unmarshal(b.content(), &value) != nil:
		c.differ(all, "body is not JSON")
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
	if c.spend(1) && !reflect.DeepEqual(want, got) {
		c.differ(c.apart(want, got), "%s is %s, not %s", path, quoted{got}, quoted{want})
	}
}

// apart returns the distance of two values that differ.
func (c *comparison) apart(want, got any) float64 {
	text := plain(want)
	c.spend(len(text) / 4)
	return values(want) * editDistance(text, plain(got))
}

func (c *comparison) object(path string, want, got map[string]any, whole bool) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if !c.spend(1) {
			return
		}
		if value, ok := got[key]; ok {
			c.value(path+"."+key, want[key], value, whole)
		} else {
			c.absent(path+".", key, want[key], maps.Keys(got))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := want[key]; whole && !wanted {
			c.differ(unwanted, "%s.%s is %s, not absent", path, key, quoted{got[key]})
		}
	}
}

func (c *comparison) array(path string, want, got []any, whole bool) {
	if whole && len(want) != len(got) {
		c.differ(c.apart(want, got), "%s has %d elements, not %d", path, len(got), len(want))
		return
	}
	for i, element := range want {
		if !c.spend(1) {
			return
		}
		if whole {
			c.value(fmt.Sprintf("%s.%d", path, i), element, got[i], true)
			continue
		}
		least := values(element)
		found := slices.ContainsFunc(got, func(value any) bool {
			inner := comparison{effort: c.effort, untold: true}
			inner.value(path, element, value, false)
			least = min(least, inner.distance)
			return inner.differences == nil || c.err() != nil
		})
		if !found {
			c.differ(least, "%s has no element %s", path, quoted{element})
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

// plain returns a text as it is, and any other value as JSON.
func plain(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return asJSON(value)
}

// asJSON returns a value as JSON, or as Go prints it: a Go program may give a value that JSON does not have.
func asJSON(value any) string {
	text, err := api.Render(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
