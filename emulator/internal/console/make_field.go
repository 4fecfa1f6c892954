package console

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/ast"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// schemaNode is a part of the JSON Schema of scenario files, which has the documentation and the words of every key.
type schemaNode struct {
	Ref         string                 `json:"$ref"`
	Description string                 `json:"description"`
	Type        any                    `json:"type"`
	Enum        []string               `json:"enum"`
	AnyOf       []*schemaNode          `json:"anyOf"`
	Properties  map[string]*schemaNode `json:"properties"`
	Items       *schemaNode            `json:"items"`
	Defs        map[string]*schemaNode `json:"$defs"`
}

var schemaRoot = sync.OnceValue(func() *schemaNode {
	root := new(schemaNode)
	_ = json.Unmarshal(scenarios.Schema(), root) // a test of the language compares it
	return root
})

// resolve follows references, and the first of several types unless one is a list.
func (n *schemaNode) resolve() *schemaNode {
	for {
		list := slices.IndexFunc(n.AnyOf, func(one *schemaNode) bool { return one.Type == "array" })
		switch {
		case n.Ref != "":
			n = schemaRoot().Defs[strings.TrimPrefix(n.Ref, "#/$defs/")]
		case len(n.AnyOf) > 0:
			n = n.AnyOf[max(list, 0)]
		default:
			return n
		}
	}
}

// field is a field of the form.
type field struct {
	Name    string // the path of its key
	ID      string
	Label   string
	Kind    fieldKind
	Help    string
	Hint    string // what it is when it is left empty; else an example
	Options []string
	Value   string
	Error   string
	Focus   bool // the cursor goes there
}

type fieldKind string

const (
	textField fieldKind = "text"
	listField fieldKind = "list" // texts between commas
	wordField fieldKind = "word" // one of the options
	boolField fieldKind = "bool"
	yamlField fieldKind = "yaml" // a mapping
)

// fieldOf returns the field of a key, with the documentation of the language.
func fieldOf(name string) field {
	at := schemaRoot().resolve()
	key := at
	var last string
	for step := range strings.SplitSeq(name, ".") {
		if isNumber(step) {
			at = at.Items.resolve()
			continue
		}
		key, last = at.Properties[step], step
		at = key.resolve()
	}
	f := field{Name: name, ID: strings.ReplaceAll(name, ".", "-"), Label: fieldLabels[last], Options: at.Enum, Kind: textField}
	if f.Label == "" {
		f.Label = labelOf(last)
	}
	text, example, _ := strings.Cut(key.Description, " Example: ")
	f.Help = text
	example = strings.Trim(strings.TrimPrefix(example, last+": "), `"`)
	switch types := fmt.Sprint(at.Type); {
	case len(at.Enum) > 0:
		f.Kind = wordField
	case types == "array":
		f.Kind = listField
	case types == "object":
		f.Kind = yamlField
	case strings.HasPrefix(types, "[boolean"):
		f.Kind = boolField
	}
	_, missing, ok := strings.Cut(text, "Default: ")
	switch {
	case f.Kind == yamlField:
		f.Hint = example
	case ok:
		f.Hint, _, _ = strings.Cut(strings.TrimSuffix(missing, "."), ". ")
	case f.Kind == wordField:
		f.Hint = "–"
	case example != "":
		f.Hint = "such as " + example
	case text == "":
		f.Hint = "generated"
	}
	return f
}

// fieldLabels are the labels of keys that do not explain themselves.
var fieldLabels = map[string]string{
	"verification_request": "Id", "qualification_check": "Id", "tenant_property": "Id",
	"status_detail": "Status", "frequency": "Paid", "base": "Pay of a year", "rate": "Pay of an hour", "hours_per_week": "Hours a week",
	"months_per_year": "Paid months a year", "other_per_day": "Other a day", "extra_period": "27 or 53 pay dates in a year",
	"reads": "After reads", "elapsed": "Or after a time", "manual": "Or by hand", "set": "Fields set (YAML)", "set_canceled": "Fields of the answer to a cancel (YAML)",
	"metadata": "Metadata (YAML)", "reseller_originating_party": "Reseller's client (YAML)", "missing": "Payroll does not send",
	"event": "Later event", "on": "Day", "last_four": "Last four of the SSN", "rent": "Rent a month",
}

// each calls visit for the path of every field of sections in a form, element by element.
func each(sections []formSection, form url.Values, path string, visit func(name string)) {
	for _, s := range sections {
		for i, element := range s.paths(form, path) {
			for _, name := range s.fields(i) {
				visit(element + name)
			}
			each(s.Sections, form, element, visit)
		}
	}
}

// paths returns the paths of the elements of a section's list, or the path itself without a list. They end with a dot.
func (s formSection) paths(form url.Values, path string) []string {
	if s.List == "" {
		return []string{path}
	}
	var all []string
	for i := range elements(form, path+s.List) {
		all = append(all, fmt.Sprintf("%s%s.%d.", path, s.List, i))
	}
	return all
}

// fields returns the fields of an element of the section's list.
func (s formSection) fields(element int) []string {
	if element == 0 {
		return strings.Fields(s.Fields)
	}
	return strings.Fields(s.Fields + " " + s.Later)
}

// fill puts what a document says into a form. What the form has no field for is left out.
func fill(form url.Values, sections []formSection, path string, document ast.Node) {
	for _, s := range sections {
		if s.List != "" {
			if list, ok := find(document, s.List).(*ast.SequenceNode); ok {
				for range list.Values {
					addElement(form, path+s.List)
				}
			}
		}
		for i, element := range s.paths(form, path) {
			within := document
			if s.List != "" {
				within = find(document, s.List).(*ast.SequenceNode).Values[i]
			}
			for _, name := range s.fields(i) {
				if value := find(within, name); value != nil {
					form.Set(element+name, textOf(value, fieldOf(element+name).Kind))
				}
			}
			fill(form, s.Sections, element, within)
		}
	}
}

// find returns the node at a path of keys, nil without.
func find(node ast.Node, path string) ast.Node {
	for key := range strings.SplitSeq(path, ".") {
		mapping, ok := node.(ast.MapNode)
		if !ok {
			return nil
		}
		node = nil
		for pairs := mapping.MapRange(); pairs.Next(); {
			if pairs.Key().GetToken().Value == key {
				node = pairs.Value()
			}
		}
	}
	return node
}

// textOf writes a node as a field of the form has it.
func textOf(node ast.Node, kind fieldKind) string {
	switch node := node.(type) {
	case *ast.SequenceNode:
		if kind != listField {
			break
		}
		var texts []string
		for _, element := range node.Values {
			texts = append(texts, element.GetToken().Value)
		}
		return strings.Join(texts, ", ")
	case *ast.LiteralNode:
		return node.Value.Value
	case ast.MapNode:
	default:
		return node.GetToken().Value
	}
	return flow(node)
}

// flow writes a node in one line.
func flow(node ast.Node) string {
	var parts []string
	switch node := node.(type) {
	case ast.MapNode:
		for pairs := node.MapRange(); pairs.Next(); {
			parts = append(parts, scalar(pairs.Key().GetToken().Value)+": "+flow(pairs.Value()))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case *ast.SequenceNode:
		for _, element := range node.Values {
			parts = append(parts, flow(element))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *ast.LiteralNode:
		return quoted(node.Value.Value)
	case *ast.StringNode:
		if text := node.Value; text == "" || strings.ContainsAny(text[:1], "0123456789") {
			return quoted(text)
		}
		return scalar(node.Value)
	}
	return node.GetToken().Value
}
