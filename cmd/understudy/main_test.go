package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// asUnderstudy makes the test binary run as the program itself, for tests that need a process to signal or kill.
const asUnderstudy = "UNDERSTUDY_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asUnderstudy) != "" {
		main()
	}
	if file := os.Getenv(asBareServer); file != "" {
		serveBare(file)
	}
	os.Exit(m.Run())
}

// result is what a command line came to.
type result struct {
	code           int
	stdout, stderr string
}

// understudy runs a command line that ends by itself.
func understudy(t *testing.T, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), append([]string{"understudy"}, args...), &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

// stream is a standard error that is read while it is written.
type stream struct {
	mu      sync.Mutex
	text    strings.Builder
	written chan struct{} // has an element when there is something new
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

// find waits until what was written matches, and returns the first group.
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
			t.Fatalf("%s is not in:\n%s", pattern, s)
		}
	}
}

const listening = `msg=listening url=(\S+)`

// server is an emulator that the test serves.
type server struct {
	url    string
	stderr *stream
	stop   func() int // and return the exit code
}

// startServer serves in this process, on a free port unless args name one.
func startServer(t *testing.T, args ...string) server {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stderr, ended := newStream(), make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"understudy", "serve", "--addr", "127.0.0.1:0"}, args...), &bytes.Buffer{}, stderr)
	}()
	stop := sync.OnceValue(func() int {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { stop() })
	return server{stderr.find(t, listening), stderr, stop}
}

const key = "svc_sk_test_main"

// api returns the checking client of a server.
func (s server) api(t *testing.T) *apitest.Client {
	t.Helper()
	return apitest.New(t, s.url, key)
}

func TestServeSaysOnOneLineWhatItServes(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--clock", "2025-01-15T09:00:00Z", "--seed", "7")
	line := s.stderr.find(t, `(?m)^(.*msg=listening.*)$`)
	for _, part := range []string{"url=http://127.0.0.1:", "store=temp", "clock=2025-01-15T09:00:00Z", "seed=7", "scenarios="} {
		if !strings.Contains(line, part) {
			t.Errorf("%q does not say %s", line, part)
		}
	}
	if r := s.api(t).Get("/verification-requests/vr_completed"); r.Status != http.StatusOK {
		t.Errorf("the first request is answered %d", r.Status)
	}
	if code := s.stop(); code != exitOK {
		t.Errorf("exit code %d after the end: %s", code, s.stderr)
	}
}

func TestHeadersOver64KiBAreRefusedAndTheServerServesOn(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	plain := s.api(t).Without(apitest.Document, apitest.Envelope) // it is refused before it is a request
	if r := plain.With("X-Filler", strings.Repeat("x", 70<<10)).Get("/verification-requests/vr_completed"); r.Status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("answered %d", r.Status)
	}
	if r := s.api(t).Get("/verification-requests/vr_completed"); r.Status != http.StatusOK {
		t.Errorf("the next request is answered %d", r.Status)
	}
}

func TestAFlagBeatsItsVariable(t *testing.T) {
	t.Setenv("UNDERSTUDY_SEED", "8")
	t.Setenv("UNDERSTUDY_CLOCK", "2025-02-01T00:00:00Z")
	s := startServer(t, "--seed", "9")
	if line := s.stderr.find(t, `(?m)^(.*msg=listening.*)$`); !strings.Contains(line, "seed=9") || !strings.Contains(line, "clock=2025-02-01T00:00:00Z") {
		t.Errorf("%s", line)
	}
}

func TestEveryFlagHasAVariableThatHelpNames(t *testing.T) {
	t.Parallel()
	eachCommand(root(io.Discard, io.Discard), nil, func(command *cli.Command, path []string) {
		help := understudy(t, append(path, "--help")...).stdout
		for _, flag := range command.Flags {
			name := "UNDERSTUDY_" + strings.ToUpper(strings.ReplaceAll(flag.Names()[0], "-", "_"))
			if !strings.Contains(help, "$"+name+"]") {
				t.Errorf("the help of %s does not name %s", path, name)
			}
		}
	})
}

