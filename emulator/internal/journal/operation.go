package journal

import (
	"fmt"
	"net/http"
	"path"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Operation is an operation of the emulated API, as its row there has it. In its path :id stands for an id.
type Operation struct {
	Name, Method, Path string
	Success            int // status
}

// possible are the operations whose requests can be what was asked so far.
type possible struct{ all, left []Operation }

// narrow keeps the operations that fit. Its error for what only other operations have names these; for what none has it is
// otherwise.
func (p *possible) narrow(what, otherwise string, fits func(Operation) bool) error {
	of := func(operations []Operation) []Operation {
		return slices.DeleteFunc(slices.Clone(operations), func(o Operation) bool { return !fits(o) })
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
func NamesOf(all []Operation) []string {
	return each(all, func(o Operation) string { return o.Name })
}

func methodsOf(all []Operation) []string {
	return each(all, func(o Operation) string { return o.Method })
}

// each returns the different texts of operations.
func each(all []Operation, of func(Operation) string) (texts []string) {
	for _, o := range all {
		if text := of(o); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// named begins with the operation of a name, or all for "".
func (j *Journal) named(operation string) (p possible, err error) {
	p = possible{j.operations, j.operations}
	if operation != "" && len(p.all) > 0 {
		names := NamesOf(p.all)
		err = p.narrow("", "There is no operation "+api.Quote(operation)+api.DidYouMean(operation, names, ": it is one of "+strings.Join(names, ", ")),
			func(o Operation) bool { return o.Name == operation })
	}
	return p, err
}

// status narrows to the operations that answer a status. A rule answers errors only.
func (p *possible) status(s Status) error {
	if err := s.Check(); err != nil || s == "" || len(p.all) == 0 {
		return err
	}
	otherwise := "No operation has the status " + string(s) + ": it is " + strings.Join(each(p.all, func(o Operation) string { return fmt.Sprint(o.Success) }), " or ") + ", 400 to 599, or 0 for a broken connection"
	return p.narrow("the status "+string(s), otherwise, func(o Operation) bool {
		return s == "0" || s[0] == '4' || s[0] == '5' || s.matches(o.Success)
	})
}

// path narrows to the operations that have a path. nearest is "" unless there is only one such path.
func (p *possible) path(what, nearest string, has func(path string) bool) error {
	if len(p.all) == 0 {
		return nil
	}
	paths := each(p.all, func(o Operation) string { return o.Path })
	hint := ": the paths are " + strings.ReplaceAll(strings.Join(paths, ", "), ":id", "{id}")
	if near, ok := NearestPath(nearest, paths); ok && nearest != "" {
		hint = ": did you mean " + api.Quote(near) + "?"
	}
	return p.narrow(what, "No operation has "+what+hint, func(o Operation) bool { return has(o.Path) })
}

// hasSegments reports whether a path can be that of an operation: like compares the segments beside :id.
func hasSegments(sent, operation string, like func(sent, segment string) bool) bool {
	segments, own := strings.Split(withoutSlash(sent), "/"), strings.Split(operation, "/")
	for i, segment := range own {
		if len(segments) != len(own) || !strings.HasPrefix(segment, ":") && !like(segments[i], segment) {
			return false
		}
	}
	return true
}

// patternMatches compares segments for a pattern of [path.Match].
func patternMatches(pattern, segment string) bool {
	matched, _ := path.Match(pattern, segment)
	return matched
}

// canMatch reports whether the expression matches in a path of an operation, with some id. It follows the compiled program
// and the path side by side.
func (p Pattern) canMatch(operation string) bool {
	parsed, err := syntax.Parse(p.String(), syntax.Perl)
	if err != nil {
		return false
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return false
	}
	type position struct{ pc, at int }
	sent := []rune(strings.Replace(operation, ":id", "\x00", 1) + "/") // 0 is an id
	seen, todo := make([]bool, len(program.Inst)*(len(sent)+1)), []position(nil)
	for at := range len(sent) + 1 {
		todo = append(todo, position{program.Start, at})
	}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i := s.pc*(len(sent)+1) + s.at; seen[i] {
			continue
		} else {
			seen[i] = true
		}
		inst, out, inID := &program.Inst[s.pc], int(program.Inst[s.pc].Out), s.at < len(sent) && sent[s.at] == 0
		if inID {
			todo = append(todo, position{s.pc, s.at + 1})
		}
		switch inst.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, position{out, s.at}, position{int(inst.Arg), s.at})
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, position{out, s.at})
		case syntax.InstEmptyWidth:
			begins, ends := syntax.EmptyOp(inst.Arg)&syntax.EmptyBeginText != 0, syntax.EmptyOp(inst.Arg)&syntax.EmptyEndText != 0
			if (!begins || s.at == 0) && (!ends || s.at >= len(sent)-1) { // with a slash at the end or without
				todo = append(todo, position{out, s.at})
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			notSlash := inst.Op != syntax.InstRune && inst.Op != syntax.InstRune1 || slices.ContainsFunc(inst.Rune, func(r rune) bool { return r != '/' })
			if inID && notSlash {
				todo = append(todo, position{out, s.at})
			} else if !inID && s.at < len(sent) && inst.MatchRune(sent[s.at]) {
				todo = append(todo, position{out, s.at + 1})
			}
		}
	}
	return false
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
