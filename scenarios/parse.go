package scenarios

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Parse reads a scenario file: YAML documents, each one scenario or, with a matrix, several. It returns all that could
// be read and every problem; file is the name that problems carry.
func Parse(file string, data []byte) ([]*Scenario, Problems) {
	parsed, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, Problems{syntaxProblem(file, err)}
	}
	var all []*Scenario
	var problems Problems
	for _, document := range parsed.Docs {
		if document.Body == nil || document.Body.Type() == ast.CommentType {
			continue
		}
		found, wrong := parseDocument(file, document.Body)
		all, problems = append(all, found...), append(problems, wrong...)
	}
	return all, problems
}

func syntaxProblem(file string, err error) Problem {
	problem := Problem{At: Position{File: file, Line: 1, Column: 1}, What: "not valid YAML: " + err.Error()}
	if syntax := yaml.Error(nil); errors.As(err, &syntax) && syntax.GetToken() != nil {
		at := syntax.GetToken().Position
		problem.At.Line, problem.At.Column = at.Line, at.Column
		problem.What = "not valid YAML: " + syntax.GetMessage()
	}
	return problem
}

// maxRows bounds the scenarios that one document can stand for.
const maxRows = 1000

// parseDocument reads one document into a scenario for each row of its matrix. What is wrong in all rows is said once.
func parseDocument(file string, body ast.Node) (all []*Scenario, problems Problems) {
	matrix := readMatrix(body)
	if n := matrix.size(); n < 1 || n > maxRows {
		d := decoder{file: file}
		d.problem(body, "the matrix must make 1 to %d scenarios: count the combinations of its values", maxRows)
		return nil, d.problems
	}
	said := make(map[Problem]bool)
	for _, row := range matrix.rows() {
		d := decoder{file: file, variables: row}
		s := &Scenario{}
		d.decode(body, reflect.ValueOf(s).Elem())
		d.validate(body, s)
		for _, p := range d.problems {
			if !said[p] {
				problems = append(problems, p)
			}
			said[p] = true
		}
		all = append(all, s)
	}
	return all, problems
}

// readMatrix reads a document's matrix ahead of the rest; its problems come up again, and are kept, with the rest.
func readMatrix(body ast.Node) (m Matrix) {
	mapping, ok := body.(ast.MapNode)
	if !ok {
		return nil
	}
	for pairs := mapping.MapRange(); pairs.Next(); {
		if pairs.Key().GetToken().Value == "matrix" {
			d := decoder{}
			d.decode(pairs.Value(), reflect.ValueOf(&m).Elem())
		}
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

// rows returns every combination of the variables' values: a single empty one when there are no variables.
func (m Matrix) rows() []map[string]string {
	rows := []map[string]string{{}}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		var longer []map[string]string
		for _, row := range rows {
			for _, value := range m[name] {
				next := maps.Clone(row)
				next[name] = value
				longer = append(longer, next)
			}
		}
		rows = longer
	}
	return rows
}
