package recorded

import (
	"bytes"
	"html/template"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// Bounds of what a body shows unfolded.
const (
	maxOpenLines = 40  // of an object or an array inside the body
	maxOpenText  = 300 // bytes of a text
	maxNested    = 24  // objects and arrays within each other: what is deeper is not divided into lines
)

// bodyHTML returns a body as HTML, folded where it is long. The text of the HTML is that of the body, with JSON indented.
// It marks the refused field, as target.first_name, or the object that lacks it.
func bodyHTML(b *journal.Body, refused string) template.HTML {
	text := []byte(RawBody(b))
	options := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	v := jsonView{in: jsontext.NewDecoder(bytes.NewReader(text), options...)}
	if refused != "" {
		v.refused = jsontext.Pointer("/" + strings.ReplaceAll(refused, ".", "/"))
	}
	p := new(jsonPart)
	if kind := v.in.PeekKind(); kind == '{' || kind == '[' {
		p = v.value("", 0)
	}
	rest := bytes.TrimLeft(text[v.in.InputOffset():], ":, \r\n\t") // what is no JSON, or the beginning of a value that is cut off
	if len(rest) > 0 {
		p.line("", "", string(rest), "")
	}
	return template.HTML(p.html.String())
}

// jsonView reads JSON as far as it goes: of a long body the journal has only the beginning.
type jsonView struct {
	in      *jsontext.Decoder
	refused jsontext.Pointer
	ended   bool // what follows is not JSON
}

// jsonPart is the HTML of a part of a body, in lines.
type jsonPart struct {
	html    strings.Builder
	lines   int
	refused bool // it has the refused field
}

// value reads a value. label is the HTML of the member's name before it.
func (v *jsonView) value(label string, depth int) *jsonPart {
	p := new(jsonPart)
	label = strings.Repeat("  ", depth) + label
	kind := v.in.PeekKind()
	if kind != '{' && kind != '[' || depth == maxNested {
		value, err := v.in.ReadValue()
		if v.ended = err != nil; v.ended {
			p.line(label, "", "", "")
			return p
		}
		p.refused = v.refused != "" && v.in.StackPointer() == v.refused
		text := string(value) // which the decoder overwrites
		p.line(label, jsonClass(kind), text, v.comma())
		return p
	}
	v.in.ReadToken()
	if next := v.in.PeekKind(); next == '}' || next == ']' {
		p.refused = v.refused != "" && v.in.StackPointer() == v.refused
		end, _ := v.in.ReadToken()
		p.line(label, "", kind.String()+end.String(), v.comma())
		return p
	}
	at := v.in.StackPointer()
	inner := v.members(kind, depth)
	refused := v.refused != "" && (at == v.refused || at == v.refused.Parent() && !inner.refused)
	end := "…"
	if !v.ended {
		token, err := v.in.ReadToken()
		if v.ended = err != nil; !v.ended {
			end = token.String() + v.comma()
		}
	}
	p.lines, p.refused = inner.lines+2, refused || inner.refused
	p.html.WriteString("<details")
	if depth == 0 || inner.lines <= maxOpenLines || p.refused || v.ended {
		p.html.WriteString(" open")
	}
	begin := label + kind.String()
	if refused {
		begin = "<mark>" + begin + "</mark>"
	}
	p.html.WriteString("><summary>" + begin + "\n</summary>" + inner.html.String() + "<div>")
	if !v.ended {
		p.html.WriteString(strings.Repeat("  ", depth) + end + "\n")
	}
	p.html.WriteString("</div></details>")
	return p
}

// members reads what is inside of an object or an array.
func (v *jsonView) members(kind jsontext.Kind, depth int) *jsonPart {
	p := new(jsonPart)
	for !v.ended {
		label := ""
		switch next := v.in.PeekKind(); {
		case next == '}' || next == ']':
			return p
		case kind == '{':
			name, err := v.in.ReadValue()
			if v.ended = err != nil; v.ended {
				return p
			}
			label = `<span class="key">` + template.HTMLEscapeString(string(name)) + "</span>: "
		}
		member := v.value(label, depth+1)
		p.html.WriteString(member.html.String())
		p.lines, p.refused = p.lines+member.lines, p.refused || member.refused
	}
	return p
}

// comma returns the comma after a value that is not the last one.
func (v *jsonView) comma() string {
	if kind := v.in.PeekKind(); kind == 0 || kind == '}' || kind == ']' {
		return ""
	}
	return ","
}

// line adds a line of text and what comes after it, folded when it is long.
func (p *jsonPart) line(label, class, text, after string) {
	p.lines++
	open, end := "", ""
	if class != "" {
		open, end = `<span class="`+class+`">`, "</span>"
	}
	if p.refused {
		open, end = open+"<mark>", "</mark>"+end
	}
	if len(text) <= maxOpenText {
		p.html.WriteString("<div>" + label + open + template.HTMLEscapeString(text) + end + after + "\n</div>")
		return
	}
	begin := maxOpenText / 4
	for begin < len(text) && !utf8.RuneStart(text[begin]) {
		begin++
	}
	p.html.WriteString(`<details class="long"><summary>` + label + open + template.HTMLEscapeString(text[:begin]) + end +
		"</summary>" + open + template.HTMLEscapeString(text[begin:]) + end + after + "\n</details>")
}

// jsonClass returns the CSS class of a value, as in the source of scenarios.
func jsonClass(kind jsontext.Kind) string {
	switch kind {
	case '"':
		return "text"
	case '0':
		return "number"
	}
	return "word"
}
