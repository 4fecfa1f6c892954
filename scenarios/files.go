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

	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// listing is the scenario files that folders have at one moment, before they are read.
type listing struct {
	found    []listedFile
	folders  []fs.FileInfo
	problems Problems
}

type listedFile struct {
	name string
	info fs.FileInfo // of the target of a symbolic link
}

// list finds the scenario files (.yaml, .yml) in folders and their subfolders, each once. It follows symbolic links and
// skips names that begin with a dot, which mounted volumes and editors use. It warns about JSON files (.json) that are not
// schemas (schema.json).
func list(folders ...string) (l listing) {
	for _, folder := range folders {
		info, err := os.Stat(folder)
		before := len(l.found) + len(l.problems)
		switch {
		case err != nil:
			l.problems = append(l.problems, unreadable(folder, err, "name a folder of scenario files"))
		case !info.IsDir():
			l.problem(folder, false, "is a file: name the folder that it is in, "+filepath.Dir(folder))
		case l.walk(folder, info) && len(l.found)+len(l.problems) == before:
			l.problem(folder, true, "has no scenario files (.yaml, .yml)")
		}
	}
	return l
}

func (l *listing) problem(name string, warning bool, what string) {
	l.problems = append(l.problems, Problem{At: Position{File: name}, What: what, Warning: warning})
}

// walk lists a folder, unless it is listed already: links may lead to it several times.
func (l *listing) walk(folder string, info fs.FileInfo) (walked bool) {
	if slices.ContainsFunc(l.folders, func(earlier fs.FileInfo) bool { return os.SameFile(earlier, info) }) {
		return false
	}
	l.folders = append(l.folders, info)
	entries, err := os.ReadDir(folder)
	if err != nil {
		l.problems = append(l.problems, unreadable(folder, err, makeReadable))
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") {
			l.entry(filepath.Join(folder, entry.Name()))
		}
	}
	return true
}

func (l *listing) entry(name string) {
	info, err := os.Stat(name)
	base := strings.ToLower(filepath.Base(name))
	switch extension := filepath.Ext(base); {
	case err == nil && info.IsDir():
		l.walk(name, info)
	case extension == ".json" && base != "schema.json" && !strings.HasSuffix(base, ".schema.json"):
		l.problem(name, true, "was skipped: scenario files end with .yaml or .yml, so rename it, also with JSON in it")
	case extension != ".yaml" && extension != ".yml":
	case err != nil:
		l.problems = append(l.problems, unreadable(name, err, makeReadable))
	default:
		l.found = append(l.found, listedFile{name, info})
	}
}

// same reports whether two listings of the same folders show no change. A file that another of the same size and time has
// replaced is a change too.
func (l listing) same(other listing) bool {
	return slices.Equal(l.problems, other.problems) && slices.EqualFunc(l.found, other.found, func(one, other listedFile) bool {
		return one.name == other.name && one.info.Size() == other.info.Size() && one.info.ModTime().Equal(other.info.ModTime()) &&
			os.SameFile(one.info, other.info)
	})
}

// read reads the files.
func (l listing) read() Files {
	files := Files{problems: slices.Clone(l.problems)}
	for _, found := range l.found {
		files.read(found)
	}
	return files
}

// Files are scenario files that are read and not yet parsed, and the problems of those that cannot be read.
type Files struct {
	found    []file
	problems Problems
}

type file struct {
	name string // in its problems
	data []byte
}

// Read reads a scenario file, whatever its extension, or the scenario files of a folder.
func Read(path string) (files Files) {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return list(path).read()
	}
	files.read(listedFile{path, info})
	return files
}

// With returns the files and one more, given its contents; its problems carry the name.
func (f Files) With(name string, data []byte) Files {
	f.found = append(slices.Clone(f.found), file{name, data})
	return f
}

// Len returns the number of files that could be read.
func (f Files) Len() int { return len(f.found) }

// refill gives each file without a scenario the contents that it had in earlier files, with a warning: many editors empty a
// file before they write it.
func (f Files) refill(earlier Files) Files {
	for i, empty := range f.found {
		if !empty.empty() {
			continue
		}
		before := slices.IndexFunc(earlier.found, func(e file) bool { return e.name == empty.name })
		if before < 0 || earlier.found[before].empty() {
			continue
		}
		f.found[i].data = earlier.found[before].data
		f.problems = append(f.problems, Problem{
			At: Position{File: empty.name}, Warning: true,
			What: "has no scenario in it: those that it had stay until it has some again, or is deleted",
		})
	}
	return f
}

// empty reports whether the file has nothing but comments and separators of documents.
func (f file) empty() bool {
	documents, problems := source.Read(f.name, f.data)
	return len(documents)+len(problems) == 0
}

// same reports whether others are the same files with the same contents and the same problems.
func (f Files) same(others Files) bool {
	return slices.Equal(f.problems, others.problems) && slices.EqualFunc(f.found, others.found, func(one, other file) bool {
		return one.name == other.name && bytes.Equal(one.data, other.data)
	})
}

// read reads a file, unless it cannot be a scenario file.
func (f *Files) read(found listedFile) {
	if !found.info.Mode().IsRegular() {
		f.problems = append(f.problems, Problem{At: Position{File: found.name}, What: "is not a scenario file, which is a regular file"})
		return
	}
	if size := found.info.Size(); size > source.MaxFile {
		f.problems = append(f.problems, source.TooLarge(found.name, size))
		return
	}
	opened, err := os.Open(found.name)
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(opened, source.MaxFile+1)) // it may have grown since it was listed
		opened.Close()
	}
	if err != nil {
		f.problems = append(f.problems, unreadable(found.name, err, makeReadable))
		return
	}
	f.found = append(f.found, file{found.name, data})
}

const makeReadable = "make it readable, or move it out of the folder"

func unreadable(name string, err error, correction string) Problem {
	if failure := (*fs.PathError)(nil); errors.As(err, &failure) {
		err = failure.Err // its text repeats the name
	}
	return Problem{At: Position{File: name}, What: fmt.Sprintf("cannot be read: %v: %s", err, correction)}
}
