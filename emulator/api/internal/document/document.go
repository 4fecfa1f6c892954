// Package document cuts an OpenAPI document: its text flows in with what says which paths stay, and the text flows out with these paths
// and what they use.
package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Only returns a document in YAML with the paths that it is to have, and without the components and tags that only others use.
func Only(text string, have func(path string) bool) []byte {
	file, err := parser.ParseBytes([]byte(text), parser.ParseComments)
	if err != nil {
		panic(err) // it is built in, and a test parses it
	}
	document := file.Docs[0].Body.(*ast.MappingNode)
	members := map[string]*ast.MappingValueNode{}
	for _, m := range document.Values {
		members[keyOf(m)] = m
	}
	paths := members["paths"].Value.(*ast.MappingNode)
	paths.Values = slices.DeleteFunc(paths.Values, func(path *ast.MappingValueNode) bool { return !have(keyOf(path)) })
	tags := members["tags"].Value.(*ast.SequenceNode)
	tags.Values = slices.DeleteFunc(tags.Values, func(tag ast.Node) bool {
		name := tag.(*ast.MappingNode).Values[0].Value.GetToken().Value
		return !strings.Contains(paths.String(), "tags: ["+name+"]")
	})
	deleteUnused(members["components"].Value.(*ast.MappingNode), paths.String()+members["security"].String())
	return []byte(document.String() + "\n")
}

// JSON returns a document in YAML as indented JSON with keys in the same order.
func JSON(text []byte) ([]byte, error) {
	converted, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, fmt.Errorf("OpenAPI document as JSON: %w", err)
	}
	document := jsontext.Value(converted)
	if err := document.Indent(jsontext.WithIndent("  ")); err != nil {
		return nil, fmt.Errorf("OpenAPI document as JSON: %w", err)
	}
	return append(document, '\n'), nil
}

// deleteUnused deletes the components that neither the text of paths nor a component in use refers to.
func deleteUnused(components *ast.MappingNode, text string) {
	used := map[*ast.MappingValueNode]bool{}
	for before := -1; before < len(used); {
		before = len(used)
		for _, kind := range components.Values {
			for _, component := range kind.Value.(*ast.MappingNode).Values {
				if !used[component] && refersTo(text, keyOf(kind), keyOf(component)) {
					used[component] = true
					text += component.String()
				}
			}
		}
	}
	for _, kind := range components.Values {
		all := kind.Value.(*ast.MappingNode)
		all.Values = slices.DeleteFunc(all.Values, func(component *ast.MappingValueNode) bool { return !used[component] })
	}
}

// refersTo reports whether a part of the document refers to a component.
func refersTo(text, kind, name string) bool {
	return strings.Contains(text, `"#/components/`+kind+"/"+name+`"`) || kind == "securitySchemes" && strings.Contains(text, name+": []")
}

func keyOf(member *ast.MappingValueNode) string { return member.Key.GetToken().Value }
