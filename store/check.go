package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"syscall"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// refusal completes the sentence "store file PATH …" with the cause and what the user can do.
type refusal string

func (r refusal) Error() string { return string(r) }

// guard calls open, and turns its error or panic into one line with the path, the cause and what the user can do. On a
// damaged file bbolt may panic or read unmapped memory, and leaves the file locked until the process ends.
func guard(path string, open func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		if err != nil {
			err = fmt.Errorf("store file %s %w", path, refuse(path, err))
		}
	}()
	return open()
}

func refuse(path string, err error) refusal {
	var reason refusal
	var errno syscall.Errno
	switch _, missing := os.Stat(path); {
	case errors.As(err, &reason):
		return reason
	case errors.Is(err, berrors.ErrTimeout):
		return "is in use by another process: stop that process, or name another file"
	case errors.Is(err, fs.ErrNotExist):
		return "cannot be created, its folder does not exist: create the folder, or name another file"
	case errors.Is(err, fs.ErrPermission) && errors.Is(missing, fs.ErrNotExist):
		return "cannot be created, this user may not write to its folder: allow that, or name another file"
	case errors.Is(err, fs.ErrPermission):
		return "cannot be opened, permission denied: let this user read and write it, or name another file"
	case errors.Is(err, syscall.ENOSPC):
		return "cannot be written, no space left on device: free some space, or name another file"
	case errors.As(err, &errno):
		return refusal(fmt.Sprintf("cannot be opened, %s: correct that, or name another file", errno))
	}
	return refusal(fmt.Sprintf("is not a bbolt file, or is damaged (%s): restore a backup, or name another file", err))
}

// inspect returns an error for a file that is not a store of the current format. A missing file is empty. It only reads.
func inspect(path string) (empty bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, err
	case info.IsDir():
		return false, refusal("is a folder: name a file in it")
	case !info.Mode().IsRegular():
		return false, refusal("is a device: name a file")
	case info.Size() == 0:
		return true, nil
	}
	db, err := bolt.Open(path, 0, &bolt.Options{ReadOnly: true, Timeout: lockTimeout})
	if err != nil {
		return false, err
	}
	defer db.Close()
	err = db.View(func(tx *bolt.Tx) error {
		if info.Size() < tx.Size() {
			return errors.New("it is truncated")
		}
		if bucket, _ := tx.Cursor().First(); bucket == nil {
			empty = true
			return nil
		}
		meta, data := tx.Bucket(metaBucket), tx.Bucket(dataBucket)
		if meta == nil || data == nil {
			return refusal("is a bbolt file of another program: name another file")
		}
		if found := meta.Get(formatKey); string(found) != format {
			return refusal(fmt.Sprintf("has format %q, this Understudy reads %q: use the release that created it, or name another file", found, format))
		}
		data.Cursor().First() // panics here if the root page is damaged, not in a transaction
		data.Cursor().Last()
		return nil
	})
	return empty, err
}

// maxFindings limits what Check returns: where pages form a cycle, bbolt's check does not end.
const maxFindings = 100

// Check runs bbolt's check of the file at path, which must not be open, and returns its findings, one per line. It only reads.
func Check(path string) error {
	var findings []error
	err := guard(path, func() error {
		switch empty, err := inspect(path); {
		case err != nil:
			return err
		case empty:
			return refusal("does not exist, or is empty: name the file of serve --store file:PATH")
		}
		db, err := bolt.Open(path, 0, &bolt.Options{ReadOnly: true, PreLoadFreelist: true, Timeout: lockTimeout})
		if err != nil {
			return err
		}
		defer db.Close()
		return db.View(func(tx *bolt.Tx) error {
			if err := checkLengths(tx); err != nil {
				return err
			}
			for err := range tx.Check() {
				if findings = append(findings, err); len(findings) == maxFindings {
					break
				}
			}
			return nil
		})
	})
	if len(findings) > 0 {
		findings = slices.Insert(findings, 0, fmt.Errorf("store file %s is damaged: restore a backup, or name another file", path))
	}
	return errors.Join(append(findings, err)...)
}

// checkLengths returns an error for a page that extends beyond the end of the file: bbolt's check would count on without
// end.
func checkLengths(tx *bolt.Tx) error {
	for id := 0; ; id++ {
		page, err := tx.Page(id)
		if page == nil || err != nil {
			return err
		}
		if page.Type == "free" {
			continue // its header is that of its former content
		}
		if id += page.OverflowCount; id >= int(tx.Size()/int64(tx.DB().Info().PageSize)) {
			return fmt.Errorf("page %d extends beyond the end of the file", page.ID)
		}
	}
}
