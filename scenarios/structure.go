package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// Flaws finds in a structure that was not read by this language, or in a document of the API, what the language refuses:
// what its parts find of themselves, words that are none of their enumerations, texts that cannot stand in their fields,
// too many reports. The field of a flaw is the whole path to it.
func Flaws(structure any) []fixtures.Flaw {
	var found inspection
	found.value(reflect.ValueOf(structure), "", "")
	return found
}

// inspection is what was found so far.
type inspection []fixtures.Flaw

func (found *inspection) flaw(path, what string, args ...any) {
	*found = append(*found, fixtures.Flaw{Field: strings.TrimPrefix(path, "."), What: fmt.Sprintf(what, args...)})
}

// value looks at a value that stands at a path, in a field of a rule of [api.Unfit].
func (found *inspection) value(value reflect.Value, path, rule string) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			found.value(value.Elem(), path, rule)
		}
	case reflect.Struct:
		found.structure(value, path)
	case reflect.Slice:
		found.list(value, path, rule)
	case reflect.String:
		found.text(value, path, rule)
	}
}

func (found *inspection) structure(value reflect.Value, path string) {
	if _, instant := value.Interface().(time.Time); instant {
		return
	}
	if flawed, ok := value.Interface().(interface{ Flaws() []fixtures.Flaw }); ok {
		for _, f := range flawed.Flaws() {
			found.flaw(strings.TrimSuffix(path+"."+f.Field, "."), "%s", f.What)
		}
	}
	for field, member := range value.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || options != "" && member.IsZero() {
			continue // what may be left out has a default
		}
		if !field.Anonymous {
			name = "." + name
		}
		found.value(member, path+name, field.Tag.Get("spec"))
	}
}

func (found *inspection) list(value reflect.Value, path, rule string) {
	if rule == "not null" && value.IsNil() {
		found.flaw(path, "may not be null: the empty list is []")
	}
	if value.Type().Elem() == reflect.TypeFor[fixtures.ReportShape]() && value.Len() > maxReports {
		found.flaw(path, "may be %d reports at most, these are %d: leave some out", maxReports, value.Len())
		return
	}
	for i := range value.Len() {
		found.value(value.Index(i), fmt.Sprintf("%s.%d", path, i), "")
	}
}

func (found *inspection) text(value reflect.Value, path, rule string) {
	text := value.String()
	if values := value.MethodByName("Values"); values.IsValid() {
		if words := wordsOf(values.Call(nil)[0]); !slices.Contains(words, text) {
			found.flaw(path, "has the unknown value %s%s", quote(text), hint(text, "it must be one of", words))
		}
	}
	switch why := api.Unfit(rule, text); {
	case rule == "obfuscated" && !api.IsObfuscatedSSN(text):
		found.flaw(path, "must be obfuscated, such as \"***-**-1234\": the API never shows more of a number")
	case why != "":
		found.flaw(path, "%s", why)
	}
}
