package scenarios_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

var rewrite = flag.Bool("update", false, "write schema.json, index.txt and the first lines of the built-in files")

// schemaOf returns the JSON Schema of a document of a type.
func schemaOf(t testing.TB, title string, of reflect.Type) []byte {
	t.Helper()
	m := maker{docs: newDocs(t), made: map[string]bool{}}
	root := m.of(of)
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(append(object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", title},
	}, append(root, member{"$defs", m.definitions})...))
	if err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// compile returns a compiled schema.
func compile(t testing.TB, text []byte) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// validate validates every YAML document of a text against a schema, as editors do.
func validate(t testing.TB, schema *jsonschema.Schema, text string) error {
	t.Helper()
	for documents := yaml.NewDecoder(strings.NewReader(text)); ; {
		var document any
		if err := documents.Decode(&document); err == io.EOF {
			return nil
		} else if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		inJSON, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(inJSON))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			return err
		}
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	for kind, tt := range map[string]struct {
		file string
		of   reflect.Type
	}{"scenario": {"schema.json", reflect.TypeFor[scenarios.Scenario]()}, "population": {"population.schema.json", reflect.TypeFor[fixtures.Population]()}} {
		want := schemaOf(t, "Understudy "+kind, tt.of)
		if *rewrite {
			if err := os.WriteFile(tt.file, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(string(want), string(scenarios.Schema(kind))); diff != "" {
			t.Errorf("run go test ./scenarios -run Schema -update\n%s", diff)
		}
	}
}

// scenarioSchema returns the compiled schema of scenario files.
func scenarioSchema(t testing.TB) *jsonschema.Schema { return compile(t, scenarios.Schema("scenario")) }

func TestSchemaBuiltin(t *testing.T) {
	t.Parallel()
	schema := scenarioSchema(t)
	for _, file := range builtinFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		path, err := filepath.Rel(filepath.Dir(file), "schema.json")
		if err != nil {
			t.Fatal(err)
		}
		const begin = "# yaml-language-server: $schema="
		first, rest, _ := strings.Cut(string(data), "\n")
		want := begin + filepath.ToSlash(path)
		if *rewrite && first != want {
			if !strings.HasPrefix(first, begin) {
				rest = string(data)
			}
			if err := os.WriteFile(file, []byte(want+"\n"+rest), 0o644); err != nil {
				t.Fatal(err)
			}
			first = want
		}
		if first != want {
			t.Errorf("%s begins with %q and not with %q: run go test ./scenarios -run Schema -update", file, first, want)
		}
		if err := validate(t, schema, rest); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// The parser and the schema accept and refuse the same files.
func TestSchemaParser(t *testing.T) {
	t.Parallel()
	schema := scenarioSchema(t)
	for name, tt := range map[string]struct {
		old, new string
		right    bool
	}{
		"as it is":                                            {"", "", true},
		"a schema of its own":                                 {"name: slow", "$schema: schema.json\nname: slow", true},
		"a number as name":                                    {"name: slow", "name: 5", true},
		"an amount in quotes":                                 {"62000.00", `"62000.00"`, true},
		"a whole amount":                                      {"62000.00", "62000", true},
		"nine digits":                                         {"000-00-1007", "900001007", true},
		"any number":                                          {"000-00-1007", "any", true},
		"placeholders of a matrix":                            {"name: slow", "matrix: {s: [500]}\nname: slow-<s>", true},
		"a placeholder for a number":                          {"rules:\n  - {on: cancel, respond: {status: 500,", "matrix: {s: [500]}\nrules:\n  - {on: cancel, respond: {status: <s>,", true},
		"a boolean":                                           {"{reads: 2}", "{manual: true}", true},
		"several words":                                       {"on: cancel", "on: cancel, state: [processing, completed]", true},
		"fields that are set":                                 {"type: employment", "type: employment\n  set: {loan_id: null, target: {last_name: Sample}}", true},
		"fields of a report that are set":                     {"- pay: {base: 62000.00, paystubs: 12}", "- set: {employee: {salary: null, hired_date: 2020-02-03, positions: []}}", true},
		"a number that is set":                                {"type: employment", "type: employment\n  set: {price: {amount: 49.95}}", true},
		"fields of a check that are set":                      {whole, "name: a\ntitle: a\nmagic: {qualification_check: q}\nqualification_check: {set: {result: {outcome: qualified}}}\n", true},
		"a bad word of a check":                               {whole, "name: a\ntitle: a\nmagic: {qualification_check: q}\nqualification_check: {set: {result: {outcome: fine}}}\n", false},
		"a bad word of a report":                              {"- pay: {base: 62000.00, paystubs: 12}", "- set: {employee: {status: gone}}", false},
		"a list for a number that is set":                     {"type: employment", "type: employment\n  set: {price: {amount: [1]}}", false},
		"a bad word among several":                            {"on: cancel", "on: cancel, state: [procesing]", false},
		"a word for a boolean":                                {"{reads: 2}", "{manual: maybe}", false},
		"a list for texts by name":                            {"type: employment", "type: employment\n  metadata: [a]", false},
		"an unknown field that is set":                        {"type: employment", "type: employment\n  set: {loan: a}", false},
		"a bad word that is set":                              {"type: employment", "type: employment\n  set: {use_case: maybe}", false},
		"null for a field that is not nullable":               {"type: employment", "type: employment\n  set: {price: null}", false},
		"a social security number that is set and not masked": {"type: employment", "type: employment\n  set: {target: {social_security_number: 123-45-6789}}", false},
		"an unknown key":                                      {"title:", "titel:", false},
		"an unknown key in a section":                         {"type: employment", "typo: employment", false},
		"an unknown key in a list":                            {"- state: pending-approval", "- stat: pending-approval", false},
		"an unknown key in flow style":                        {"{reads: 2}", "{read: 2}", false},
		"an unknown word":                                     {"state: processing", "state: procesing", false},
		"a bad word in flow style":                            {"on: cancel", "on: gte", false},
		"text for a number":                                   {"reads: 2", "reads: two", false},
		"a fraction for a number":                             {"reads: 2", "reads: 2.5", false},
		"a list for a mapping":                                {"{reads: 2}", "[2]", false},
		"a mapping for a list":                                {"- {on: cancel, respond: {status: 500, message: Not today}}", "on: cancel", false},
		"a mapping for a word":                                {"type: employment", "type: {a: b}", false},
		"a mapping for a text":                                {"title: Takes its time", "title: {a: b}", false},
		"a list for a text":                                   {"title: Takes its time", "title: [a]", false},
		"a list for an amount":                                {"62000.00", "[1]", false},
		"a boolean for an amount":                             {"62000.00", "true", false},
		"a number for a span":                                 {"{reads: 2}", "{elapsed: 2}", false},
		"a mapping for a social security number":              {"000-00-1007", "{a: b}", false},
		"nothing for a word":                                  {"type: employment", "type:", false},
		"nothing for a text":                                  {"title: Takes its time", "title:", false},
		"nothing for a list":                                  {"\n  - {on: cancel, respond: {status: 500, message: Not today}}", "", false},
		"a list for a document":                               {whole, "- a\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(whole, tt.old) {
				t.Fatalf("no %q in the document", tt.old)
			}
			text := strings.Replace(whole, tt.old, tt.new, 1)
			if _, problems := scenarios.Parse("f.yaml", []byte(text)); (problems.Errors() == 0) != tt.right {
				t.Errorf("the parser returns %v", problems)
			}
			if err := validate(t, schema, text); (err == nil) != tt.right {
				t.Errorf("the schema returns %v", err)
			}
		})
	}
}

