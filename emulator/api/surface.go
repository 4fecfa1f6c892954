package api

import (
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Parts are the parts of the OpenAPI document beside the five operations of the spec.
type Parts struct{ Control, Extensions bool }

// YAML returns the OpenAPI document with these parts: without the paths, components and tags that only others use. It parses the
// document on each call, unless it is whole. The caller owns the bytes.
func (p Parts) YAML() []byte {
	if p == (Parts{true, true}) {
		return []byte(openAPI)
	}
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
	paths.Values = slices.DeleteFunc(paths.Values, func(path *ast.MappingValueNode) bool { return !p.have(keyOf(path)) })
	tags := members["tags"].Value.(*ast.SequenceNode)
	tags.Values = slices.DeleteFunc(tags.Values, func(tag ast.Node) bool {
		name := tag.(*ast.MappingNode).Values[0].Value.GetToken().Value
		return !strings.Contains(paths.String(), "tags: ["+name+"]")
	})
	deleteUnused(members["components"].Value.(*ast.MappingNode), paths.String()+members["security"].String())
	return []byte(document.String() + "\n")
}

// JSON returns [Parts.YAML] as indented JSON with keys in the same order. It converts on each call.
func (p Parts) JSON() ([]byte, error) { return toJSON(p.YAML()) }

// have reports whether a path of the document belongs to the parts.
func (p Parts) have(path string) bool {
	if strings.HasPrefix(path, "/_understudy/") {
		return p.Control
	}
	path = parameter.ReplaceAllString(path, ":id")
	return slices.ContainsFunc(Operations(), func(o Operation) bool { return o.Path == path && (p.Extensions || !o.Extension) })
}

// parameter matches the parameter of a path.
var parameter = regexp.MustCompile(`\{\w+\}`)

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
