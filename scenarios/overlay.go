package scenarios

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// overlay is a part of a document of the API that takes the place of what would be drawn, such as
// [fixtures.Overlay].
type overlay interface {
	Over() reflect.Type // the document's
	Set(part []byte)    // JSON
}

// decodeOverlay reads a part of a document by the document's own type: its keys, its enumerations, what may be null.
func (d *decoder) decodeOverlay(node ast.Node, into overlay) {
	part, err := json.Marshal(d.part(node, into.Over()))
	if err != nil {
		d.problem(node, "cannot be part of a document: %v", err)
		return
	}
	into.Set(part)
}

// part returns what a node says of a document of a type, as JSON's own values.
func (d *decoder) part(node ast.Node, of reflect.Type) any {
	if node.Type() == ast.NullType {
		if !nullable(of) {
			d.problem(node, "may not be null")
		}
		return nil
	}
	if reflect.PointerTo(of).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return d.scalarPart(node, of)
	}
	switch of.Kind() {
	case reflect.Pointer:
		return d.part(node, of.Elem())
	case reflect.Struct:
		return d.objectPart(node, of)
	case reflect.Slice:
		return d.listPart(node, of)
	default:
		return d.scalarPart(node, of)
	}
}

func nullable(of reflect.Type) bool {
	return of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map
}

func (d *decoder) scalarPart(node ast.Node, of reflect.Type) any {
	value := reflect.New(of)
	d.decode(node, value.Elem())
	return value.Interface()
}

func (d *decoder) listPart(node ast.Node, of reflect.Type) any {
	sequence, ok := node.(*ast.SequenceNode)
	if !ok {
		d.problem(node, "must be a list")
		return nil
	}
	list := make([]any, len(sequence.Values))
	for i, element := range sequence.Values {
		d.below(strconv.Itoa(i), func() { list[i] = d.part(element, of.Elem()) })
	}
	return list
}

// objectPart leaves out what is wrong, so that the rest can be looked at.
func (d *decoder) objectPart(node ast.Node, of reflect.Type) any {
	mapping, ok := node.(ast.MapNode)
	if !ok {
		d.problem(node, "must be a mapping of %s", strings.Join(namesOf(of), ", "))
		return nil
	}
	object := make(map[string]any)
	for pairs := mapping.MapRange(); pairs.Next(); {
		key := pairs.Key().GetToken().Value
		field, ok := fieldNamed(of, key)
		if !ok {
			d.unknown(pairs.Key(), "field", "the fields here are", namesOf(of))
			continue
		}
		d.below(key, func() {
			if part := d.fieldPart(pairs.Value(), field); d.sound(d.path) {
				object[key] = part
			}
		})
	}
	return object
}

// fieldPart also holds a value to what the type of its field cannot say.
func (d *decoder) fieldPart(node ast.Node, field reflect.StructField) any {
	rule, null := field.Tag.Get("spec"), node.Type() == ast.NullType
	switch {
	case rule == "not null" && null:
		d.problem(node, "may not be null: the empty list is []")
		return nil
	case rule == "obfuscated" && !null && !api.IsObfuscatedSSN(node.GetToken().Value):
		d.problem(node, "must be obfuscated, such as \"***-**-1234\": the API never shows more of a number")
		return nil
	}
	part := d.part(node, field.Type)
	if text := reflect.Indirect(reflect.ValueOf(part)); text.Kind() == reflect.String && d.sound(d.path) {
		if why := api.Unfit(rule, text.String()); why != "" {
			d.problem(node, "%s %s", field.Tag.Get("json"), why)
		}
	}
	return part
}

// fieldNamed returns the field of a document's type that has a name on the wire.
func fieldNamed(of reflect.Type, name string) (found reflect.StructField, ok bool) {
	for field := range of.Fields() {
		if field.Tag.Get("json") == name {
			return field, true
		}
	}
	return found, false
}

// namesOf lists the fields of a document's type that may be set.
func namesOf(of reflect.Type) (names []string) {
	derived := fixtures.Derived(of)
	for field := range of.Fields() {
		if name := field.Tag.Get("json"); !slices.Contains(derived, name) {
			names = append(names, name)
		}
	}
	return names
}
