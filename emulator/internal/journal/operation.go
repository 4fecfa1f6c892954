package journal

import (
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// possible are the operations whose requests can be what was asked so far.
type possible struct{ all, left []api.Operation }

// narrow keeps the operations that fit. Its error for what only other operations have names these; for what none has it is
// otherwise.
func (p *possible) narrow(what, otherwise string, fits func(api.Operation) bool) error {
	of := func(operations []api.Operation) []api.Operation {
		return slices.DeleteFunc(slices.Clone(operations), func(o api.Operation) bool { return !fits(o) })
	}
	left, fitting := of(p.left), of(p.all)
	switch {
	case len(fitting) == 0:
		return invalid(otherwise)
	case len(left) == 0:
		return invalid(strings.Join(NamesOf(p.left), " or ") + " never has " + what + ": did you mean " + strings.Join(NamesOf(fitting), " or ") + "?")
	}
	p.left = left
	return nil
}

// NamesOf returns the names of operations.
func NamesOf(all []api.Operation) []string {
	return each(all, func(o api.Operation) string { return o.Name })
}

func methodsOf(all []api.Operation) []string {
	return each(all, func(o api.Operation) string { return o.Method })
}

// each returns the different texts of operations.
func each(all []api.Operation, of func(api.Operation) string) (texts []string) {
	for _, o := range all {
		if text := of(o); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// named begins with the operation of a name, or all for "".
func named(operation string) (p possible, err error) {
	p = possible{api.Operations(), api.Operations()}
	if operation != "" {
		names := NamesOf(p.all)
		err = p.narrow("", "There is no operation "+api.Quote(operation)+api.DidYouMean(operation, names, ": it is one of "+strings.Join(names, ", ")),
			func(o api.Operation) bool { return o.Name == operation })
	}
	return p, err
}

// path narrows to the operations that have a path or a pattern: like compares its segments with those beside :id.
func (p *possible) path(sent string, like func(sent, segment string) bool) error {
	paths := each(p.all, func(o api.Operation) string { return o.Path })
	hint := ": the paths are " + strings.ReplaceAll(strings.Join(paths, ", "), ":id", "{id}")
	if near, ok := NearestPath(sent, paths); ok {
		hint = ": did you mean " + api.Quote(near) + "?"
	}
	what, segments := "the path "+api.Quote(sent), strings.Split(withoutSlash(sent), "/")
	return p.narrow(what, "No operation has "+what+hint, func(o api.Operation) bool {
		return slices.EqualFunc(segments, strings.Split(o.Path, "/"), func(sent, segment string) bool {
			return strings.HasPrefix(segment, ":") || like(sent, segment)
		})
	})
}

// maxNearPath limits the paths for which NearestPath searches, in bytes, because the search takes time of its square.
const maxNearPath = 128

// NearestPath returns the nearest path that one of some patterns matches: see [api.Nearest]. A segment of a pattern that
// begins with a colon matches every segment. A doubled slash counts as one.
func NearestPath(path string, patterns []string) (nearest string, ok bool) {
	if len(path) > maxNearPath {
		return "", false
	}
	segments, candidates := SegmentsOf(path), []string(nil)
next:
	for _, pattern := range patterns {
		parts := strings.Split(pattern[1:], "/")
		for i, part := range parts {
			if strings.HasPrefix(part, ":") {
				if i >= len(segments) {
					continue next
				}
				parts[i] = segments[i]
			}
		}
		if candidate := "/" + strings.Join(parts, "/"); !slices.Contains(candidates, candidate) {
			candidates = append(candidates, candidate)
		}
	}
	return api.Nearest("/"+strings.Join(segments, "/"), candidates)
}

// SegmentsOf returns the segments of a path that are not empty.
func SegmentsOf(path string) []string {
	return strings.FieldsFunc(path, func(c rune) bool { return c == '/' })
}

func invalid(message string) error { return api.Because(http.StatusBadRequest, message) }
