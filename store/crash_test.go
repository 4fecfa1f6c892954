package store_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/store"
)

// A machine that stops during a commit, with pages that were not synced lost or torn, leaves a file with the values from before the
// commit; or with those from after it, once its pages were synced and its meta page was written.
func TestCrashLosesPages(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(36, 1))
	path, values := newPath(t), make(map[string]string)
	s := open(t, "file:"+path)
	store.DB(s).NoSync = true // the test does not stop the machine
	for commit := range 20 {
		before, was := readFile(t, path), maps.Clone(values)
		if err := s.Update(t.Context(), func(tx store.Tx) error { return changeSome(r, tx, values) }); err != nil {
			t.Fatal(err)
		}
		after := readFile(t, path)
		for name, crash := range map[string]struct {
			image []byte
			want  []map[string]string
		}{
			"pages":     {crashed(r, before, after, false), []map[string]string{was}},
			"meta page": {crashed(r, before, after, true), []map[string]string{was, values}},
		} {
			found := valuesOf(t, newFile(t, crash.image))
			if !slices.ContainsFunc(crash.want, func(want map[string]string) bool { return maps.Equal(want, found) }) {
				t.Fatalf("commit %d, crash while its %s were written:\n%s", commit, name, cmp.Diff(was, found))
			}
		}
	}
}

// changeSome changes some values in a transaction, and in a model of the store.
func changeSome(r *rand.Rand, tx store.Tx, values map[string]string) error {
	for range 1 + r.IntN(20) {
		key := fmt.Sprint("key ", r.IntN(60))
		if r.IntN(3) == 0 {
			delete(values, key)
			if err := tx.Delete(key); err != nil {
				return err
			}
			continue
		}
		values[key] = fmt.Sprintf("%0*d", 1+r.IntN(4000), r.Uint32())
		if err := tx.Put(key, []byte(values[key])); err != nil {
			return err
		}
	}
	return nil
}

// crashed returns a file as a crash leaves it. First the disk may have any sectors of a commit's pages, and none of the meta pages,
// which are the first two; then, with meta, all pages, and the beginning of a meta page.
func crashed(r *rand.Rand, before, after []byte, meta bool) []byte {
	const sector = 512
	image, metas := slices.Clone(after), 2*os.Getpagesize()
	before = append(before, make([]byte, len(after)-len(before))...)
	for at := metas; at < len(before) && !meta; at += sector {
		if r.IntN(2) == 0 {
			copy(image[at:at+sector], before[at:])
		}
	}
	for page := 0; page < metas; page += metas / 2 {
		written := 0
		if meta {
			written = r.IntN(100)
		}
		copy(image[page+written:page+metas/2], before[page+written:page+metas/2])
	}
	return image
}

// valuesOf returns the values of a store, which has to open, and to take a write.
func valuesOf(t *testing.T, path string) map[string]string {
	t.Helper()
	found, s := make(map[string]string), open(t, "file:"+path)
	err := s.View(t.Context(), func(tx store.Tx) error {
		for entry, err := range tx.Scan("", "") {
			if err != nil {
				return err
			}
			found[entry.Key] = string(entry.Value)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	store.DB(s).NoSync = true
	mustPut(t, s, "later", []byte("1"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return found
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
