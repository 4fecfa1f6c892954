package store_test

import (
	"bytes"
	"fmt"
	"io"
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

// filled makes a store with values of up to 500 bytes and some of more than a page, and with free pages between them.
func filled(t *testing.T) (path string) {
	t.Helper()
	path = newPath(t)
	s := openFile(t, path)
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
	return path
}

// A damaged file is refused in one line and left as it is, or opened.
func TestOpenDamagedFile(t *testing.T) {
	t.Parallel()
	whole := storetest.Pages(t, filled(t))
	refused := 0
	for seed := range cases(60, 5000) {
		spoiled, how := storetest.Damage(rand.New(rand.NewPCG(seed, 0)), whole)
		path := newFile(t, spoiled)
		s, err := store.Open("file:" + path)
		if err == nil {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		} else {
			refused++
			said := err.Error()
			if !strings.HasPrefix(said, "store file "+path+" ") || strings.Contains(said, "\n") || !strings.Contains(said, "name another file") {
				t.Errorf("the refusal is %q", said)
			}
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

func TestCheck(t *testing.T) {
	t.Parallel()
	path := filled(t)
	if err := store.Check(path); err != nil {
		t.Errorf("a whole file: %v", err)
	}
	page := os.Getpagesize()
	content, _ := read(t, path)
	for name, tt := range map[string]struct{ path, want string }{
		"no file":        {newPath(t), "does not exist, or is empty: name the file that serve --store file:PATH was given"},
		"another format": {newBolt(t, nil, withFormat("2")), `has format "2"`},
		"another's file": {newBolt(t, nil, withBucket("x")), "is a bbolt file of another program"},
		"no bbolt file":  {newFile(t, []byte("name: maria\n")), "is not a bbolt file, or is damaged"},
		"cut off":        {newFile(t, content[:8*page]), "its end is missing"},
	} {
		if err := store.Check(tt.path); err == nil || !strings.HasPrefix(err.Error(), "store file "+tt.path+" ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
	s := openFile(t, newPath(t))
	if err := store.Check(strings.TrimPrefix(s.String(), "file:")); err == nil || !strings.HasSuffix(err.Error(), "is in use by another process: stop that, or name another file") {
		t.Errorf("a file in use: %v", err)
	}
}

// bbolt's check may end the process over what it reads, so it has one of its own.
func TestCheckFindsWipedPages(t *testing.T) {
	t.Parallel()
	content, _ := read(t, filled(t))
	page := os.Getpagesize()
	wiped := bytes.Clone(content)
	found := 0
	for at := 4 * page; at+page <= len(content) && at < 40*page; at += page {
		clear(wiped[at : at+page])
		child, lines := start(t, "check:"+newFile(t, wiped), t.TempDir())
		said, err := io.ReadAll(lines)
		if err != nil {
			t.Fatal(err)
		}
		if child.Wait() != nil {
			if found++; len(said) == 0 {
				t.Errorf("it fails and says nothing")
			}
		}
		copy(wiped[at:], content[at:at+page])
	}
	if found < 10 {
		t.Errorf("of 36 wiped pages %d were found", found)
	}
}
