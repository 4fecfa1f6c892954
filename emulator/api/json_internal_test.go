package api

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

func TestReadJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `[]`, ` null `, `true`, `false`, `"a\u00e9\n\"b\""`, `-0.50`, `{"":{"a":[1,"2",null,[],{}]},"b":[[]]}`,
		``, `{`, `[`, `[1,`, `{"a"`, `{"a":`, `{"a":1,}`, `{"a":1,"a":2}`, `{a:1}`, `[1 2]`, `{} {}`, `{}x`, `]`, "\"\xff\"", `"\ud800"`, `nul`, `01`,
	} {
		var want any
		wantErr := json.Unmarshal([]byte(text), &want)
		got, err := readJSON([]byte(text))
		switch {
		case wantErr != nil && (err == nil || err.Error() != wantErr.Error()):
			t.Errorf("%q: error %v, want %v", text, err, wantErr)
		case wantErr == nil && (err != nil || !cmp.Equal(got, want)):
			t.Errorf("%q: %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{`1e999`, `{"a":[true,1e999]}`} {
		got, err := readJSON([]byte(text))
		if members, ok := got.(map[string]any); ok {
			got = members["a"].([]any)[1]
		}
		if kindOf(got) != "a number" || err != nil {
			t.Errorf("%q: %v (%v), want a number", text, got, err)
		}
	}
}
