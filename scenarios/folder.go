package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
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

// ReadFolders reads the scenario files (.yaml, .yml) of folders and of the folders in them, each once. Symbolic links
// are followed; what begins with a dot is passed over, as mounted volumes and editors keep their own things there.
func ReadFolders(folders ...string) (all Files) {
	var walk walk
	for _, folder := range folders {
		walk.root(folder, all.read)
	}
	all.problems = append(all.problems, walk.problems...)
	return all
}

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

// read takes in a file that was found, unless it is larger than any scenario file may be.
func (f *Files) read(found seen) {
	if !found.info.Mode().IsRegular() {
		f.problems = append(f.problems, Problem{At: Position{File: found.name}, What: "is not a file: take it out of the folder"})
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

func readFolder(files fs.FS, prefix string) (all Files) {
	var walk walk
	walk.folder(tree{files, prefix}, ".", all.read)
	all.problems = append(all.problems, walk.problems...)
	return all
}

// tree is a file system, and what stands before the names of its files.
type tree struct {
	files  fs.FS
	prefix string
}

func (t tree) name(inside string) string {
	if t.prefix == "" {
		return inside
	}
	return filepath.Join(t.prefix, filepath.FromSlash(inside))
}

// seen is a scenario file that a walk came by.
type seen struct {
	name string
	info fs.FileInfo // of what a symbolic link leads to
	open func() (fs.File, error)
}

// data reads the file, which may have grown: a byte more than there may be, at most.
func (s seen) data() ([]byte, error) {
	opened, err := s.open()
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return io.ReadAll(io.LimitReader(opened, maxFile+1))
}

// walk finds scenario files in folders, and comes by none twice: a folder may be reached through links, too.
type walk struct {
	visited  []fs.FileInfo // folders
	problems Problems
}

// root walks a folder that the user named.
func (w *walk) root(folder string, found func(seen)) {
	info, err := os.Stat(folder)
	if err != nil {
		w.problems = append(w.problems, unreadable(folder, err))
		return
	}
	if !info.IsDir() {
		what := "is a file: name the folder that it is in, " + filepath.Dir(folder)
		w.problems = append(w.problems, Problem{At: Position{File: folder}, What: what})
		return
	}
	files, been, problems := 0, w.been(info), len(w.problems)
	w.folder(tree{os.DirFS(folder), folder}, ".", func(file seen) {
		files++
		found(file)
	})
	if files == 0 && !been && len(w.problems) == problems {
		w.problems = append(w.problems, Problem{At: Position{File: folder}, What: "has no scenario files (.yaml, .yml)", Warning: true})
	}
}

// been reports whether a folder was walked before.
func (w *walk) been(folder fs.FileInfo) bool {
	return slices.ContainsFunc(w.visited, func(earlier fs.FileInfo) bool { return os.SameFile(earlier, folder) })
}

func (w *walk) folder(t tree, inside string, found func(seen)) {
	info, err := fs.Stat(t.files, inside)
	if err != nil {
		w.problems = append(w.problems, unreadable(t.name(inside), err))
		return
	}
	if w.been(info) {
		return
	}
	w.visited = append(w.visited, info)
	entries, err := fs.ReadDir(t.files, inside)
	if err != nil {
		w.problems = append(w.problems, unreadable(t.name(inside), err))
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") {
			w.entry(t, path.Join(inside, entry.Name()), entry, found)
		}
	}
}

func (w *walk) entry(t tree, inside string, entry fs.DirEntry, found func(seen)) {
	info, err := entry.Info()
	if err == nil && entry.Type()&fs.ModeSymlink != 0 {
		info, err = fs.Stat(t.files, inside)
	}
	switch {
	case err == nil && info.IsDir():
		w.folder(t, inside, found)
	case !isScenarioFile(inside):
	case err != nil:
		w.problems = append(w.problems, unreadable(t.name(inside), err))
	default:
		found(seen{t.name(inside), info, func() (fs.File, error) { return t.files.Open(inside) }})
	}
}

func isScenarioFile(name string) bool {
	extension := strings.ToLower(path.Ext(name))
	return extension == ".yaml" || extension == ".yml"
}
