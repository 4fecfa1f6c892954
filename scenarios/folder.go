package scenarios

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Snapshot is what folders of scenario files look like from outside, at one look.
type Snapshot struct {
	found    []seen
	folders  []visited
	problems Problems
}

// seen is a scenario file from outside.
type seen struct {
	name string
	info fs.FileInfo // of what a symbolic link leads to
	open func() (fs.File, error)
}

type visited struct {
	name string
	info fs.FileInfo
}

// Look finds the scenario files (.yaml, .yml) in folders and in the folders in them, each once. Symbolic links are
// followed; what begins with a dot is passed over, as mounted volumes and editors keep their own things there. A file of
// JSON (.json) is warned of, but for a schema (schema.json).
func Look(folders ...string) (s Snapshot) {
	for _, folder := range folders {
		s.root(folder)
	}
	return s
}

// lookAt finds the scenario files of a file system.
func lookAt(files fs.FS) (s Snapshot) {
	s.folder(tree{files: files}, ".")
	return s
}

// Read reads the files.
func (s Snapshot) Read() (files Files) {
	files.problems = slices.Clone(s.problems)
	for _, found := range s.found {
		files.read(found)
	}
	return files
}

// Same reports whether another look, at the same folders, found nothing changed.
func (s Snapshot) Same(other Snapshot) bool {
	return slices.Equal(s.problems, other.problems) && slices.EqualFunc(s.found, other.found, seen.same)
}

// Folders returns the paths of all folders that were looked into.
func (s Snapshot) Folders() (paths []string) {
	for _, folder := range s.folders {
		paths = append(paths, folder.name)
	}
	return paths
}

// same also tells a file from another that was put in its place, with its size and time.
func (s seen) same(other seen) bool {
	return s.name == other.name && s.info.Size() == other.info.Size() && s.info.ModTime().Equal(other.info.ModTime()) &&
		os.SameFile(s.info, other.info)
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

// root looks into a folder that the user named.
func (s *Snapshot) root(folder string) {
	info, err := os.Stat(folder)
	if err != nil {
		s.problems = append(s.problems, unreadable(folder, err))
		return
	}
	if !info.IsDir() {
		what := "is a file: name the folder that it is in, " + filepath.Dir(folder)
		s.problems = append(s.problems, Problem{At: Position{File: folder}, What: what})
		return
	}
	if s.been(info) {
		return
	}
	before := len(s.found) + len(s.problems)
	s.folder(tree{os.DirFS(folder), folder}, ".")
	if len(s.found)+len(s.problems) == before {
		s.problems = append(s.problems, Problem{At: Position{File: folder}, What: "has no scenario files (.yaml, .yml)", Warning: true})
	}
}

// been reports whether a folder was looked into before: there may be many ways to it.
func (s *Snapshot) been(folder fs.FileInfo) bool {
	return slices.ContainsFunc(s.folders, func(earlier visited) bool { return os.SameFile(earlier.info, folder) })
}

func (s *Snapshot) folder(t tree, inside string) {
	info, err := fs.Stat(t.files, inside)
	if err != nil {
		s.problems = append(s.problems, unreadable(t.name(inside), err))
		return
	}
	if s.been(info) {
		return
	}
	s.folders = append(s.folders, visited{t.name(inside), info})
	entries, err := fs.ReadDir(t.files, inside)
	if err != nil {
		s.problems = append(s.problems, unreadable(t.name(inside), err))
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") {
			s.entry(t, path.Join(inside, entry.Name()), entry)
		}
	}
}

func (s *Snapshot) entry(t tree, inside string, entry fs.DirEntry) {
	info, err := entry.Info()
	if err == nil && entry.Type()&fs.ModeSymlink != 0 {
		info, err = fs.Stat(t.files, inside)
	}
	switch {
	case err == nil && info.IsDir():
		s.folder(t, inside)
	case isMisnamed(inside):
		s.problems = append(s.problems, Problem{At: Position{File: t.name(inside)}, What: "was passed over: scenario files end with .yaml or .yml, so rename it, also with JSON in it", Warning: true})
	case !isScenarioFile(inside):
	case err != nil:
		s.problems = append(s.problems, unreadable(t.name(inside), err))
	default:
		s.found = append(s.found, seen{t.name(inside), info, func() (fs.File, error) { return t.files.Open(inside) }})
	}
}

func isScenarioFile(name string) bool {
	extension := strings.ToLower(path.Ext(name))
	return extension == ".yaml" || extension == ".yml"
}

// isMisnamed reports whether a file is probably meant as a scenario file. The language's schema stands beside them.
func isMisnamed(name string) bool {
	base := strings.ToLower(path.Base(name))
	return path.Ext(base) == ".json" && base != "schema.json" && !strings.HasSuffix(base, ".schema.json")
}
