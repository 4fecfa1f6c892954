package scenarios

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Parse reads a scenario file: YAML documents, each one scenario or, with a matrix, several. In a file that is JSON the
// values must be of JSON's types. It returns all that could be read and every problem, warnings among them; file is the
// name that problems carry.
func Parse(file string, data []byte) ([]*Scenario, Problems) {
	found, problems := parse(file, data)
	var all []*Scenario
	for _, e := range found {
		all = append(all, e.scenario())
	}
	return all, problems
}

func parse(file string, data []byte) (all []entry, problems Problems) {
	tree, problems := readYAML(file, data)
	if len(tree)+len(problems) == 0 {
		return nil, Problems{{At: Position{File: file, Line: 1, Column: 1}, What: "has no scenario in it: write one, or delete the file", Warning: true}}
	}
	strict := json.Valid(data)
	for _, document := range tree {
		found, wrong := parseDocument(decoder{file: file, body: document, json: strict}, len(data))
		all, problems = append(all, found...), append(problems, wrong...)
	}
	return all, problems.report(string(data))
}

// ParseRule reads one rule for every call, as YAML or as [RuleJSON] writes it; name is that of the file in its problems.
func ParseRule(name string, data []byte) (*Rule, Problems) {
	rule, d := parseRule(name, data, false)
	return rule, d.problems
}

// parseRule reads a rule, and returns the decoder that has read it; in strict JSON values must be of JSON's types.
func parseRule(name string, data []byte, strict bool) (*Rule, decoder) {
	s := Scenario{Rules: make([]Rule, 1)}
	d := decodeOne(name, data, strict, &s.Rules[0])
	if len(d.problems) == 0 {
		d.validateRule(nil, s.Rules[0], &s)
		d.problems = d.problems.report(string(data))
	}
	return &s.Rules[0], d
}

// RuleJSON returns in JSON a rule that is written as [ParseRule] takes it: the same rule, to be kept or sent. Its error
// for a rule that is not right is [Problems]; in JSON values must be of JSON's types.
func RuleJSON(name string, rule []byte) ([]byte, error) {
	strict := json.Valid(rule)
	_, d := parseRule(name, rule, strict)
	if d.problems.Errors() > 0 {
		return nil, d.problems
	}
	if strict {
		return rule, nil
	}
	return []byte(inJSON(d.body)), nil
}

// inJSON writes a node of the language in JSON. What is no number in JSON as it was written is a text: the language reads
// every scalar by its text.
func inJSON(node ast.Node) string {
	text := node.GetToken().Value
	switch n := node.(type) {
	case ast.MapNode:
		var members []string
		for pairs := n.MapRange(); pairs.Next(); {
			members = append(members, quoteJSON(pairs.Key().GetToken().Value)+":"+inJSON(pairs.Value()))
		}
		return "{" + strings.Join(members, ",") + "}"
	case *ast.SequenceNode:
		var elements []string
		for _, element := range n.Values {
			elements = append(elements, inJSON(element))
		}
		return "[" + strings.Join(elements, ",") + "]"
	case *ast.LiteralNode:
		text = n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode:
		if json.Valid([]byte(text)) {
			return text
		}
	}
	return quoteJSON(text)
}

func quoteJSON(text string) string {
	quoted, _ := json.Marshal(text) // a string always renders
	return string(quoted)
}

// Decode reads one YAML or JSON document into a structure of the language's types, by its yaml tags; name is that of the
// file in its problems. In JSON values must be of JSON's types.
func Decode(name string, data []byte, into any) Problems {
	return decodeOne(name, data, json.Valid(data), into).problems
}

// decodeOne returns the decoder that has read the only document of a file.
func decodeOne(name string, data []byte, strict bool, into any) decoder {
	d, begin := decoder{file: name, json: strict}, Position{File: name, Line: 1, Column: 1}
	if len(data) > maxFile {
		what := fmt.Sprintf("it may have %d bytes and has %d: leave something out", maxFile, len(data))
		d.problems = Problems{{At: begin, What: what}}
		return d
	}
	documents, problems := readYAML(name, data)
	if len(problems) == 0 && len(documents) != 1 {
		d.problems = Problems{{At: begin, What: "must be one document, such as a JSON object"}}
		return d
	}
	for _, d.body = range documents {
		d.decode(d.body, reflect.ValueOf(into).Elem())
	}
	d.problems = append(problems, d.problems...).report(string(data))
	return d
}

// Settings are single values of a structure of the language, by their paths, as a command line has them:
// pay.frequency=weekly.
type Settings []string

