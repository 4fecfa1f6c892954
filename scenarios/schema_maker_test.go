package scenarios_test

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"path"
	"reflect"
	"strings"
)

// object is a JSON object whose members keep their order.
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
			encoder.SetEscapeHTML(false) // a place is written <so>
			if err := encoder.Encode(part); err != nil {
				return nil, err
			}
		}
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// maker makes schemas of types, by the rules of the decoder: the same tags, the same enumerations, the same special
// cases. What it makes of a type that has a name is a definition, which others refer to.
type maker struct {
	docs        docs
	made        map[string]bool
	definitions object
}

// place is a text that a value of the matrix goes into; it may stand wherever a single value does.
const place = `<[a-z][a-z0-9-]*_?>`

// of returns the schema of what the decoder reads into a type.
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

// defined refers to the definition of a type, which is made when it is not there yet.
func (m *maker) defined(t reflect.Type, name string, make func(reflect.Type) object) object {
	name = strings.TrimPrefix(name, "scenarios.")
	if !m.made[name] {
		m.made[name] = true
		at := len(m.definitions)
		m.definitions = append(m.definitions, member{key: name}) // before those that it refers to
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
		return closed(m.properties(t))
	case reflect.Slice:
		return m.list(t)
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", m.of(t.Elem())}}
	case reflect.Bool:
		return object{{"type", []string{"boolean", "string"}}, {"pattern", place}}
	case reflect.Int:
		return object{{"type", []string{"integer", "string"}}, {"pattern", place}}
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
		switch key := cmp.Or(field.Tag.Get("yaml"), field.Tag.Get("json")); key { // types of the API have their names on the wire
		case "-":
		case ",inline":
			properties = append(properties, m.properties(field.Type)...)
		default:
			properties = append(properties, member{key, described(m.docs.of(t, field.Name), m.of(field.Type))})
		}
	}
	return properties
}

// list is also the text alone, for a list of one.
func (m *maker) list(t reflect.Type) object {
	items := m.of(t.Elem())
	list := object{{"type", "array"}, {"items", items}}
	if t.Elem().Kind() != reflect.String {
		return list
	}
	return object{{"anyOf", []object{items, list}}}
}

// stringSchema is any single value, or one of an enumeration.
func stringSchema(t reflect.Type) object {
	values := reflect.Zero(t).MethodByName("Values")
	if !values.IsValid() {
		return object{{"type", []string{"string", "number", "boolean"}}}
	}
	var words []string
	for list, i := values.Call(nil)[0], 0; i < list.Len(); i++ {
		words = append(words, list.Index(i).String())
	}
	return object{{"anyOf", []object{{{"enum", words}}, {{"type", "string"}, {"pattern", place}}}}}
}

// textSchema is a string, and also a number when the type reads one of some.
func textSchema(text encoding.TextUnmarshaler) object {
	for _, number := range []string{"1", "0.5", "62000.00", "900123456"} {
		if text.UnmarshalText([]byte(number)) == nil {
			return object{{"type", []string{"string", "number"}}}
		}
	}
	return object{{"type", "string"}}
}

// part returns the schema of a part of a document of the API: any of its fields, by their names on the wire.
func (m *maker) part(t reflect.Type) object {
	null := t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	schema := m.solid(t)
	if !null {
		return schema
	}
	return object{{"anyOf", []object{schema, {{"type", "null"}}}}}
}

// solid returns the schema of a part that is not null.
func (m *maker) solid(t reflect.Type) object {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return m.of(t)
	}
	switch t.Kind() {
	case reflect.Struct:
		return m.defined(t, path.Base(t.PkgPath())+"."+t.Name(), func(t reflect.Type) object { return closed(m.fields(t)) })
	case reflect.Slice:
		return object{{"type", "array"}, {"items", m.part(t.Elem())}}
	default:
		return m.of(t)
	}
}

func (m *maker) fields(t reflect.Type) (properties object) {
	for field := range t.Fields() {
		schema := m.part(field.Type)
		switch field.Tag.Get("spec") {
		case "not null":
			schema = m.solid(field.Type)
		case "not blank":
			schema = append(schema, member{"pattern", `\S`})
		case "obfuscated":
			schema = object{{"type", []string{"string", "null"}}, {"pattern", `^\*\*\*-\*\*-\d{4}$`}}
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		properties = append(properties, member{name, described(m.docs.of(t, field.Name), schema)})
	}
	return properties
}
