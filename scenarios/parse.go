package scenarios

import (
	"errors"
	"reflect"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Parse reads a scenario file: YAML documents, each one scenario or, with a matrix, several. It returns all that could
// be read and every problem, warnings among them; file is the name that problems carry.
func Parse(file string, data []byte) ([]*Scenario, Problems) {
	found, problems := parse(file, data)
	return found, problems.of(string(data))
}

func parse(file string, data []byte) ([]*Scenario, Problems) {
	tokens, p, bad := tokenize(file, data)
	if bad {
		return nil, Problems{p}
	}
	parsed, err := parser.Parse(tokens, 0)
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
		d := decoder{file: file, row: row}
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
