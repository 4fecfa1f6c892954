package etcd

import "testing"

func TestAKeptValueIsReplacedByALaterOneOnly(t *testing.T) {
	t.Parallel()
	value := func(revision int64) found { return found{value: []byte("x"), revision: revision} }
	for name, tt := range map[string]struct {
		kept, by found
		want     int64 // the revision of what is kept; -1: nothing is
	}{
		"a later value takes its place":                   {value(5), value(6), 6},
		"an earlier one does not":                         {value(6), value(5), 6},
		"a deletion takes its place":                      {value(5), found{revision: 6}, 6},
		"of an absence it is not known when it began":     {value(5), found{}, -1},
		"nor whether a value came before it or behind it": {found{}, value(5), -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKept(nil)
			k.values.Add("a", tt.kept)
			k.replace("a", tt.by)
			got, ok := k.values.Get("a")
			if ok != (tt.want >= 0) || ok && got.revision != tt.want {
				t.Errorf("%v is kept: %t", got, ok)
			}
			k.replace("b", tt.by)
			if k.values.Contains("b") {
				t.Error("a key is kept that was not")
			}
		})
	}
}
