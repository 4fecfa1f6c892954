package decode

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// Matrix is variables and their values. A document with a matrix stands for one scenario for each combination of values.
// <variable> stands for a value, <variable_> for the value with underscores in place of dashes.
type Matrix map[string][]string

// MaxRows is the number of scenarios that a document may stand for.
const MaxRows = 1000

// Matrix reads the document's matrix, a key of a structure, before the rest of the document.
func (d Decoder) Matrix(owner reflect.Type) (m Matrix, problems source.Problems) {
	_, value := d.Find(Path{"matrix"})
	if value == d.Body {
		return nil, nil
	}
	d.path, d.form = Path{"matrix"}, FormOf(owner, "matrix")
	d.Decode(value, reflect.ValueOf(&m).Elem())
	return m, d.Problems
}

// Size returns the number of rows, or a number over [MaxRows] when there are more.
func (m Matrix) Size() int {
	n := 1
	for _, values := range m {
		n = min(n*len(values), MaxRows+1)
	}
	return n
}

// Row is one combination of a matrix's values.
type Row struct {
	Values map[string]string // by placeholder: <variable> and <variable_>
	fill   *strings.Replacer
}

// Rows returns every combination; without variables, one empty row.
func (m Matrix) Rows() []Row {
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
	rows := make([]Row, len(all))
	for i, values := range all {
		rows[i] = RowOf(values)
	}
	return rows
}

// RowOf returns the row of the values of placeholders.
func RowOf(values map[string]string) Row {
	var pairs []string
	for placeholder, value := range values {
		pairs = append(pairs, placeholder, value)
	}
	return Row{values, strings.NewReplacer(pairs...)}
}

// Fill replaces the placeholders by their values, all at once: it does not replace placeholders in values.
func (r Row) Fill(text string) string {
	if len(r.Values) == 0 || !strings.Contains(text, "<") {
		return text
	}
	return r.fill.Replace(text)
}
