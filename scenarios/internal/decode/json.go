package decode

import (
	"encoding/json"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// JSON writes a node in JSON. A scalar becomes a number, a boolean or null only if its text is one in JSON, since the
// language reads scalars by their text.
func JSON(node ast.Node) string {
	text := node.GetToken().Value
	switch n := node.(type) {
	case ast.MapNode:
		var members []string
		for pairs := n.MapRange(); pairs.Next(); {
			members = append(members, quoteJSON(pairs.Key().GetToken().Value)+":"+JSON(pairs.Value()))
		}
		return "{" + strings.Join(members, ",") + "}"
	case *ast.SequenceNode:
		var elements []string
		for _, element := range n.Values {
			elements = append(elements, JSON(element))
		}
		return "[" + strings.Join(elements, ",") + "]"
	case *ast.LiteralNode:
		text = n.Value.Value
	case *ast.NullNode:
		return "null"
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		if json.Valid([]byte(text)) {
			return text
		}
	}
	return quoteJSON(text)
}

func quoteJSON(text string) string {
	quoted, _ := json.Marshal(text) // strings always marshal
	return string(quoted)
}
