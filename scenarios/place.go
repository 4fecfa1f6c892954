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

// trail leads from a document to a place in it: by keys, and by the numbers of elements from 0.
type trail []string

// to returns the path that goes on from p.
func (p trail) to(steps ...string) trail { return append(slices.Clone(p), steps...) }

// element returns the path to an element of a list.
func (p trail) element(i int) trail { return p.to(strconv.Itoa(i)) }

// join returns the path as one text, each step with an end: one path leads through another if its text begins with it.
func (p trail) join() string {
	if len(p) == 0 {
		return ""
	}
	return strings.Join(p, "\x00") + "\x00"
}

// mark holds a place for wrong.
func (d *decoder) mark(p trail) {
	if d.wrong == nil {
		d.wrong = make(map[string]bool)
	}
	for i := range p {
		around := p[:i].join()
		d.wrong[around] = d.wrong[around] // in which something is wrong
	}
	d.wrong[p.join()] = true
}

// sound reports whether nothing was found wrong with places, nor with what they are in, nor with what is in them. What
// is told of an unsound place would follow from what was told before.
func (d *decoder) sound(places ...trail) bool {
	for _, p := range places {
		if _, wrong := d.wrong[p.join()]; wrong {
			return false
		}
		for i := range p {
			if d.wrong[p[:i].join()] {
				return false
			}
		}
	}
	return true
}

// at returns where the value at a path begins; where there is none, what it would be in.
func (d *decoder) at(p trail) Position {
	_, value := d.find(p)
	return d.position(value)
}

// find walks down the document as far as the path leads.
func (d *decoder) find(p trail) (key, value ast.Node) {
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
func (d *decoder) reject(p trail, what string, args ...any) {
	d.problems = append(d.problems, Problem{At: d.at(p), What: fmt.Sprintf(what, args...)})
}

// rejectKey reports it at its key.
func (d *decoder) rejectKey(p trail, what string, args ...any) {
	key, _ := d.find(p)
	d.problems = append(d.problems, Problem{At: d.position(key), What: fmt.Sprintf(what, args...)})
}

// warn reports what is allowed and probably not meant.
func (d *decoder) warn(p trail, what string, args ...any) {
	d.problems = append(d.problems, Problem{At: d.at(p), What: fmt.Sprintf(what, args...), Warning: true})
}

// reportFlaws has a structure look at itself, where its type can; a flaw is reported at its key. Where something is wrong
// already, what follows from that is left out: flaws of the whole, of what is wrong, and those that speak of it.
func (d *decoder) reportFlaws(node ast.Node, mapping ast.MapNode, structure any) {
	flawed, ok := structure.(interface{ Flaws() []fixtures.Flaw })
	if !ok {
		return
	}
	whole := d.sound(d.path)
	sound := func(key string) bool { return d.sound(d.path.to(key)) }
	wrong := slices.DeleteFunc(keysOf(reflect.TypeOf(structure)), sound)
	for _, flaw := range flawed.Flaws() {
		at, place := d.flawed(node, mapping, flaw)
		spoken := func(key string) bool {
			return key != flaw.Field && slices.Contains(strings.FieldsFunc(flaw.What, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }), key)
		}
		if whole || flaw.Field != "" && d.sound(place) && !slices.ContainsFunc(wrong, spoken) {
			d.problems = append(d.problems, Problem{At: d.position(at), What: strings.TrimSpace(flaw.Field + " " + flaw.What)})
			defer d.mark(place) // for what is judged after this structure
		}
	}
}

// flawed returns the node and the place that a flaw is of.
func (d *decoder) flawed(node ast.Node, mapping ast.MapNode, flaw fixtures.Flaw) (ast.Node, trail) {
	if flaw.Field == "" {
		return node, slices.Clone(d.path)
	}
	for pairs := mapping.MapRange(); pairs.Next(); {
		if pairs.Key().GetToken().Value != flaw.Field {
			continue
		}
		part, ok := pairs.Value().(ast.MapNode)
		if refused, is := strings.CutPrefix(flaw.What, "may not set "); ok && is && flaw.Field == "set" {
			refused, _, _ = strings.Cut(refused, ":")
			for inner := part.MapRange(); inner.Next(); {
				if inner.Key().GetToken().Value == refused {
					return inner.Key(), d.path.to(flaw.Field, refused)
				}
			}
		}
		return pairs.Key(), d.path.to(flaw.Field)
	}
	return node, d.path.to(flaw.Field)
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
