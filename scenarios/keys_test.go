package scenarios

import (
	"encoding"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios/internal/decode"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	unused := maps.Clone(decode.Keys())
	seen := map[reflect.Type]bool{}
	visit := func(owner reflect.Type, key string) {
		name := owner.Name() + "." + key
		t.Run(name, func(t *testing.T) {
			columns := decode.Keys()[name]
			if len(columns) != 2 || !strings.HasSuffix(columns[1], ".") {
				t.Fatalf("example and description are %q", columns)
			}
			for _, text := range []string{decode.FormOf(owner, key), "{" + decode.FormInJSON(decode.FormOf(owner, key)) + "}"} {
				documents, problems := source.Read("f.yaml", []byte(text))
				if len(problems) > 0 {
					t.Fatal(problems)
				}
				d := decode.Decoder{File: "f.yaml", Body: documents[0], Strict: text[0] == '{'}
				_, value := d.Find(decode.Path{key})
				member, _ := decode.MemberOf(reflect.New(owner).Elem(), key)
				if d.Decode(value, member); len(d.Problems) > 0 || member.IsZero() {
					t.Errorf("%s is refused: %v", text, d.Problems)
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
			if got := words("," + decode.FormInJSON(decode.FormOf(reflect.TypeFor[Rule](), key))); got == plain {
				t.Errorf("a rule with %s is described as one without: %s", key, got)
			}
		}
	}
}

// Each key of a rule decides something: of many calls, one goes otherwise than without the key.
func TestRuleKeysEvaluated(t *testing.T) {
	t.Parallel()
	for field := range reflect.TypeFor[Rule]().Fields() {
		key := field.Tag.Get("yaml")
		if key == "-" {
			continue
		}
		t.Run(key, func(t *testing.T) {
			on := "on: any"
			switch key {
			case "on":
				on = ""
			case "deliver":
				on = "on: webhook"
			}
			text, without := on+"\n"+decode.FormOf(reflect.TypeFor[Rule](), key), ""
			if _, problems := ParseRule("rule", []byte(text)); len(problems) > 0 { // the key is a condition, and needs an effect
				text, without = text+"\nrespond: {status: 500}", "on: any\nrespond: {status: 500}"
			}
			if slices.EqualFunc(decisions(t, text), decisions(t, without), func(a, b Decision) bool {
				return (a.Rule == nil) == (b.Rule == nil) && a.Delay == b.Delay
			}) {
				t.Errorf("no call is answered otherwise than without %s", key)
			}
		})
	}
}

// decisions returns those of a rule, "" for none, on twenty calls and deliveries in each state, every half hour.
func decisions(t *testing.T, rule string) (all []Decision) {
	t.Helper()
	s, counters := Scenario{Name: "s"}, Counters{}
	if rule != "" {
		parsed, problems := ParseRule("rule", []byte(rule))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		s.Rules = []Rule{*parsed}
	}
	began := time.Date(2025, time.January, 15, 9, 0, 0, 0, time.UTC)
	for age := time.Duration(0); age < 6*time.Hour; age += 30 * time.Minute {
		for _, state := range api.State("").Values() {
			for i := range 20 {
				c := Call{Webhook: i%4 == 3, State: state, Seed: 1, Began: began, Now: began.Add(age)}
				if !c.Webhook {
					c.Operation = api.Operations()[i%len(api.Operations())]
				}
				var d Decision
				d, counters, _ = s.Evaluate(c, counters)
				all = append(all, d)
			}
		}
	}
	return all
}

// visitKeys visits the keys of a type of the language, and those below them.
func visitKeys(of reflect.Type, seen map[reflect.Type]bool, visit func(owner reflect.Type, key string)) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		visitKeys(of.Elem(), seen, visit)
		return
	}
	switch reflect.New(of).Interface().(type) {
	case decode.Overlay, encoding.TextUnmarshaler:
		return
	}
	if of.Kind() != reflect.Struct || seen[of] {
		return
	}
	seen[of] = true
	for _, key := range decode.KeysOf(of) {
		member, owner := decode.MemberOf(reflect.New(of).Elem(), key)
		if !seen[owner] || owner == of {
			visit(owner, key)
		}
		visitKeys(member.Type(), seen, visit)
	}
}
