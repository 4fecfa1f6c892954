package scenarios

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// decoder reads YAML nodes into the language's types. It goes on after a problem, so that one run finds them all.
type decoder struct {
	file     string
	body     ast.Node // the document
	json     bool     // it is JSON, and its values must be of JSON's types
	row      row
	path     nodePath // to what is being read
	problems Problems
	invalid  map[string]bool // the paths that something is wrong with (true) or in (false)
}

// position returns where a node begins: a mapping at its first key.
func (d *decoder) position(node ast.Node) Position {
	if mapping, ok := node.(*ast.MappingNode); ok && !mapping.IsFlowStyle && len(mapping.Values) > 0 {
		node = mapping.Values[0].Key
	}
	at := node.GetToken().Position
	return Position{File: d.file, Line: at.Line, Column: at.Column}
}

// problem reports what is wrong with what is being read.
func (d *decoder) problem(node ast.Node, format string, args ...any) {
	d.problems = append(d.problems, Problem{At: d.position(node), What: fmt.Sprintf(format, args...)})
	d.invalidate(d.path)
}

// below reads what a step of the path leads to.
func (d *decoder) below(step string, read func()) {
	d.path = append(d.path, step)
	read()
	d.path = d.path[:len(d.path)-1]
}

// decode reads a node into a settable value of one of the language's types.
func (d *decoder) decode(node ast.Node, into reflect.Value) {
	switch special := into.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		d.decodeText(node, special)
		return
	case overlay:
		part := d.part(node, special.Over())
		if part == nil && d.valid(d.path) {
			d.problem(node, "may not be null")
		}
		text, _ := json.Marshal(part)   // JSON's own values always render
		_ = special.UnmarshalJSON(text) // never fails: Validate reports what is wrong
		for _, violation := range special.Validate() {
			if at := d.path.to(strings.Split(violation.Field, ".")...); d.valid(at) {
				d.reject(at, "%s %s", violation.Field, violation.What)
				d.invalidate(at)
			}
		}
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		before, pointed := len(d.problems), reflect.New(into.Type().Elem())
		d.decode(node, pointed.Elem())
		if len(d.problems) == before || pointed.Elem().Kind() == reflect.Struct { // a single value that is wrong stays nil: nothing follows from it
			into.Set(pointed)
		}
	case reflect.Struct:
		d.decodeStruct(node, into)
	case reflect.Slice:
		d.decodeSlice(node, into)
	case reflect.Map:
		d.decodeMap(node, into)
	case reflect.Bool:
		d.decodeScalar(node, into, jsonBoolean)
	case reflect.Int:
		d.decodeScalar(node, into, jsonNumber)
	case reflect.String:
		d.decodeScalar(node, into, jsonString)
	default:
		panic("scenarios: the language has no " + into.Type().String())
	}
}

func (d *decoder) decodeStruct(node ast.Node, into reflect.Value) {
	if at := into.FieldByName("At"); at.IsValid() {
		at.Set(reflect.ValueOf(d.position(node)))
	}
	mapping, ok := node.(ast.MapNode)
	if !ok {
		d.problem(node, "must be a mapping of %s", strings.Join(keysOf(into.Type()), ", "))
		return
	}
	for pairs := mapping.MapRange(); pairs.Next(); {
		key := pairs.Key().GetToken().Value
		member := memberOf(into, key)
		if !member.IsValid() {
			d.unknown(pairs.Key(), "key", "the keys here are", keysOf(into.Type()))
			continue
		}
		d.below(key, func() {
			d.decode(pairs.Value(), member)
			if d.valid(d.path) {
				d.refuseNothing(pairs.Value(), member)
			}
		})
	}
	d.reportViolations(node, into.Interface())
}

// unknown reports a key that is none, and holds what was probably meant for wrong: it does not lack.
func (d *decoder) unknown(key ast.Node, noun, all string, known []string) {
	text := key.GetToken().Value
	nearest, ok := api.Nearest(text, known)
	if !ok {
		nearest = text
	}
	d.below(nearest, func() { d.problem(key, "unknown %s %s%s", noun, quote(text), hint(text, all, known)) })
}

// hint says which of some words was probably meant, else what they all are.
func hint(mistyped, all string, words []string) string {
	return api.DidYouMean(mistyped, words, ": "+all+" "+strings.Join(words, ", "))
}

// inline marks a field whose own fields are keys of the structure around it.
const inline = ",inline"

// keyOf returns the key of a field: types of the API have their names on the wire.
func keyOf(field reflect.StructField) string {
	return cmp.Or(field.Tag.Get("yaml"), field.Tag.Get("json"))
}

// memberOf returns the field of a key, the zero value when the structure has no such key.
func memberOf(structure reflect.Value, key string) reflect.Value {
	for field := range structure.Type().Fields() {
		member := structure.FieldByIndex(field.Index)
		switch tag := keyOf(field); {
		case tag == inline:
			if inner := memberOf(member, key); inner.IsValid() {
				return inner
			}
		case tag == key && key != "-":
			return member
		}
	}
	return reflect.Value{}
}

// keysOf lists the YAML keys of a structure.
func keysOf(structure reflect.Type) (keys []string) {
	for field := range structure.Fields() {
		switch tag := keyOf(field); tag {
		case "-":
		case inline:
			keys = append(keys, keysOf(field.Type)...)
		default:
			keys = append(keys, tag)
		}
	}
	return keys
}