// eachCommand visits the commands below one, with the words that lead to each.
func eachCommand(above *cli.Command, words []string, visit func(command *cli.Command, words []string)) {
	for _, command := range above.Commands {
		path := append(slices.Clone(words), command.Name)
		visit(command, path)
		eachCommand(command, path, visit)
	}
}

func TestTheHelpOfServeIsGroupedAndShowsExamples(t *testing.T) {
	t.Parallel()
	help := understudy(t, "serve", "--help").stdout
	for _, part := range []string{"Listening", "Worlds", "Logging", "understudy serve --addr :9090"} {
		if !strings.Contains(help, part) {
			t.Errorf("help has no %q", part)
		}
	}
}

func TestMistakesAreOneLineThatNamesTheThingAndTheMend(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	text := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(text, bytes.Repeat([]byte("not a store\n"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		args []string
		code int
		says []string
	}{
		"an unknown command":       {[]string{"sevre"}, exitUsage, []string{`no command "sevre": did you mean serve?`, "--help"}},
		"an unknown flag":          {[]string{"serve", "--sead", "1"}, exitUsage, []string{"no flag --sead: did you mean seed?", "understudy serve --help"}},
		"a flag without value":     {[]string{"serve", "--seed"}, exitUsage, []string{"--seed needs a value: see understudy serve --help"}},
		"an argument":              {[]string{"serve", "now"}, exitUsage, []string{`"now"`}},
		"a bad seed":               {[]string{"serve", "--seed", "one"}, exitUsage, []string{`--seed "one"`, "whole number"}},
		"a negative seed":          {[]string{"serve", "--seed", "-1"}, exitUsage, []string{`--seed "-1"`}},
		"a bad clock":              {[]string{"serve", "--clock", "noon"}, exitUsage, []string{`--clock "noon"`, "2025-01-15T09:00:00Z"}},
		"a bad rate limit":         {[]string{"serve", "--rate-limit", "fast"}, exitUsage, []string{`--rate-limit "fast"`, "10/s"}},
		"a bad time to live":       {[]string{"serve", "--world-ttl", "1ms"}, exitUsage, []string{`--world-ttl "1ms"`, "48h", "off"}},
		"a journal of no size":     {[]string{"serve", "--journal-size", "all"}, exitUsage, []string{`--journal-size "all"`, "0 keeps none"}},
		"a journal of less":        {[]string{"serve", "--journal-size", "-1"}, exitUsage, []string{"--journal-size", "-1"}},
		"a bad key prefix":         {[]string{"serve", "--key-prefix", "a b"}, exitUsage, []string{`--key-prefix: the key prefix "a b" is not`}},
		"a bad log format":         {[]string{"serve", "--log-format", "xml"}, exitUsage, []string{`--log-format "xml"`, "json"}},
		"a bad log level":          {[]string{"serve", "--log-level", "loud"}, exitUsage, []string{`--log-level "loud"`, "debug"}},
		"a store of another kind":  {[]string{"serve", "--store", "redis://x"}, exitUsage, []string{`"redis://x"`, "file:PATH"}},
		"a file that is no store":  {[]string{"serve", "--store", "file:" + text}, exitFailed, []string{text, "not a bbolt file"}},
		"an address in use":        {[]string{"serve", "--addr", taken.Addr().String()}, exitFailed, []string{taken.Addr().String(), "address already in use", "--addr"}},
		"an address that is none":  {[]string{"serve", "--addr", "8080"}, exitUsage, []string{"8080", "--addr"}},
		"no control address":       {[]string{"serve", "--control-addr", "here"}, exitUsage, []string{`--control-addr "here"`, ":8080"}},
		"a taken control address":  {[]string{"serve", "--addr", "127.0.0.1:0", "--control-addr", taken.Addr().String()}, exitFailed, []string{taken.Addr().String(), "choose another with --control-addr"}},
		"a bad control token":      {[]string{"serve", "--control-token", "correct horse"}, exitUsage, []string{"--control-token: the control token may have visible"}},
		"a clock before 1970":      {[]string{"serve", "--clock", "0001-01-01T00:00:00Z"}, exitUsage, []string{"a year from 1970 to 9990"}},
		"version of something":     {[]string{"version", "x"}, exitUsage, []string{`"x"`}},
		"a certificate alone":      {[]string{"serve", "--tls-cert", "c.pem"}, exitUsage, []string{"--tls-cert and --tls-key need each other"}},
		"two ways of TLS":          {[]string{"serve", "--tls-auto", "--tls-key", "k.pem"}, exitUsage, []string{"--tls-auto makes its own"}},
		"no such certificate":      {[]string{"serve", "--tls-cert", "c.pem", "--tls-key", "k.pem"}, exitFailed, []string{"--tls-cert c.pem", "no such file"}},
		"an empty control token":   {[]string{"serve", "--control-token="}, exitUsage, []string{"--control-token, or UNDERSTUDY_CONTROL_TOKEN, is empty: leave it out, or give one"}},
		"neither true nor false":   {[]string{"serve", "--strict=maybe"}, exitUsage, []string{`--strict "maybe" is neither true nor false` + "\n"}},
		"not a number of requests": {[]string{"journal", "--last", "x"}, exitUsage, []string{`--last "x" is not a whole number` + "\n"}},
		"not a span of time":       {[]string{"healthcheck", "--timeout", "x"}, exitUsage, []string{`--timeout "x" is not a span of time such as 5s` + "\n"}},
		"help of no command":       {[]string{"help", "serv"}, exitUsage, []string{`there is no command "serv": did you mean serve? See understudy --help`}},
		"help of no subcommand":    {[]string{"clock", "help", "advnce"}, exitUsage, []string{`there is no command "advnce": did you mean advance? See understudy clock --help`}},
		"too long a span":          {[]string{"clock", "advance", "9999999h", "--key", key}, exitUsage, []string{`"9999999h" is too long a span of time: 285 years`}},
		"a port that is none":      {[]string{"serve", "--addr", "127.0.0.1:99999"}, exitUsage, []string{`--addr "127.0.0.1:99999"`, ":8080"}},
		"an empty port":            {[]string{"serve", "--addr", "127.0.0.1:"}, exitUsage, []string{`--addr "127.0.0.1:"`}},
		"no shell to complete for": {[]string{"completion"}, exitUsage, []string{"bash, zsh, fish or pwsh"}},
		"another shell":            {[]string{"completion", "bogus"}, exitUsage, []string{"bash, zsh, fish or pwsh"}},
		"openapi in another form":  {[]string{"openapi", "--format", "xml"}, exitUsage, []string{`--format "xml"`, "json"}},
		"an unknown subcommand":    {[]string{"scenarios", "validte"}, exitUsage, []string{`no command "validte": did you mean validate?`, "understudy scenarios --help"}},
		"a scenario without name":  {[]string{"scenarios", "show"}, exitUsage, []string{"say which scenario"}},
		"a schema of something":    {[]string{"scenarios", "schema", "x"}, exitUsage, []string{`"x"`}},
		"a world without a key":    {[]string{"reset"}, exitUsage, []string{"--key svc_sk_test_", "UNDERSTUDY_KEY"}},
		"no emulator there":        {[]string{"clock", "--key", key, "--url", "http://127.0.0.1:1"}, exitFailed, []string{"no emulator answers at http://127.0.0.1:1", "refused", "understudy serve", "--url"}},
		"an address without http":  {[]string{"worlds", "--url", "127.0.0.1:8080"}, exitUsage, []string{`--url "127.0.0.1:8080"`, "http://127.0.0.1:8080"}},
		"a clock set to nothing":   {[]string{"clock", "set", "--key", key}, exitUsage, []string{"freeze or run"}},
		"a clock set to noon":      {[]string{"clock", "set", "noon", "--key", key}, exitUsage, []string{`"noon"`, "2025-01-15T09:00:00Z"}},
		"a span that is none":      {[]string{"clock", "advance", "soon", "--key", key}, exitUsage, []string{`"soon"`, "48h"}},
		"a clock command unknown":  {[]string{"clock", "advnce", "1h"}, exitUsage, []string{`no command "advnce": did you mean advance?`}},
		"a flag of the emulator":   {[]string{"clock", "advance", "1h", "--worlt", "x"}, exitUsage, []string{"no flag --worlt: did you mean world?"}},
		"a rule that is not right": {[]string{"faults", "add", "{on: gte}", "--key", key}, exitUsage, []string{"rule:1:6", `unknown value "gte"`}},
		"a fault for no time":      {[]string{"faults", "add", "{on: get, fault: empty}", "--for", "ever", "--key", key}, exitUsage, []string{`--for "ever"`, "10m"}},
		"a move to nowhere":        {[]string{"requests", "move", "vr_completed", "--key", key}, exitUsage, []string{"vr_lifecycle completed"}},
		"a request without id":     {[]string{"requests", "show", "--key", key}, exitUsage, []string{"which request"}},
		"healthcheck of no server": {[]string{"healthcheck", "--addr", "127.0.0.1:1"}, exitFailed, []string{"not ready", "127.0.0.1:1"}},
		"healthcheck of nothing":   {[]string{"healthcheck", "--addr", "here"}, exitUsage, []string{`--addr "here"`, "HOST:PORT"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := understudy(t, tt.args...)
			if got.code != tt.code || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("exit code %d, want %d, and one line on standard error:\n%s", got.code, tt.code, got.stderr)
			}
			for _, part := range tt.says {
				if !strings.Contains(got.stderr, part) {
					t.Errorf("%q does not say %q", got.stderr, part)
				}
			}
		})
	}
}

func TestABadVariableFailsLikeABadFlag(t *testing.T) {
	t.Setenv("UNDERSTUDY_SEED", "one")
	got := understudy(t, "serve")
	if got.code != exitUsage || !strings.Contains(got.stderr, `--seed "one"`) {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
}

func TestHealthcheckIsFineWhenTheServerIsReady(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range []string{"127.0.0.1:" + port, ":" + port, "0.0.0.0:" + port, "[::]:" + port} {
		if got := understudy(t, "healthcheck", "--addr", addr); got.code != exitOK || got.stdout+got.stderr != "" {
			t.Errorf("%s: exit code %d, %s", addr, got.code, got.stderr)
		}
	}
}

func TestHealthcheckIsNotFineWhenTheServerIsNotReady(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sick := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })}
	go func() { _ = sick.Serve(listener) }()
	t.Cleanup(func() { _ = sick.Close() })
	if got := understudy(t, "healthcheck", "--addr", listener.Addr().String()); got.code != exitFailed || !strings.Contains(got.stderr, "503") {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
}