// Into reads the settings into a structure, over what it has. Its error says which setting is not right.
func (s Settings) Into(structure any) error {
	if len(s) == 0 {
		return nil
	}
	paths := make([][]string, len(s))
	values := make(map[string]string)
	for i, text := range s {
		path, value, ok := strings.Cut(text, "=")
		if !ok || path == "" {
			return fmt.Errorf("%q is not of the form KEY=VALUE, such as pay.frequency=weekly", text)
		}
		paths[i], values[path] = strings.Split(path, "."), value
	}
	slices.SortFunc(paths, slices.Compare)
	var document strings.Builder // YAML, a line a key
	var before []string
	for _, path := range paths {
		common := 0
		for common < len(before) && common < len(path) && before[common] == path[common] {
			common++
		}
		if before != nil && common == len(before) {
			return fmt.Errorf("%q is set twice, or as a part of something else that is set", strings.Join(path, "."))
		}
		last := len(path) - 1
		for i := common; i < last; i++ {
			fmt.Fprintf(&document, "%*s%s:\n", 2*i, "", path[i])
		}
		fmt.Fprintf(&document, "%*s%s: %s\n", 2*last, "", path[last], values[strings.Join(path, ".")])
		before = path
	}
	if problems := Decode("", []byte(document.String()), structure); problems.Errors() > 0 {
		return fmt.Errorf("%s", problems[0].What)
	}
	return nil
}

// parseDocument reads the document of a decoder, of a file of a size in bytes, into a scenario for each row of its matrix.
// A problem of several rows is reported once.
func parseDocument(of decoder, size int) (all []entry, problems Problems) {
	matrix := readMatrix(of.body)
	if n, most := matrix.size(), min(maxRows, maxUnfolded/max(size, 1)); n < 1 || n > most {
		d := of
		d.reject(nodePath{"matrix"}, "the matrix must make 1 to %d scenarios, in a file of this size: count the combinations of its values", most)
		return nil, d.problems
	}
	reported := make(map[Problem]bool)
	for _, row := range matrix.rows() {
		d := of
		d.row = row
		s := &Scenario{values: row.values}
		d.decode(of.body, reflect.ValueOf(s).Elem())
		d.validate(s)
		for _, p := range d.problems {
			if !reported[p] {
				problems = append(problems, p)
			}
			reported[p] = true
		}
		positions := map[string]Position{"name": d.at(nodePath{"name"})}
		for magic := range s.Magic.values() {
			positions[magic.kind.key()] = d.at(nodePath{"magic", magic.kind.key()})
		}
		all = append(all, entry{s.Name, s.Magic, s.At, positions, func() *Scenario { return s }})
	}
	return all, problems
}

// Matrix makes a document stand for several scenarios: one for each combination of its variables' values, which take the
// place of <variable> wherever it is written, or of <variable_> with underscores for their dashes.
type Matrix map[string][]string

// What one document can stand for at most: in scenarios, and in bytes of its file times scenarios.
const (
	maxRows     = 1000
	maxUnfolded = 8 << 20
)

// readMatrix reads a document's matrix ahead of the rest; its problems come up again, and are kept, with the rest.
func readMatrix(body ast.Node) (m Matrix) {
	d := decoder{body: body}
	if _, value := d.find(nodePath{"matrix"}); value != body {
		d.decode(value, reflect.ValueOf(&m).Elem())
	}
	return m
}

// size returns how many rows there are, or some number over maxRows when there are more.
func (m Matrix) size() int {
	n := 1
	for _, values := range m {
		n = min(n*len(values), maxRows+1)
	}
	return n
}

// row is one combination of a matrix's values.
type row struct {
	values map[string]string // by the texts that they take the place of: <variable> and <variable_>
	fill   *strings.Replacer
}

// rows returns every combination: a single empty one when there are no variables.
func (m Matrix) rows() []row {
	all := []map[string]string{{}}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		var longer []map[string]string
		for _, shorter := range all {
			for _, value := range m[name] {
				next := maps.Clone(shorter)
				next["<"+name+">"] = value
				next["<"+name+"_>"] = strings.ReplaceAll(value, "-", "_")
				longer = append(longer, next)
			}
		}
		all = longer
	}
	rows := make([]row, len(all))
	for i, values := range all {
		rows[i] = rowOf(values)
	}
	return rows
}

func rowOf(values map[string]string) row {
	var pairs []string
	for place, value := range values {
		pairs = append(pairs, place, value)
	}
	return row{values, strings.NewReplacer(pairs...)}
}

// fillIn puts the values in their places, all at once: what a value brings along is not looked at again.
func (r row) fillIn(text string) string {
	if len(r.values) == 0 || !strings.Contains(text, "<") {
		return text
	}
	return r.fill.Replace(text)
}
