package api

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// SurfaceYAML returns the OpenAPI document of the five operations alone: [OpenAPIYAML] without the control plane, and without
// the components and tags that only it uses. It parses the document on each call.
func SurfaceYAML() []byte {
	file, err := parser.ParseBytes([]byte(openAPI), parser.ParseComments)
	if err != nil {
		panic(err) // it is built in, and TestSurface parses it
	}
	document := file.Docs[0].Body.(*ast.MappingNode)
	members := map[string]*ast.MappingValueNode{}
	for _, m := range document.Values {
		members[keyOf(m)] = m
	}
	paths := members["paths"].Value.(*ast.MappingNode)
	paths.Values = slices.DeleteFunc(paths.Values, func(path *ast.MappingValueNode) bool {
		return strings.HasPrefix(keyOf(path), "/_understudy/")
	})
	tags := members["tags"].Value.(*ast.SequenceNode)
	tags.Values = slices.DeleteFunc(tags.Values, func(tag ast.Node) bool {
		name := tag.(*ast.MappingNode).Values[0].Value.GetToken().Value
		return !strings.Contains(paths.String(), "tags: ["+name+"]")
	})
	deleteUnused(members["components"].Value.(*ast.MappingNode), paths.String()+members["security"].String())
	return []byte(document.String() + "\n")
}

// SurfaceJSON returns [SurfaceYAML] as indented JSON with keys in the same order. It converts on each call.
func SurfaceJSON() ([]byte, error) { return toJSON(SurfaceYAML()) }

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
