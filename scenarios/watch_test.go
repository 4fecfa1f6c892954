package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const property = "name: a\ntitle: A property\nmagic: {tenant_property: tp_a}\n"

// bench is a watcher whose ticks the test sends.
type bench struct {
	*Watcher
	folder  string
	tick    chan time.Time
	changes chan Files
}

func start(t *testing.T) bench {
	t.Helper()
	b := bench{folder: t.TempDir(), tick: make(chan time.Time), changes: make(chan Files, 10)}
	b.write(t, "a.yaml", property)
	b.Watcher = NewWatcher(b.folder)
	b.ticks, b.changed = b.tick, func(files Files) { b.changes <- files }
	go b.run()
	t.Cleanup(b.Close)
	return b
}

// write writes a file in one step: a listing sees all of it or nothing.
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

// next sends three ticks, of which two have been handled when it returns the number of changes.
func (b bench) next() (changes int) {
	for range 3 {
		b.tick <- time.Time{}
	}
	return len(b.changes)
}

func TestWatcher(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, b bench){
		"a file is written": func(t *testing.T, b bench) { b.write(t, "a.yaml", strings.Replace(property, "A p", "Another p", 1)) },
		"a file of the same size and time replaces it": func(t *testing.T, b bench) {
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
		"a file in a new folder is written": func(t *testing.T, b bench) { b.write(t, "deep/er/b.yaml", strings.ReplaceAll(property, "a\n", "b\n")) },
		"a file is removed": func(t *testing.T, b bench) {
			if err := os.Remove(filepath.Join(b.folder, "a.yaml")); err != nil {
				t.Fatal(err)
			}
		},
		"the folder is removed": func(t *testing.T, b bench) {
			if err := os.Rename(b.folder, b.folder+".old"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t)
			if changes := b.next(); changes != 0 {
				t.Fatalf("%d changes before the change", changes)
			}
			change(t, b)
			if changes := b.next(); changes != 1 {
				t.Errorf("%d changes, want 1", changes)
			}
		})
	}
}

func TestWatcherSaveInSteps(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.write(t, "a.yaml", property[:20])
	b.tick <- time.Time{}
	b.write(t, "a.yaml", strings.Replace(property, "A p", "Another p", 1))
	if changes := b.next(); changes != 1 {
		t.Errorf("%d changes, want 1", changes)
	}
}

// A save in steps is read once, also after an earlier one was read.
func TestWatcherTwoSaves(t *testing.T) {
	t.Parallel()
	b := bench{folder: t.TempDir()}
	w, changes := NewWatcher(b.folder), 0
	w.changed = func(Files) { changes++ }
	for n := range 3 {
		b.write(t, "a.yaml", property[:20+n])
		w.poll()
		b.write(t, "a.yaml", property+strings.Repeat("#", n))
		w.poll()
		if changes != n {
			t.Fatalf("save %d: %d changes before it has ended", n, changes)
		}
		if w.poll(); changes != n+1 {
			t.Fatalf("save %d: %d changes after it", n, changes)
		}
	}
}

func TestWatcherSameSizeAndTime(t *testing.T) {
	t.Parallel()
	b := start(t)
	file := filepath.Join(b.folder, "a.yaml")
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(property, "A p", "B p", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, before.ModTime(), before.ModTime()); err != nil {
		t.Fatal(err)
	}
	for range readEvery {
		b.tick <- time.Time{}
	}
	if changes := b.next(); changes != 1 {
		t.Errorf("%d changes, want 1", changes)
	}
}

func TestWatcherBusyFile(t *testing.T) {
	t.Parallel()
	b := bench{folder: t.TempDir()}
	w, changes := NewWatcher(b.folder), 0
	w.changed = func(Files) { changes++ }
	for n := range maxListings {
		b.write(t, "a.yaml", property+strings.Repeat("#", n))
		w.poll()
	}
	if changes != 1 {
		t.Errorf("%d changes, want 1", changes)
	}
}

func TestWatcherNoChange(t *testing.T) {
	t.Parallel()
	b := start(t)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(b.folder, "a.yaml"), later, later); err != nil {
		t.Fatal(err)
	}
	b.write(t, ".a.yaml.swp", "half a")
	b.write(t, "a.yaml~", "half a")
	b.write(t, "notes.md", "# Notes")
	if changes := b.next(); changes != 0 {
		t.Errorf("%d changes, want none", changes)
	}
}

func TestWatcherStart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	w := NewWatcher(folder)
	if err := os.WriteFile(filepath.Join(folder, "a.yaml"), []byte(property), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := make(chan Files)
	w.Start(func(files Files) { changed <- files })
	if files := <-changed; files.Len() != 1 {
		t.Errorf("%d files", files.Len())
	}
	w.Close()
}

// A file that is emptied while it is served keeps its scenarios, whatever else changes, until it has contents again.
func TestWatcherEmptyFile(t *testing.T) {
	t.Parallel()
	other := strings.ReplaceAll(property, "a\n", "b\n")
	for name, tt := range map[string]struct {
		then func(t *testing.T, b bench)
		want int // scenarios that are added
	}{
		"it stays empty":       {func(*testing.T, bench) {}, 1},
		"another file changes": {func(t *testing.T, b bench) { b.write(t, "b.yaml", strings.Replace(other, "tp_a", "tp_b", 1)) }, 2},
		"it is written": {func(t *testing.T, b bench) {
			b.write(t, "a.yaml", property+"---\n"+strings.Replace(other, "tp_a", "tp_b", 1))
		}, 2},
		"it has comments alone": {func(t *testing.T, b bench) { b.write(t, "a.yaml", "# gone\n--- # later\n---\n") }, 1},
		"it is emptied again":   {func(t *testing.T, b bench) { b.write(t, "a.yaml", " \n") }, 1},
		"it is deleted":         {func(t *testing.T, b bench) { os.Remove(filepath.Join(b.folder, "a.yaml")) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t)
			b.write(t, "a.yaml", "")
			b.next()
			emptied := <-b.changes
			if len(emptied.problems) != 1 || !emptied.problems[0].Warning || !strings.Contains(emptied.problems[0].What, "has no scenario in it: those that it had stay until") {
				t.Errorf("the problems are %v", emptied.problems)
			}
			tt.then(t, b)
			now := emptied
			if b.next() > 0 {
				now = <-b.changes
			}
			c, err := now.Over(nil)
			if err != nil || len(c.Names()) != tt.want {
				t.Fatalf("%v, want %d scenarios", err, tt.want)
			}
		})
	}
}

// An emptied file keeps the contents that the file of its name had, whatever stands beside it.
func TestRefillByName(t *testing.T) {
	t.Parallel()
	earlier := Files{}.With("b.yaml", []byte("name: b")).With("c.yaml", []byte("name: c"))
	now := Files{}.With("a.yaml", nil).With("b.yaml", nil).With("c.yaml", []byte("name: c"))
	var contents []string
	for _, file := range now.refill(earlier).found {
		contents = append(contents, string(file.data))
	}
	if got := strings.Join(contents, "|"); got != "|name: b|name: c" {
		t.Error(got)
	}
}
