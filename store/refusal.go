package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

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
	case errors.Is(err, fs.ErrPermission) && !exists(path):
		f = faultReadOnly
	case errors.Is(err, fs.ErrPermission):
		f = faultPermission
	case errors.As(err, &errno):
		return fmt.Errorf("store file %s cannot be opened: %w: mend that, or name another file", path, err)
	default:
		return fmt.Errorf("store file %s is not a bbolt file, or is damaged (%w): restore it, or name another file", path, err)
	}
	return fmt.Errorf("store file %s %w", path, f)
}

// exists reports whether a file is there, or may be where nobody may look.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
