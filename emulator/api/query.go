package api

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/internal/provenance"
)

// ReadQuery is the query of a read of a verification request (spec 4.2).
type ReadQuery struct {
	Fields          []string // top-level keys to include; nil for all
	IncomeAnalytics bool
}

// DecodeReadQuery decodes and validates a [ReadQuery]. Its error is an [*Error] with status 400.
func DecodeReadQuery(rawQuery string) (q ReadQuery, notes []Note, err error) {
	if rawQuery == "" {
		return q, nil, nil
	}
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return q, nil, Invalid("the query is not well-formed: percent-encode it")
	}
	var found list
	analytics := values["income_analytics"]
	for _, text := range analytics { // the last one counts
		switch strings.ToLower(text) {
		case "true", "1":
			q.IncomeAnalytics = true
		case "false", "0":
			q.IncomeAnalytics = false
		default:
			return q, nil, Invalid("income_analytics must be true, false, 1 or 0" + provenance.Reason("`income_analytics`"))
		}
	}
	if len(analytics) > 1 {
		found.add(repeatedParameter.note(fmt.Sprintf("income_analytics was given %d times", len(analytics)), ": send it once"))
	}
	q.Fields = readFields(values["fields"], &found)
	delete(values, "fields")
	delete(values, "income_analytics")
	found.addUnknown(unknownParameter, "unknown query parameter ", "", maps.Keys(values), []string{"fields", "income_analytics"})
	return q, found.all(), nil
}

// NoteQuery returns a note for each parameter of an operation that does not have it.
func NoteQuery(rawQuery string, parameters ...string) []Note {
	var found list
	values, _ := url.ParseQuery(rawQuery) // a malformed part has no parameter
	for _, name := range parameters {
		delete(values, name)
	}
	found.addUnknown(unknownParameter, "unknown query parameter ", "", maps.Keys(values), parameters)
	return found.all()
}

// readFields reads the values of the parameter fields. A blank value is the same as none.
func readFields(values []string, notes *list) (fields []string) {
	keys := verificationRequestKeys()
	for name := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name = strings.TrimSpace(name)
		if name != "" && fields == nil {
			fields = []string{}
		}
		if slices.Contains(keys, name) {
			fields = append(fields, name)
		} else if name != "" && !notes.full() {
			fix := DidYouMean(name, keys, "")
			if top, _, nested := strings.Cut(name, "."); nested && slices.Contains(keys, top) {
				fix = ": only top-level keys can be named, such as " + top
			}
			notes.add(unknownField.note("fields: unknown name "+Quote(name), fix))
		}
	}
	return fields
}

// verificationRequestKeys returns the top-level keys of a verification request in the spec's order.
func verificationRequestKeys() []string {
	resource := reflect.TypeFor[VerificationRequest]()
	names := make([]string, resource.NumField())
	for i := range names {
		names[i] = resource.Field(i).Tag.Get("json")
	}
	return names
}

// Select returns a rendered verification request with the named top-level keys only, in the spec's order.
func Select(document []byte, fields []string) ([]byte, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(document, &members); err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for _, name := range verificationRequestKeys() {
		value, ok := members[name]
		if !ok || !slices.Contains(fields, name) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(strconv.AppendQuote(out, name), ':')
		out = append(out, value...)
	}
	return append(out, '}'), nil
}
