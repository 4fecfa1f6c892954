package journal

import (
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// NamesOf returns the names of operations.
func NamesOf(all []api.Operation) []string {
	return Each(all, func(o api.Operation) string { return o.Name })
}

// MethodsOf returns the methods of operations.
func MethodsOf(all []api.Operation) []string {
	return Each(all, func(o api.Operation) string { return o.Method })
}

// Each returns the different texts of operations.
func Each(all []api.Operation, of func(api.Operation) string) (texts []string) {
	for _, o := range all {
		if text := of(o); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
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
