package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// cases is how many damaged files a test makes: some say it, in CI many.
func cases(some, many int) int {
	if os.Getenv("CI") == "true" && !testing.Short() {
		return many
	}
	return some
}

// filled makes a store of as many keys, with values of up to a size and some of more than a page, and with free pages
// between them, and returns its path and what it holds.
func filled(t *testing.T, keys, size int) (path string, content map[string][]byte) {
	t.Helper()
	path, content = newPath(t), make(map[string][]byte)
	s, err := store.Open("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	store.DB(s).NoSync = true // no machine crashes here
	r := rand.New(rand.NewPCG(1, 1))
	for i := range keys {
		value := bytes.Repeat([]byte{byte('a' + i%26)}, r.IntN(size))
		if i%50 == 0 {
			value = make([]byte, 10_000) // of more than a page
		}
		content[fmt.Sprintf("world/%06d", i)] = value
	}
	for _, key := range slices.Sorted(maps.Keys(content)) { // one after another, so that a seed damages the same in every run
		mustPut(t, s, key, content[key])
	}
	for i := 0; i < keys; i += 30 {
		key := fmt.Sprintf("world/%06d", i)
		mustPut(t, s, key, nil)
		delete(content, key)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path, content
}

// A damaged file is refused in one line and left as it is, or what was damaged matters to nobody.
func TestADamagedFileIsRefusedOrHasAllThatWasWritten(t *testing.T) {
	t.Parallel()
	path, written := filled(t, 600, 500)
	file := storetest.Read(t, path)
	refused := 0
	for seed := range uint64(cases(60, 5000)) {
		spoiled, how := file.Spoil(rand.New(rand.NewPCG(seed, 0)))
		path := newFile(t, spoiled)
		s, err := store.Open("file:" + path)
		if err == nil {
			wantAll(t, s, written, true)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		} else {
			refused++
			wantOneLine(t, err, path)
			if after, _ := read(t, path); !bytes.Equal(after, spoiled) {
				t.Error("the file that was refused has changed")
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, how)
		}
	}
	t.Logf("of %d damaged files %d were refused", cases(60, 5000), refused)
}

// Of a large file only what leads to its values is read at first; one that is not what was written is then told when it is
// asked for, and nothing afterwards.
func TestALargeFileTellsOfDamageWhenItIsRead(t *testing.T) {
	t.Parallel()
	path, written := filled(t, 3_000, 3_000)
	file := storetest.Read(t, path)
	if len(file.Pages) < 4<<20 {
		t.Fatalf("%d bytes are not many", len(file.Pages))
	}
	told := 0
	for seed := range uint64(cases(8, 300)) {
		spoiled, how := file.Spoil(rand.New(rand.NewPCG(seed, 1)))
		path := newFile(t, spoiled)
		s, err := store.Open("file:" + path)
		switch {
		case err != nil:
			told++
			wantOneLine(t, err, path)
		default:
			if !wantAll(t, s, written, false) {
				told++
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, how)
		}
	}
	t.Logf("of %d damaged files %d were told", cases(8, 300), told)
}

// wantAll wants all that was written, unless all is needed not and the store says that it is damaged, or does not find it
// any more. It reports whether all was there.
func wantAll(t *testing.T, s store.Store, written map[string][]byte, all bool) (found bool) {
	t.Helper()
	for key, want := range written {
		value, err := s.Get(t.Context(), key)
		if !all && (errors.Is(err, store.ErrDamaged) || err == nil && value == nil) {
			return false
		}
		if err != nil || value == nil || !bytes.Equal(value, want) {
			t.Errorf("%s: %d bytes, %v", key, len(value), err)
			return false
		}
	}
	n := 0
	err := s.Scan(t.Context(), "", "", func(key string, value []byte) error {
		if !bytes.Equal(value, written[key]) {
			t.Errorf("%s is scanned with %d bytes", key, len(value))
		}
		n++
		return nil
	})
	if !all && (errors.Is(err, store.ErrDamaged) || n < len(written)) {
		return false
	}
	if err != nil || n != len(written) {
		t.Errorf("%d of %d keys are scanned, %v", n, len(written), err)
	}
	return true
}

// wantOneLine wants a refusal that says which file, and how to mend it.
func wantOneLine(t *testing.T, err error, path string) {
	t.Helper()
	said := err.Error()
	if !strings.HasPrefix(said, "store file "+path+" ") || strings.Contains(said, "\n") || !strings.Contains(said, "name another file") {
		t.Errorf("the refusal is %q", said)
	}
}