// decodeSlice reads a list. A list of one text may be written as that text.
func (d *decoder) decodeSlice(node ast.Node, into reflect.Value) {
	sequence, ok := node.(*ast.SequenceNode)
	if _, single := node.(ast.ScalarNode); single && into.Type().Elem().Kind() == reflect.String {
		into.Set(reflect.MakeSlice(into.Type(), 1, 1))
		d.decode(node, into.Index(0))
		return
	}
	if !ok {
		d.problem(node, "must be a list")
		return
	}
	elements := sequence.Values
	if into.Type().Elem() == reflect.TypeFor[fixtures.ReportShape]() && len(elements) > fixtures.MaxReports {
		d.problem(elements[fixtures.MaxReports], "may be %d reports at most, these are %d: leave some out", fixtures.MaxReports, len(elements))
		elements = elements[:fixtures.MaxReports]
	}
	into.Set(reflect.MakeSlice(into.Type(), len(elements), len(elements)))
	for i, element := range elements {
		d.below(strconv.Itoa(i), func() { d.decode(element, into.Index(i)) })
	}
}

func (d *decoder) decodeMap(node ast.Node, into reflect.Value) {
	mapping, ok := node.(ast.MapNode)
	if !ok {
		d.problem(node, "must be a mapping")
		return
	}
	into.Set(reflect.MakeMap(into.Type()))
	for pairs := mapping.MapRange(); pairs.Next(); {
		value := reflect.New(into.Type().Elem()).Elem()
		key := pairs.Key().GetToken().Value
		d.below(key, func() { d.decode(pairs.Value(), value) })
		into.SetMapIndex(reflect.ValueOf(key), value)
	}
}

func (d *decoder) decodeText(node ast.Node, into encoding.TextUnmarshaler) {
	text, ok := d.scalar(node)
	if !ok || jsonTypeOf(node) == jsonBoolean && !d.typed(node, jsonString) {
		return
	}
	if err := into.UnmarshalText([]byte(text)); err != nil {
		d.problem(node, "%s %v", quote(text), err)
	}
}

// decodeScalar also holds a value of an enumeration against the list of its type.
func (d *decoder) decodeScalar(node ast.Node, into reflect.Value, of jsonType) {
	text, ok := d.scalar(node)
	if !ok || !d.typed(node, of) {
		return
	}
	switch of {
	case jsonBoolean:
		if text != "true" && text != "false" {
			d.problem(node, "must be true or false, not %s", quote(text))
		}
		into.SetBool(text == "true")
	case jsonNumber:
		n, err := strconv.Atoi(text)
		if err != nil {
			d.problem(node, "must be a whole number, not %s", quote(text))
			return
		}
		into.SetInt(int64(n))
	case jsonString:
		if values := into.MethodByName("Values"); values.IsValid() {
			if words := wordsOf(values.Call(nil)[0]); !slices.Contains(words, text) {
				d.problem(node, "unknown value %s%s", quote(text), hint(text, "must be one of", words))
				return
			}
		}
		into.SetString(text)
	}
}

func wordsOf(values reflect.Value) []string {
	words := make([]string, values.Len())
	for i := range words {
		words[i] = values.Index(i).String()
	}
	return words
}

// scalar returns the text of a scalar as it was written, with the matrix's values filled in.
func (d *decoder) scalar(node ast.Node) (text string, ok bool) {
	switch n := node.(type) {
	case *ast.LiteralNode:
		text = n.Value.Value
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		text = node.GetToken().Value
	case *ast.NullNode:
		d.problem(node, "needs a value")
		return "", false
	default:
		d.problem(node, "must be a single value, not a mapping or a list")
		return "", false
	}
	d.checkPlaces(node, text)
	return d.row.fillIn(text), true
}

// jsonType is what a scalar is in JSON.
type jsonType string

const (
	jsonString  jsonType = "a string"
	jsonNumber  jsonType = "a number"
	jsonBoolean jsonType = "true or false"
)

// typed reports whether a scalar is of the type that goes where it stands. In JSON 7 is no text and "true" no boolean;
// YAML has no such difference here, where every scalar is read by its text.
func (d *decoder) typed(node ast.Node, wanted jsonType) bool {
	is := jsonTypeOf(node)
	if !d.json || is == "" || is == wanted || is == jsonString && len(d.row.values) > 0 { // a matrix fills texts in
		return true
	}
	if is == jsonBoolean {
		is = "a boolean"
	}
	d.problem(node, "%s must be %s, not %s", strings.Join(d.path, "."), wanted, is)
	return false
}

// jsonTypeOf returns the type of a node, "" for what is no scalar or null.
func jsonTypeOf(node ast.Node) jsonType {
	switch node.(type) {
	case *ast.StringNode:
		return jsonString
	case *ast.IntegerNode, *ast.FloatNode:
		return jsonNumber
	case *ast.BoolNode:
		return jsonBoolean
	}
	return ""
}

// place finds where a value of the matrix is meant to go.
var place = regexp.MustCompile(`<[a-z][a-z0-9-]*_?>`)

// checkPlaces finds the places in a document with a matrix for which that has no value.
func (d *decoder) checkPlaces(node ast.Node, text string) {
	if len(d.row.values) == 0 || !strings.Contains(text, "<") {
		return
	}
	for _, name := range place.FindAllString(text, -1) {
		if _, ok := d.row.values[name]; !ok {
			d.problem(node, "the matrix has no variable for %s", name)
		}
	}
}
