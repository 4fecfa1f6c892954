package api

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ReadQuery is the query of read-one (spec 4.2).
type ReadQuery struct {
	Fields          []string // top-level keys to include; nil for all
	IncomeAnalytics bool
}

// DecodeReadQuery reads and validates the query of read-one. An error is an [*Error] with status 400.
func DecodeReadQuery(rawQuery string) (q ReadQuery, notes []Note, err error) {
	if rawQuery == "" {
		return q, nil, nil
	}
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return q, nil, Invalid("the query is not well-formed: percent-encode it")
	}
	var found list
	if q.IncomeAnalytics, err = readIncomeAnalytics(values["income_analytics"], &found); err != nil {
		return q, nil, err
	}
	q.Fields = readFields(values["fields"], &found)
	delete(values, "fields")
	delete(values, "income_analytics")
	noteParameters(values, &found, "fields", "income_analytics")
	return q, found.all(), nil
}

// NoteQuery notes the parameters of an operation to which the spec gives none.
func NoteQuery(rawQuery string) []Note {
	var found list
	values, _ := url.ParseQuery(rawQuery) // what cannot be read names no parameter
	noteParameters(values, &found)
	return found.all()
}

func noteParameters(unknown url.Values, notes *list, known ...string) {
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		notes.addLazily(func() Note {
			return Note{UnknownParameter, "unknown query parameter " + Quote(name), DidYouMean(name, known, "")}
		})
	}
}

// readIncomeAnalytics reads the parameter; given more than once, the last one counts.
func readIncomeAnalytics(values []string, notes *list) (value bool, err error) {
	for _, text := range values {
		switch strings.ToLower(text) {
		case "true", "1":
			value = true
		case "false", "0":
			value = false
		default:
			return false, Invalid("income_analytics must be true, false, 1 or 0")
		}
	}
	if len(values) > 1 {
		notes.add(Note{RepeatedParameter, fmt.Sprintf("income_analytics was given %d times", len(values)), ": send it once"})
	}
	return value, nil
}

// readFields reads the parameter fields, given once or more; blank is as good as absent.
func readFields(values []string, notes *list) (fields []string) {
	known := VerificationRequestFields()
	for name := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if fields == nil {
			fields = []string{}
		}
		if slices.Contains(known, name) {
			fields = append(fields, name)
			continue
		}
		notes.addLazily(func() Note {
			note := Note{UnknownField, "fields: unknown name " + Quote(name), DidYouMean(name, known, "")}
			if top, _, nested := strings.Cut(name, "."); nested && slices.Contains(known, top) {
				note.Mend = ": only top-level keys can be named, such as " + top
			}
			return note
		})
	}
	return fields
}

// VerificationRequestFields lists the top-level keys of a verification request, in the spec's order.
func VerificationRequestFields() []string {
	resource := reflect.TypeFor[VerificationRequest]()
	names := make([]string, resource.NumField())
	for i := range names {
		names[i] = resource.Field(i).Tag.Get("json")
	}
	return names
}

// Select returns a rendered JSON object with the named top-level keys only, in the object's own order.
func Select(document []byte, fields []string) ([]byte, error) {
	in := jsontext.NewDecoder(bytes.NewBuffer(document))
	if _, err := in.ReadToken(); err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for in.PeekKind() == '"' {
		name, err := in.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String() // before the next read reuses its bytes
		value, err := in.ReadValue()
		if err != nil {
			return nil, err
		}
		if !slices.Contains(fields, key) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(strconv.AppendQuote(out, key), ':')
		out = append(out, value...)
	}
	return append(out, '}'), nil
}
