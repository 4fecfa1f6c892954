package decode

import (
	_ "embed"
	"reflect"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// keyTable has a line of each key of the language: its Go type and the key, an example, and a description. A test decodes the examples.
//
//go:embed keys.tsv
var keyTable string

// Keys returns an example and a description of every key, by the Go type that has it: refusals show the example, the JSON Schema shows
// both.
var Keys = sync.OnceValue(func() map[string][]string { return Table(keyTable) })

// Table returns the columns of a table of lines and tabs, by the first.
func Table(text string) map[string][]string {
	rows := make(map[string][]string)
	for line := range strings.Lines(text) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		rows[columns[0]] = columns[1:]
	}
	return rows
}

// FormOf returns how a key of a Go type is written, such as after: {elapsed: 10m}; "" for keys without documentation.
func FormOf(owner reflect.Type, key string) string {
	columns, ok := Keys()[owner.Name()+"."+key]
	if !ok {
		return ""
	}
	return key + ": " + columns[0]
}

// literals replaces texts by the literals of JSON, which [JSON] does not write.
var literals = strings.NewReplacer(`:"true"`, ":true", `:"null"`, ":null")

// FormInJSON writes a form in JSON, such as "after":{"elapsed":"10m"}.
func FormInJSON(form string) string {
	nodes, problems := source.Read("", []byte(form))
	if len(problems) > 0 || len(nodes) != 1 {
		return form
	}
	if strings.HasPrefix(form, "{") { // an item of a list
		return literals.Replace(JSON(nodes[0]))
	}
	return literals.Replace(strings.TrimSuffix(strings.TrimPrefix(JSON(nodes[0]), "{"), "}"))
}
