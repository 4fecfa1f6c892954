package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Snapshot is what folders of scenario files look like from outside, at one look.
type Snapshot struct {
	found    []seen
	folders  []fs.FileInfo
	problems Problems
}

// seen is a file from outside.
type seen struct {
	name string
	info fs.FileInfo // of what a symbolic link leads to
}

// Look finds the scenario files (.yaml, .yml) in folders and in the folders in them, each once. Symbolic links are
// followed; what begins with a dot is passed over, as mounted volumes and editors keep their own things there. A file of
// JSON (.json) is warned of, but for a schema (schema.json).
func Look(folders ...string) (s Snapshot) {
	for _, folder := range folders {
		info, err := os.Stat(folder)
		before := len(s.found) + len(s.problems)
		switch {
		case err != nil:
			s.problems = append(s.problems, unreadable(folder, err))
		case !info.IsDir():
			s.problem(folder, false, "is a file: name the folder that it is in, "+filepath.Dir(folder))
		case s.walk(folder, info) && len(s.found)+len(s.problems) == before:
			s.problem(folder, true, "has no scenario files (.yaml, .yml)")
		}
	}
	return s
}

func (s *Snapshot) problem(name string, warning bool, what string) {
	s.problems = append(s.problems, Problem{At: Position{File: name}, What: what, Warning: warning})
}

// walk looks into a folder, unless it was looked into before: there may be many ways to it.
func (s *Snapshot) walk(folder string, info fs.FileInfo) (walked bool) {
	if slices.ContainsFunc(s.folders, func(earlier fs.FileInfo) bool { return os.SameFile(earlier, info) }) {
		return false
	}
	s.folders = append(s.folders, info)
	entries, err := os.ReadDir(folder)
	if err != nil {
		s.problems = append(s.problems, unreadable(folder, err))
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") {
			s.entry(filepath.Join(folder, entry.Name()))
		}
	}
	return true
}

func (s *Snapshot) entry(name string) {
	info, err := os.Stat(name)
	base := strings.ToLower(filepath.Base(name))
	switch extension := filepath.Ext(base); {
	case err == nil && info.IsDir():
		s.walk(name, info)
	case extension == ".json" && base != "schema.json" && !strings.HasSuffix(base, ".schema.json"):
		s.problem(name, true, "was passed over: scenario files end with .yaml or .yml, so rename it, also with JSON in it")
	case extension != ".yaml" && extension != ".yml":
	case err != nil:
		s.problems = append(s.problems, unreadable(name, err))
	default:
		s.found = append(s.found, seen{name, info})
	}
}

// Same reports whether another look, at the same folders, found nothing changed. A file that was put in another's place
// with the same size and time is a change too.
func (s Snapshot) Same(other Snapshot) bool {
	return slices.Equal(s.problems, other.problems) && slices.EqualFunc(s.found, other.found, func(one, other seen) bool {
		return one.name == other.name && one.info.Size() == other.info.Size() && one.info.ModTime().Equal(other.info.ModTime()) &&
			os.SameFile(one.info, other.info)
	})
}

// Files are scenario files that were read and not yet parsed, and what kept others from being read.
type Files struct {
	found    []file
	problems Problems
}

type file struct {
	name string // that its problems carry
	data []byte
}

// Read reads the files.
func (s Snapshot) Read() Files {
	files := Files{problems: slices.Clone(s.problems)}
	for _, found := range s.found {
		files.read(found)
	}
	return files
}

// ReadFolders reads the scenario files of folders, as [Look] finds them.
func ReadFolders(folders ...string) Files { return Look(folders...).Read() }

// ReadFile reads one scenario file, whatever its extension.
func ReadFile(name string) (one Files) {
	info, err := os.Stat(name)
	if err != nil {
		return Files{problems: Problems{unreadable(name, err)}}
	}
	one.read(seen{name, info})
	return one
}

// NewFile returns what was read elsewhere as a file with a name that its problems carry.
func NewFile(name string, data []byte) Files { return Files{}.With(name, data) }

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

// read reads a file that was found, unless it cannot be a scenario file.
func (f *Files) read(found seen) {
	if !found.info.Mode().IsRegular() {
		f.problems = append(f.problems, Problem{At: Position{File: found.name}, What: "is not a scenario file, which is a regular file"})
		return
	}
	if size := found.info.Size(); size > maxFile {
		f.problems = append(f.problems, tooLarge(found.name, size))
		return
	}
	opened, err := os.Open(found.name)
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(opened, maxFile+1)) // it may have grown since it was seen
		opened.Close()
	}
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
