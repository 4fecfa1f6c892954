package limits

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// fileName is the pattern of the names of files. A user who keeps a snapshot among temporary files would not name it so.
const fileName = "understudy-temp-*.json"

// removeStale removes the files of killed processes, where an open file could not be removed.
func removeStale() {
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), fileName)) // it fails on a malformed pattern only
	for _, path := range found {
		_ = os.Remove(path) // where open files can be removed, there is none
	}
}

// File is a temporary file for a snapshot, which may be too large for memory.
type File struct {
	*os.File
	taken *grant // among the files
}

// File creates a file. Its error is an [*api.Error] with status 503 while there are too many, and with status 507 where there
// is no room for one.
func (l *Limits) File(ctx context.Context, of Owner) (*File, error) {
	taken, refusal := l.files.take(ctx, 1, of)
	if refusal != nil {
		return nil, refusal
	}
	file, err := os.CreateTemp("", fileName)
	if err != nil {
		taken.release()
		return nil, NoRoom(err)
	}
	_ = os.Remove(file.Name()) // where an open file cannot be removed, Close does
	return &File{file, taken}, nil
}

// NoRoom returns an [*api.Error] with status 507 for an error of the file of a snapshot, and other errors as they are.
func NoRoom(err error) error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return api.Because(http.StatusInsufficientStorage, fmt.Sprintf(
			"The snapshot cannot be kept in the folder for temporary files, %s (%v): free some of it, or set TMPDIR to another folder", os.TempDir(), failed.Err))
	}
	return err
}

// Snapshot returns a file with what write writes, when it is its turn. write calls begin before it begins, and when it begins
// again. The error is that of write, or one as of File.
func (l *Limits) Snapshot(ctx context.Context, of Owner, write func(ctx context.Context, begin func() error, to io.Writer) error) (*File, error) {
	file, err := l.File(ctx, of)
	if err != nil {
		return nil, err
	}
	err = l.Turn(ctx, of, func() error { return write((*Answer)(nil).In(ctx), file.rewind, file) })
	if err != nil {
		return nil, errors.Join(NoRoom(err), file.Close())
	}
	return file, nil
}

// Turn runs work on a snapshot that is in a file, or will be. It waits for its turn; its error is an [*api.Error] with status
// 503 while there is none. A transfer needs none, so a client that does not send or read stops nobody.
func (l *Limits) Turn(ctx context.Context, of Owner, work func() error) error {
	taken, refusal := l.snapshots.take(ctx, 1, of)
	if refusal != nil {
		return refusal
	}
	defer taken.release()
	return work()
}

// rewind empties the file.
func (f *File) rewind() error {
	_, err := f.Seek(0, io.SeekStart)
	if err == nil {
		err = f.Truncate(0)
	}
	return err
}

// ServeHTTP answers with the snapshot in the file, and closes it.
func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		panic(err) // answered 500, and logged
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, f.File) // it fails when the client left
	}
}

// Close removes the file.
func (f *File) Close() error {
	err := f.File.Close()
	_ = os.Remove(f.Name()) // unless it is gone
	f.taken.release()
	return err
}
