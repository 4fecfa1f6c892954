package scenarios

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"

	"github.com/understudy-sandbox/understudy/scenarios/internal/decode"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// Parse parses a scenario file: YAML documents, each of one scenario or, with a matrix, of several. In a JSON file the values
// must have JSON's types. It returns the scenarios that could be read and all problems, which carry the name of the file.
func Parse(file string, data []byte) ([]*Scenario, Problems) {
	found, problems := parse(file, data, (*validator).validateDrawn)
	var all []*Scenario
	for _, e := range found {
		all = append(all, e.scenario())
	}
	return all, problems
}

// parse is Parse for entries. warn adds warnings of a scenario without problems; nil adds none.
func parse(file string, data []byte, warn func(*validator)) (all []entry, problems Problems) {
	tree, problems := source.Read(file, data)
	if len(tree)+len(problems) == 0 {
		return nil, Problems{{At: Position{File: file, Line: 1, Column: 1}, What: "has no scenario in it: write one, or delete the file", Warning: true}}
	}
	strict := json.Valid(data)
	for _, document := range tree {
		found, more := parseDocument(decode.Decoder{File: file, Body: document, Strict: strict}, len(data), warn)
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
	return rule, d.Problems
}

// parseRule parses a rule, and returns the validator of what it has read. With strict the values must have JSON's types.
func parseRule(name string, data []byte, strict bool) (*Rule, validator) {
	s := Scenario{Rules: make([]Rule, 1)}
	v := validator{decode.One(name, data, strict, &s.Rules[0]), &s}
	if v.Problems.Errors() == 0 {
		v.validateRule(nil, s.Rules[0])
		v.Problems = source.Report(v.Problems, string(data))
	}
	return &s.Rules[0], v
}

// RuleJSON returns a rule in JSON, to be stored or sent. Its error for an invalid rule is [Problems] without warnings. In a rule that is JSON
// already the values must have JSON's types.
func RuleJSON(name string, rule []byte) ([]byte, error) {
	strict := json.Valid(rule)
	_, d := parseRule(name, rule, strict)
	if d.Problems.Errors() > 0 {
		return nil, slices.DeleteFunc(d.Problems, func(p Problem) bool { return p.Warning })
	}
	if strict {
		return rule, nil
	}
	return []byte(decode.JSON(d.Body)), nil
}

// JSON returns a YAML document in JSON, and a function that returns the position of the value at a path. The name is the file
// of positions. Its error is [Problems].
func JSON(name string, data []byte) (text []byte, at func(path []string) Position, err error) {
	d := decode.Read(name, data)
	if len(d.Problems) > 0 {
		return nil, nil, source.Report(d.Problems, string(data))
	}
	return []byte(decode.JSON(d.Body)), func(path []string) Position { return d.At(path) }, nil
}

// Decode decodes one YAML or JSON document into a structure of the language's types, by its yaml tags. The problems carry the
// name as their file. In JSON the values must have JSON's types.
func Decode(name string, data []byte, into any) Problems {
	return decode.One(name, data, json.Valid(data), into).Problems
}

// DecodeSettings decodes single values with their paths, such as pay.frequency=weekly, into a structure of the language's
// types, over the values that it has. Its error names the invalid setting.
func DecodeSettings(settings []string, into any) error { return decode.Settings(settings, into) }

const (
	maxExpanded  = 8 << 20 // bytes of the file times scenarios of a document
	maxDrawnRows = 5       // whose documents are drawn to find contradictions, which takes time
)

// parseDocument reads the document of a decoder into a scenario for each row of its matrix. size is that of the file in
// bytes. A problem of several rows is reported once.
func parseDocument(d decode.Decoder, size int, warn func(*validator)) (all []entry, problems Problems) {
	matrix, problems := d.Matrix(reflect.TypeFor[Scenario]())
	if len(problems) > 0 {
		return nil, problems
	}
	if n, most := matrix.Size(), min(decode.MaxRows, maxExpanded/max(size, 1)); n < 1 || n > most {
		d.Reject(decode.Path{"matrix"}, "matrix must make 1 to %d scenarios in a file of this size: write up to %d combinations of values, such as matrix: {state: [processing, completed]}", most, most)
		return nil, d.Problems
	}
	reported := make(map[Problem]bool)
	for i, row := range matrix.Rows() {
		s := &Scenario{values: row.Values}
		v := validator{d, s}
		v.Row = row
		v.Decode(v.Body, reflect.ValueOf(s).Elem())
		v.validate()
		if warn != nil && i < maxDrawnRows {
			warn(&v)
		}
		for _, p := range v.Problems {
			if !reported[p] {
				problems = append(problems, p)
			}
			reported[p] = true
		}
		positions := map[string]Position{"name": v.At(decode.Path{"name"}), "replaces": v.At(decode.Path{"replaces"})}
		for magic := range s.Magic.values() {
			positions[magic.Kind.key()] = v.At(decode.Path{"magic", magic.Kind.key()})
		}
		all = append(all, entry{s.Name, s.Magic, s.Replaces, s.At, positions, func() *Scenario { return s }})
	}
	return all, problems
}
