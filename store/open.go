package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A file of ours has two buckets: one tells it from the files of other programs and has its format, one has the data.
var (
	markBucket = []byte("understudy")
	formatKey  = []byte("format")
	format     = []byte("3")
	dataBucket = []byte("data")
)

// lockTime is how long Open waits for a file that is in use: on Unix a process that is being started keeps the locks of its
// parent until it runs its own program.
const lockTime = 250 * time.Millisecond

// options are those of both kinds of store.
func options() *bolt.Options {
	return &bolt.Options{
		Timeout:      lockTime,
		FreelistType: bolt.FreelistMapType,
		// A writer that must enlarge the map waits for every reader. Most stores never outgrow this; it costs addresses,
		// not memory.
		InitialMmapSize: 16 << 20,
		NoStatistics:    true,
	}
}

// file is what is known of the file under a store.
type file struct {
	path     string      // "" for a temporary store
	opened   os.FileInfo // of path
	leftover string      // a temporary file that could not be removed while open
}

// there returns an error while the file is not where it was opened: what is written to it would be lost with the process.
func (f file) there() error {
	if f.path == "" {
		return nil
	}
	if now, err := os.Stat(f.path); err != nil || !os.SameFile(now, f.opened) {
		return fmt.Errorf("store file %s is no longer where it was: put it back, or stop", f.path)
	}
	return nil
}

// openTemp makes a store in a file that has no name any more, so that nothing is left behind even by a process that is
// killed. Where the system keeps the name of an open file, Close removes it.
func openTemp() (Store, error) {
	var under file
	o := options()
	o.NoSync, o.NoGrowSync, o.NoFreelistSync = true, true, true
	o.OpenFile = func(string, int, os.FileMode) (*os.File, error) {
		f, err := os.CreateTemp("", "understudy-*.db")
		if err == nil && os.Remove(f.Name()) != nil {
			under.leftover = f.Name()
		}
		return f, err
	}
	db, err := openBolt("", o, true)
	if err != nil {
		return nil, fmt.Errorf("no temporary store in %s (%w): set TMPDIR to a folder with room, or use --store file:PATH", os.TempDir(), err)
	}
	return newBoltStore(tempSpec, db, under), nil
}

// openFile opens the file at path, or makes it. A file that it refuses stays as it is.
func openFile(path string) (_ Store, err error) {
	if path == "" {
		return nil, fmt.Errorf("%w %q: it names no file, use file:PATH", ErrSpec, filePrefix)
	}
	// bbolt panics over a damaged file, or reads where nothing is mapped. It leaves the file locked until the process ends.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = refusal(path, fmt.Errorf("%v", p))
		}
	}()
	err = inspect(path, identify)
	empty := errors.Is(err, errEmpty)
	if err != nil && !empty {
		return nil, refusal(path, err)
	}
	under, made := file{path: path}, false
	o := options()
	o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag|os.O_EXCL, mode)
		if made = err == nil; errors.Is(err, fs.ErrExist) {
			f, err = os.OpenFile(name, flag, mode)
		}
		if err != nil {
			return nil, err
		}
		under.opened, err = f.Stat()
		return f, err
	}
	db, err := openBolt(path, o, empty)
	if err != nil {
		if made {
			err = errors.Join(err, os.Remove(path)) // half of a file would be refused the next time
		}
		return nil, refusal(path, err)
	}
	if folder, err := os.Open(filepath.Dir(path)); err == nil { // puts the name of a new file on the disk
		_ = folder.Sync() // Windows has no such thing, and needs none
		folder.Close()
	}
	return newBoltStore(filePrefix+path, db, under), nil
}

// errEmpty is returned by inspect for a file that does not exist, or has no bytes.
var errEmpty = errors.New("it is empty")

// inspect opens a file for reading only, and calls look with what it holds.
func inspect(path string, look func(*bolt.Tx) error) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errEmpty
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return faultNotFile
	case info.Size() == 0:
		return errEmpty
	}
	db, err := bolt.Open(path, 0, &bolt.Options{ReadOnly: true, Timeout: lockTime})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.View(func(tx *bolt.Tx) error {
		if info.Size() < tx.Size() {
			return errors.New("its end is missing")
		}
		return look(tx)
	})
}

// identify returns nil when we made the file and know its format, errEmpty when it holds nothing.
func identify(tx *bolt.Tx) error {
	if bucket, _ := tx.Cursor().First(); bucket == nil {
		return errEmpty
	}
	mark, data := tx.Bucket(markBucket), tx.Bucket(dataBucket)
	if mark == nil || data == nil {
		return faultForeign
	}
	if found := mark.Get(formatKey); !bytes.Equal(found, format) {
		return fault(fmt.Sprintf("has format %q, this Understudy knows %q: use the one that made it, or name another file", found, format))
	}
	data.Cursor().First() // panics over a damaged root, before a transaction does
	data.Cursor().Last()
	return nil
}

// openBolt opens a bbolt file, and makes one ours that is empty.
func openBolt(path string, o *bolt.Options, empty bool) (*bolt.DB, error) {
	db, err := bolt.Open(path, 0o600, o)
	if err != nil || !empty {
		return db, err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		mark, err := tx.CreateBucketIfNotExists(markBucket)
		if err != nil {
			return err
		}
		_, err = tx.CreateBucketIfNotExists(dataBucket)
		return errors.Join(err, mark.Put(formatKey, format))
	})
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}
