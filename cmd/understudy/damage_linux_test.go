package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/understudy-sandbox/understudy/store/storetest"
)

// lived makes a store with worlds in which much was asked.
func lived(t *testing.T) (pages []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "understudy.db")
	c, stderr := process(t, "serve", "--addr", "127.0.0.1:0", "--store", "file:"+path)
	url := stderr.find(t, listening)
	for world := range 8 {
		w := &writer{key: fmt.Sprintf("svc_sk_test_damage-%d", world)}
		for range 24 {
			if !w.write(t, url) {
				t.Fatal("a write is not answered")
			}
		}
		w.send(t, url, "PUT", "/_understudy/v1/scenarios/mine", `{"name":"mine","title":"Mine","magic":{"verification_request":"vr_mine"}}`)
		w.send(t, url, "POST", "/_understudy/v1/faults", `{"rule":{"on":"create","respond":{"status":451},"every":5}}`)
	}
	end(t, c, stderr)
	return storetest.Pages(t, path)
}

// damagedFiles is how many files are damaged: 300 where CI=true.
func damagedFiles() uint64 {
	if os.Getenv("CI") == "true" && !testing.Short() {
		return 300
	}
	return 12
}

// A store file that was truncated, or of which bytes or pages are wrong, is refused in one line, or opened. What is refused
// or ends the server, store check finds. None of them changes the file.
func TestServeDamagedFile(t *testing.T) {
	t.Parallel()
	pages := lived(t)
	refused, ended, found := 0, 0, 0
	for seed := range damagedFiles() {
		spoiled, how := storetest.Damage(rand.New(rand.NewPCG(seed, 2)), pages)
		path := written(t, spoiled)
		damaged := wantChecked(t, path)
		wantUnchanged(t, path, spoiled)
		if damaged {
			found++
		}
		c, stderr := process(t, "serve", "--addr", "127.0.0.1:0", "--store", "file:"+path)
		switch said := stderr.find(t, `(?s)(url=\S+|panic:|fatal error:|store file .*\n)`); {
		case strings.HasPrefix(said, "url="):
			_ = c.Process.Kill()
			_ = c.Wait() // it was killed
		case strings.HasPrefix(said, "store file "):
			refused++
			wantRefusal(t, c, stderr, path)
		default:
			ended++
			_ = c.Wait() // it has ended
		}
		wantUnchanged(t, path, spoiled)
		if !damaged && c.ProcessState.Exited() {
			t.Errorf("store check finds nothing, and the server ends: %s", stderr)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, how)
		}
	}
	t.Logf("of %d damaged files store check found %d; %d were refused, %d ended the server", damagedFiles(), found, refused, ended)
	if refused == 0 || ended > refused/4 {
		t.Error("too few were refused")
	}
}

func TestServeFileOfAnOlderFormat(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "understudy.db")
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		mark, err := tx.CreateBucket([]byte("understudy"))
		if err != nil {
			return err
		}
		if _, err := tx.CreateBucket([]byte("data")); err != nil {
			return err
		}
		return mark.Put([]byte("format"), []byte("2"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, stderr := process(t, "serve", "--addr", "127.0.0.1:0", "--store", "file:"+path)
	wantRefusal(t, c, stderr, path)
	if !strings.Contains(stderr.String(), `has format "2", this Understudy knows "3": use the one that made it`) {
		t.Errorf("it says %s", stderr)
	}
	wantUnchanged(t, path, before)
}

func written(t *testing.T, pages []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "understudy.db")
	if err := os.WriteFile(path, pages, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantUnchanged(t *testing.T, path string, want []byte) {
	t.Helper()
	if after, err := os.ReadFile(path); err != nil || string(after) != string(want) {
		t.Errorf("the file has changed, %v", err)
	}
}

// wantRefusal wants the program to end with one line, that says which file it does not serve and how to mend it.
func wantRefusal(t *testing.T, c *exec.Cmd, stderr *stream, path string) {
	t.Helper()
	_ = c.Wait() // its exit code tells
	said := stderr.String()
	if c.ProcessState.ExitCode() != exitFailed || strings.Count(said, "\n") != 1 || !strings.Contains(said, "store file "+path+" ") || !strings.Contains(said, "name another file") {
		t.Errorf("exit code %d: %s", c.ProcessState.ExitCode(), said)
	}
}

// wantChecked wants store check to find a file fine, or to say what is wrong with it.
func wantChecked(t *testing.T, path string) (damaged bool) {
	t.Helper()
	var out strings.Builder
	c := self(t, asUnderstudy+"=1", "store", "check", path)
	c.Stdout = &out
	stderr := begin(t, c)
	damaged = c.Wait() != nil
	switch said := stderr.String(); {
	case !damaged && out.String()+said != "store file "+path+": fine\n",
		damaged && (c.ProcessState.ExitCode() != exitFailed || out.Len() > 0 || said == "" || strings.Contains(said, "goroutine ")):
		t.Errorf("store check: exit code %d: %s%s", c.ProcessState.ExitCode(), &out, said)
	}
	return damaged
}
