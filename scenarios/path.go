package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/understudy-sandbox/understudy/fixtures"
)

// nodePath leads from a document to a node in it: by keys, and by the numbers of elements from 0.
type nodePath []string

// to returns the path that goes on from p.
func (p nodePath) to(steps ...string) nodePath { return append(slices.Clone(p), steps...) }

// join returns the path as one text, each step with an end: one path leads through another if its text begins with it.
func (p nodePath) join() string {
	if len(p) == 0 {
		return ""
	}
	return strings.Join(p, "\x00") + "\x00"
}

// invalidate notes that the value at a path is invalid.
func (d *decoder) invalidate(p nodePath) {
	if d.invalid == nil {
		d.invalid = make(map[string]bool)
	}
	for i := range p {
		if around := p[:i].join(); !d.invalid[around] {
			d.invalid[around] = false // in which something is wrong
		}
	}
	d.invalid[p.join()] = true
}

// valid reports whether no problem was found at some paths, nor around or below them. Another problem there would only
// follow from the first.
func (d *decoder) valid(paths ...nodePath) bool {
	for _, p := range paths {
		if _, wrong := d.invalid[p.join()]; wrong {
			return false
		}
		for i := range p {
			if d.invalid[p[:i].join()] {
				return false
			}
		}
	}
	return true
}

// at returns where the value at a path begins; where there is none, what it would be in.
func (d *decoder) at(p nodePath) Position {
	_, value := d.find(p)
	return d.position(value)
}

// find walks down the document as far as the path leads.
func (d *decoder) find(p nodePath) (key, value ast.Node) {
	key, value = d.body, d.body
	for _, step := range p {
		switch in := value.(type) {
		case ast.MapNode:
			for pairs := in.MapRange(); pairs.Next(); {
				if pairs.Key().GetToken().Value == step {
					key, value = pairs.Key(), pairs.Value()
					break
				}
			}
		case *ast.SequenceNode:
			if i, err := strconv.Atoi(step); err == nil && i < len(in.Values) {
				key, value = in.Values[i], in.Values[i]
			}
		}
	}
	return key, value
}

// reject reports what is well-formed and still makes no sense, at its value.
func (d *decoder) reject(p nodePath, what string, args ...any) {
	d.problems = append(d.problems, Problem{At: d.at(p), What: fmt.Sprintf(what, args...)})
}

// rejectKey reports it at its key.
func (d *decoder) rejectKey(p nodePath, what string, args ...any) {
	key, _ := d.find(p)
	d.problems = append(d.problems, Problem{At: d.position(key), What: fmt.Sprintf(what, args...)})
}

// warn reports what is allowed and probably not meant.
func (d *decoder) warn(p nodePath, what string, args ...any) {
	d.problems = append(d.problems, Problem{At: d.at(p), What: fmt.Sprintf(what, args...), Warning: true})
}

// reportViolations reports the violations that a structure finds in itself, each at its key. It leaves out those that follow from
// other problems: violations of a whole that has one, of a field that has one, and those that name such a field.
func (d *decoder) reportViolations(node ast.Node, structure any) {
	flawed, ok := structure.(interface{ Validate() []fixtures.Violation })
	if !ok {
		return
	}
	whole := d.valid(d.path)
	valid := func(key string) bool { return d.valid(d.path.to(key)) }
	wrong := slices.DeleteFunc(keysOf(reflect.TypeOf(structure)), valid)
	for _, violation := range flawed.Validate() {
		at, path := node, slices.Clone(d.path)
		if violation.Field != "" {
			path = d.path.to(violation.Field)
			if key, value := d.find(path); value != node { // else the field is not written
				at = key
			}
		}
		spoken := func(key string) bool {
			return key != violation.Field && slices.Contains(strings.FieldsFunc(violation.What, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }), key)
		}
		if whole || violation.Field != "" && d.valid(path) && !slices.ContainsFunc(wrong, spoken) {
			d.problems = append(d.problems, Problem{At: d.position(at), What: strings.TrimSpace(violation.Field + " " + violation.What)})
			defer d.invalidate(path) // for what is judged after this structure
		}
	}
}

// refuseNothing finds a number and a list that say nothing: where they may be left out, and have a default then, 0 and []
// are as good as not written. A list of texts says something: that there are none.
func (d *decoder) refuseNothing(node ast.Node, member reflect.Value) {
	switch {
	case member.CanInt() && member.IsZero() && strings.Trim(node.GetToken().Value, "0.") == "":
		d.problem(node, "must not be 0, which is as good as not written: leave it out, or write another number")
	case member.Kind() == reflect.Slice && member.Len() == 0 && member.Type().Elem() != reflect.TypeFor[string]():
		d.problem(node, "must not be empty, which is as good as not written: leave it out, or say what is in it")
	}
}
