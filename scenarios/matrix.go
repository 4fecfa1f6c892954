package scenarios

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

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
		var pairs []string
		for place, value := range values {
			pairs = append(pairs, place, value)
		}
		rows[i] = row{values, strings.NewReplacer(pairs...)}
	}
	return rows
}

// fillIn puts the values in their places, all at once: what a value brings along is not looked at again.
func (r row) fillIn(text string) string {
	if len(r.values) == 0 || !strings.Contains(text, "<") {
		return text
	}
	return r.fill.Replace(text)
}
