package scenarios

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// Parse parses a scenario file: YAML documents, each of one scenario or, with a matrix, of several. In a JSON file the values
// must have JSON's types. It returns the scenarios that could be read and all problems, which carry the name of the file.
func Parse(file string, data []byte) ([]*Scenario, Problems) {
	found, problems := parse(file, data, (*decoder).validateDrawn)
	var all []*Scenario
	for _, e := range found {
		all = append(all, e.scenario())
	}
	return all, problems
}

// parse is Parse for entries. warn adds warnings of a scenario without problems; nil adds none.
func parse(file string, data []byte, warn func(*decoder, *Scenario)) (all []entry, problems Problems) {
	tree, problems := source.Read(file, data)
	if len(tree)+len(problems) == 0 {
		return nil, Problems{{At: Position{File: file, Line: 1, Column: 1}, What: "has no scenario in it: write one, or delete the file", Warning: true}}
	}
	strict := json.Valid(data)
	for _, document := range tree {
		found, more := parseDocument(decoder{file: file, body: document, json: strict}, len(data), warn)
		all, problems = append(all, found...), append(problems, more...)
	}
	if problems = source.Report(problems, string(data)); !looksLikeScenario(data) {
		source.HideContents(problems)
	}
	return all, problems
}

// looksLikeScenario reports whether a file has a key that only scenarios have, or both a title and rules. Any other file may
// have secrets in it: a title alone, or rules, a matrix and reports, are keys of many others.
func looksLikeScenario(data []byte) bool {
	return ownKey().Match(data) || titleKey().Match(data) && rulesKey().Match(data)
}

// Keys at the begin of a line or a mapping.
var (
	ownKey   = keyed("magic|verification_request|qualification_check|tenant_property")
	titleKey = keyed("title")
	rulesKey = keyed("rules")
)

func keyed(names string) func() *regexp.Regexp {
	return source.Expression(`(?m)(^|[{,])[ \t]*["']?(` + names + `)["']?[ \t]*:`)
}

// ParseRule parses one rule for every call, in YAML or as [RuleJSON] writes it. The problems carry the name as their file.
func ParseRule(name string, data []byte) (*Rule, Problems) {
	rule, d := parseRule(name, data, false)
	return rule, d.problems
}

// parseRule parses a rule, and returns the decoder that has read it. With strict the values must have JSON's types.
func parseRule(name string, data []byte, strict bool) (*Rule, decoder) {
	s := Scenario{Rules: make([]Rule, 1)}
	d := decodeOne(name, data, strict, &s.Rules[0])
	if d.problems.Errors() == 0 {
		d.validateRule(nil, s.Rules[0], &s)
		d.problems = source.Report(d.problems, string(data))
	}
	return &s.Rules[0], d
}

// RuleJSON returns a rule in JSON, to be stored or sent. Its error for an invalid rule is [Problems] without warnings. In a rule that is JSON
// already the values must have JSON's types.
func RuleJSON(name string, rule []byte) ([]byte, error) {
	strict := json.Valid(rule)
	_, d := parseRule(name, rule, strict)
	if d.problems.Errors() > 0 {
		return nil, slices.DeleteFunc(d.problems, func(p Problem) bool { return p.Warning })
	}
	if strict {
		return rule, nil
	}
	return []byte(inJSON(d.body)), nil
}

// JSON returns a YAML document in JSON, and a function that returns the position of the value at a path. The name is the file
// of positions. Its error is [Problems].
func JSON(name string, data []byte) (text []byte, at func(path []string) Position, err error) {
	body, problems := oneDocument(name, data)
	if len(problems) > 0 {
		return nil, nil, source.Report(problems, string(data))
	}
	d := &decoder{file: name, body: body}
	return []byte(inJSON(body)), func(path []string) Position { return d.at(path) }, nil
}

// inJSON writes a node in JSON. A scalar becomes a number, a boolean or null only if its text is one in JSON, since the
// language reads scalars by their text.
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

// Decode decodes one YAML or JSON document into a structure of the language's types, by its yaml tags. The problems carry the
// name as their file. In JSON the values must have JSON's types.
func Decode(name string, data []byte, into any) Problems {
	return decodeOne(name, data, json.Valid(data), into).problems
}

// decodeOne returns the decoder that has read the only document of a file.
func decodeOne(name string, data []byte, strict bool, into any) decoder {
	d := decoder{file: name, json: strict}
	d.body, d.problems = oneDocument(name, data)
	if len(d.problems) == 0 {
		d.decode(d.body, reflect.ValueOf(into).Elem())
	}
	d.problems = source.Report(d.problems, string(data))
	return d
}

// oneDocument returns the only document of a file.
func oneDocument(name string, data []byte) (ast.Node, Problems) {
	begin := Position{File: name, Line: 1, Column: 1}
	if len(data) > source.MaxFile {
		return nil, Problems{{At: begin, What: fmt.Sprintf("it may have %d bytes (64 KiB) and has %d: leave something out", source.MaxFile, len(data))}}
	}
	documents, problems := source.Read(name, data)
	switch {
	case len(problems) > 0:
		return nil, problems
	case len(documents) != 1:
		return nil, Problems{{At: begin, What: "must be one document, such as a JSON object"}}
	}
	return documents[0], nil
}

