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

// File is a store's file that nobody has open.
type File struct {
	Pages []byte // those that are used; what a file has behind them nobody reads
	size  int    // of a page
}

// Read reads a file. It ends the test when that is no store's.
func Read(t testing.TB, path string) File {
	t.Helper()
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var used int64
	err = db.View(func(tx *bolt.Tx) error { used = tx.Size(); return nil })
	size := db.Info().PageSize
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return File{content[:used], size}
}

// Spoil returns a copy of the file that is damaged in one of the ways of disks, copies and people, and says how.
func (f File) Spoil(r *rand.Rand) (spoiled []byte, how string) {
	at := r.IntN(len(f.Pages))
	if r.IntN(2) == 0 { // what is small, and matters most: headers, and heads of pages
		at = r.IntN(len(f.Pages)/f.size)*f.size + r.IntN(96)
	}
	spoiled = slices.Clone(f.Pages)
	start := at / f.size * f.size
	page := spoiled[start : start+f.size]
	switch r.IntN(7) {
	case 0:
		return spoiled[:at], fmt.Sprintf("cut off at %d", at)
	case 1:
		spoiled[at] ^= 1 << r.IntN(8)
		return spoiled, fmt.Sprintf("a bit of byte %d", at)
	case 2:
		spoiled[at] = byte(r.Uint32())
		return spoiled, fmt.Sprintf("byte %d", at)
	case 3:
		clear(page)
		return spoiled, fmt.Sprintf("zeros from %d", start)
	case 4:
		noise(r, page)
		return spoiled, fmt.Sprintf("noise from %d", start)
	case 5:
		other := r.IntN(len(f.Pages)/f.size) * f.size
		copy(page, f.Pages[other:])
		return spoiled, fmt.Sprintf("the page from %d also from %d", other, start)
	default:
		end := min(len(f.Pages), at+1+r.IntN(64))
		noise(r, spoiled[at:end])
		return spoiled, fmt.Sprintf("noise from %d to %d", at, end)
	}
}

func noise(r *rand.Rand, in []byte) {
	for i := range in {
		in[i] = byte(r.Uint32())
	}
}
