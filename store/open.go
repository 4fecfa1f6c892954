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

// A store file has two buckets: metaBucket identifies it as Understudy's and holds its format, dataBucket holds the data.
var (
	metaBucket = []byte("understudy")
	formatKey  = []byte("format")
	dataBucket = []byte("data")
)

const format = "4"

// lockTimeout is how long Open waits for a locked file: on Unix a child process inherits the locks of its parent until it
// executes its own program.
const lockTimeout = 250 * time.Millisecond

// options returns the options that both kinds of store share.
func options() *bolt.Options {
	return &bolt.Options{
		Timeout:      lockTimeout,
		FreelistType: bolt.FreelistMapType,
		// A writer that enlarges the map waits for every reader. Most stores never outgrow this size, which costs address
		// space, not memory.
		InitialMmapSize: 16 << 20,
		NoStatistics:    true,
	}
}

// tempName is the pattern of the names of temporary stores.
const tempName = "understudy-temp-*.db"

// openTemp creates a store in an unlinked file, so that even a killed process leaves nothing behind. Where an open file
// cannot be unlinked, Close removes it, or the next openTemp after a kill.
func openTemp() (Store, error) {
	removeStale()
	s, o := newBoltStore("temp"), options()
	o.NoSync, o.NoGrowSync, o.NoFreelistSync = true, true, true
	o.OpenFile = func(string, int, os.FileMode) (*os.File, error) {
		f, err := os.CreateTemp("", tempName)
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

// removeStale removes the temporary stores of killed processes: those that no process has locked. It leaves what it cannot
// open or remove, and links, because others may write in the folder.
func removeStale() {
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), tempName)) // it fails on a malformed pattern only
	for _, path := range found {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		o := options()
		o.Timeout = time.Nanosecond // it tries once
		if db, err := bolt.Open(path, 0o600, o); err == nil && db.Close() == nil {
			_ = os.Remove(path)
		}
	}
}

// openFile opens or creates the file at path. It does not change a file that it refuses.
func openFile(path string) (Store, error) {
	s := newBoltStore("file:" + path)
	s.path = path
	err := guard(path, func() error {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		created := err == nil
		if created {
			f.Close()
		} else if !errors.Is(err, fs.ErrExist) {
			return err
		}
		empty, err := inspect(path)
		if err != nil {
			return err
		}
		if err := s.open(path, options(), empty); err != nil {
			if created && !errors.Is(err, berrors.ErrTimeout) { // on a timeout another process has locked the file
				err = errors.Join(err, os.Remove(path)) // the next Open would refuse half a file
			}
			return err
		}
		if folder, err := os.Open(filepath.Dir(path)); err == nil { // makes a new file's name durable
			_ = folder.Sync() // Windows neither supports nor needs it
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

// open opens the database, and creates the buckets in an empty one.
func (s *boltStore) open(path string, o *bolt.Options, empty bool) (err error) {
	if s.db, err = bolt.Open(path, 0o600, o); err != nil || !empty {
		return err
	}
	err = s.db.Update(func(tx *bolt.Tx) error {
		meta, err := tx.CreateBucketIfNotExists(metaBucket)
		if err != nil {
			return err
		}
		_, err = tx.CreateBucketIfNotExists(dataBucket)
		return errors.Join(err, meta.Put(formatKey, []byte(format)))
	})
	if err != nil {
		s.db.Close()
	}
	return err
}

// checkPath returns an error while the open file is not at its path: writes to it would be lost when the process ends.
func (s *boltStore) checkPath() error {
	if s.path == "" {
		return nil
	}
	if now, err := os.Stat(s.path); err != nil || !os.SameFile(now, s.opened) {
		return fmt.Errorf("store file %s is no longer where it was: put it back, or stop", s.path)
	}
	return nil
}
