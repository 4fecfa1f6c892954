package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const property = "name: a\ntitle: A property\nmagic: {tenant_property: tp_a}\n"

// bench is a watcher whose looks the test triggers.
type bench struct {
	*Watcher
	folder  string
	look    chan time.Time
	changes chan Files
}

func start(t *testing.T) bench {
	t.Helper()
	b := bench{folder: t.TempDir(), look: make(chan time.Time), changes: make(chan Files, 10)}
	b.write(t, "a.yaml", property)
	b.Watcher = NewWatcher(b.folder)
	b.ticks, b.changed = b.look, func(files Files) { b.changes <- files }
	go b.run()
	t.Cleanup(b.Close)
	return b
}

// write puts a file there in one step, so that a look that is under way sees all of it or nothing.
func (b bench) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(b.folder, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".part", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".part", file); err != nil {
		t.Fatal(err)
	}
}

// next has the watcher look three times, so that two looks are over, and returns the number of changes that it told.
func (b bench) next() (told int) {
	for range 3 {
		b.look <- time.Time{}
	}
	return len(b.changes)
}

func TestAChangeIsToldOnceAtTheNextLooks(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, b bench){
		"a file is written": func(t *testing.T, b bench) { b.write(t, "a.yaml", strings.Replace(property, "A p", "Another p", 1)) },
		"a file of the same size and time is put in its place": func(t *testing.T, b bench) {
			file := filepath.Join(b.folder, "a.yaml")
			before, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			b.write(t, "a.yaml.new", strings.Replace(property, "A p", "B p", 1))
			if err := os.Chtimes(file+".new", before.ModTime(), before.ModTime()); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(file+".new", file); err != nil {
				t.Fatal(err)
			}
		},
		"a file in a new folder": func(t *testing.T, b bench) { b.write(t, "deep/er/b.yaml", strings.ReplaceAll(property, "a\n", "b\n")) },
		"a file is gone": func(t *testing.T, b bench) {
			if err := os.Remove(filepath.Join(b.folder, "a.yaml")); err != nil {
				t.Fatal(err)
			}
		},
		"the folder is gone": func(t *testing.T, b bench) {
			if err := os.Rename(b.folder, b.folder+".old"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t)
			if told := b.next(); told != 0 {
				t.Fatalf("%d changes told of what nobody touched", told)
			}
			change(t, b)
			if told := b.next(); told != 1 {
				t.Errorf("%d changes told", told)
			}
		})
	}
}

func TestASaveOfSeveralStepsIsToldOnce(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.write(t, "a.yaml", property[:20])
	b.look <- time.Time{}
	b.write(t, "a.yaml", strings.Replace(property, "A p", "Another p", 1))
	if told := b.next(); told != 1 {
		t.Errorf("%d changes told", told)
	}
}

func TestAChangeIsToldWhileAnotherFileNeverRests(t *testing.T) {
	t.Parallel()
	b := bench{folder: t.TempDir()}
	w, told := NewWatcher(b.folder), 0
	w.changed = func(Files) { told++ }
	for n := range patience {
		b.write(t, "a.yaml", property+strings.Repeat("#", n))
		w.look()
	}
	if told != 1 {
		t.Errorf("%d changes told", told)
	}
}

func TestWhatIsTheSameIsNotTold(t *testing.T) {
	t.Parallel()
	b := start(t)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(b.folder, "a.yaml"), later, later); err != nil {
		t.Fatal(err)
	}
	b.write(t, ".a.yaml.swp", "half a")
	b.write(t, "a.yaml~", "half a")
	b.write(t, "notes.md", "# Notes")
	if told := b.next(); told != 0 {
		t.Errorf("%d changes told", told)
	}
}

func TestAChangeBetweenNewAndStartIsNotMissed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	w := NewWatcher(folder)
	if err := os.WriteFile(filepath.Join(folder, "a.yaml"), []byte(property), 0o600); err != nil {
		t.Fatal(err)
	}
	told := make(chan Files)
	w.Start(func(files Files) { told <- files })
	if files := <-told; files.Len() != 1 {
		t.Errorf("%d files", files.Len())
	}
	w.Close()
}
