package scenarios

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

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
		if kind := of.Kind(); kind != reflect.Pointer && kind != reflect.Slice && kind != reflect.Map {
			d.problem(node, "may not be null")
		}
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
	object, fields := make(map[string]any), slices.Collect(of.Fields())
	for pairs := mapping.MapRange(); pairs.Next(); {
		key := pairs.Key().GetToken().Value
		i := slices.IndexFunc(fields, func(f reflect.StructField) bool { return f.Tag.Get("json") == key })
		if i < 0 {
			d.unknown(pairs.Key(), "field", "the fields here are", namesOf(of))
			continue
		}
		d.below(key, func() {
			if part := d.fieldPart(pairs.Value(), fields[i]); d.valid(d.path) {
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
	if text := reflect.Indirect(reflect.ValueOf(part)); text.Kind() == reflect.String && d.valid(d.path) {
		if why := api.Unfit(rule, text.String()); why != "" {
			d.problem(node, "%s %s", field.Tag.Get("json"), why)
		}
	}
	return part
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

// Validate finds in a structure that was not read by this language, or in a document of the API, what the language refuses:
// what its parts find of themselves, words that are none of their enumerations, texts that cannot stand in their fields,
// too many reports. The field of a violation is the whole path to it.
func Validate(structure any) []fixtures.Violation {
	var found inspection
	found.value(reflect.ValueOf(structure), "", "")
	return found
}

// inspection is what was found so far.
type inspection []fixtures.Violation

func (found *inspection) add(path, what string, args ...any) {
	*found = append(*found, fixtures.Violation{Field: strings.TrimPrefix(path, "."), What: fmt.Sprintf(what, args...)})
}

// value looks at a value that stands at a path, in a field of a rule of [api.Unfit].
func (found *inspection) value(value reflect.Value, path, rule string) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			found.value(value.Elem(), path, rule)
		}
	case reflect.Struct:
		found.structure(value, path)
	case reflect.Slice:
		found.list(value, path, rule)
	case reflect.String:
		found.text(value, path, rule)
	}
}

func (found *inspection) structure(value reflect.Value, path string) {
	if _, instant := value.Interface().(time.Time); instant {
		return
	}
	if validator, ok := value.Interface().(interface{ Validate() []fixtures.Violation }); ok {
		for _, f := range validator.Validate() {
			found.add(strings.TrimSuffix(path+"."+f.Field, "."), "%s", f.What)
		}
	}
	for field, member := range value.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || options != "" && member.IsZero() {
			continue // what may be left out has a default
		}
		if !field.Anonymous {
			name = "." + name
		}
		found.value(member, path+name, field.Tag.Get("spec"))
	}
}

func (found *inspection) list(value reflect.Value, path, rule string) {
	if rule == "not null" && value.IsNil() {
		found.add(path, "may not be null: the empty list is []")
	}
	if value.Type().Elem() == reflect.TypeFor[fixtures.ReportShape]() && value.Len() > maxReports {
		found.add(path, "may be %d reports at most, these are %d: leave some out", maxReports, value.Len())
		return
	}
	for i := range value.Len() {
		found.value(value.Index(i), fmt.Sprintf("%s.%d", path, i), "")
	}
}

func (found *inspection) text(value reflect.Value, path, rule string) {
	text := value.String()
	if values := value.MethodByName("Values"); values.IsValid() {
		if words := wordsOf(values.Call(nil)[0]); !slices.Contains(words, text) {
			found.add(path, "has the unknown value %s%s", quote(text), hint(text, "it must be one of", words))
		}
	}
	switch why := api.Unfit(rule, text); {
	case rule == "obfuscated" && !api.IsObfuscatedSSN(text):
		found.add(path, "must be obfuscated, such as \"***-**-1234\": the API never shows more of a number")
	case why != "":
		found.add(path, "%s", why)
	}
}
