package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Files are scenario files that were read and not yet parsed, and what kept others from being read.
type Files struct {
	found    []file
	problems Problems
}

type file struct {
	name string // that its problems carry
	data []byte
}

// ReadFolders reads the scenario files of folders, as [Look] finds them.
func ReadFolders(folders ...string) Files { return Look(folders...).Read() }

// ReadFile reads one scenario file, whatever its extension.
func ReadFile(name string) (one Files) {
	info, err := os.Stat(name)
	if err != nil {
		return Files{problems: Problems{unreadable(name, err)}}
	}
	one.read(seen{name: name, info: info, open: func() (fs.File, error) { return os.Open(name) }})
	return one
}

// NewFile returns what was read elsewhere as a file with a name that its problems carry.
func NewFile(name string, data []byte) Files { return Files{found: []file{{name, data}}} }

// With returns the files and one more; see [NewFile].
func (f Files) With(name string, data []byte) Files {
	f.found = append(slices.Clone(f.found), file{name, data})
	return f
}

// Len returns how many files were read.
func (f Files) Len() int { return len(f.found) }

// Same reports whether others are the same files with the same contents, and the same could not be read.
func (f Files) Same(others Files) bool {
	return slices.Equal(f.problems, others.problems) && slices.EqualFunc(f.found, others.found, func(one, other file) bool {
		return one.name == other.name && bytes.Equal(one.data, other.data)
	})
}

// named returns the full name of the file with a base name.
func (f Files) named(base string) (name string, ok bool) {
	for _, file := range f.found {
		if path.Base(filepath.ToSlash(file.name)) == base {
			return file.name, true
		}
	}
	return "", false
}

// read takes in a file that was found, unless it cannot be a scenario file.
func (f *Files) read(found seen) {
	if !found.info.Mode().IsRegular() {
		f.problems = append(f.problems, Problem{At: Position{File: found.name}, What: "is not a scenario file, which is a regular file"})
		return
	}
	if size := found.info.Size(); size > maxFile {
		f.problems = append(f.problems, tooLarge(found.name, size))
		return
	}
	data, err := found.data()
	if err != nil {
		f.problems = append(f.problems, unreadable(found.name, err))
		return
	}
	f.found = append(f.found, file{found.name, data})
}

func unreadable(name string, err error) Problem {
	if failure := (*fs.PathError)(nil); errors.As(err, &failure) {
		err = failure.Err // its text repeats the name
	}
	return Problem{At: Position{File: name}, What: fmt.Sprintf("cannot be read: %v", err)}
}