// DecodeSettings decodes single values with their paths, such as pay.frequency=weekly, into a structure of the language's
// types, over the values that it has. Its error names the invalid setting.
func DecodeSettings(settings []string, into any) error {
	if len(settings) == 0 {
		return nil
	}
	paths := make([][]string, len(settings))
	values := make(map[string]string)
	for i, text := range settings {
		path, value, ok := strings.Cut(text, "=")
		if !ok || path == "" {
			return fmt.Errorf("%q is not of the form KEY=VALUE, such as pay.frequency=weekly", text)
		}
		paths[i], values[path] = strings.Split(path, "."), value
	}
	slices.SortFunc(paths, slices.Compare)
	var document strings.Builder // YAML with one key on each line
	var before []string
	for _, path := range paths {
		common := 0
		for common < len(before) && common < len(path) && before[common] == path[common] {
			common++
		}
		if before != nil && common == len(before) {
			return fmt.Errorf("%q is set twice, or is a part of another setting", strings.Join(path, "."))
		}
		last := len(path) - 1
		for i := common; i < last; i++ {
			fmt.Fprintf(&document, "%*s%s:\n", 2*i, "", path[i])
		}
		fmt.Fprintf(&document, "%*s%s: %s\n", 2*last, "", path[last], values[strings.Join(path, ".")])
		before = path
	}
	if problems := Decode("", []byte(document.String()), into); len(problems) > 0 {
		return fmt.Errorf("%s", problems[0].What)
	}
	return nil
}

// parseDocument reads the document of a decoder into a scenario for each row of its matrix. size is that of the file in
// bytes. A problem of several rows is reported once.
func parseDocument(of decoder, size int, warn func(*decoder, *Scenario)) (all []entry, problems Problems) {
	matrix, problems := readMatrix(of)
	if len(problems) > 0 {
		return nil, problems
	}
	if n, most := matrix.size(), min(maxRows, maxExpanded/max(size, 1)); n < 1 || n > most {
		d := of
		d.reject(nodePath{"matrix"}, "matrix must make 1 to %d scenarios in a file of this size: write up to %d combinations of values, such as matrix: {state: [processing, completed]}", most, most)
		return nil, d.problems
	}
	reported := make(map[Problem]bool)
	for i, row := range matrix.rows() {
		d := of
		d.row = row
		s := &Scenario{values: row.values}
		d.decode(of.body, reflect.ValueOf(s).Elem())
		d.validate(s)
		if warn != nil && i < maxDrawnRows {
			warn(&d, s)
		}
		for _, p := range d.problems {
			if !reported[p] {
				problems = append(problems, p)
			}
			reported[p] = true
		}
		positions := map[string]Position{"name": d.at(nodePath{"name"}), "replaces": d.at(nodePath{"replaces"})}
		for magic := range s.Magic.values() {
			positions[magic.Kind.key()] = d.at(nodePath{"magic", magic.Kind.key()})
		}
		all = append(all, entry{s.Name, s.Magic, s.Replaces, s.At, positions, func() *Scenario { return s }})
	}
	return all, problems
}

// matrix is variables and their values. A document with a matrix stands for one scenario for each combination of values.
// <variable> stands for a value, <variable_> for the value with underscores in place of dashes.
type matrix map[string][]string

// Limits of the scenarios that a document stands for.
const (
	maxRows     = 1000
	maxExpanded = 8 << 20 // bytes of the file times scenarios

	maxDrawnRows = 5 // whose documents are drawn to find contradictions, which takes time
)

// readMatrix reads a document's matrix, before the rest of the document.
func readMatrix(d decoder) (m matrix, problems Problems) {
	_, value := d.find(nodePath{"matrix"})
	if value == d.body {
		return nil, nil
	}
	d.path, d.form = nodePath{"matrix"}, formOf(reflect.TypeFor[Scenario](), "matrix")
	d.decode(value, reflect.ValueOf(&m).Elem())
	return m, d.problems
}

// size returns the number of rows, or a number over maxRows when there are more.
func (m matrix) size() int {
	n := 1
	for _, values := range m {
		n = min(n*len(values), maxRows+1)
	}
	return n
}

// row is one combination of a matrix's values.
type row struct {
	values map[string]string // by placeholder: <variable> and <variable_>
	fill   *strings.Replacer
}

// rows returns every combination; without variables, one empty row.
func (m matrix) rows() []row {
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
	for placeholder, value := range values {
		pairs = append(pairs, placeholder, value)
	}
	return row{values, strings.NewReplacer(pairs...)}
}

// fillIn replaces the placeholders by their values, all at once: it does not replace placeholders in values.
func (r row) fillIn(text string) string {
	if len(r.values) == 0 || !strings.Contains(text, "<") {
		return text
	}
	return r.fill.Replace(text)
}
