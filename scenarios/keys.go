package scenarios

import (
	_ "embed"
	"reflect"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// keyTable documents every key of the language: the Go type and the key, an example, and a text. A test decodes the examples.
//
//go:embed keys.tsv
var keyTable string

// keyDoc documents a key: refusals show the example, the JSON Schema shows both.
type keyDoc struct{ example, text string }

// keyDocs returns the documentation of every key, by the Go type that has it.
var keyDocs = sync.OnceValue(func() map[string]keyDoc {
	docs := make(map[string]keyDoc)
	for key, columns := range tableOf(keyTable) {
		docs[key] = keyDoc{columns[0], columns[1]}
	}
	return docs
})

// tableOf returns the columns of a table of lines and tabs, by the first.
func tableOf(text string) map[string][]string {
	rows := make(map[string][]string)
	for line := range strings.Lines(text) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		rows[columns[0]] = columns[1:]
	}
	return rows
}

// formOf returns how a key of a Go type is written, such as after: {elapsed: 10m}; "" for keys without documentation.
func formOf(owner reflect.Type, key string) string {
	doc, ok := keyDocs()[owner.Name()+"."+key]
	if !ok {
		return ""
	}
	return key + ": " + doc.example
}

// literals replaces texts by the literals of JSON, which [inJSON] does not write.
var literals = strings.NewReplacer(`:"true"`, ":true", `:"null"`, ":null")

// formInJSON writes a form in JSON, such as "after":{"elapsed":"10m"}.
func formInJSON(form string) string {
	nodes, problems := source.Read("", []byte(form))
	if len(problems) > 0 || len(nodes) != 1 {
		return form
	}
	if strings.HasPrefix(form, "{") { // an item of a list
		return literals.Replace(inJSON(nodes[0]))
	}
	return literals.Replace(strings.TrimSuffix(strings.TrimPrefix(inJSON(nodes[0]), "{"), "}"))
}
