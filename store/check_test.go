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

// filled returns the pages of a store with small values, values of more than a page, and free pages.
func filled(t *testing.T) []byte {
	t.Helper()
	path := newPath(t)
	s := open(t, "file:"+path)
	store.DB(s).NoSync = true // the test does not crash the machine
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

// A damaged file opens, or is refused in one line and not changed. CI=true tries 5000 files, other runs 60.
func TestOpenDamaged(t *testing.T) {
	t.Parallel()
	files := uint64(60)
	if os.Getenv("CI") == "true" && !testing.Short() {
		files = 5000
	}
	whole := filled(t)
	refused := 0
	for seed := range files {
		damaged, how := storetest.Damage(rand.New(rand.NewPCG(seed, 0)), whole)
		path := newFile(t, damaged)
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
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, damaged) {
				t.Error("the refused file has changed")
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, how)
		}
	}
	t.Logf("of %d damaged files %d were refused", files, refused)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const none = "does not exist, or is empty: name the file of serve --store file:PATH"
	for path, want := range map[string]string{newPath(t): none, newFile(t, nil): none, t.TempDir(): "is a folder: name a file in it"} {
		wantRefusal(t, path, store.Check(path), want)
	}
	whole := filled(t)
	if err := store.Check(newFile(t, whole)); err != nil {
		t.Errorf("a whole file: %v", err)
	}
	wiped, long, page := 0, 0, os.Getpagesize()
	for at := 4 * page; at+page <= len(whole) && at < 40*page; at += page {
		damaged := bytes.Clone(whole)
		binary.NativeEndian.PutUint32(damaged[at+12:], 1000) // overflow pages
		if err := store.Check(newFile(t, damaged)); err != nil && strings.Contains(err.Error(), "extends beyond the end") {
			long++
		}
		clear(damaged[at : at+page])
		path := newFile(t, damaged)
		if err := store.Check(path); err != nil {
			wiped++
			if first, _, _ := strings.Cut(err.Error(), "\n"); !strings.HasPrefix(first, "store file "+path+" is ") || !strings.HasSuffix(first, ": restore a backup, or name another file") {
				t.Errorf("the first line is %s", first)
			}
		}
	}
	if wiped < 10 || long < 10 {
		t.Errorf("of 36 damaged pages %d wiped and %d too long ones were found", wiped, long)
	}
}
