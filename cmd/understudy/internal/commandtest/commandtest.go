// Package commandtest runs command lines, and servers in this process or another, for the tests of the rooms.
package commandtest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
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

	"github.com/google/go-cmp/cmp"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/urfave/cli/v3"
)

// AsUnderstudy makes the test binary run as the program itself, for tests that signal or kill a process.
const AsUnderstudy = "TEST_AS_UNDERSTUDY"

// Program returns the commands of the room that is tested. Main sets it.
var Program func(stdout, stderr io.Writer) *cli.Command

// Room runs the tests of a room, whose test binary is also a program with the commands that the room needs.
func Room(m *testing.M, commands func() []*cli.Command) {
	Main(m, func(stdout, stderr io.Writer) *cli.Command {
		return command.Tree(stdout, stderr, &cli.Command{Name: "understudy", Commands: commands()})
	})
}

// Main is Room for a program with another root.
func Main(m *testing.M, root func(stdout, stderr io.Writer) *cli.Command) {
	Program = root
	if os.Getenv(AsUnderstudy) != "" {
		os.Exit(command.Run(command.SignalContext(), Program(os.Stdout, os.Stderr), os.Args))
	}
	os.Exit(m.Run())
}

// Execute runs a command line.
func Execute(ctx context.Context, stdout, stderr io.Writer, args ...string) int {
	return command.Run(ctx, Program(stdout, stderr), append([]string{"understudy"}, args...))
}

// Thorough reports whether tests run in their long forms.
func Thorough() bool { return os.Getenv("CI") == "true" && !testing.Short() }

// SkipOrFail skips a test for what this machine lacks. With CI=true it fails the test.
func SkipOrFail(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Need returns the path of a program.
func Need(t testing.TB, program string) (path string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		SkipOrFail(t, "%s is not installed", program)
	}
	return path
}

func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// NewFile writes a file into a new folder.
func NewFile[T string | []byte](t testing.TB, name string, content T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func ReadFile(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	NoError(t, err)
	return content
}

type Result struct {
	Code           int
	Stdout, Stderr string
}

// Understudy runs a command line that is not a server.
func Understudy(t testing.TB, args ...string) Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // ends a server that should not have started
	defer cancel()
	code := Execute(ctx, &stdout, &stderr, args...)
	return Result{code, stdout.String(), stderr.String()}
}

// Want checks the exit code and that the output contains some texts. The message of a failure must be one line.
func (r Result) Want(t testing.TB, code int, parts ...string) {
	t.Helper()
	if r.Code != code || code != command.ExitOK && strings.Count(r.Stderr, "\n") != 1 {
		t.Errorf("exit code %d, want %d, and one line for a failure:\n%s%s", r.Code, code, r.Stdout, r.Stderr)
	}
	for _, part := range parts {
		if !strings.Contains(r.Stdout+r.Stderr, part) {
			t.Errorf("no %q in\n%s%s", part, r.Stdout, r.Stderr)
		}
	}
}

// Stream is an output that a test reads while it is written.
type Stream struct {
	mu      sync.Mutex
	text    strings.Builder
	written chan struct{} // has an element when there is new text
}

func NewStream() *Stream { return &Stream{written: make(chan struct{}, 1)} }

func (s *Stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	select {
	case s.written <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (s *Stream) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// Find waits until the text matches, and returns the first group.
func (s *Stream) Find(t testing.TB, pattern string) string {
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
	StartURL  = `msg=listening url=(\S+)`
	StartLine = `(?m)^(.*msg=listening.*)$`
	Key       = "svc_sk_test_main"
)

// Server is an emulator that runs for a test.
type Server struct {
	URL     string
	Stderr  *Stream
	Process *exec.Cmd  // nil: in the process of the test
	Stop    func() int // returns the exit code
}

// ServeArgs is a command line that serves, on a free port unless args name one.
func ServeArgs(args ...string) []string {
	return append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)
}

// StartServer serves in this process.
func StartServer(t testing.TB, args ...string) Server {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stderr, ended := NewStream(), make(chan int, 1)
	go func() {
		ended <- Execute(ctx, &bytes.Buffer{}, stderr, ServeArgs(args...)...)
	}()
	stop := sync.OnceValue(func() int {
		cancel()
		select {
		case code := <-ended:
			return code
		case <-time.After(time.Minute):
			t.Errorf("it has not ended within a minute:\n%s", stderr)
			return command.ExitFailed
		}
	})
	t.Cleanup(func() { stop() })
	return Server{stderr.Find(t, StartURL), stderr, nil, stop}
}

// StartProcess serves in another process.
func StartProcess(t testing.TB, args ...string) Server {
	t.Helper()
	return Launch(t, Self(t, AsUnderstudy+"=1", ServeArgs(args...)...))
}

// Launch starts a command that serves.
func Launch(t testing.TB, c *exec.Cmd) Server {
	t.Helper()
	stderr := Begin(t, c)
	return Server{stderr.Find(t, StartURL), stderr, c, func() int {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		return WantEnded(t, c, stderr)
	}}
}

// Self returns the command that runs the test binary with a variable such as asUnderstudy.
func Self(t testing.TB, variable string, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // a process that hangs ends before the tests' own limit
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, binary, args...)
	c.Env = append(os.Environ(), variable)
	return c
}

