package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
)

// lockTime is how long a file is waited for that is in use: somebody may be just done with it. On Unix a process that is
// being started keeps the locks of the one that starts it until it is itself.
const lockTime = 250 * time.Millisecond

// options are those that both kinds of store have in common.
func options() *bolt.Options {
	return &bolt.Options{
		Timeout:      lockTime,
		FreelistType: bolt.FreelistMapType,
		// A writer that must enlarge the map waits for every reader. Most stores never outgrow this; it costs addresses,
		// not memory, and as bbolt lets a file grow by as much at once, it saves a sync at each smaller step.
		InitialMmapSize: 16 << 20,
		NoStatistics:    true,
	}
}

// temporary are those of a store that need not outlive its process.
func temporary() *bolt.Options {
	o := options()
	o.NoSync, o.NoGrowSync, o.NoFreelistSync = true, true, true
	return o
}

// openTemp makes a store in a file that has no name any more, so that nothing is left behind even by a process that is
// killed. Where the system keeps the name of an open file, Close removes it.
func openTemp() (Store, error) {
	var leftover string
	o := temporary()
	o.OpenFile = func(string, int, os.FileMode) (*os.File, error) {
		f, err := os.CreateTemp("", "understudy-*.db")
		if err != nil {
			return nil, err
		}
		if os.Remove(f.Name()) != nil {
			leftover = f.Name()
		}
		if _, err := f.WriteString(blank()); err != nil {
			f.Close()
			return nil, err
		}
		return f, nil
	}
	db, err := openBolt("", o)
	if err != nil {
		return nil, fmt.Errorf("no temporary store in %s (%w): set TMPDIR to a folder with room, or use --store file:PATH", os.TempDir(), err)
	}
	h := &health{name: "the temporary store", mend: "start again, with TMPDIR on a disk that is whole"}
	return newTempStore(newBoltStore(tempSpec, db, h, leftover)), nil
}

// openFile opens the file at path, or makes it. A file that it refuses stays as it is.
func openFile(path string) (_ Store, err error) {
	if path == "" {
		return nil, fmt.Errorf("%w %q: it names no file, use file:PATH", ErrSpec, filePrefix)
	}
	// bbolt trusts a file: over a damaged one it panics, or reads where nothing is mapped. It leaves such a file locked
	// until the process ends.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = refusal(path, fmt.Errorf("%v", p))
		}
	}()
	if err := inspect(path); err != nil {
		return nil, refusal(path, err)
	}
	h := &health{name: "store file " + path, mend: "stop, and restore it, or name another file", path: path}
	o, made := options(), false
	o.OpenFile = func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
		h.file, err = os.OpenFile(name, flag|os.O_EXCL, mode)
		if made = err == nil; errors.Is(err, fs.ErrExist) {
			h.file, err = os.OpenFile(name, flag, mode)
		}
		return h.file, err
	}
	db, err := openBolt(path, o)
	if err != nil {
		if made {
			err = errors.Join(err, os.Remove(path)) // half of a file would be refused the next time
		}
		return nil, refusal(path, err)
	}
	syncFolder(path)
	h.headers = 2 * int64(db.Info().PageSize)
	if h.opened, err = h.file.Stat(); err != nil {
		db.Close()
		return nil, refusal(path, err)
	}
	return newBoltStore(filePrefix+path, db, h, ""), nil
}

// syncFolder puts the name of a new file on the disk, as bbolt does with what is in it. Where a folder cannot be synced,
// as on Windows, the system sees to it by itself.
func syncFolder(path string) {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return
	}
	defer folder.Close()
	_ = folder.Sync()
}

// maxWhole is the size in bytes up to which all that a file holds is read before it is opened. A file of a test suite's
// worlds is smaller, and waits for that 3 ms at most; of a larger one, for which nobody should wait longer, only what leads
// to the leaves is read, and a value is compared with its checksum when it is asked for.
const maxWhole = 4 << 20

// inspect says why the file at path is not for us to write to. It only reads: bbolt may write to what it opens for writing.
func inspect(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return faultNotFile
	case info.Size() == 0:
		return nil
	}
	db, err := bolt.Open(path, 0, &bolt.Options{ReadOnly: true, Timeout: lockTime})
	if err != nil {
		return err
	}
	defer db.Close()
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return db.View(func(tx *bolt.Tx) error {
		if info.Size() < tx.Size() {
			return errors.New("its end is missing")
		}
		if err := identify(tx); err != nil {
			return err
		}
		whole := tx.Size() <= maxWhole
		if err := checkPages(file, tx, whole); err != nil || !whole {
			return err
		}
		if data := tx.Bucket(dataBucket); data != nil {
			return records{bucket: data}.verify()
		}
		return nil
	})
}

// openBolt opens a bbolt file that is ours, or empty and made ours.
func openBolt(path string, o *bolt.Options) (*bolt.DB, error) {
	db, err := bolt.Open(path, 0o600, o)
	if err != nil {
		return nil, err
	}
	if err := claim(db); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}
