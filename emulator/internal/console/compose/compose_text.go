package compose

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
)

// written is a text in the language of scenario files that is changed key by key. All else stays as its author wrote it.
type written struct {
	text string
	root ast.Node // nil: the text is not YAML, or not one document
}

func writtenIn(text string) (w written) {
	w.text = text
	if file, err := parser.ParseBytes([]byte(text), 0); err == nil {
		documents := slices.DeleteFunc(file.Docs, func(d *ast.DocumentNode) bool { return d.Body == nil })
		if len(documents) == 1 {
			w.root = documents[0].Body
		}
	}
	return w
}

// pairsOf returns the members of a mapping, nil for any other node.
func pairsOf(node ast.Node) []*ast.MappingValueNode {
	switch node := node.(type) {
	case *ast.MappingNode:
		return node.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{node}
	}
	return nil
}

// elementsOf returns the elements of a list, nil for any other node.
func elementsOf(node ast.Node) []ast.Node {
	if list, ok := node.(*ast.SequenceNode); ok {
		return list.Values
	}
	return nil
}

// find returns the node at a path of keys and numbers from 0, and the token at which a problem of it would be; nil without.
func find(node ast.Node, path ...string) (ast.Node, *token.Token) {
	var at *token.Token
	for _, step := range path {
		below := ast.Node(nil)
		for _, pair := range pairsOf(node) {
			if pair.Key.GetToken().Value == step {
				below, at = pair.Value, pair.Key.GetToken()
			}
		}
		if i, err := strconv.Atoi(step); err == nil && i < len(elementsOf(node)) {
			below, at = elementsOf(node)[i], elementsOf(node)[i].GetToken()
		}
		if node = below; node == nil {
			return nil, nil
		}
	}
	return node, at
}

// at returns the text of the value at a path, "" without.
func (w written) at(path ...string) string {
	node, _ := find(w.root, path...)
	if _, ok := node.(ast.ScalarNode); !ok {
		return ""
	}
	return node.GetToken().Value
}

// offset returns where a token begins in the text.
func (w written) offset(of *token.Token) int {
	from := 0
	for range of.Position.Line - 1 {
		from += strings.IndexByte(w.text[from:], '\n') + 1
	}
	for range of.Position.Column - 1 {
		_, size := utf8.DecodeRuneInString(w.text[from:])
		from += size
	}
	return from
}

// replace returns the text with other text in place of a part of it.
func (w written) replace(from, to int, by string) written {
	return writtenIn(w.text[:from] + by + w.text[to:])
}

// set gives the value at a path, which it adds where it is missing. An empty value removes it.
func (w written) set(value string, path ...string) written {
	node, _ := find(w.root, path...)
	switch {
	case value == "" && node != nil:
		return w.remove(path)
	case value == "" || w.at(path...) == value:
		return w
	case node != nil:
		at := node.GetToken()
		from := w.offset(at)
		return w.replace(from, from+len(strings.TrimSpace(at.Origin)), scalar(value))
	}
	above := len(path) - 1
	for above > 0 {
		if node, _ := find(w.root, path[:above]...); node != nil {
			break
		}
		above--
	}
	return w.add(path[:above], member(path[above:], value))
}

// member writes a key and its value in one line.
func member(path []string, value string) string {
	text := scalar(value)
	for _, step := range slices.Backward(path[1:]) {
		text = "{" + step + ": " + text + "}"
	}
	return path[0] + ": " + text
}

// firstKeys stand at the beginning of a document: nothing is put before them.
var firstKeys = []string{"name", "title", "magic", "replaces"}

// add adds a member to the mapping at a path.
func (w written) add(path []string, member string) written {
	node, _ := find(w.root, path...)
	if mapping, ok := node.(*ast.MappingNode); ok && mapping.IsFlowStyle {
		if len(mapping.Values) > 0 {
			member = ", " + member
		}
		end := w.offset(mapping.End)
		return w.replace(end, end, member)
	}
	for _, pair := range pairsOf(node) {
		if key := pair.Key.GetToken(); len(path) > 0 || !slices.Contains(firstKeys, key.Value) {
			from := w.offset(key)
			return w.replace(from, from, member+"\n"+strings.Repeat(" ", key.Position.Column-1))
		}
	}
	if len(path) > 0 || len(pairsOf(node)) == 0 {
		return w // nothing that has members
	}
	return writtenIn(strings.TrimRight(w.text, "\n") + "\n" + member + "\n")
}

