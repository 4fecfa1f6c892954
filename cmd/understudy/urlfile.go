package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"
)

// urlFile is the file of --url-file; the zero value is none.
type urlFile struct{ path, text string }

// writeURLFile writes the file of --url-file, or to standard output, a line for each URL. Readers of a file see it whole or not
// at all.
func writeURLFile(c *cli.Command, urls []string) (urlFile, error) {
	file := urlFile{c.String("url-file"), strings.Join(urls, "\n") + "\n"}
	switch file.path {
	case "":
		return file, nil
	case "-":
		return urlFile{}, write(c, file.text)
	}
	err := file.write()
	if inPath := (*fs.PathError)(nil); errors.As(err, &inPath) {
		err = inPath.Err // its text has the name of the part
	}
	if err != nil {
		return file, fmt.Errorf("%s %s cannot be written: %w: name a file in a folder that can be written", given(c, "url-file"), file.path, err)
	}
	return file, nil
}

var errNotRegular = errors.New("it is not a regular file")

func (f urlFile) write() error {
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
	if err != nil {
		os.Remove(part.Name())
	}
	return err
}

// remove removes the file, unless another emulator has written it since.
func (f urlFile) remove() {
	if text, err := readShort(f.path); err == nil && text == f.text {
		os.Remove(f.path)
	}
}

// readShort reads a file as short as that of --url-file. It does not wait for the writer of a pipe.
func readShort(path string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", cmp.Or(err, errNotRegular)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, 4<<10))
	return string(text), err
}

// readURLFile returns the last URL of the file of --url-file, at which the control plane is served.
func readURLFile(c *cli.Command) (string, error) {
	path, name := c.String("url-file"), given(c, "url-file")
	text, err := readShort(path)
	if inPath := (*fs.PathError)(nil); errors.As(err, &inPath) {
		err = inPath.Err
	}
	if err != nil {
		return "", fmt.Errorf("%s %s cannot be read: %w: start understudy serve --url-file, or name its file", name, path, err)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	base, ok := parseBase(lines[len(lines)-1])
	if !ok {
		return "", fmt.Errorf("%s %s has no URL: name the file of understudy serve --url-file", name, path)
	}
	return base, nil
}