// Begin starts a process that is killed when the test ends.
func Begin(t testing.TB, c *exec.Cmd) *Stream {
	t.Helper()
	stderr := NewStream()
	c.Stderr = stderr
	NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
	})
	return stderr
}

// End stops a server and wants exit code 0.
func (s Server) End(t testing.TB) {
	t.Helper()
	if code := s.Stop(); code != command.ExitOK {
		t.Errorf("exit code %d at the end:\n%s", code, s.Stderr)
	}
}

// Kill kills the process.
func (s Server) Kill() {
	_ = s.Process.Process.Kill()
	_ = s.Process.Wait() // reports the kill
}

func (s Server) Host() string { return s.URL[strings.Index(s.URL, "//")+2:] }

// Api returns the checking client of a server.
func (s Server) API(t testing.TB) *apitest.Client {
	t.Helper()
	return apitest.New(t, s.URL, Key)
}

// WantStatus checks the status of an answer.
func WantStatus(t testing.TB, r *apitest.Response, status int) {
	t.Helper()
	if r.Status != status {
		t.Errorf("answered %d, want %d: %s %s", r.Status, status, r.Header, r.Body)
	}
}

// WantServing wants a server to answer a read.
func (s Server) WantServing(t testing.TB) {
	t.Helper()
	WantStatus(t, s.API(t).Get("/verification-requests/vr_completed"), http.StatusOK)
}

// WantUpdate updates the name of a property, and checks the status of the answer.
func (s Server) WantUpdate(t testing.TB, name string, status int) {
	t.Helper()
	WantStatus(t, s.API(t).Put("/tenant-properties/tp_default", `{"name":"`+name+`"}`), status)
}

// WantEnded wants a process to end within a minute, and returns its exit code.
func WantEnded(t testing.TB, c *exec.Cmd, stderr *Stream) int {
	t.Helper()
	limit := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
	_ = c.Wait() // the exit code has the result
	if !limit.Stop() {
		t.Errorf("it has not ended within a minute:\n%s", stderr)
	}
	return c.ProcessState.ExitCode()
}

// NewRequest returns a request with an API key.
func NewRequest(key, method, url, body string) *http.Request {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		panic(err) // the test's own method and address
	}
	r.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// Send returns an answer and its body.
func Send(client *http.Client, request *http.Request) (answer *http.Response, body []byte, err error) {
	answer, err = client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	return answer, body, err
}

// Decoded decodes JSON. It may be called in any goroutine of a test.
func Decoded[T any, Text string | []byte](t testing.TB, text Text) (value T) {
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return value
}

// AttackPatience bounds the wait for a server that fails a test.
const AttackPatience = time.Minute

// Dial opens a connection that is closed when the test ends.
func Dial(t testing.TB, url string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	NoError(t, conn.SetDeadline(time.Now().Add(AttackPatience)))
	return conn
}

// NewSession is the body that makes a session whose request follows the scenario of 000-00-1001.
const NewSession = `{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage","target":{"first_name":"Ada",` +
	`"last_name":"Example","social_security_number":"000-00-1001","date_of_birth":"1990-02-28","company":{"name":"Example Mill"}}}`

// Steered is an emulator that command lines steer in the world of key.
type Steered struct {
	Server
	T *testing.T
}

func Steer(t *testing.T, args ...string) Steered {
	t.Helper()
	return Steered{StartServer(t, append([]string{"--clock", "2025-01-15T09:00:00Z"}, args...)...), t}
}

// Run runs a command line in the world of key.
func (s Steered) Run(args ...string) Result {
	s.T.Helper()
	return Understudy(s.T, append(args, "--url", s.URL, "--key", Key)...)
}

// Prints runs a command line in the world of key, and checks its output.
func (s Steered) Prints(want string, args ...string) {
	s.T.Helper()
	got := s.Run(args...)
	if diff := cmp.Diff(want, got.Stdout); diff != "" || got.Code != command.ExitOK || got.Stderr != "" {
		s.T.Errorf("%s: exit code %d, %s\n%s", args, got.Code, got.Stderr, diff)
	}
}

// Fails runs a command line in the world of key, and checks the message of its failure.
func (s Steered) Fails(want string, args ...string) {
	s.T.Helper()
	got := s.Run(args...)
	if diff := cmp.Diff("understudy: "+want+"\n", got.Stderr); diff != "" || got.Code != command.ExitFailed || got.Stdout != "" {
		s.T.Errorf("%s: exit code %d, %s\n%s", args, got.Code, got.Stdout, diff)
	}
}

// FolderOf writes a scenario file into a new folder.
func FolderOf(t *testing.T, text string) (folder string) {
	t.Helper()
	return filepath.Dir(NewFile(t, "a.yaml", text))
}

// Mine is a scenario file.
const Mine = "name: mine\ntitle: A property of mine\nmagic: {tenant_property: tp_mine}\n"

// Odd answers with a status that spec 4.4 does not list: allowed, with a warning.
const Odd = "name: odd\ntitle: Odd\nmagic: {ssn: 000-00-7777}\nrules: [{on: create, respond: {status: 404}}]\n"
