// Package decode reads documents of YAML into values. A document and a settable value of the language's types flow in; the value is
// filled by the keys of its fields, and every mistake flows out, with its position, the nearest word and the right form.
package decode

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// Decoder reads the nodes of a document into the language's types. It continues after a problem, to find all of them in one run.
type Decoder struct {
	File     string
	Body     ast.Node // the document
	Strict   bool     // the document is JSON, and its values must have JSON's types
	Row      Row
	Problems source.Problems

	path    Path            // of the node that is being read
	also    string          // a word that the node may have beside those of its enumeration; usually none
	form    string          // how its key is written, such as after: {elapsed: 10m}; "" for keys without documentation
	invalid map[string]bool // paths with a problem: true for the path of the value itself, false for those around it
}

// position returns where a node begins: a mapping at its first key.
func (d *Decoder) position(node ast.Node) source.Position {
	if mapping, ok := node.(*ast.MappingNode); ok && !mapping.IsFlowStyle && len(mapping.Values) > 0 {
		node = mapping.Values[0].Key
	}
	at := node.GetToken().Position
	return source.Position{File: d.File, Line: at.Line, Column: at.Column}
}

// problem reports a problem of the node that is being read.
func (d *Decoder) problem(node ast.Node, format string, args ...any) {
	d.Problems = append(d.Problems, source.Problem{At: d.position(node), What: fmt.Sprintf(format, args...)})
	d.invalidate(d.path)
}

// problemWithForm reports a problem of the node that is being read, and shows the right form: see [Decoder.show].
func (d *Decoder) problemWithForm(node ast.Node, form, format string, args ...any) {
	d.problem(node, format, args...)
	p := &d.Problems[len(d.Problems)-1]
	p.What, p.Form = p.What+form, form
}

// below reads the node under the next step of the path.
func (d *Decoder) below(step string, read func()) {
	d.path = append(d.path, step)
	read()
	d.path = d.path[:len(d.path)-1]
}

