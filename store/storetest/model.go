package storetest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
	"pgregory.net/rapid"
)

// testModel runs random calls against the store and a map, and compares them.
func testModel(t *testing.T, s store.Store) {
	key, prefix := drawString(1, 4), drawString(0, 2)
	rapid.Check(t, func(t *rapid.T) {
		if err := s.DeletePrefix(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		model := map[string]string{}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				k, v := key.Draw(t, "key"), rapid.String().Draw(t, "value")
				Put(t, s, k, []byte(v))
				model[k] = v
			},
			"append": func(t *rapid.T) {
				k := key.Draw(t, "key")
				err := s.Update(t.Context(), k, func(old []byte) ([]byte, error) { return []byte(string(old) + "+"), nil })
				if err != nil {
					t.Fatal(err)
				}
				model[k] += "+"
			},
			"delete": func(t *rapid.T) {
				k := key.Draw(t, "key")
				Put(t, s, k, nil)
				delete(model, k)
			},
			"delete prefix": func(t *rapid.T) {
				p := prefix.Draw(t, "prefix")
				if err := s.DeletePrefix(t.Context(), p); err != nil {
					t.Fatal(err)
				}
				maps.DeleteFunc(model, func(k, _ string) bool { return strings.HasPrefix(k, p) })
			},
			"scan": func(t *rapid.T) {
				p := prefix.Draw(t, "prefix")
				var keys []string
				for k := range model {
					if strings.HasPrefix(k, p) {
						keys = append(keys, k)
					}
				}
				slices.Sort(keys)
				WantKeys(t, s, p, keys...)
			},
			"": func(t *rapid.T) { // after each of the above
				for k, v := range model {
					WantValue(t, s, k, []byte(v))
				}
			},
		})
	})
}

// drawString draws from few enough strings that keys meet, and prefixes match.
func drawString(minLen, maxLen int) *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]byte("ab/\xff")), minLen, maxLen), func(b []byte) string { return string(b) })
}
