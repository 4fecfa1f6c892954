package store_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// cases is how many damaged files a test makes: some say it, in CI many.
func cases(some, many int) uint64 {
	if os.Getenv("CI") == "true" && !testing.Short() {
		return uint64(many)
	}
	return uint64(some)
}

// filled returns the pages of a store with values of up to 500 bytes and some of more than a page, and with free pages
// between them.
func filled(t *testing.T) []byte {
	t.Helper()
	path := newPath(t)
	s := open(t, "file:"+path)
	store.DB(s).NoSync = true // no machine crashes here
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 600 {
		size := r.IntN(500)
		if i%50 == 0 {
			size = 10_000
		}
		mustPut(t, s, fmt.Sprintf("world/%06d", i), bytes.Repeat([]byte{'a'}, size))
	}
	if err := store.DeletePrefix(t.Context(), s, "world/0003"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return storetest.Pages(t, path)
}

// A damaged file is refused in one line and left as it is, or opened.
func TestOpenDamagedFile(t *testing.T) {
	t.Parallel()
	whole := filled(t)
	refused := 0
	for seed := range cases(60, 5000) {
		spoiled, how := storetest.Damage(rand.New(rand.NewPCG(seed, 0)), whole)
		path := newFile(t, spoiled)
		if s, err := store.Open("file:" + path); err == nil {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		} else {
			refused++
			if !strings.Contains(err.Error(), "name another file") {
				t.Errorf("the refusal is %q", err)
			}
			wantRefusal(t, path, err, "")
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, spoiled) {
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

func TestCheck(t *testing.T) {
	t.Parallel()
	const none = "does not exist, or is empty: name the file that serve --store file:PATH was given"
	for path, want := range map[string]string{newPath(t): none, newFile(t, nil): none, t.TempDir(): "is a folder or a device: name a file"} {
		wantRefusal(t, path, store.Check(path), want)
	}
	whole := filled(t)
	if err := store.Check(newFile(t, whole)); err != nil {
		t.Errorf("a whole file: %v", err)
	}
	wiped, long, page := 0, 0, os.Getpagesize()
	for at := 4 * page; at+page <= len(whole) && at < 40*page; at += page {
		damaged := bytes.Clone(whole)
		binary.NativeEndian.PutUint32(damaged[at+12:], 1000) // pages that follow
		if err := store.Check(newFile(t, damaged)); err != nil && strings.Contains(err.Error(), "goes on behind the end") {
			long++
		}
		clear(damaged[at : at+page])
		if store.Check(newFile(t, damaged)) != nil {
			wiped++
		}
	}
	if wiped < 10 || long < 10 {
		t.Errorf("of 36 pages %d were found when wiped, %d when too long", wiped, long)
	}
}
