package decode

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// Path is the path from a document to a node in it: keys, and indexes of list items from 0.
type Path []string

// to returns p with more steps.
func (p Path) To(steps ...string) Path { return append(slices.Clone(p), steps...) }

// join returns the path as a map key. Each step has a terminator, so that different paths never give the same text.
func (p Path) join() string {
	if len(p) == 0 {
		return ""
	}
	return strings.Join(p, "\x00") + "\x00"
}

// invalidate notes that the value at a path is invalid.
func (d *Decoder) invalidate(p Path) {
	if d.invalid == nil {
		d.invalid = make(map[string]bool)
	}
	for i := range p {
		if around := p[:i].join(); !d.invalid[around] {
			d.invalid[around] = false // it contains an invalid value
		}
	}
	d.invalid[p.join()] = true
}

// valid reports whether no problem was found at the paths, around them or below them. Another problem there would only be a
// consequence of the first.
func (d *Decoder) Valid(paths ...Path) bool {
	for _, p := range paths {
		if _, found := d.invalid[p.join()]; found {
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

// at returns the position of the value at a path; when there is none, that of the node it would be in.
func (d *Decoder) At(p Path) source.Position {
	_, value := d.Find(p)
	return d.position(value)
}

// find returns the key and the value at a path, as far as the document has them.
func (d *Decoder) Find(p Path) (key, value ast.Node) {
	key, value = d.Body, d.Body
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

// reject reports a value that is well-formed and makes no sense.
func (d *Decoder) Reject(p Path, what string, args ...any) {
	d.Problems = append(d.Problems, source.Problem{At: d.At(p), What: fmt.Sprintf(what, args...)})
}

// rejectKey reports a key that makes no sense.
func (d *Decoder) RejectKey(p Path, what string, args ...any) {
	key, _ := d.Find(p)
	d.Problems = append(d.Problems, source.Problem{At: d.position(key), What: fmt.Sprintf(what, args...)})
}

// warn reports a value that is allowed and probably not meant.
func (d *Decoder) Warn(p Path, what string, args ...any) {
	d.Problems = append(d.Problems, source.Problem{At: d.At(p), What: fmt.Sprintf(what, args...), Warning: true})
}

// reportViolations reports the violations of a structure, each at its key. It leaves out consequences of other problems: the
// violations of the whole or of a field that has a problem, and those that name such a field or one in it.
func (d *Decoder) reportViolations(node ast.Node, structure any) {
	validator, ok := structure.(interface{ Validate() []fixtures.Violation })
	if !ok {
		return
	}
	whole := d.Valid(d.path)
	var invalid []string // keys at and below the structure
	for path := range d.invalid {
		if below, ok := strings.CutPrefix(path, d.path.join()); ok {
			invalid = append(invalid, strings.Split(below, "\x00")...)
		}
	}
	for _, violation := range validator.Validate() {
		at, path := node, slices.Clone(d.path)
		if violation.Field != "" {
			path = d.path.To(strings.Split(violation.Field, ".")...)
			if key, value := d.Find(path); value != node { // the file has the field
				at = key
			}
		}
		named := func(key string) bool {
			return key != violation.Field && slices.Contains(strings.FieldsFunc(violation.What, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }), key)
		}
		if whole || violation.Field != "" && d.Valid(path) && !slices.ContainsFunc(invalid, named) {
			what := violation.Field + " " + violation.What
			if isIndex(violation.Field[strings.LastIndexByte(violation.Field, '.')+1:]) { // an element of a list: its position says which
				what = violation.What
			}
			d.Problems = append(d.Problems, source.Problem{At: d.position(at), What: strings.TrimSpace(what)})
			defer d.invalidate(path) // for validations after this structure
		}
	}
}

// refuseEmpty reports a number 0, an empty text and an empty list that would mean the same as no value, and so the default. An
// empty list of texts is allowed: it means that there are none.
func (d *Decoder) refuseEmpty(node ast.Node, member reflect.Value) {
	switch {
	case member.CanInt() && member.IsZero() && strings.Trim(node.GetToken().Value, "0.") == "":
		d.problemWithForm(node, d.show(", or write ", d.form), "%s must not be 0, which means the same as no value: leave it out", d.key())
	case member.Kind() == reflect.String && member.Len() == 0, member.Kind() == reflect.Slice && member.Len() == 0 && member.Type().Elem() != reflect.TypeFor[string]():
		d.problemWithForm(node, d.show(", or write ", d.form), "%s must not be empty, which means the same as no value: leave it out", d.key())
	}
}
