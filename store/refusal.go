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

const (
	faultNotFile    fault = "is a folder or a device: name a file"
	faultForeign    fault = "is a bbolt file of another program: name another file"
	faultLocked     fault = "is in use by another process: stop that, or name another file"
	faultNoFolder   fault = "cannot be made, its folder does not exist: create the folder, or name another file"
	faultReadOnly   fault = "cannot be made, this user may not write in its folder: allow that, or name another file"
	faultPermission fault = "cannot be opened, permission denied: let this user read and write it, or name another file"
	faultNothing    fault = "does not exist, or is empty: name the file that serve --store file:PATH was given"
)

func (f fault) Error() string { return string(f) }

// refusal says in one line which file is not opened, why, and what can be done about it.
func refusal(path string, err error) error {
	var f fault
	var errno syscall.Errno
	switch {
	case errors.As(err, &f):
	case errors.Is(err, berrors.ErrTimeout):
		f = faultLocked
	case errors.Is(err, fs.ErrNotExist):
		f = faultNoFolder
	case errors.Is(err, fs.ErrPermission):
		f = faultPermission
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			f = faultReadOnly
		}
	case errors.As(err, &errno):
		return fmt.Errorf("store file %s cannot be opened: %w: mend that, or name another file", path, err)
	default:
		return fmt.Errorf("store file %s is not a bbolt file, or is damaged (%w): restore it, or name another file", path, err)
	}
	return fmt.Errorf("store file %s %w", path, f)
}

// maxFindings bounds what Check returns: where pages lead in a circle bbolt finds the same without an end.
const maxFindings = 100

// Check has bbolt check the file at path, which no process may have open, and returns all that is wrong, joined. It only
// reads.
func Check(path string) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = refusal(path, fmt.Errorf("%v", p))
		}
	}()
	err = inspect(path, identify)
	if errors.Is(err, errEmpty) {
		err = faultNothing
	}
	if err != nil {
		return refusal(path, err)
	}
	db, err := bolt.Open(path, 0, &bolt.Options{ReadOnly: true, PreLoadFreelist: true, Timeout: lockTime})
	if err != nil {
		return refusal(path, err)
	}
	defer db.Close()
	return db.View(func(tx *bolt.Tx) error {
		if err := checkLengths(tx); err != nil {
			return refusal(path, err)
		}
		var wrong []error
		for err := range tx.Check() {
			if wrong = append(wrong, err); len(wrong) == maxFindings {
				break
			}
		}
		return errors.Join(wrong...)
	})
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
