package stored_test

import (
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/store"
)

// in runs a transaction on values below a prefix, beside those of another world.
func in(t *testing.T, do func(v stored.Values) error) {
	t.Helper()
	s, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Update(t.Context(), func(tx store.Tx) error {
		if err := tx.Put("w/ab/1/a", []byte(`"other"`)); err != nil {
			return err
		}
		return do(stored.Values{Tx: tx, Prefix: "w/a/1/"})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A scan has the names below a prefix in their order, after one, until no more are wanted.
func TestScan(t *testing.T) {
	t.Parallel()
	in(t, func(v stored.Values) error {
		for _, name := range []string{"vr/a", "vr/b", "vr/c", "vra", "vs/a"} {
			if err := v.Put(name, []byte("1")); err != nil {
				return err
			}
		}
		for _, tt := range []struct {
			prefix, after string
			most          int
			want          string
		}{
			{"vr/", "", 9, "a b c"}, {"vr/", "a", 9, "b c"}, {"vr/", "aa", 9, "b c"}, {"vr/", "", 2, "a b"}, {"vr/", "c", 9, ""}, {"v", "", 1, "r/a"}, {"w", "", 9, ""},
		} {
			var got []string
			if err := v.Scan(tt.prefix, tt.after, func(rest string, _ []byte) (bool, error) {
				got = append(got, rest)
				return len(got) < tt.most, nil
			}); err != nil {
				return err
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%s after %q, at most %d: %q, want %s", tt.prefix, tt.after, tt.most, got, tt.want)
			}
		}
		return nil
	})
}

// A value that is not there leaves what it is loaded into as it is.
func TestLoad(t *testing.T) {
	t.Parallel()
	in(t, func(v stored.Values) error {
		at := 7
		if err := v.Load("a", &at); err != nil || at != 7 {
			t.Errorf("%d, %v", at, err)
		}
		if _, err := v.Save("a", 8); err != nil {
			return err
		}
		if err := v.Load("a", &at); err != nil || at != 8 {
			t.Errorf("%d, %v", at, err)
		}
		if err := v.Load("a", new(string)); err == nil || !strings.Contains(err.Error(), `read "w/a/1/a"`) {
			t.Errorf("a number as a text: %v", err)
		}
		return v.Delete("a")
	})
}

// A counter passes over numbers under whose names something is stored.
func TestCountUp(t *testing.T) {
	t.Parallel()
	in(t, func(v stored.Values) error {
		for _, name := range []string{"x2", "y3", "x5"} {
			if err := v.Put(name, []byte("1")); err != nil {
				return err
			}
		}
		var got []int
		for range 3 {
			err := v.CountUp("count", func(n int) []string { return []string{"x" + strconv.Itoa(n), "y" + strconv.Itoa(n)} })
			var number int
			if err := v.Load("count", &number); err != nil {
				return err
			}
			if got = append(got, number); err != nil {
				return err
			}
		}
		if diff := cmp.Diff([]int{1, 4, 6}, got); diff != "" {
			t.Error(diff)
		}
		return nil
	})
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]int{
		"fault-1": 1, "fault-12": 12, "fault-0": 0, "fault--1": 0, "fault-01": 0, "fault-+1": 0, "fault-": 0, "12": 0, "Fault-1": 0, "fault-99999999999999999999": 0,
	} {
		if got := stored.Number("fault-", id); got != want {
			t.Errorf("%s: %d, want %d", id, got, want)
		}
	}
}

// What a snapshot has is checked before it is stored: keys, counts and instants.
func TestChecks(t *testing.T) {
	t.Parallel()
	type value struct {
		A int  `json:"a"`
		B *int `json:"b,omitempty"`
	}
	for text, want := range map[string]string{
		`{"a":1}`: "", `{"a":0,"b":2}`: "", `{"a":1,"c":2}`: `unknown field "c"`, `{"b":2}`: "lacks something: a is missing", `{"a":"1"}`: "cannot be read: ", `{"a":-1}`: "a is -1",
	} {
		err := stored.Strictly([]byte(text), func(v value) error { return stored.CheckCounts("", map[string]int{"a": v.A}) })
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for count, refused := range map[int]bool{0: false, journal.MaxCount: false, -1: true, journal.MaxCount + 1: true} {
		if err := stored.CheckCounts("at ", map[string]int{"a": 1, "b": count}); (err != nil) != refused || err != nil && !strings.HasPrefix(err.Error(), "at b is ") {
			t.Errorf("%d: %v", count, err)
		}
	}
	for year, refused := range map[int]bool{1959: false, 1958: true, 9999: false, 10000: true} {
		at := time.Date(year, time.June, 1, 0, 0, 0, 0, time.UTC)
		if err := stored.CheckInstants(map[string]time.Time{"a": at}); (err != nil) != refused || stored.OutOfTime(at) != refused {
			t.Errorf("%d: %v", year, err)
		}
	}
}

// The values that are read count, of a scan the largest alone, and stop the transaction above its room.
func TestMeasured(t *testing.T) {
	t.Parallel()
	in(t, func(v stored.Values) error {
		for name, size := range map[string]int{"a": 100, "b": 300, "c": 200} {
			if err := v.Put(name, make([]byte, size)); err != nil {
				return err
			}
		}
		measured := func(room int64) (wanted int64, err error) {
			m := &stored.Measured{Tx: v.Tx, Room: room}
			at := stored.Values{Tx: m, Prefix: v.Prefix}
			if _, err = at.Get("a"); err == nil {
				err = at.Scan("", "", func(string, []byte) (bool, error) { return true, nil })
			}
			return m.Wanted, err
		}
		all, err := measured(1 << 40)
		if err != nil {
			return err
		}
		one, _ := measured(0) // it ends after the first
		if all != 4*one {
			t.Errorf("100 bytes take %d, and with a scan of 100, 300 and 200 it is %d", one, all)
		}
		if _, err := measured(all); err != nil {
			t.Errorf("the room is all that is needed: %v", err)
		}
		if _, err := measured(all - 1); err == nil {
			t.Error("there is less room than is needed")
		}
		return nil
	})
}

// A value is as old as its first look, unless it has changed or was gone meanwhile.
func TestAges(t *testing.T) {
	t.Parallel()
	var ages stored.Ages
	for _, look := range []struct {
		values map[string]string
		at     time.Duration
		want   map[string]stored.Sighting
	}{
		{map[string]string{"a": "1", "b": "1"}, 1, map[string]stored.Sighting{"a": {Value: "1", Since: 1}, "b": {Value: "1", Since: 1}}},
		{map[string]string{"a": "1", "b": "2"}, 2, map[string]stored.Sighting{"a": {Value: "1", Since: 1}, "b": {Value: "2", Since: 2}}},
		{map[string]string{"b": "2"}, 3, map[string]stored.Sighting{"b": {Value: "2", Since: 2}}},
		{map[string]string{"a": "1", "b": "2"}, 4, map[string]stored.Sighting{"a": {Value: "1", Since: 4}, "b": {Value: "2", Since: 2}}},
	} {
		if got := ages.Look(look.values, look.at); !maps.Equal(got, look.want) {
			t.Errorf("at %d: %v, want %v", look.at, got, look.want)
		}
	}
	if _, ok := ages.Of("c"); ok {
		t.Error("c was seen")
	}
	if s, ok := ages.Of("a"); !ok || s.Since != 4 {
		t.Errorf("a: %v, %t", s, ok)
	}
}
