package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/understudy-sandbox/understudy/store"
)

func TestOpenFile(t *testing.T) {
	t.Parallel()
	link := newPath(t)
	if err := os.Symlink(link+"-elsewhere", link); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"new":           newPath(t),
		"symbolic link": link,
		"no bytes":      newFile(t, nil),
		"no buckets":    newBolt(t, nil, func(*bolt.Tx) error { return nil }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // the second finds what the first wrote
				s := open(t, "file:"+path)
				increment(t, s, "n")
				if err := s.Close(); err != nil || s.String() != "file:"+path {
					t.Errorf("%s: %v", s, err)
				}
			}
			wantValue(t, open(t, "file:"+path), "n", []byte("2"))
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the file is %v, %v, want mode 0600", info, err)
			}
		})
	}
}

// A temporary store leaves nothing behind, however its process ends, because its file is unlinked.
func TestOpenTemp(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	s := open(t, "temp")
	mustPut(t, s, "a", []byte("1"))
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 || s.String() != "temp" {
		t.Errorf("%s: %v, %v", s, entries, err)
	}
	t.Setenv("TMPDIR", folder+"/none")
	_, err := store.Open("temp")
	if err == nil || !strings.HasPrefix(err.Error(), "no temporary store in "+folder+"/none (") || strings.Contains(err.Error(), "\n") ||
		!strings.HasSuffix(err.Error(), "): set TMPDIR to a folder with room, or use --store file:PATH") {
		t.Errorf("the refusal is %q", err)
	}
}

func TestOpenSpec(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"":           `no such store "": use temp, file:PATH or etcd://HOST:PORT`,
		"temp:":      `no such store "temp:": use temp, file:PATH or etcd://HOST:PORT`,
		"/var/db":    `no such store "/var/db": use temp, file:/var/db or etcd://HOST:PORT`,
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

// Open and Check refuse a file with the same line, and do not change it.
func TestOpenRefusal(t *testing.T) {
	t.Parallel()
	ours, page := filled(t), os.Getpagesize()
	used := newPath(t)
	open(t, "file:"+used)
	for name, tt := range map[string]struct{ path, want string }{
		"short text":                  {newFile(t, []byte("name: maria\n")), "is not a bbolt file, or is damaged (invalid database): restore a backup, or name another file"},
		"text of a page":              {newFile(t, bytes.Repeat([]byte("maria\n"), 1000)), "is not a bbolt file, or is damaged (file size too small 6000): restore a backup, or name another file"},
		"long text":                   {newFile(t, bytes.Repeat([]byte("maria\n"), 100_000)), "is not a bbolt file, or is damaged (invalid database): restore a backup, or name another file"},
		"truncated":                   {newFile(t, ours[:5*page]), "is not a bbolt file, or is damaged (it is truncated): restore a backup, or name another file"},
		"wiped pages":                 {newFile(t, append(bytes.Clone(ours[:2*page]), make([]byte, len(ours)-2*page)...)), "is not a bbolt file, or is damaged ("},
		"in use":                      {used, "is in use by another process: stop that process, or name another file"},
		"another format":              {newBolt(t, nil, withFormat), `has format "3", this Understudy reads "4": use the release that created it, or name another file`},
		"no format":                   {newBolt(t, nil, withBucket("understudy")), "is a bbolt file of another program: name another file"},
		"another program":             {newBolt(t, nil, withBucket("data")), "is a bbolt file of another program: name another file"},
		"another, freelist unsynced":  {newBolt(t, &bolt.Options{NoFreelistSync: true}, withBucket("x")), "is a bbolt file of another program: name another file"},
		"folder":                      {t.TempDir(), "is a folder: name a file in it"},
		"device":                      {os.DevNull, "is a device: name a file"},
		"file in place of its folder": {filepath.Join(newFile(t, nil), "db"), "cannot be opened, not a directory: correct that, or name another file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, _ := os.ReadFile(tt.path) // if it is a file
			infoBefore, _ := os.Stat(tt.path)
			_, err := store.Open("file:" + tt.path)
			wantRefusal(t, tt.path, err, tt.want)
			wantRefusal(t, tt.path, store.Check(tt.path), tt.want)
			if after, _ := os.ReadFile(tt.path); !bytes.Equal(after, before) {
				t.Error("its bytes changed")
			}
			if info, err := os.Stat(tt.path); err == nil && !info.ModTime().Equal(infoBefore.ModTime()) {
				t.Error("its time changed")
			}
		})
	}
	nowhere := filepath.Join(t.TempDir(), "none", "db")
	_, err := store.Open("file:" + nowhere)
	wantRefusal(t, nowhere, err, "cannot be created, its folder does not exist: create the folder, or name another file")
}

// wantRefusal checks that err is one line: the path and a reason that begins with want.
func wantRefusal(t *testing.T, path string, err error, want string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), "store file "+path+" "+want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("the refusal is %v, want %s", err, want)
	}
}

func withBucket(name string) func(*bolt.Tx) error {
	return func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte(name)); return err }
}

// withFormat creates the buckets of a store of an older format.
func withFormat(tx *bolt.Tx) error {
	meta, err := tx.CreateBucket([]byte("understudy"))
	if err != nil {
		return err
	}
	return errors.Join(withBucket("data")(tx), meta.Put([]byte("format"), []byte("3")))
}

// newPath returns a path without a file.
func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "db") }

func newFile(t *testing.T, content []byte) (path string) {
	t.Helper()
	path = newPath(t)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// newBolt creates a bbolt file with what fill writes.
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

// open opens a store; at the end of the test it closes the store and checks its file.
func open(t testing.TB, spec string) store.Store {
	t.Helper()
	s, err := store.Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if path, ok := strings.CutPrefix(spec, "file:"); ok {
			if err := store.Check(path); err != nil {
				t.Error(err)
			}
		}
	})
	return s
}

// A temporary store of a killed process is removed where it could not be unlinked; one that is in use and other files stay.
func TestOpenTempStale(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	for _, name := range []string{"understudy-temp-1.db", "understudy-temp-2.db", "understudy-3.db", "understudy-temp-4.txt"} {
		s, err := store.Open("file:" + filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "understudy-temp-2.db" {
			defer s.Close()
		} else if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "understudy-temp-5.db"), []byte("of another program"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(folder, "of-a-link"), filepath.Join(folder, "understudy-temp-6.db")); err != nil {
		t.Fatal(err)
	}
	open(t, "temp")
	left, err := filepath.Glob(folder + "/*")
	if err != nil {
		t.Fatal(err)
	}
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if got := strings.Join(left, " "); got != "understudy-3.db understudy-temp-2.db understudy-temp-4.txt understudy-temp-5.db understudy-temp-6.db" {
		t.Errorf("left are %s", got)
	}
}
