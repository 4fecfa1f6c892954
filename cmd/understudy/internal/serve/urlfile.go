package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
)

// urlFile is the file of --url-file; the zero value is none.
type urlFile struct {
	path, text string
	written    os.FileInfo
}

// writeURLFile writes the file of --url-file, or to standard output, a line for each URL. Readers of a file see it whole or not
// at all.
func writeURLFile(c *cli.Command, urls []string) (urlFile, error) {
	file := urlFile{path: c.String("url-file"), text: strings.Join(urls, "\n") + "\n"}
	switch file.path {
	case "":
		return file, nil
	case "-":
		return urlFile{}, command.Write(c, file.text)
	}
	err := file.write()
	if inPath := (*fs.PathError)(nil); errors.As(err, &inPath) {
		err = inPath.Err // its text has the name of the part
	}
	if err != nil {
		return file, fmt.Errorf("%s %s cannot be written: %w: name a file in a folder that can be written", command.Given(c, "url-file"), file.path, err)
	}
	return file, nil
}

var errNotRegular = errors.New("it is not a regular file")

func (f *urlFile) write() error {
	if info, err := os.Lstat(f.path); err == nil && !info.Mode().IsRegular() {
		return errNotRegular
	}
	part, err := os.CreateTemp(filepath.Dir(f.path), filepath.Base(f.path)+".*")
	if err != nil {
		return err
	}
	_, err = part.WriteString(f.text)
	if err = errors.Join(err, part.Chmod(0o644), part.Close()); err == nil {
		err = os.Rename(part.Name(), f.path)
	}
	if err == nil {
		f.written, err = os.Lstat(f.path)
	}
	if err != nil {
		os.Remove(part.Name())
	}
	return err
}

// remove removes the file, unless another emulator has written it since.
func (f urlFile) remove() {
	if info, err := os.Lstat(f.path); err == nil && f.written != nil && os.SameFile(f.written, info) {
		os.Remove(f.path)
	}
}
