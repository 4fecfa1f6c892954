package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

func TestFileKeepsItsContent(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	for i := range 3 {
		s := openFile(t, path)
		mustPut(t, s, "n", append(bytes.Repeat([]byte("x"), i), '1'))
		mustPut(t, s, "once", []byte("1"))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s := openFile(t, path)
	wantValue(t, s, "n", []byte("xx1"))
	wantKeys(t, s, "", "n", "once")
}

func TestFileMode(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	openFile(t, path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("the file's mode is %v, want 0600", mode)
	}
}

func TestOpenEmptyFile(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"of no bytes":   newFile(t, nil),
		"of no buckets": newBolt(t, nil, func(*bolt.Tx) error { return nil }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mustPut(t, openFile(t, path), "a", []byte("1"))
		})
	}
}

func TestOpenRefusesSpec(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"":           `no such store "": use temp, file:PATH or etcd://HOST:PORT`,
		"temp:":      `no such store "temp:": use temp, file:PATH or etcd://HOST:PORT`,
		"/var/db":    `no such store "/var/db": use temp, file:PATH or etcd://HOST:PORT`,
		"redis://a":  `no such store "redis://a": use temp, file:PATH or etcd://HOST:PORT`,
		"etcd://a:1": `no such store: package store does not open etcd://…: use package store/etcd`,
		"file:":      `no such store "file:": use temp, file:PATH or etcd://HOST:PORT`,
	} {
		_, err := store.Open(spec)
		if !errors.Is(err, store.ErrSpec) || err.Error() != want {
			t.Errorf("Open(%q) returned %v, want %q", spec, err, want)
		}
	}
}

func TestString(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	for spec, s := range map[string]store.Store{"temp": openTemp(t), "file:" + path: openFile(t, path)} {
		if s.String() != spec {
			t.Errorf("the store of %s names %s", spec, s)
		}
	}
}

func TestOpenRefusesFile(t *testing.T) {
	t.Parallel()
	long := filepath.Join(t.TempDir(), "long")
	func() {
		s, err := store.Open("file:" + long)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		mustPut(t, s, "a", make([]byte, 1<<20))
	}()
	ours, err := os.ReadFile(long)
	if err != nil {
		t.Fatal(err)
	}
	page := os.Getpagesize()
	for name, tt := range map[string]struct{ path, want string }{
		"a short text":            {newFile(t, []byte("name: maria\n")), "is not a bbolt file, or is damaged (invalid database): restore it, or name another file"},
		"a text of a page":        {newFile(t, bytes.Repeat([]byte("maria\n"), 1000)), "is not a bbolt file, or is damaged (file size too small 6000): restore it, or name another file"},
		"a long text":             {newFile(t, bytes.Repeat([]byte("maria\n"), 100_000)), "is not a bbolt file, or is damaged (invalid database): restore it, or name another file"},
		"ours without its end":    {newFile(t, ours[:5*page]), "is not a bbolt file, or is damaged (its end is missing): restore it, or name another file"},
		"ours with pages wiped":   {newFile(t, append(bytes.Clone(ours[:2*page]), make([]byte, len(ours)-2*page)...)), "is not a bbolt file, or is damaged ("},
		"another program's":       {newBolt(t, nil, withBucket("data")), "is a bbolt file of another program: name another file"},
		"another's, not synced":   {newBolt(t, &bolt.Options{NoFreelistSync: true}, withBucket("x")), "is a bbolt file of another program: name another file"},
		"ours, of another format": {newBolt(t, nil, withFormat("2")), `has format "2", this Understudy knows "3": use the one that made it, or name another file`},
		"ours, of no format":      {newBolt(t, nil, withBucket("understudy")), "is a bbolt file of another program: name another file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bytesBefore, infoBefore := read(t, tt.path)
			wantRefused(t, tt.path, tt.want)
			bytesAfter, infoAfter := read(t, tt.path)
			if !bytes.Equal(bytesBefore, bytesAfter) {
				t.Error("its bytes changed")
			}
			if !infoBefore.ModTime().Equal(infoAfter.ModTime()) {
				t.Error("its time changed")
			}
		})
	}
}

func TestOpenRefusesPath(t *testing.T) {
	t.Parallel()
	wantRefused(t, t.TempDir(), "is a folder or a device: name a file")
	wantRefused(t, os.DevNull, "is a folder or a device: name a file")
	wantRefused(t, filepath.Join(t.TempDir(), "none", "db"), "cannot be made, its folder does not exist: create the folder, or name another file")
	wantRefused(t, filepath.Join(newFile(t, nil), "db"), "cannot be opened: ")
}

func TestOpenRefusesPermission(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may open every file")
	}
	for _, mode := range []os.FileMode{0, 0o200, 0o400} {
		path := newFile(t, []byte("x"))
		if mode == 0o400 {
			path = newBolt(t, nil, withFormat("3"))
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		wantRefused(t, path, "cannot be opened, permission denied: let this user read and write it, or name another file")
	}
}

// wantRefused wants one line that names the path and begins to say why as want does.
func wantRefused(t *testing.T, path, want string) {
	t.Helper()
	s, err := store.Open("file:" + path)
	if err == nil {
		s.Close()
		t.Fatal("the file was opened")
	}
	if got := err.Error(); !strings.HasPrefix(got, "store file "+path+" "+want) || strings.Contains(got, "\n") {
		t.Errorf("the refusal is %q, want %q", got, want)
	}
}

func read(t *testing.T, path string) ([]byte, os.FileInfo) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return content, info
}

func withBucket(name string) func(*bolt.Tx) error {
	return func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket([]byte(name))
		return err
	}
}

func withFormat(format string) func(*bolt.Tx) error {
	return func(tx *bolt.Tx) error {
		mark, err := tx.CreateBucket([]byte("understudy"))
		if err != nil {
			return err
		}
		return errors.Join(withBucket("data")(tx), mark.Put([]byte("format"), []byte(format)))
	}
}

// newPath returns a path where there is no file.
func newPath(t testing.TB) string {
	return filepath.Join(t.TempDir(), "db")
}

func newFile(t *testing.T, content []byte) (path string) {
	t.Helper()
	path = newPath(t)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// newBolt makes a bbolt file with what fill puts in it.
func newBolt(t *testing.T, o *bolt.Options, fill func(*bolt.Tx) error) (path string) {
	t.Helper()
	path = newPath(t)
	db, err := bolt.Open(path, 0o600, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(fill), db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// openFile opens a store and, when the test is over, closes it and checks its file.
func openFile(t *testing.T, path string) store.Store {
	t.Helper()
	s, err := store.Open("file:" + path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		checkFile(t, path)
	})
	return s
}

// openTemp opens a temporary store and, when the test is over, checks and closes it.
func openTemp(t *testing.T) store.Store {
	t.Helper()
	s, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		check(t, store.DB(s))
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// checkFile runs bbolt's check of a file that nobody has open.
func checkFile(t *testing.T, path string) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	check(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// check runs bbolt's check of a database; one that the test has closed has nothing to check.
func check(t *testing.T, db *bolt.DB) {
	t.Helper()
	err := db.View(func(tx *bolt.Tx) error {
		for err := range tx.Check() {
			t.Errorf("bbolt's check: %v", err)
		}
		return nil
	})
	if err != nil && !errors.Is(err, berrors.ErrDatabaseNotOpen) {
		t.Error(err)
	}
}
