package console

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// document is a text in the language of scenario files, with the fields of the form that its parts are from.
type document struct {
	lines   []string
	origins []origin
}

// origin is where the text of a field begins. Lines and columns count from 1.
type origin struct {
	line, column int
	field        string
}

func (d *document) String() string { return strings.Join(d.lines, "\n") + "\n" }

// add adds a line, of which all is from a field.
func (d *document) add(line, field string) {
	d.lines = append(d.lines, line)
	d.origins = append(d.origins, origin{len(d.lines), 1, field})
}

// fieldAt returns the field of a position; "" for one outside of the text.
func (d *document) fieldAt(line, column int) (field string) {
	for _, m := range d.origins {
		if m.line == line && (m.column <= column || field == "") {
			field = m.field
		}
	}
	return field
}

// member is a key of a document with its text, or with its members.
type member struct {
	key, field, text string
	members          []*member
}

// at returns the member at a path. It adds what is missing.
func (m *member) at(path []string) *member {
	if len(path) == 0 {
		return m
	}
	i := slices.IndexFunc(m.members, func(one *member) bool { return one.key == path[0] })
	if i < 0 {
		i = len(m.members)
		m.members = append(m.members, &member{key: path[0]})
	}
	return m.members[i].at(path[1:])
}

// keysInOrder are the keys that come before all others, in their order.
var keysInOrder = []string{
	"id", "name", "title", "magic", "verification_request", "qualification_check", "tenant_property", "person", "company", "reports", "employee", "pay",
}

// sort puts keys in their order.
func (m *member) sort() {
	rank := func(m *member) int {
		if i := slices.Index(keysInOrder, m.key); i >= 0 {
			return i
		}
		return len(keysInOrder)
	}
	slices.SortStableFunc(m.members, func(a, b *member) int { return rank(a) - rank(b) })
	for _, one := range m.members {
		one.sort()
	}
}

// scenario writes the form as a scenario file.
func (m making) scenario(form url.Values) document {
	root := m.members(form)
	*root.at([]string{"name"}) = member{key: "name", field: m.id, text: scalar(nameOf(form.Get(m.id)))}
	if title := root.at([]string{"title"}); title.text == "" {
		title.text, title.field = scalar("A "+m.One+" of my own"), "title"
	}
	return root.document()
}

// resource writes the form as the text that makes the resource.
func (m making) resource(form url.Values) document {
	root := m.members(form)
	root.members = slices.DeleteFunc(root.members, func(one *member) bool { return one.key == "magic" || one.key == "title" })
	root.at([]string{"id"}).text = scalar(form.Get(m.id))
	return root.document()
}

// members returns what the form says, without the fields that are left empty.
func (m making) members(form url.Values) *member {
	root := new(member)
	each(m.Sections, form, "", func(name string) {
		path, text := strings.Split(name, "."), strings.TrimSpace(form.Get(name))
		for i, step := range path { // an element of a list is there even when it is empty
			if isNumber(step) {
				element := root.at(path[:i+1])
				element.field = cmp.Or(element.field, name)
			}
		}
		if text == "" {
			return
		}
		field := root.at(path)
		switch field.field, field.text = name, scalar(text); fieldOf(name).Kind {
		case yamlField:
			field.text = text
		case listField:
			var words []string
			for word := range strings.SplitSeq(strings.Trim(text, "[]"), ",") {
				if word = strings.TrimSpace(word); word != "" {
					words = append(words, scalar(word))
				}
			}
			field.text = "[" + strings.Join(words, ", ") + "]"
		}
	})
	if reports := root.at([]string{"reports"}); len(reports.members) < 2 && (len(reports.members) == 0 || len(reports.members[0].members) == 0) {
		root.members = slices.DeleteFunc(root.members, func(one *member) bool { return one == reports })
	}
	return root
}

func (m *member) document() (d document) {
	m.sort()
	d.write(m.members, "")
	return d
}

// maxLine bounds the lines of short mappings.
const maxLine = 76

// write writes members in block style, and short ones in one line. A line without a field of its own is from the first below it.
func (d *document) write(members []*member, indent string) {
	for _, m := range members {
		begin, element := len(d.lines), isNumber(m.key)
		first := indent + m.key + ": "
		if element {
			first = indent + "- "
		}
		if line, origins := m.line(first, nil); len(line) <= maxLine && !m.long() && !(element && len(m.members) == 1) {
			d.add(line, m.field)
			for _, one := range origins {
				one.line = len(d.lines)
				d.origins = append(d.origins, one)
			}
			continue
		}
		switch at := len(d.origins); {
		case element:
			d.write(m.members, indent+"  ")
			d.lines[begin] = indent + "- " + strings.TrimPrefix(d.lines[begin], indent+"  ")
		case len(m.members) > 0:
			d.add(indent+m.key+":", "")
			d.write(m.members, indent+"  ")
			d.origins[at].field = d.origins[at+1].field
		default:
			d.value(indent, m)
		}
	}
}

// long reports whether a member takes several lines: a list, or a text of several lines.
func (m *member) long() bool {
	long := strings.Contains(m.text, "\n") || mapping().MatchString(m.text)
	return long || slices.ContainsFunc(m.members, func(one *member) bool { return isNumber(one.key) || one.long() })
}

// line adds a member to a line, and the origins of its fields.
func (m *member) line(line string, origins []origin) (string, []origin) {
	if m.text != "" {
		return line + m.text, append(origins, origin{column: len(line) + 1, field: m.field})
	}
	line += "{"
	for i, one := range m.members {
		if i > 0 {
			line += ", "
		}
		if len(one.members) == 0 {
			origins = append(origins, origin{column: len(line) + 1, field: one.field})
		}
		line, origins = one.line(line+one.key+": ", origins)
	}
	return line + "}", origins
}

func isNumber(key string) bool { return strings.Trim(key, "0123456789") == "" }

// mapping matches the begin of a mapping in block style.
var mapping = expression(`^[A-Za-z_0-9]+:\s`)

// value writes a member with its text, which goes on below it when it is a mapping in block style.
func (d *document) value(indent string, m *member) {
	lines := strings.Split(strings.ReplaceAll(m.text, "\r", ""), "\n")
	first := indent + m.key + ":"
	if !mapping().MatchString(m.text + "\n") {
		first, lines = first+" "+lines[0], lines[1:]
	}
	d.add(first, m.field)
	for _, line := range lines {
		d.add(indent+"  "+line, m.field)
	}
}

// unquoted matches texts that YAML reads as they are. Digits after a zero are quoted: YAML may read them as an octal number.
var unquoted = expression(`^(\.?[A-Za-z0-9]([-A-Za-z0-9 ._/@&]*[-A-Za-z0-9._/@])?)$`)

// scalar writes a text in YAML.
func scalar(text string) string {
	octal := len(text) > 1 && text[0] == '0' && strings.Trim(text, "0123456789") == ""
	if unquoted().MatchString(text) && !octal && (text == "null" || !strings.EqualFold(text, "null")) {
		return text
	}
	return quoted(text)
}

// quoted writes a text in quotes. YAML has those of JSON.
func quoted(text string) string {
	written, _ := json.Marshal(text) // a text always renders
	return string(written)
}

// nameOf returns the name of the scenario of a resource with an id.
func nameOf(id string) string {
	name := strings.Trim(unnamed().ReplaceAllString(strings.ToLower(id), "-"), ".-")
	return cmp.Or(name[:min(len(name), 64)], "mine")
}

// unnamed matches characters that a scenario's name does not have.
var unnamed = expression(`[^a-z0-9.-]+`)