func TestOpenAPIPrintsTheDocumentInBothForms(t *testing.T) {
	t.Parallel()
	if got := understudy(t, "openapi"); got.code != exitOK || !strings.HasPrefix(got.stdout, "openapi: 3") {
		t.Errorf("exit code %d: %.100s", got.code, got.stdout)
	}
	if got := understudy(t, "openapi", "--format", "json"); got.code != exitOK || !strings.HasPrefix(got.stdout, "{\n  \"openapi\": \"3") {
		t.Errorf("exit code %d: %.100s", got.code, got.stdout)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	if got := understudy(t, "version"); got.code != exitOK || !strings.HasPrefix(got.stdout, "understudy ") {
		t.Errorf("exit code %d: %s", got.code, got.stdout)
	}
}

func TestTheNameAloneTeaches(t *testing.T) {
	t.Parallel()
	got := understudy(t)
	for _, part := range []string{"serve", "scenarios", "healthcheck", "openapi", "version", "completion", "svc_sk_test_", "UNDERSTUDY_"} {
		if got.code != exitOK || !strings.Contains(got.stdout, part) {
			t.Errorf("exit code %d, no %q in:\n%s", got.code, part, got.stdout)
		}
	}
}

// process runs the program in a process of its own.
func process(t testing.TB, args ...string) (*exec.Cmd, *stream) {
	t.Helper()
	c := self(t, asUnderstudy+"=1", args...)
	return c, begin(t, c)
}

// self returns the command that runs the test binary as what a variable says.
func self(t testing.TB, variable string, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), binary, args...)
	c.Env = append(os.Environ(), variable)
	return c
}

// begin starts a process that ends with the test.
func begin(t testing.TB, c *exec.Cmd) *stream {
	t.Helper()
	stderr := newStream()
	c.Stderr = stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill() // the one that this test started, if it is still there
		_ = c.Wait()
	})
	return stderr
}
