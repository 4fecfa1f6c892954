// Package grease changes an answer in what a service may change without a new version: it adds an unknown key to each object,
// reorders keys, writes instants in another form and messages of errors in other words. What flows in is the body of an answer
// and its Go type; what flows out is the greased body and a note of what was done, a pure function of seed and identity. What a
// caller has set stays as it is. Ids are greased where they are drawn: see [fixtures.Generator].
package grease

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Grease changes the answers of one identity.
type Grease struct {
	Seed     uint64
	Identity string                 // such as the path of the request
	Words    bool                   // replaces words of enumerations that may grow
	Selected bool                   // the caller has selected the keys of the outermost object: it gets no other
	Given    func(path string) bool // whether a caller has set the value at a path such as reports.0.created; nil: none is set
}

// grows lists the enumerations that may get other words. In the others a word is the caller's own (type, use_case,
// permissible_purpose, cancellation_reason, employer_filter, kind), or the caller has to act on it (state, the status of an
// employee, outcome), or there are no others (currency, reduced_covid).
var grows = []reflect.Type{
	reflect.TypeFor[api.StatusDetail](), reflect.TypeFor[api.PricingTier](), reflect.TypeFor[api.PayFrequency](),
	reflect.TypeFor[api.EmploymentType](), reflect.TypeFor[api.IncomeFidelity](), reflect.TypeOf(api.USFEIN),
}

// callers lists the objects that a caller has sent, beside metadata.
var callers = []reflect.Type{reflect.TypeFor[api.Company](), reflect.TypeFor[api.ResellerOriginatingParty]()}

// reworder writes messages of errors in other words of the same meaning. What it does not know gets an introduction alone.
var reworder = strings.NewReplacer("Invalid field values provided", "some values cannot be accepted", "not found", "does not exist", "invalid", "unknown",
	"cannot be canceled", "has ended before", "Too Many Requests", "slow down", "Forbidden", "the account may not do this")

// work greases one body, counts, and has the first error.
type work struct {
	Grease
	keys, words, instants, messages int
	err                             error
}

// Apply greases the JSON of a value of a Go type. The note says in a few words what was done.
func (g Grease) Apply(body []byte, of reflect.Type) (greased []byte, note string, err error) {
	g.Selected = g.Selected || of == reflect.TypeFor[api.ErrorEnvelope]() // it has one key (spec 7)
	w := work{Grease: g}
	greased, note = w.value(body, of, ""), "grease: another order"
	for i, count := range []int{w.keys, w.words, w.instants, w.messages} {
		if count > 0 {
			note += fmt.Sprintf(", %d %s", count, []string{"unknown key", "unknown word", "other instant", "other message"}[i]+strings.Repeat("s", min(count-1, 1)))
		}
	}
	return greased, note, w.err
}

// value greases the value at a path.
func (w *work) value(text jsontext.Value, of reflect.Type, path string) jsontext.Value {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch kind := text.Kind(); {
	case kind == '[' && of.Kind() == reflect.Slice:
		return w.list(text, of.Elem(), path)
	case kind == '{' && of.Kind() == reflect.Struct && !slices.Contains(callers, of):
		return w.object(text, of, path)
	case kind != '"' || w.Given != nil && w.Given(path):
	case of == reflect.TypeFor[api.Datetime](): // the same instant, with an offset and seven to nine digits of a second
		w.instants++
		whole, fraction, _ := strings.Cut(strings.TrimSuffix(string(text), `Z"`), ".")
		return jsontext.Value(whole + "." + (fraction + "000000000")[:7+w.random(whole).IntN(3)] + `+00:00"`)
	case path == "error.message":
		w.messages++
		return jsontext.Value(`"The request failed: ` + reworder.Replace(string(text[1:])))
	case w.Words && slices.Contains(grows, of):
		w.words++
		return jsontext.Value(`"grease-` + syllables(w.random(path)) + `"`)
	}
	return text
}

// list greases the elements of a list.
func (w *work) list(text jsontext.Value, of reflect.Type, path string) jsontext.Value {
	var elements []jsontext.Value
	w.decode(text, &elements)
	for i := range elements {
		elements[i] = w.value(elements[i], of, path+"."+strconv.Itoa(i))
	}
	return slices.Concat([]byte("["), join(elements), []byte("]"))
}

// object greases the members of an object, and adds one.
func (w *work) object(text jsontext.Value, of reflect.Type, path string) jsontext.Value {
	members := map[string]jsontext.Value{}
	w.decode(text, &members)
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if member, ok := members[name]; ok {
			members[name] = w.value(member, field.Type, strings.TrimPrefix(path+"."+name, "."))
		}
	}
	r := w.random(path)
	if path != "" || !w.Selected {
		w.keys++
		members["grease_"+syllables(r)] = jsontext.Value(unknown[r.IntN(len(unknown))])
	}
	var all []jsontext.Value
	for _, name := range slices.Sorted(maps.Keys(members)) {
		all = append(all, slices.Concat([]byte(strconv.Quote(name)+":"), members[name]))
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return slices.Concat([]byte("{"), join(all), []byte("}"))
}

func (w *work) decode(text jsontext.Value, into any) {
	if err := json.Unmarshal(text, into); err != nil && w.err == nil {
		w.err = fmt.Errorf("grease an answer: %w", err)
	}
}

func join(parts []jsontext.Value) (text []byte) {
	for i, part := range parts {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, part...)
	}
	return text
}

// unknown has values of unknown keys.
var unknown = []string{`null`, `true`, `-1`, `1.5e3`, `""`, `"grease"`, `[]`, `[null]`, `{}`, `{"grease":{}}`}

// syllables returns the end of a new name.
func syllables(r *rand.Rand) (name string) {
	for range 2 + r.IntN(2) {
		name += string("bdfgklmnprstvz"[r.IntN(14)]) + string("aeiou"[r.IntN(5)])
	}
	return name
}

// random returns the source of random values for a path.
func (w *work) random(path string) *rand.Rand {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%q %q", w.Identity, path)
	return rand.New(rand.NewPCG(w.Seed, hash.Sum64()))
}
