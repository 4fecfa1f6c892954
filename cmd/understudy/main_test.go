package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// asUnderstudy makes the test binary run as the program itself, for tests that signal or kill a process.
const asUnderstudy = "TEST_AS_UNDERSTUDY"

func TestMain(m *testing.M) {
	if os.Getenv(asUnderstudy) != "" {
		main()
	}
	if file := os.Getenv(asBareServer); file != "" {
		serveBare(file)
	}
	os.Exit(m.Run())
}

// thorough reports whether tests run in their long forms.
func thorough() bool { return os.Getenv("CI") == "true" && !testing.Short() }

// skipOrFail skips a test for what this machine lacks. With CI=true it fails the test.
func skipOrFail(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// need returns the path of a program.
func need(t testing.TB, program string) (path string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		skipOrFail(t, "%s is not installed", program)
	}
	return path
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newFile writes a file into a new folder.
func newFile[T string | []byte](t testing.TB, name string, content T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	noError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	noError(t, err)
	return content
}

type result struct {
	code           int
	stdout, stderr string
}

// understudy runs a command line that is not a server.
func understudy(t testing.TB, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // ends a server that should not have started
	defer cancel()
	code := run(ctx, append([]string{"understudy"}, args...), &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

// want checks the exit code and that the output contains some texts. The message of a failure must be one line.
func (r result) want(t testing.TB, code int, parts ...string) {
	t.Helper()
	if r.code != code || code != exitOK && strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("exit code %d, want %d, and one line for a failure:\n%s%s", r.code, code, r.stdout, r.stderr)
	}
	for _, part := range parts {
		if !strings.Contains(r.stdout+r.stderr, part) {
			t.Errorf("no %q in\n%s%s", part, r.stdout, r.stderr)
		}
	}
}

// stream is an output that a test reads while it is written.
type stream struct {
	mu      sync.Mutex
	text    strings.Builder
	written chan struct{} // has an element when there is new text
}

func newStream() *stream { return &stream{written: make(chan struct{}, 1)} }

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	select {
	case s.written <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (s *stream) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// find waits until the text matches, and returns the first group.
func (s *stream) find(t testing.TB, pattern string) string {
	t.Helper()
	expression := regexp.MustCompile(pattern)
	deadline := time.After(time.Minute)
	for {
		if found := expression.FindStringSubmatch(s.String()); found != nil {
			return found[1]
		}
		select {
		case <-s.written:
		case <-deadline:
			t.Fatalf("no %s in:\n%s", pattern, s)
		}
	}
}

const (
	listening     = `msg=listening url=(\S+)`
	listeningLine = `(?m)^(.*msg=listening.*)$`
	key           = "svc_sk_test_main"
)

// server is an emulator that runs for a test.
type server struct {
	url     string
	stderr  *stream
	process *exec.Cmd  // nil: in the process of the test
	stop    func() int // returns the exit code
}

// serveArgs is a command line that serves, on a free port unless args name one.
func serveArgs(args ...string) []string {
	return append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)
}

// startServer serves in this process.
func startServer(t testing.TB, args ...string) server {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stderr, ended := newStream(), make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"understudy"}, serveArgs(args...)...), &bytes.Buffer{}, stderr)
	}()
	stop := sync.OnceValue(func() int {
		cancel()
		select {
		case code := <-ended:
			return code
		case <-time.After(time.Minute):
			t.Errorf("it has not ended within a minute:\n%s", stderr)
			return exitFailed
		}
	})
	t.Cleanup(func() { stop() })
	return server{stderr.find(t, listening), stderr, nil, stop}
}

// startProcess serves in another process.
func startProcess(t testing.TB, args ...string) server {
	t.Helper()
	return launch(t, self(t, asUnderstudy+"=1", serveArgs(args...)...))
}

// launch starts a command that serves.
func launch(t testing.TB, c *exec.Cmd) server {
	t.Helper()
	stderr := begin(t, c)
	return server{stderr.find(t, listening), stderr, c, func() int {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		return wantEnded(t, c, stderr)
	}}
}

// self returns the command that runs the test binary with a variable such as asUnderstudy.
func self(t testing.TB, variable string, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	noError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // a process that hangs ends before the tests' own limit
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, binary, args...)
	c.Env = append(os.Environ(), variable)
	return c
}

// begin starts a process that is killed when the test ends.
func begin(t testing.TB, c *exec.Cmd) *stream {
	t.Helper()
	stderr := newStream()
	c.Stderr = stderr
	noError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
	})
	return stderr
}

// end stops a server and wants exit code 0.
func (s server) end(t testing.TB) {
	t.Helper()
	if code := s.stop(); code != exitOK {
		t.Errorf("exit code %d at the end:\n%s", code, s.stderr)
	}
}

// kill kills the process.
func (s server) kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait() // reports the kill
}

func (s server) host() string { return s.url[strings.Index(s.url, "//")+2:] }

// api returns the checking client of a server.
func (s server) api(t testing.TB) *apitest.Client {
	t.Helper()
	return apitest.New(t, s.url, key)
}

// wantStatus checks the status of an answer.
func wantStatus(t testing.TB, r *apitest.Response, status int) {
	t.Helper()
	if r.Status != status {
		t.Errorf("answered %d, want %d: %s %s", r.Status, status, r.Header, r.Body)
	}
}

// wantServing wants a server to answer a read.
func (s server) wantServing(t testing.TB) {
	t.Helper()
	wantStatus(t, s.api(t).Get("/verification-requests/vr_completed"), http.StatusOK)
}

// wantUpdate updates the name of a property, and checks the status of the answer.
func (s server) wantUpdate(t testing.TB, name string, status int) {
	t.Helper()
	wantStatus(t, s.api(t).Put("/tenant-properties/tp_default", `{"name":"`+name+`"}`), status)
}

// wantEnded wants a process to end within a minute, and returns its exit code.
func wantEnded(t testing.TB, c *exec.Cmd, stderr *stream) int {
	t.Helper()
	limit := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
	_ = c.Wait() // the exit code has the result
	if !limit.Stop() {
		t.Errorf("it has not ended within a minute:\n%s", stderr)
	}
	return c.ProcessState.ExitCode()
}
