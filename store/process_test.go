package store_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
)

// TestMain lets the tests start this binary again as another process that uses a store.
func TestMain(m *testing.M) {
	if spec, ok := os.LookupEnv("STORE_TEST_CHILD"); ok {
		if path, ok := strings.CutPrefix(spec, "check:"); ok {
			check := store.Check(path)
			fmt.Println(check)
			os.Exit(map[bool]int{true: 0, false: 1}[check == nil])
		}
		writeUntilKilled(spec)
	}
	os.Exit(m.Run())
}

// writeUntilKilled opens a store, or says why not, and from then on says which keys it has written.
func writeUntilKilled(spec string) {
	s, err := store.Open(spec)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	var wg sync.WaitGroup
	for writer := range 8 {
		wg.Go(func() {
			for i := 0; ; i++ {
				key := fmt.Sprintf("%d/%d/%d", os.Getpid(), writer, i)
				err := s.Update(context.Background(), func(tx store.Tx) error { return tx.Put(key, []byte(key)) })
				if err != nil {
					panic(err)
				}
				fmt.Println(key)
			}
		})
	}
	wg.Wait()
}

// start starts the child on the store that spec names, with TMPDIR as its temporary folder.
func start(t *testing.T, spec, tmpdir string) (child *exec.Cmd, lines *bufio.Reader) {
	t.Helper()
	child = exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "STORE_TEST_CHILD="+spec, "TMPDIR="+tmpdir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	return child, bufio.NewReader(out)
}

// kill kills the child and returns the whole lines that it had still said.
func kill(t *testing.T, child *exec.Cmd, lines *bufio.Reader) []string {
	t.Helper()
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	said := strings.Split(string(rest), "\n")
	return said[:len(said)-1]
}

func TestKilledProcessKeepsAcknowledgedWrites(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	var acknowledged []string
	for range 8 {
		child, lines := start(t, "file:"+path, t.TempDir())
		for range 100 {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			acknowledged = append(acknowledged, strings.TrimSuffix(line, "\n"))
		}
		acknowledged = append(acknowledged, kill(t, child, lines)...)
		checkFile(t, path)
	}
	s := openFile(t, path)
	for _, key := range acknowledged {
		wantValue(t, s, key, []byte(key))
	}
}

func TestOpenRefusesFileInUse(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	openFile(t, path)
	child, lines := start(t, "file:"+path, t.TempDir())
	said, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil {
		t.Error("a second process opened the file")
	}
	want := "store file " + path + " is in use by another process: stop that, or name another file\n"
	if string(said) != want {
		t.Errorf("the second process said %q, want %q", said, want)
	}
}

func TestKilledProcessLeavesNoTemporaryFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	child, lines := start(t, "temp", dir)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	kill(t, child, lines)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 0 {
		t.Errorf("the process left %v", entries)
	}
}

func TestOpenNamesTemporaryFolder(t *testing.T) {
	t.Parallel()
	dir := newPath(t)
	child, lines := start(t, "temp", dir)
	said, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err == nil {
		t.Error("the process opened a store nowhere")
	}
	if got := string(said); !strings.HasPrefix(got, "no temporary store in "+dir+" (") || !strings.HasSuffix(got, "set TMPDIR to a folder with room, or use --store file:PATH\n") || strings.Count(got, "\n") != 1 {
		t.Errorf("the process said %q", got)
	}
}