// docs are the comments on the types of the API and their fields, which describe the fields under set.
type docs struct {
	comments map[string]string // by type and field
	names    map[string]string // of fields and constants on the wire, by their names in Go
}

func newDocs(t testing.TB) docs {
	t.Helper()
	d := docs{map[string]string{}, map[string]string{}}
	files, err := filepath.Glob("../emulator/api/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range parsed.Decls {
			d.read(declaration)
		}
	}
	return d
}

// of returns the comment on a type of the API, or on one of its fields, with the names on the wire.
func (d docs) of(t reflect.Type, field string) string {
	if path.Base(t.PkgPath()) != "api" {
		return ""
	}
	return camelCase.ReplaceAllStringFunc(d.comments[t.Name()+"."+field], func(name string) string {
		if wire, ok := d.names[name]; ok {
			return wire
		}
		words := strings.ToLower(humps.ReplaceAllString(name, "$1$3 $2$4"))
		return strings.ToUpper(words[:1]) + words[1:]
	})
}

func (d docs) read(declaration ast.Decl) {
	group, ok := declaration.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range group.Specs {
		switch declared := spec.(type) {
		case *ast.ValueSpec:
			for i, value := range declared.Values {
				if literal, ok := value.(*ast.BasicLit); ok {
					d.names[declared.Names[i].Name] = strings.Trim(literal.Value, `"`)
				}
			}
		case *ast.TypeSpec:
			d.comments[declared.Name.Name+"."] = sentence(group.Doc, declared.Doc, declared.Comment)
			structure, ok := declared.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, field := range structure.Fields.List {
				for _, name := range field.Names {
					d.comments[declared.Name.Name+"."+name.Name] = sentence(field.Doc, field.Comment)
					if field.Tag != nil {
						d.names[name.Name] = reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json")
					}
				}
			}
		}
	}
}

var (
	docLink = regexp.MustCompile(`\[([A-Z][A-Za-z.]*)\]`)
	blank   = regexp.MustCompile(`\s+`)

	camelCase = regexp.MustCompile(`\b[A-Z][A-Za-z]*[a-z][A-Z][A-Za-z]*\b`) // names of Go
	humps     = regexp.MustCompile(`([a-z])([A-Z])|([A-Z])([A-Z][a-z])`)
)

// sentence returns the first comment that there is, on one line.
func sentence(comments ...*ast.CommentGroup) string {
	for _, comment := range comments {
		if text := strings.TrimSpace(comment.Text()); text != "" {
			return blank.ReplaceAllString(docLink.ReplaceAllString(text, "$1"), " ")
		}
	}
	return ""
}
