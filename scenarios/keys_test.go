package scenarios

import (
	"encoding"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	unused := maps.Clone(keyDocs())
	seen := map[reflect.Type]bool{}
	visit := func(owner reflect.Type, key string) {
		name := owner.Name() + "." + key
		t.Run(name, func(t *testing.T) {
			doc, ok := keyDocs()[name]
			if !ok || !strings.HasSuffix(doc.text, ".") {
				t.Fatalf("the description is %q", doc.text)
			}
			for _, text := range []string{formOf(owner, key), "{" + formInJSON(formOf(owner, key)) + "}"} {
				documents, problems := source.Read("f.yaml", []byte(text))
				if len(problems) > 0 {
					t.Fatal(problems)
				}
				d := decoder{file: "f.yaml", body: documents[0], json: text[0] == '{'}
				_, value := d.find(nodePath{key})
				member, _ := memberOf(reflect.New(owner).Elem(), key)
				if d.decode(value, member); len(d.problems) > 0 || member.IsZero() {
					t.Errorf("%s is refused: %v", text, d.problems)
				}
			}
		})
		delete(unused, name)
	}
	visitKeys(reflect.TypeFor[Scenario](), seen, visit)
	visitKeys(reflect.TypeFor[fixtures.Population](), seen, visit)
	if len(unused) > 0 {
		t.Errorf("there are no keys %v", slices.Sorted(maps.Keys(unused)))
	}
}

// The sentence that describes a rule has each of its conditions, and its delay.
func TestRuleKeysInWords(t *testing.T) {
	t.Parallel()
	words := func(more string) string {
		rule, problems := ParseRule("rule", []byte(`{"on":"get","respond":{"status":500}`+more+`}`))
		if len(problems) > 0 {
			t.Fatalf("%s: %v", more, problems)
		}
		return rule.String()
	}
	plain, others := words(""), []string{"on", "respond", "fault", "deliver"}
	for field := range reflect.TypeFor[Rule]().Fields() {
		if key := field.Tag.Get("yaml"); key != "-" && !slices.Contains(others, key) {
			if got := words("," + formInJSON(formOf(reflect.TypeFor[Rule](), key))); got == plain {
				t.Errorf("a rule with %s is described as one without: %s", key, got)
			}
		}
	}
}

// visitKeys visits the keys of a type of the language, and those below them.
func visitKeys(of reflect.Type, seen map[reflect.Type]bool, visit func(owner reflect.Type, key string)) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		visitKeys(of.Elem(), seen, visit)
		return
	}
	switch reflect.New(of).Interface().(type) {
	case overlay, encoding.TextUnmarshaler:
		return
	}
	if of.Kind() != reflect.Struct || seen[of] {
		return
	}
	seen[of] = true
	for _, key := range keysOf(of) {
		member, owner := memberOf(reflect.New(of).Elem(), key)
		if !seen[owner] || owner == of {
			visit(owner, key)
		}
		visitKeys(member.Type(), seen, visit)
	}
}
