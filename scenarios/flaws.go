package scenarios

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/ast"

	"github.com/understudy-sandbox/understudy/fixtures"
)

// reportFlaws has a structure look at itself, where its type can; a flaw is reported at its key. Where something is wrong
// already, what follows from that is left out: flaws of the whole, of what is wrong, and those that speak of it.
func (d *decoder) reportFlaws(node ast.Node, mapping ast.MapNode, structure any) {
	flawed, ok := structure.(interface{ Flaws() []fixtures.Flaw })
	if !ok {
		return
	}
	whole := d.sound(d.path)
	var wrong []string
	if !whole {
		wrong = d.wrongBelow(reflect.TypeOf(structure))
	}
	for _, flaw := range flawed.Flaws() {
		at, place := d.flawed(node, mapping, flaw)
		spoken := func(key string) bool {
			return key != flaw.Field && slices.Contains(strings.FieldsFunc(flaw.What, notOfKey), key)
		}
		if whole || flaw.Field != "" && d.sound(place) && !slices.ContainsFunc(wrong, spoken) {
			d.problems = append(d.problems, Problem{At: d.position(at), What: strings.TrimSpace(flaw.Field + " " + flaw.What)})
			defer d.mark(place) // for what is judged after this structure
		}
	}
}

// notOfKey reports whether a letter cannot be of a key.
func notOfKey(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }

// wrongBelow lists the keys of the structure that is being read, with which or in which something is wrong.
func (d *decoder) wrongBelow(structure reflect.Type) []string {
	return slices.DeleteFunc(keysOf(structure), func(key string) bool { return d.sound(d.path.to(key)) })
}

// notSettable finds in a flaw of set the field that may not be set.
var notSettable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^may not set ([a-z_]+)`) })

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
		if named := notSettable().FindStringSubmatch(flaw.What); ok && flaw.Field == "set" && named != nil {
			for inner := part.MapRange(); inner.Next(); {
				if inner.Key().GetToken().Value == named[1] {
					return inner.Key(), d.path.to(flaw.Field, named[1])
				}
			}
		}
		return pairs.Key(), d.path.to(flaw.Field)
	}
	return node, d.path.to(flaw.Field)
}

// zero is a number that is nothing.
var zero = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^0+(\.0+)?$`) })

// refuseNothing finds a number and a list that say nothing: where they may be left out, and have a default then, 0 and []
// are as good as not written. A list of texts says something: that there are none.
func (d *decoder) refuseNothing(node ast.Node, member reflect.Value) {
	switch {
	case member.CanInt() && member.IsZero() && zero().MatchString(node.GetToken().Value):
		d.problem(node, "must not be 0, which is as good as not written: leave it out, or write another number")
	case member.Kind() == reflect.Slice && member.Len() == 0 && member.Type().Elem() != reflect.TypeFor[string]():
		d.problem(node, "must not be empty, which is as good as not written: leave it out, or say what is in it")
	}
}
