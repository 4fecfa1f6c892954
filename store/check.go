package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"syscall"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// fault completes the sentence "store file PATH …" with what is wrong and the mend.
type fault string

func (f fault) Error() string { return string(f) }

// guard calls open, and says in one line which file is not opened, why, and what can be done about it. bbolt panics over a
// damaged file, or reads where nothing is mapped, and leaves the file locked until the process ends.
func guard(path string, open func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		if err != nil {
			err = fmt.Errorf("store file %s %w", path, faultOf(path, err))
		}
	}()
	return open()
}

func faultOf(path string, err error) fault {
	var known fault
	var errno syscall.Errno
	switch _, missing := os.Stat(path); {
	case errors.As(err, &known):
		return known
	case errors.Is(err, berrors.ErrTimeout):
		return "is in use by another process: stop that, or name another file"
	case errors.Is(err, fs.ErrNotExist):
		return "cannot be made, its folder does not exist: create the folder, or name another file"
	case errors.Is(err, fs.ErrPermission) && errors.Is(missing, fs.ErrNotExist):
		return "cannot be made, this user may not write in its folder: allow that, or name another file"
	case errors.Is(err, fs.ErrPermission):
		return "cannot be opened, permission denied: let this user read and write it, or name another file"
	case errors.As(err, &errno):
		return fault(fmt.Sprintf("cannot be opened: %s: mend that, or name another file", err))
	}
	return fault(fmt.Sprintf("is not a bbolt file, or is damaged (%s): restore it, or name another file", err))
}

// inspect returns nil for a file that is ours and of a known format, or empty: there is none, or nothing in it. It only reads.
func inspect(path string) (empty bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, err
	case !info.Mode().IsRegular():
		return false, fault("is a folder or a device: name a file")
	case info.Size() == 0:
		return true, nil
	}
	db, err := bolt.Open(path, 0, &bolt.Options{ReadOnly: true, Timeout: lockTime})
	if err != nil {
		return false, err
	}
	defer db.Close()
	err = db.View(func(tx *bolt.Tx) error {
		if info.Size() < tx.Size() {
			return errors.New("its end is missing")
		}
		if bucket, _ := tx.Cursor().First(); bucket == nil {
			empty = true
			return nil
		}
		mark, data := tx.Bucket(markBucket), tx.Bucket(dataBucket)
		if mark == nil || data == nil {
			return fault("is a bbolt file of another program: name another file")
		}
		if found := mark.Get(formatKey); string(found) != format {
			return fault(fmt.Sprintf("has format %q, this Understudy knows %q: use the one that made it, or name another file", found, format))
		}
		data.Cursor().First() // panics over a damaged root, before a transaction does
		data.Cursor().Last()
		return nil
	})
	return empty, err
}

// maxFindings bounds what Check returns: where pages lead in a circle bbolt finds the same without an end.
const maxFindings = 100

// Check has bbolt check the file at path, which no process may have open, and returns all that is wrong, joined. It only
// reads.
func Check(path string) error {
	var wrong []error
	err := guard(path, func() error {
		switch empty, err := inspect(path); {
		case err != nil:
			return err
		case empty:
			return fault("does not exist, or is empty: name the file that serve --store file:PATH was given")
		}
		db, err := bolt.Open(path, 0, &bolt.Options{ReadOnly: true, PreLoadFreelist: true, Timeout: lockTime})
		if err != nil {
			return err
		}
		defer db.Close()
		return db.View(func(tx *bolt.Tx) error {
			if err := checkLengths(tx); err != nil {
				return err
			}
			for err := range tx.Check() {
				if wrong = append(wrong, err); len(wrong) == maxFindings {
					break
				}
			}
			return nil
		})
	})
	return errors.Join(append(wrong, err)...)
}

// checkLengths returns an error when a page goes on behind the end of the file, where bbolt's check would count without an
// end.
func checkLengths(tx *bolt.Tx) error {
	for id := 0; ; id++ {
		page, err := tx.Page(id)
		if page == nil || err != nil {
			return err
		}
		if page.Type == "free" {
			continue // it has the header of what it was
		}
		if id += page.OverflowCount; id >= int(tx.Size()/int64(tx.DB().Info().PageSize)) {
			return fmt.Errorf("page %d goes on behind the end", page.ID)
		}
	}
}