// Decode reads a node into a settable value of one of the language's types.
func (d *Decoder) Decode(node ast.Node, into reflect.Value) {
	switch special := into.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		d.decodeText(node, special)
		return
	case Overlay:
		part := d.part(node, special.Over())
		if part == nil && d.Valid(d.path) {
			d.problemWithForm(node, d.show(": write ", d.form), "%s may not be null", d.key())
		}
		text, err := json.Marshal(part)
		if err == nil {
			err = special.UnmarshalJSON(text)
		}
		if err != nil {
			d.problem(node, "%s %v", d.key(), err)
		}
		for _, violation := range special.Validate() {
			if at := d.path.To(strings.Split(violation.Field, ".")...); d.Valid(at) {
				d.Reject(at, "%s %s", violation.Field, violation.What)
				d.invalidate(at)
			}
		}
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		before, pointed := len(d.Problems), reflect.New(into.Type().Elem())
		d.Decode(node, pointed.Elem())
		if len(d.Problems) == before || pointed.Elem().Kind() == reflect.Struct { // an invalid scalar stays nil, and causes no other problem
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

func (d *Decoder) decodeStruct(node ast.Node, into reflect.Value) {
	if at := into.FieldByName("At"); at.IsValid() {
		at.Set(reflect.ValueOf(d.position(node)))
	}
	mapping, ok := node.(ast.MapNode)
	if _, scalar := node.(ast.ScalarNode); scalar && WordOf(into.Type()) != nil {
		d.Decode(node, into.FieldByIndex(WordOf(into.Type()).Index))
		return
	}
	if !ok && len(d.path) == 0 {
		d.problem(node, "must be a mapping of %s", strings.Join(KeysOf(into.Type()), ", "))
		return
	}
	if !ok {
		d.invalidKind(node, "a mapping", cmp.Or(d.wrapped(node, into.Type()), d.form))
		return
	}
	for pairs := mapping.MapRange(); pairs.Next(); {
		key := pairs.Key().GetToken().Value
		member, owner := MemberOf(into, key)
		if !member.IsValid() {
			d.unknown(pairs.Key(), "key", "the keys here are", KeysOf(into.Type()))
			continue
		}
		around := d.form
		d.form = FormOf(owner, key)
		d.below(key, func() {
			d.Decode(pairs.Value(), member)
			if d.Valid(d.path) {
				d.refuseEmpty(pairs.Value(), member)
			}
		})
		d.form = around
	}
	d.reportViolations(node, into.Interface())
}

const (
	inline = ",inline" // the tag of a field whose fields are keys of the structure around it
	word   = ",word"   // the tag of a field that a word in place of the structure sets
)

// WordOf returns the field of a structure that a word sets, nil for a structure that is always a mapping.
func WordOf(structure reflect.Type) *reflect.StructField {
	for field := range structure.Fields() {
		if field.Tag.Get("yaml") == word {
			return &field
		}
	}
	return nil
}

// keyOf returns the key of a field. Types of the API have only the tag of their JSON.
func keyOf(field reflect.StructField) string {
	return cmp.Or(field.Tag.Get("yaml"), field.Tag.Get("json"))
}

// MemberOf returns the field of a key and the structure that declares it, zero values for an unknown key.
func MemberOf(structure reflect.Value, key string) (member reflect.Value, owner reflect.Type) {
	for field := range structure.Type().Fields() {
		member := structure.FieldByIndex(field.Index)
		switch tag := keyOf(field); {
		case tag == inline:
			if inner, owner := MemberOf(member, key); inner.IsValid() {
				return inner, owner
			}
		case tag == key && key != "-" && key != word:
			return member, structure.Type()
		}
	}
	return reflect.Value{}, nil
}

// KeysOf lists the YAML keys of a structure.
func KeysOf(structure reflect.Type) (keys []string) {
	for field := range structure.Fields() {
		switch tag := keyOf(field); tag {
		case "-", word:
		case inline:
			keys = append(keys, KeysOf(field.Type)...)
		default:
			keys = append(keys, tag)
		}
	}
	return keys
}

// decodeSlice reads a list. A list of one text may be written as the text alone.
func (d *Decoder) decodeSlice(node ast.Node, into reflect.Value) {
	sequence, ok := node.(*ast.SequenceNode)
	if _, single := node.(ast.ScalarNode); single && into.Type().Elem().Kind() == reflect.String {
		into.Set(reflect.MakeSlice(into.Type(), 1, 1))
		d.Decode(node, into.Index(0))
		return
	}
	if !ok {
		d.invalidKind(node, "a list", d.form)
		return
	}
	elements := sequence.Values
	if into.Type().Elem() == reflect.TypeFor[fixtures.ReportShape]() && len(elements) > fixtures.MaxReports {
		d.problem(elements[fixtures.MaxReports], "reports may be %d at most, these are %d: leave some out", fixtures.MaxReports, len(elements))
		elements = elements[:fixtures.MaxReports]
	}
	into.Set(reflect.MakeSlice(into.Type(), len(elements), len(elements)))
	for i, element := range elements {
		d.below(strconv.Itoa(i), func() { d.Decode(element, into.Index(i)) })
	}
}

func (d *Decoder) decodeMap(node ast.Node, into reflect.Value) {
	mapping, ok := node.(ast.MapNode)
	if !ok {
		d.invalidKind(node, "a mapping", d.form)
		return
	}
	into.Set(reflect.MakeMap(into.Type()))
	for pairs := mapping.MapRange(); pairs.Next(); {
		value := reflect.New(into.Type().Elem()).Elem()
		key := pairs.Key().GetToken().Value
		d.below(key, func() { d.Decode(pairs.Value(), value) })
		into.SetMapIndex(reflect.ValueOf(key), value)
	}
}

func (d *Decoder) decodeText(node ast.Node, into encoding.TextUnmarshaler) {
	text, ok := d.scalar(node)
	if !ok {
		return
	}
	if d.Strict && jsonTypeOf(node) == jsonBoolean {
		d.problem(node, "%s must be a string, not a boolean", api.MaskLine(strings.Join(d.path, ".")))
		return
	}
	if err := into.UnmarshalText([]byte(text)); err != nil {
		d.problem(node, "%s %s %v", d.key(), source.Quote(text), err)
	}
}

// decodeScalar reads a scalar. A value of an enumeration must be one of its words.
func (d *Decoder) decodeScalar(node ast.Node, into reflect.Value, of jsonType) {
	values := into.MethodByName("Values")
	if text := node.GetToken().Value; of == jsonString && !values.IsValid() && !d.Strict && node.Type() == ast.NullType && strings.EqualFold(text, "null") {
		d.problem(node, "%s needs a value, and %s is none in YAML: put the text in quotes (%[2]q), or leave it out", d.subject(), text)
		return
	}
	text, ok := d.scalar(node)
	if !ok || !d.typed(node, of) {
		return
	}
	switch of {
	case jsonBoolean:
		if text != "true" && text != "false" {
			d.invalidKind(node, "true or false", d.form)
		}
		into.SetBool(text == "true")
	case jsonNumber:
		n, err := strconv.Atoi(text)
		if err != nil {
			d.invalidKind(node, "a whole number", d.form)
			return
		}
		into.SetInt(int64(n))
	case jsonString:
		if values.IsValid() {
			words := Words(values.Call(nil)[0])
			if d.also != "" {
				words = append(words, d.also)
			}
			if !slices.Contains(words, text) {
				d.problem(node, "unknown value %s for %s%s", source.Quote(text), d.key(), api.DidYouMean(text, words, ": must be one of "+strings.Join(words, ", ")))
				return
			}
		}
		d.warnOfComment(node)
		into.SetString(text)
	}
}

// warnOfComment warns of a text that ends before a # without a space after it: it is probably no comment.
func (d *Decoder) warnOfComment(node ast.Node) {
	text := node.GetToken()
	next := text.Next
	if text.Type == token.SingleQuoteType || text.Type == token.DoubleQuoteType || next == nil || next.Type != token.CommentType ||
		next.Position.Line != text.Position.Line || strings.TrimLeft(next.Value, " ") != next.Value || next.Value == "" {
		return
	}
	at := source.Position{File: d.File, Line: next.Position.Line, Column: next.Position.Column}
	what := fmt.Sprintf("%s ends before the #, which begins a comment: put the text in quotes, %s, or write a space after the #", d.subject(), source.Quote(text.Value+" #"+next.Value))
	d.Problems = append(d.Problems, source.Problem{At: at, What: what, Warning: true})
}

// Words returns the words of an enumeration.
func Words(values reflect.Value) []string {
	words := make([]string, values.Len())
	for i := range words {
		words[i] = values.Index(i).String()
	}
	return words
}

// scalar returns the text of a scalar as it is written, with the values of the matrix filled in.
func (d *Decoder) scalar(node ast.Node) (text string, ok bool) {
	switch n := node.(type) {
	case *ast.LiteralNode:
		text = n.Value.Value
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		text = node.GetToken().Value
	case *ast.NullNode:
		d.problemWithForm(node, d.show(": write ", d.form), "%s needs a value", d.subject())
		return "", false
	default:
		d.invalidKind(node, "one value", d.form)
		return "", false
	}
	d.checkPlaceholders(node, text)
	return d.Row.Fill(text), true
}

// jsonType is the type of a scalar in JSON.
type jsonType string

const (
	jsonString  jsonType = "a string"
	jsonNumber  jsonType = "a number"
	jsonBoolean jsonType = "true or false"
)

// typed reports whether a scalar has the wanted type. It matters in JSON only: in YAML every scalar is read by its text.
func (d *Decoder) typed(node ast.Node, wanted jsonType) bool {
	is := jsonTypeOf(node)
	if !d.Strict || is == "" || is == wanted || is == jsonString && len(d.Row.Values) > 0 { // the matrix fills in texts
		return true
	}
	if is == jsonBoolean {
		is = "a boolean"
	}
	d.problemWithForm(node, d.show(": write ", d.form), "%s must be %s, not %s", api.MaskLine(strings.Join(d.path, ".")), wanted, is)
	return false
}

// jsonTypeOf returns the type of a scalar, "" for null and for other nodes.
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

// placeholder matches what a value of the matrix replaces.
var placeholder = source.Expression(`<[a-z][a-z0-9-]*_?>`)

// checkPlaceholders finds placeholders for which the matrix has no variable. The tags of HTML in a body are none.
func (d *Decoder) checkPlaceholders(node ast.Node, text string) {
	if len(d.Row.Values) == 0 || d.key() == "body" {
		return
	}
	for _, name := range placeholder().FindAllString(text, -1) {
		if _, ok := d.Row.Values[name]; !ok {
			variable := strings.TrimSuffix(strings.Trim(name, "<>"), "_")
			d.problem(node, "the matrix has no variable for %s: write matrix: {%s: [one, two]}", name, variable)
		}
	}
}
