package limits

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
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
	limits *Limits
}

// File waits for its turn and creates a file. Its error is an [*api.Error] with status 503 while there are too many.
func (l *Limits) File(ctx context.Context) (*File, error) {
	if err := l.snapshot(ctx); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", fileName)
	if err != nil {
		l.snapshots.Release(1)
		return nil, fmt.Errorf("no temporary file for a snapshot: %w", err)
	}
	_ = os.Remove(file.Name()) // where an open file cannot be removed, Close does
	return &File{file, l}, nil
}

// Snapshot returns a file with what write writes. It calls begin before it begins, and when it begins again. The error is that
// of write, or one as of File.
func (l *Limits) Snapshot(ctx context.Context, write func(ctx context.Context, begin func() error, to io.Writer) error) (*File, error) {
	file, err := l.File(ctx)
	if err != nil {
		return nil, err
	}
	if err := write(ctx, file.rewind, file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
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
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, f.File) // it fails when the client left
	}
}

// Close removes the file.
func (f *File) Close() error {
	err := f.File.Close()
	_ = os.Remove(f.Name()) // unless it is gone
	f.limits.snapshots.Release(1)
	return err
}
