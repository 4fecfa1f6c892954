package decode

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// key returns the key that is being read, that of the list for an item of one; "" for the document.
func (d *Decoder) key() string {
	for _, step := range slices.Backward(d.path) {
		if !isIndex(step) {
			return api.MaskLine(step)
		}
	}
	return ""
}

func isIndex(step string) bool { return step != "" && strings.Trim(step, "0123456789") == "" }

// subject names the node that is being read, such as after or item 2 of timeline.
func (d *Decoder) subject() string {
	if len(d.path) == 0 {
		return "the document"
	}
	if last := d.path[len(d.path)-1]; isIndex(last) {
		i, _ := strconv.Atoi(last)
		return fmt.Sprintf("item %d of %s", i+1, d.key())
	}
	return d.key()
}

// invalidKind reports a node of the wrong kind, and shows the form that its key takes.
func (d *Decoder) invalidKind(node ast.Node, wanted, form string) {
	is := source.Quote(node.GetToken().Value)
	switch node.(type) {
	case ast.MapNode:
		is = "a mapping"
	case *ast.SequenceNode:
		is = "a list"
	case *ast.NullNode:
		is = "nothing"
	}
	d.problemWithForm(node, d.show(": write ", form), "%s takes %s, not %s", d.subject(), wanted, is)
}

// maxForms is the number of problems of a document that show a form, which takes time to find.
const maxForms = 20

// show ends a message with a form, in JSON for JSON. It adds nothing without a form, or after maxForms problems.
func (d *Decoder) show(lead, form string) string {
	if form == "" || len(d.Problems) >= maxForms {
		return ""
	}
	if d.Strict {
		form = FormInJSON(form)
	}
	return lead + form
}

// wrapped returns how a scalar is written in a mapping that takes it: {elapsed: 10m} for 10m, or "" when no key takes it.
func (d *Decoder) wrapped(node ast.Node, structure reflect.Type) string {
	text := node.GetToken().Value
	if _, ok := node.(ast.ScalarNode); !ok || len(d.Problems) >= maxForms || node.Type() == ast.NullType || source.Quote(text) != `"`+text+`"` { // it may be secret
		return ""
	}
	for _, key := range KeysOf(structure) {
		whole, trial := reflect.New(structure).Elem(), Decoder{Body: node, Row: d.Row}
		member, _ := MemberOf(whole, key)
		switch kind := member.Kind(); {
		case kind == reflect.Slice || kind == reflect.Map || kind == reflect.Struct:
			continue
		case member.Type() == reflect.TypeFor[string]() && !strings.Contains(d.form, "{"+key+":"): // it takes any text
			continue
		case member.Type() == reflect.TypeFor[*string](), kind == reflect.Pointer && member.Type().Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
			continue
		}
		trial.Decode(node, member)
		trial.reportViolations(node, whole.Interface())
		if len(trial.Problems) > 0 {
			continue
		}
		form := "{" + key + ": " + text + "}"
		if !isIndex(d.path[len(d.path)-1]) {
			form = d.key() + ": " + form
		}
		return form
	}
	return ""
}

// unknown reports a key that does not exist. The key that was probably meant counts as invalid, not as missing.
func (d *Decoder) unknown(key ast.Node, noun, all string, defined []string) {
	text := key.GetToken().Value
	meant, near := api.Nearest(text, defined)
	if near {
		d.below(meant, func() { d.problem(key, "unknown %s %s: did you mean %s?", noun, source.Quote(text), meant) })
		return
	}
	in := ""
	if name := d.key(); name != "" {
		in = " in " + name
	}
	d.below(text, func() {
		d.problemWithForm(key, d.show(", such as ", d.form), "unknown %s %s%s: %s %s", noun, source.Quote(text), in, all, strings.Join(defined, ", "))
	})
}
