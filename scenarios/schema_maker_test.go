package scenarios_test

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"path"
	"reflect"
	"strings"

	"github.com/understudy-sandbox/understudy/scenarios/internal/decode"
)

// object is a JSON object with ordered members.
type object []member

type member struct {
	key   string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			text.WriteByte(',')
		}
		for j, part := range []any{m.key, m.value} {
			if j > 0 {
				text.WriteByte(':')
			}
			encoder := json.NewEncoder(&text)
			encoder.SetEscapeHTML(false) // placeholders are written <name>
			if err := encoder.Encode(part); err != nil {
				return nil, err
			}
		}
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// maker makes the schemas of types by the rules of the decoder: the same tags, enumerations and special cases. The schema of
// a named type is a definition, to which other schemas refer.
type maker struct {
	docs        docs
	made        map[string]bool
	definitions object
}

// placeholder is the pattern of a placeholder of the matrix, which may stand for every scalar.
const placeholder = `<[a-z][a-z0-9-]*_?>`

// of returns the schema of the values that the decoder reads into a type.
func (m *maker) of(t reflect.Type) object {
	if t.Kind() == reflect.Pointer {
		return m.of(t.Elem())
	}
	if overlay, ok := reflect.New(t).Interface().(interface{ Over() reflect.Type }); ok {
		return m.part(overlay.Over())
	}
	if t.Name() == "" || t.PkgPath() == "" {
		return m.make(t)
	}
	return m.defined(t, path.Base(t.PkgPath())+"."+t.Name(), m.make)
}

// ownNames replaces names of the language's packages, of which definitions show none.
var ownNames = strings.NewReplacer("scenarios.", "", "behavior.", "", "decode.Matrix", "matrix")

// defined returns a reference to the definition of a type, and makes the definition the first time.
func (m *maker) defined(t reflect.Type, name string, make func(reflect.Type) object) object {
	name = ownNames.Replace(name)
	if !m.made[name] {
		m.made[name] = true
		at := len(m.definitions)
		m.definitions = append(m.definitions, member{key: name}) // before the definitions that it refers to
		m.definitions[at].value = described(m.docs.of(t, ""), make(t))
	}
	return object{{"$ref", "#/$defs/" + name}}
}

func described(text string, schema object) object {
	if text == "" {
		return schema
	}
	return append(object{{"description", text}}, schema...)
}

func (m *maker) make(t reflect.Type) object {
	value := reflect.New(t).Interface()
	if text, ok := value.(encoding.TextUnmarshaler); ok {
		return textSchema(text)
	}
	switch t.Kind() {
	case reflect.Struct:
		if word := decode.WordOf(t); word != nil {
			return object{{"anyOf", []object{m.of(word.Type), closed(m.properties(t))}}}
		}
		return closed(m.properties(t))
	case reflect.Slice:
		return m.list(t)
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", m.of(t.Elem())}}
	case reflect.Bool:
		return object{{"type", []string{"boolean", "string"}}, {"pattern", placeholder}}
	case reflect.Int:
		return object{{"type", []string{"integer", "string"}}, {"pattern", placeholder}}
	case reflect.String:
		return stringSchema(t)
	}
	panic("the decoder has no " + t.String())
}

func closed(properties object) object {
	return object{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}
}

func (m *maker) properties(t reflect.Type) (properties object) {
	for field := range t.Fields() {
		switch key := cmp.Or(field.Tag.Get("yaml"), field.Tag.Get("json")); key { // types of the API have only the tag of their JSON
		case "-", ",word":
		case ",inline":
			properties = append(properties, m.properties(field.Type)...)
		default:
			properties = append(properties, member{key, described(descriptionOf(t, key), m.of(field.Type))})
		}
	}
	return properties
}

// descriptionOf returns the description of a key with its example, "" for keys that are not of the language.
func descriptionOf(owner reflect.Type, key string) string {
	form := decode.FormOf(owner, key)
	if form == "" {
		return ""
	}
	return decode.Keys()[owner.Name()+"."+key][1] + " Example: " + form
}

// list returns the schema of a list. A list of one text may be written as the text alone.
func (m *maker) list(t reflect.Type) object {
	items := m.of(t.Elem())
	list := object{{"type", "array"}, {"items", items}}
	if t.Elem().Kind() != reflect.String {
		return list
	}
	return object{{"anyOf", []object{items, list}}}
}

// stringSchema accepts any scalar, or the words of an enumeration.
func stringSchema(t reflect.Type) object {
	values := reflect.Zero(t).MethodByName("Values")
	if !values.IsValid() {
		return object{{"type", []string{"string", "number", "boolean"}}}
	}
	var words []string
	for list, i := values.Call(nil)[0], 0; i < list.Len(); i++ {
		words = append(words, list.Index(i).String())
	}
	return object{{"anyOf", []object{{{"enum", words}}, {{"type", "string"}, {"pattern", placeholder}}}}}
}

// textSchema accepts a string, and a number when the type can read one.
func textSchema(text encoding.TextUnmarshaler) object {
	for _, number := range []string{"1", "0.5", "62000.00", "900123456"} {
		if text.UnmarshalText([]byte(number)) == nil {
			return object{{"type", []string{"string", "number"}}}
		}
	}
	return object{{"type", "string"}}
}

// part returns the schema of a part of an API document: any of its fields.
func (m *maker) part(t reflect.Type) object {
	null := t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	schema := m.notNull(t)
	if !null {
		return schema
	}
	return object{{"anyOf", []object{schema, {{"type", "null"}}}}}
}

// notNull returns the schema of a part that is not null.
func (m *maker) notNull(t reflect.Type) object {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return m.of(t)
	}
	switch t.Kind() {
	case reflect.Struct:
		return m.defined(t, path.Base(t.PkgPath())+"."+t.Name(), func(t reflect.Type) object { return closed(m.fields(t)) })
	case reflect.Slice:
		element := m.part(t.Elem())
		byNumber := object{{"type", "object"}, {"patternProperties", object{{`^(0|[1-9]\d{0,2})$`, element}}}, {"additionalProperties", false}}
		return object{{"anyOf", []object{{{"type", "array"}, {"items", element}}, byNumber}}}
	default:
		return m.of(t)
	}
}

func (m *maker) fields(t reflect.Type) (properties object) {
	for field := range t.Fields() {
		schema := m.part(field.Type)
		switch field.Tag.Get("spec") {
		case "not null":
			schema = m.notNull(field.Type)
		case "not blank":
			schema = append(schema, member{"pattern", `\S`})
		case "or other", "or no-match":
			schema = object{{"anyOf", []object{schema, {{"const", strings.TrimPrefix(field.Tag.Get("spec"), "or ")}}}}}
		case "obfuscated":
			schema = object{{"type", []string{"string", "null"}}, {"pattern", `^\*\*\*-\*\*-\d{4}$`}}
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		properties = append(properties, member{name, described(m.docs.of(t, field.Name), schema)})
	}
	return properties
}
