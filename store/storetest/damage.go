package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// Pages returns the used pages of a bbolt file, without the unused space at its end. The file must not be open.
func Pages(t testing.TB, path string) []byte {
	t.Helper()
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var used int64
	content, err := os.ReadFile(path)
	if err := errors.Join(err, db.View(func(tx *bolt.Tx) error { used = tx.Size(); return nil })); err != nil {
		t.Fatal(err)
	}
	return content[:used]
}

// Damage returns a damaged copy of pages and a description of the damage: a truncation, a flipped bit, zeros, a swapped page or
// noise.
func Damage(r *rand.Rand, pages []byte) (damaged []byte, how string) {
	size, at := os.Getpagesize(), r.IntN(len(pages))
	start := at / size * size
	if r.IntN(2) == 0 { // half of the damage is in page headers, which are small
		at = start + r.IntN(96)
	}
	damaged = slices.Clone(pages)
	from, to := at, min(len(pages), at+1+r.IntN(64))
	if r.IntN(2) == 0 {
		from, to = start, start+size
	}
	switch r.IntN(5) {
	case 0:
		return damaged[:at], fmt.Sprintf("truncated at %d", at)
	case 1:
		damaged[at] ^= 1 << r.IntN(8)
		return damaged, fmt.Sprintf("flipped a bit of byte %d", at)
	case 2:
		clear(damaged[from:to])
		how = "zeros"
	case 3:
		copy(damaged[from:to], pages[r.IntN(len(pages)/size)*size:])
		how = "another page"
	default:
		for i := from; i < to; i++ {
			damaged[i] = byte(r.Uint32())
		}
		how = "noise"
	}
	return damaged, fmt.Sprintf("%s from %d to %d", how, from, to)
}
