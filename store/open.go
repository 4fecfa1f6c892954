package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// A file of ours has two buckets: one tells it from the files of other programs and has its format, one has the data.
var (
	markBucket = []byte("understudy")
	formatKey  = []byte("format")
	dataBucket = []byte("data")
)

const format = "3"

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

// openTemp makes a store in a file that has no name any more, so that nothing is left behind even by a process that is
// killed. Where the system keeps the name of an open file, Close removes it.
func openTemp() (Store, error) {
	s, o := newBoltStore("temp"), options()
	o.NoSync, o.NoGrowSync, o.NoFreelistSync = true, true, true
	o.OpenFile = func(string, int, os.FileMode) (*os.File, error) {
		f, err := os.CreateTemp("", "understudy-*.db")
		if err == nil && os.Remove(f.Name()) != nil {
			s.leftover = f.Name()
		}
		return f, err
	}
	if err := s.open("", o, true); err != nil {
		return nil, fmt.Errorf("no temporary store in %s (%w): set TMPDIR to a folder with room, or use --store file:PATH", os.TempDir(), err)
	}
	return s, nil
}

// openFile opens the file at path, or makes it. A file that it refuses stays as it is.
func openFile(path string) (Store, error) {
	s := newBoltStore("file:" + path)
	s.path = path
	err := guard(path, func() error {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		made := err == nil
		if made {
			f.Close()
		} else if !errors.Is(err, fs.ErrExist) {
			return err
		}
		empty, err := inspect(path)
		if err != nil {
			return err
		}
		if err := s.open(path, options(), empty); err != nil {
			if made && !errors.Is(err, berrors.ErrTimeout) { // then another process was faster to lock it
				err = errors.Join(err, os.Remove(path)) // half of a file would be refused the next time
			}
			return err
		}
		if folder, err := os.Open(filepath.Dir(path)); err == nil { // puts the name of a new file on the disk
			_ = folder.Sync() // Windows has no such thing, and needs none
			folder.Close()
		}
		s.opened, err = os.Stat(path)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// open opens the database under a store, and makes one ours that is empty.
func (s *boltStore) open(path string, o *bolt.Options, empty bool) (err error) {
	if s.db, err = bolt.Open(path, 0o600, o); err != nil || !empty {
		return err
	}
	err = s.db.Update(func(tx *bolt.Tx) error {
		mark, err := tx.CreateBucketIfNotExists(markBucket)
		if err != nil {
			return err
		}
		_, err = tx.CreateBucketIfNotExists(dataBucket)
		return errors.Join(err, mark.Put(formatKey, []byte(format)))
	})
	if err != nil {
		s.db.Close()
	}
	return err
}

// there returns an error while the file is not where it was opened: what is written to it would be lost with the process.
func (s *boltStore) there() error {
	if s.path == "" {
		return nil
	}
	if now, err := os.Stat(s.path); err != nil || !os.SameFile(now, s.opened) {
		return fmt.Errorf("store file %s is no longer where it was: put it back, or stop", s.path)
	}
	return nil
}
