package drift

import (
	"maps"
	"slices"
	"strings"
)

// structure has, for each path of a body, how often each kind of value is there: null, object, array, boolean, number, or the
// form of a string.
type structure map[string]map[string]int

func (s structure) add(against *schema, path string, value any) {
	kind := ""
	switch value := value.(type) {
	case nil:
		kind = "null"
	case bool:
		kind = "boolean"
	case string:
		kind = formOf(value)
	case []any:
		kind = "array"
		for _, item := range value {
			s.add(against, join(path, "*"), item)
		}
	case map[string]any:
		kind = "object"
		for key, below := range value {
			if inner, ok := against.step(path, key); ok {
				s.add(against, inner, below)
			}
		}
	default:
		kind = "number"
	}
	if s[path] == nil {
		s[path] = make(map[string]int)
	}
	s[path][kind]++
}

// times returns how often there is a value at a path.
func (s structure) times(path string) (n int) {
	for _, count := range s[path] {
		n += count
	}
	return n
}

// merge adds another structure.
func (s structure) merge(other structure) {
	for path, kinds := range other {
		if s[path] == nil {
			s[path] = make(map[string]int)
		}
		for kind, n := range kinds {
			s[path][kind] += n
		}
	}
}

// without returns how many kinds of values another structure does not have at their paths.
func (s structure) without(other structure) (n int) {
	for path, kinds := range s {
		for kind := range kinds {
			if other[path][kind] == 0 {
				n++
			}
		}
	}
	return n
}

// has reports whether all values at a path, of which there are some, are null or texts of a family.
func (s structure) has(path, family string) bool {
	some := false
	for kind := range s[path] {
		if kind != "null" && familyOf(kind) != family {
			return false
		}
		some = some || kind != "null"
	}
	return some
}

// names returns the kinds at a path that are not null, in words.
func (s structure) names(path string) string {
	kinds := slices.Sorted(maps.Keys(s[path]))
	return strings.Join(slices.DeleteFunc(kinds, func(kind string) bool { return kind == "null" }), ", or ")
}
