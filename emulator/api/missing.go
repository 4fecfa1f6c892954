package api

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Missing says which member JSON lacks that is always there when a type is written, such as "cursor.entered is missing",
// "" when it lacks none. What a type reads by itself is its own to judge.
func Missing(text []byte, of reflect.Type) string { return lackOf(text, of, "") }

func lackOf(text []byte, of reflect.Type, place string) string {
	null := string(text) == "null"
	if of.Kind() == reflect.Pointer {
		if null {
			return ""
		}
		of = of.Elem()
	}
	if null && mayNotBeNull(of) {
		return strings.TrimPrefix(place+" is null", " ")
	}
	if null || readsItself(of) {
		return ""
	}
	switch of.Kind() {
	case reflect.Struct:
		return lackOfMember(text, of, place)
	case reflect.Slice:
		var elements []json.RawMessage
		if json.Unmarshal(text, &elements) != nil {
			return ""
		}
		for i, element := range elements {
			if why := lackOf(element, of.Elem(), fmt.Sprintf("%s.%d", place, i)); why != "" {
				return why
			}
		}
	}
	return ""
}

// missingMember looks through the members that a structure has.
func lackOfMember(text []byte, of reflect.Type, place string) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return strings.TrimPrefix(place+" is no object", " ")
	}
	for field := range of.Fields() {
		if field.Anonymous {
			if why := lackOfMember(text, field.Type, place); why != "" {
				return why
			}
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		member, there := members[name]
		at := strings.TrimPrefix(place+"."+name, ".")
		if optional := options != ""; !there && !optional {
			return at + " is missing"
		} else if !there || optional && string(member) == "null" {
			continue
		}
		if why := lackOf(member, field.Type, at); why != "" {
			return why
		}
	}
	return ""
}

// mayNotBeNull reports whether null is no value of a type: lists, maps and JSON itself have it for none.
func mayNotBeNull(of reflect.Type) bool {
	return of.Kind() != reflect.Slice && of.Kind() != reflect.Map && of.Kind() != reflect.Interface
}

func readsItself(of reflect.Type) bool {
	pointer := reflect.PointerTo(of)
	return pointer.Implements(reflect.TypeFor[json.Unmarshaler]()) || pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
