package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/store/storetest"
)

// lived makes a store with worlds in which much was asked.
func lived(t *testing.T) (pages []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "understudy.db")
	s := startProcess(t, "--store", "file:"+path)
	for world := range 8 {
		w := &writer{key: fmt.Sprintf("svc_sk_test_damage-%d", world)}
		for range 24 {
			if !w.write(t, s.url) {
				t.Fatal("a write is not answered")
			}
		}
		w.send(t, s.url, "PUT", "/_understudy/v1/scenarios/mine", `{"name":"mine","title":"Mine","magic":{"verification_request":"vr_mine"}}`)
		w.send(t, s.url, "POST", "/_understudy/v1/faults", `{"rule":{"on":"create","respond":{"status":451},"every":5}}`)
	}
	s.end(t)
	return storetest.Pages(t, path)
}

// A store file that was truncated, or of which bytes or pages are wrong, is refused in one line, or opened. What is refused
// or ends the server, store check finds. None of them changes the file.
func TestServeDamagedFile(t *testing.T) {
	t.Parallel()
	files := uint64(12)
	if thorough() {
		files = 300
	}
	pages := lived(t)
	refused, ended, found := 0, 0, 0
	for seed := range files {
		spoiled, how := storetest.Damage(rand.New(rand.NewPCG(seed, 2)), pages)
		path := newFile(t, "understudy.db", spoiled)
		damaged := wantChecked(t, path)
		if damaged {
			found++
		}
		c := self(t, asUnderstudy+"=1", serveArgs("--store", "file:"+path)...)
		stderr := begin(t, c)
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
		if after := readFile(t, path); !bytes.Equal(after, spoiled) {
			t.Error("the file has changed")
		}
		if !damaged && c.ProcessState.Exited() {
			t.Errorf("store check finds nothing, and the server ends: %s", stderr)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, how)
		}
	}
	t.Logf("of %d damaged files store check found %d; %d were refused, %d ended the server", files, found, refused, ended)
	if thorough() && (refused == 0 || ended > refused/4) { // of few it is chance
		t.Error("too few were refused")
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
