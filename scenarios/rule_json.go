package scenarios

import (
	"encoding/json"

	"github.com/goccy/go-yaml/ast"
)

// RuleJSON returns in JSON a rule that is written as [ParseRule] takes it: the same rule, to be kept or sent. Its error
// for a rule that is not right is [Problems]; in JSON values must be of JSON's types.
func RuleJSON(name string, rule []byte) ([]byte, error) {
	strict := json.Valid(rule)
	if _, problems := parseRule(name, rule, strict); problems.Errors() > 0 {
		return nil, problems
	}
	if strict {
		return rule, nil
	}
	documents, _ := readYAML(name, rule) // it was right before
	return appendJSON(nil, documents[0]), nil
}

// appendJSON writes a node of the language in JSON. What is no number in JSON as it was written is a text: the language
// reads every scalar by its text.
func appendJSON(to []byte, node ast.Node) []byte {
	switch n := node.(type) {
	case ast.MapNode:
		to = append(to, '{')
		for pairs, first := n.MapRange(), true; pairs.Next(); first = false {
			if !first {
				to = append(to, ',')
			}
			to = appendText(to, pairs.Key().GetToken().Value)
			to = append(to, ':')
			to = appendJSON(to, pairs.Value())
		}
		return append(to, '}')
	case *ast.SequenceNode:
		to = append(to, '[')
		for i, element := range n.Values {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendJSON(to, element)
		}
		return append(to, ']')
	case *ast.LiteralNode:
		return appendText(to, n.Value.Value)
	case *ast.IntegerNode, *ast.FloatNode:
		if text := node.GetToken().Value; json.Valid([]byte(text)) {
			return append(to, text...)
		}
	}
	return appendText(to, node.GetToken().Value)
}

func appendText(to []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always renders
	}
	return append(to, quoted...)
}
