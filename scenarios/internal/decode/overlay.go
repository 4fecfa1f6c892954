package decode

import (
	"encoding"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// Overlay is a part of an API document that replaces what would be generated: a [fixtures.Overlay].
type Overlay interface {
	Over() reflect.Type // the document's
	UnmarshalJSON(part []byte) error
	Validate() []fixtures.Violation
}

// part reads a node as a part of a document of a type, and returns it as a JSON value.
func (d *Decoder) part(node ast.Node, of reflect.Type) any {
	if node.Type() == ast.NullType {
		return nil
	}
	switch text := reflect.PointerTo(of).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()); {
	case !text && of.Kind() == reflect.Pointer:
		return d.part(node, of.Elem())
	case !text && of.Kind() == reflect.Struct:
		return d.objectPart(node, of)
	case !text && of.Kind() == reflect.Slice:
		return d.listPart(node, of)
	}
	value := reflect.New(of)
	d.Decode(node, value.Elem())
	return value.Interface()
}

// listPart reads a list, or a mapping whose keys are the numbers of the elements that change.
func (d *Decoder) listPart(node ast.Node, of reflect.Type) any {
	if mapping, ok := node.(ast.MapNode); ok {
		return d.elementsPart(mapping, of.Elem())
	}
	sequence, ok := node.(*ast.SequenceNode)
	if !ok {
		d.invalidKind(node, "a list", d.form)
		return nil
	}
	list := make([]any, len(sequence.Values))
	for i, element := range sequence.Values {
		d.below(strconv.Itoa(i), func() { list[i] = d.part(element, of.Elem()) })
	}
	return list
}

func (d *Decoder) elementsPart(mapping ast.MapNode, of reflect.Type) any {
	elements := make(map[string]any)
	for pairs := mapping.MapRange(); pairs.Next(); {
		number := pairs.Key().GetToken().Value
		d.below(number, func() {
			if i, err := strconv.Atoi(number); err != nil || i < 0 || i > 999 || strconv.Itoa(i) != number {
				d.problem(pairs.Key(), "%s is not the number of an element: write a list, or the elements that change by their numbers, from 0 to 999", source.Quote(number))
				return
			}
			elements[number] = d.part(pairs.Value(), of)
		})
	}
	return elements
}

// objectPart leaves invalid members out, to validate the others.
func (d *Decoder) objectPart(node ast.Node, of reflect.Type) any {
	mapping, ok := node.(ast.MapNode)
	if !ok {
		d.invalidKind(node, "a mapping", d.form)
		return nil
	}
	object, fields := make(map[string]any), slices.Collect(of.Fields())
	for pairs := mapping.MapRange(); pairs.Next(); {
		key := pairs.Key().GetToken().Value
		i := slices.IndexFunc(fields, func(f reflect.StructField) bool { return f.Tag.Get("json") == key })
		if i < 0 {
			d.unknown(pairs.Key(), "field", "the fields here are", namesOf(of))
			continue
		}
		around := d.form
		d.form, d.also = "", ""
		if word, ok := strings.CutPrefix(fields[i].Tag.Get("spec"), "or "); ok {
			d.also = word
		}
		d.below(key, func() {
			if slices.Contains(fixtures.Derived(of), key) {
				d.problem(pairs.Key(), "set may not set %s: it follows from elsewhere", key)
			} else if part := d.part(pairs.Value(), fields[i].Type); d.Valid(d.path) {
				object[key] = part
			}
		})
		d.form, d.also = around, ""
	}
	return object
}

// namesOf lists the fields of a document that may be set.
func namesOf(of reflect.Type) (names []string) {
	derived := fixtures.Derived(of)
	for field := range of.Fields() {
		if name := field.Tag.Get("json"); !slices.Contains(derived, name) {
			names = append(names, name)
		}
	}
	return names
}
