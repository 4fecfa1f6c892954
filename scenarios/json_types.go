package scenarios

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

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
	d.problem(node, "%s must be %s, not %s", strings.Join(d.path, "."), wanted, is.article())
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

// article names a value of the type.
func (t jsonType) article() string {
	if t == jsonBoolean {
		return "a boolean"
	}
	return string(t)
}
