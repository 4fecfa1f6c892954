package store

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write empty.bbolt anew")

// bbolt lays a file out in pages of the system's size, and reads those of any: empty.bbolt is of one that has pages of 4 KiB.
func TestATemporaryStoreBeginsAsBboltWouldLayItOut(t *testing.T) {
	if os.Getpagesize() != 4096 || blank() == "" && !*update {
		t.Skip("this machine lays it out otherwise")
	}
	path := filepath.Join(t.TempDir(), "new.db")
	db, err := openBolt(path, temporary())
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	laidOut, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("empty.bbolt", laidOut, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(laidOut, []byte(blank())) {
		t.Errorf("bbolt lays out %d other bytes: go test ./store -update", len(laidOut))
	}
}
