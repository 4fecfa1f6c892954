package api

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// number is a JSON number as it was written: however large, it is one.
type number string

// readJSON reads one JSON value with nothing behind it: objects, lists, strings, numbers, booleans and nil. What is wrong
// with a text is for the JSON library to say.
func readJSON(text []byte) (any, error) {
	in := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true)) // see readObject
	if value, err := readValue(in); err == nil {
		if _, err := in.ReadToken(); err == io.EOF {
			return value, nil
		}
	}
	var value any
	err := json.Unmarshal(text, &value, json.WithUnmarshalers(json.UnmarshalFromFunc(keepNumber)))
	return value, err
}

// keepNumber keeps a number from being measured; all else is left to the JSON library.
func keepNumber(in *jsontext.Decoder, value *any) error {
	if in.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	digits, err := in.ReadValue()
	*value = number(digits)
	return err
}

// readValue reads the value that comes next.
func readValue(in *jsontext.Decoder) (any, error) {
	token, err := in.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return readObject(in)
	case '[':
		return readArray(in)
	case '"':
		return token.String(), nil
	case '0':
		return number(token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

// readObject reads the members of an object, which has no name twice.
func readObject(in *jsontext.Decoder) (any, error) {
	members := make(map[string]any)
	for in.PeekKind() == '"' {
		token, err := in.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String() // before the next read reuses its bytes
		if _, twice := members[name]; twice {
			return nil, jsontext.ErrDuplicateName
		}
		if members[name], err = readValue(in); err != nil {
			return nil, err
		}
	}
	_, err := in.ReadToken() // its end, or what is wrong
	return members, err
}

func readArray(in *jsontext.Decoder) (any, error) {
	elements := []any{}
	for in.PeekKind() != ']' {
		element, err := readValue(in)
		if err != nil {
			return nil, err
		}
		elements = append(elements, element)
	}
	_, err := in.ReadToken()
	return elements, err
}
