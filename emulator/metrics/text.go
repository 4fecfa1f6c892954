package metrics

import (
	"bytes"
	"strconv"
	"strings"
)

// ContentType is that of the text format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Kind is what a family of samples is.
type Kind string

const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram"
)

// Text is a text in the format of Prometheus, version 0.0.4: families of samples.
type Text struct {
	text   bytes.Buffer
	family string
}

// Bytes returns what was written.
func (t *Text) Bytes() []byte { return t.text.Bytes() }

// Label is a name with a value.
type Label struct{ Name, Value string }

// Family begins a family: the samples that come next are of it. help says what they tell.
func (t *Text) Family(name string, kind Kind, help string) {
	t.family = name
	t.text.WriteString("# HELP " + name + " " + escapeHelp.Replace(help) + "\n# TYPE " + name + " " + string(kind) + "\n")
}

// Only writes a family of one sample.
func (t *Text) Only(name string, kind Kind, help string, value float64, labels ...Label) {
	t.Family(name, kind, help)
	t.Sample("", value, labels...)
}

// Sample writes a sample of the family, or of the part of a histogram that a suffix names.
func (t *Text) Sample(suffix string, value float64, labels ...Label) {
	t.text.WriteString(t.family + suffix)
	for i, label := range labels {
		t.text.WriteByte("{,"[min(i, 1)])
		t.text.WriteString(label.Name + `="` + escapeValue.Replace(label.Value) + `"`)
	}
	if len(labels) > 0 {
		t.text.WriteByte('}')
	}
	t.text.WriteString(" " + number(value) + "\n")
}

// What the format cannot have as it is.
var (
	escapeHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	escapeValue = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

func number(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }
