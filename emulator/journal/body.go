package journal

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// JSON says what a body must be. All that is said must hold.
type JSON struct {
	Equals   any                `json:"equals"`   // the whole of it, whatever the order of its keys
	Contains any                `json:"contains"` // a part of it: an object has these keys and may have more, an array these elements
	Matches  map[string]Pattern `json:"matches"`  // regular expressions, by the place of what they find something in
	Absent   []string           `json:"absent"`   // places where nothing is, or null
}

// What a body is that cannot be compared.
const (
	bodyTooLong = "body is too long to be kept whole"
	bodyNotJSON = "body is not JSON"
)

func saysNoBody(difference string) bool {
	return difference == bodyTooLong || difference == bodyNotJSON
}

// differences says how a body is not what is wanted: nothing when it is.
func (j JSON) differences(body kept) (all []string) {
	if body.size == 0 {
		if j.Equals == nil && j.Contains == nil && len(j.Matches) == 0 {
			return nil
		}
		return []string{"body" + isAbsent}
	}
	var value any
	if body.cut {
		return []string{bodyTooLong}
	}
	if json.Unmarshal(body.text, &value) != nil {
		return []string{bodyNotJSON}
	}
	if j.Equals != nil {
		all = append(all, compare("body", asKept(j.Equals), value, true)...)
	}
	if j.Contains != nil {
		all = append(all, compare("body", asKept(j.Contains), value, false)...)
	}
	for _, place := range slices.Sorted(maps.Keys(j.Matches)) {
		all = append(all, j.mismatch(place, value)...)
	}
	for _, place := range j.Absent {
		if found, ok := at(value, place); ok && found != nil {
			all = append(all, fmt.Sprintf("body.%s is %s, not absent", place, shown(found)))
		}
	}
	return all
}

func (j JSON) mismatch(place string, value any) []string {
	found, ok := at(value, place)
	switch text, isText := found.(string); {
	case !ok:
		return []string{"body." + place + isAbsent}
	case !isText:
		text = plainJSON(found)
		fallthrough
	default:
		if pattern := j.Matches[place]; !pattern.MatchString(text) {
			return []string{fmt.Sprintf("body.%s is %s, which does not match %s", place, shown(found), api.Quote(pattern.String()))}
		}
	}
	return nil
}

// at returns what stands in a place: keys, and numbers of elements from 0, with dots between them, or as a JSON pointer
// with slashes.
func at(value any, place string) (found any, ok bool) {
	separator := "."
	if strings.HasPrefix(place, "/") {
		place, separator = place[1:], "/"
	}
	for name := range strings.SplitSeq(place, separator) {
		if separator == "/" {
			name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		}
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

// compare says where a value is not what is wanted: all of it, or a part.
func compare(place string, want, got any, whole bool) (all []string) {
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			return compareObjects(place, want, got, whole)
		}
	case []any:
		if got, ok := got.([]any); ok {
			return compareArrays(place, want, got, whole)
		}
	default:
		if reflect.DeepEqual(want, got) {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s is %s, not %s", place, shown(got), shown(want))}
}

func compareObjects(place string, want, got map[string]any, whole bool) (all []string) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		value, ok := got[key]
		if !ok {
			all = append(all, place+"."+key+isAbsent)
			continue
		}
		all = append(all, compare(place+"."+key, want[key], value, whole)...)
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := want[key]; whole && !wanted {
			all = append(all, fmt.Sprintf("%s.%s is %s, not absent", place, key, shown(got[key])))
		}
	}
	return all
}

func compareArrays(place string, want, got []any, whole bool) (all []string) {
	if whole {
		if len(want) != len(got) {
			return []string{fmt.Sprintf("%s has %d elements, not %d", place, len(got), len(want))}
		}
		for i := range want {
			all = append(all, compare(fmt.Sprintf("%s.%d", place, i), want[i], got[i], true)...)
		}
		return all
	}
	for _, element := range want {
		if !slices.ContainsFunc(got, func(g any) bool { return len(compare("", element, g, false)) == 0 }) {
			all = append(all, fmt.Sprintf("%s has no element %s", place, shown(element)))
		}
	}
	return all
}

// shown writes a value for a person.
func shown(value any) string {
	if text, ok := value.(string); ok {
		return api.Quote(text)
	}
	text := plainJSON(value)
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

// asKept returns a value as an entry has it.
func asKept(value any) any {
	text, err := json.Marshal(value)
	if err != nil || json.Unmarshal(api.MaskBody(text), &value) != nil {
		return value // which no entry has
	}
	return value
}
