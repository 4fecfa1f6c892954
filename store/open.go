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

// atOnce is a time to wait for a lock that is shorter than bbolt's pause between two tries, so that it tries once.
const atOnce = time.Millisecond

// options are those that both kinds of store have in common.
func options() *bolt.Options {
	return &bolt.Options{
		Timeout:      atOnce,
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
	return newTempStore(newBoltStore(tempSpec, db, leftover)), nil
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
	db, err := openBolt(path, options())
	if err != nil {
		return nil, refusal(path, err)
	}
	syncFolder(path)
	return newBoltStore(filePrefix+path, db, ""), nil
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
	db, err := bolt.Open(path, 0, &bolt.Options{ReadOnly: true, Timeout: atOnce})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.View(func(tx *bolt.Tx) error {
		if info.Size() < tx.Size() {
			return errors.New("its end is missing")
		}
		return identify(tx)
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