// remove removes the member at a path, and what has no other member.
func (w written) remove(path []string) written {
	above, _ := find(w.root, path[:len(path)-1]...)
	pairs := pairsOf(above)
	i := slices.IndexFunc(pairs, func(p *ast.MappingValueNode) bool { return p.Key.GetToken().Value == path[len(path)-1] })
	mapping, _ := above.(*ast.MappingNode)
	flow := mapping != nil && mapping.IsFlowStyle
	key := w.offset(pairs[i].Key.GetToken())
	line := key + len(w.text[key:])
	if end := strings.IndexByte(w.text[key:], '\n'); end >= 0 {
		line = key + end
	}
	switch last := i == len(pairs)-1; {
	case !last:
		return w.replace(key, w.offset(pairs[i+1].Key.GetToken()), "")
	case i > 0 && flow:
		return w.replace(len(strings.TrimRight(w.text[:key], ", \n")), w.offset(mapping.End), "")
	case i > 0:
		return w.replace(len(strings.TrimRight(w.text[:key], " \n")), line, "")
	case len(path) > 1 && !isNumber(path[len(path)-2]):
		return w.remove(path[:len(path)-1])
	case flow:
		return w.replace(key, w.offset(mapping.End), "")
	}
	return w.replace(key, line, "{}")
}

// addJob adds a report of one more employment. Without reports there is one, which stays the first.
func (w written) addJob() written {
	const job = "employee: {status_detail: full-time}"
	node, _ := find(w.root, "reports")
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		return w.add(nil, "reports:\n  - {}\n  - "+job)
	}
	if list.IsFlowStyle {
		end := w.offset(list.End)
		return w.replace(end, end, ", {"+job+"}")
	}
	end := w.endOfReports()
	return w.replace(end, end, "\n"+strings.Repeat(" ", list.Start.Position.Column-1)+"- "+job)
}

// endOfReports returns where the list of the reports ends.
func (w written) endOfReports() int {
	pairs, end := pairsOf(w.root), len(w.text)
	i := slices.IndexFunc(pairs, func(p *ast.MappingValueNode) bool { return p.Key.GetToken().Value == "reports" })
	if i+1 < len(pairs) {
		end = w.offset(pairs[i+1].Key.GetToken())
	}
	return len(strings.TrimRight(w.text[:end], " \n"))
}

// removeJob removes the i-th of several reports.
func (w written) removeJob(i int) written {
	node, _ := find(w.root, "reports")
	list, ok := node.(*ast.SequenceNode)
	if !ok || i < 0 || i >= len(list.Values) || len(list.Values) < 2 {
		return w
	}
	begin, end := func(i int) int { return w.offset(list.Values[i].GetToken()) }, 0
	if end = w.endOfReports(); list.IsFlowStyle {
		end = w.offset(list.End)
	} else {
		begin = func(i int) int { return w.offset(list.Entries[i].Start) }
	}
	if i+1 < len(list.Values) {
		return w.replace(begin(i), begin(i+1), "")
	}
	return w.replace(len(strings.TrimRight(w.text[:begin(i)], ", \n")), end, "")
}

// isNumber reports whether a step of a path is that of a list.
func isNumber(step string) bool { return strings.Trim(step, "0123456789") == "" }

// unquoted matches texts that YAML reads as they are. Digits after a zero are quoted: YAML may read them as an octal number.
var unquoted = words.Expression(`^(\.?[A-Za-z0-9]([-A-Za-z0-9 ._/@&]*[-A-Za-z0-9._/@])?)$`)

// scalar writes a text in YAML.
func scalar(text string) string {
	octal := len(text) > 1 && text[0] == '0' && strings.Trim(text, "0123456789") == ""
	if unquoted().MatchString(text) && !octal && (text == "null" || !strings.EqualFold(text, "null")) {
		return text
	}
	quoted, _ := jsontext.AppendQuote(nil, text) // YAML has the quotes of JSON; it replaces what is not UTF-8
	return string(quoted)
}

// nameOf returns the name of the scenario of a resource with an id.
func nameOf(id string) string {
	name := strings.Trim(unnamed().ReplaceAllString(strings.ToLower(id), "-"), ".-")
	return cmp.Or(name[:min(len(name), 64)], "mine")
}

// unnamed matches characters that a scenario's name does not have.
var unnamed = words.Expression(`[^a-z0-9.-]+`)
