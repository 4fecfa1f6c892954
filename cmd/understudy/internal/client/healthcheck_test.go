package client

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

func TestHealthcheck(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t)
	_, port, err := net.SplitHostPort(s.Host())
	commandtest.NoError(t, err)
	for _, addr := range []string{"127.0.0.1:" + port, ":" + port, "0.0.0.0:" + port, "[::]:" + port} {
		if got := commandtest.Understudy(t, "healthcheck", "--addr", addr); got != (commandtest.Result{}) {
			t.Errorf("%s: %+v", addr, got)
		}
	}
	if got := commandtest.Understudy(t, "healthcheck", "--url", s.URL+"/", "--json"); got != (commandtest.Result{Stdout: `{"status":"ready"}` + "\n"}) {
		t.Errorf("by its URL: %+v", got)
	}
	secure := commandtest.StartServer(t, "--tls-auto")
	commandtest.Understudy(t, "healthcheck", "--url", secure.URL).Want(t, command.ExitOK)
}

// answers is a server that is sick for some answers and then ready.
func answers(t *testing.T, sick int32) (url string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) <= sick {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"status":"ready"}`)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func TestHealthcheckWait(t *testing.T) {
	t.Parallel()
	const forever = 1 << 30
	t.Run("without it there is one attempt", func(t *testing.T) {
		t.Parallel()
		url, asked := answers(t, forever)
		commandtest.Understudy(t, "healthcheck", "--url", url).Want(t, command.ExitFailed, "understudy: not ready: "+url+"/_understudy/v1/ready answers 503 Service Unavailable\n")
		if n := asked.Load(); n != 1 {
			t.Errorf("%d attempts", n)
		}
	})
	t.Run("it ends when the emulator is ready", func(t *testing.T) {
		t.Parallel()
		url, asked := answers(t, 2)
		commandtest.Understudy(t, "healthcheck", "--url", url, "--wait", "1m").Want(t, command.ExitOK)
		if n := asked.Load(); n != 3 {
			t.Errorf("%d attempts", n)
		}
	})
	t.Run("it ends with the last reason", func(t *testing.T) {
		t.Parallel()
		url, _ := answers(t, forever)
		commandtest.Understudy(t, "healthcheck", "--url", url, "--wait", "250ms").Want(t, command.ExitFailed, "understudy: not ready: "+url+"/_understudy/v1/ready answers 503 Service Unavailable\n")
		commandtest.Understudy(t, "healthcheck", "--url", "http://127.0.0.1:1", "--wait", "250ms").Want(t, command.ExitFailed, "understudy: not ready: no answer from http://127.0.0.1:1/_understudy/v1/ready: connect: connection refused")
	})
	t.Run("another server is no emulator, and is not asked again", func(t *testing.T) {
		t.Parallel()
		for status, body := range map[int]string{200: "welcome", 404: "no page has this name", 401: `{"error":"who are you?"}`} {
			var asked atomic.Int32
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				w.WriteHeader(status)
				fmt.Fprint(w, body)
			}))
			defer s.Close()
			url := strings.Replace(s.URL, "//", "//me:correct-horse@", 1)
			got := commandtest.Understudy(t, "healthcheck", "--url", url, "--wait", "1m")
			got.Want(t, command.ExitFailed, fmt.Sprintf("/_understudy/v1/ready is not an emulator: it answers %d ", status), "name its address with --url\n")
			if n := asked.Load(); n != 1 || strings.Contains(got.Stderr, "correct-horse") {
				t.Errorf("%d attempts: %s", n, got.Stderr)
			}
		}
	})
}

// A flag beats a variable, and two flags that name an emulator contradict each other.
func TestHealthcheckAddress(t *testing.T) {
	s, gone := commandtest.StartServer(t), "http://127.0.0.1:1"
	commandtest.Understudy(t, "healthcheck", "--url", s.URL, "--addr", s.Host()).Want(t, command.ExitUsage, "--url and --addr contradict each other: leave one out\n")
	commandtest.Understudy(t, "healthcheck", "--url", s.URL, "--tls-auto").Want(t, command.ExitUsage, "--url and --tls-auto contradict each other")
	commandtest.Understudy(t, "healthcheck", "--addr", "127.0.0.1:0").Want(t, command.ExitUsage, `--addr "127.0.0.1:0" is a free port of serve`, "name the emulator with --url")
	t.Setenv("UNDERSTUDY_URL", gone)
	commandtest.Understudy(t, "healthcheck", "--addr", s.Host()).Want(t, command.ExitOK)
	t.Setenv("UNDERSTUDY_ADDR", s.Host())
	commandtest.Understudy(t, "healthcheck").Want(t, command.ExitFailed, gone, "name its address with UNDERSTUDY_URL") // as inside understudy run
	commandtest.Understudy(t, "healthcheck", "--url", s.URL).Want(t, command.ExitOK)
}

func TestHealthcheckURLFile(t *testing.T) {
	gone, none := "http://127.0.0.1:1", filepath.Join(t.TempDir(), "none")
	file := filepath.Join(t.TempDir(), "url")
	waiting := make(chan commandtest.Result)
	go func() { waiting <- commandtest.Understudy(t, "healthcheck", "--url-file", file, "--wait", "1m") }()
	s := commandtest.StartServer(t, "--url-file", file)
	if got := <-waiting; got != (commandtest.Result{}) {
		t.Errorf("started before the server: %+v", got)
	}
	secure := filepath.Join(t.TempDir(), "url")
	commandtest.StartServer(t, "--url-file", secure, "--tls-auto", "--control-addr", "127.0.0.1:0")
	commandtest.Understudy(t, "healthcheck", "--url-file", secure).Want(t, command.ExitOK)

	commandtest.Understudy(t, "healthcheck", "--url-file", none).Want(t, command.ExitFailed,
		"understudy: not ready: --url-file "+none+" cannot be read: no such file or directory: start understudy serve --url-file, or name its file\n")
	secret := commandtest.NewFile(t, "key", "svc_sk_test_private\n")
	if got := commandtest.Understudy(t, "healthcheck", "--url-file", secret); got.Code != command.ExitFailed || got.Stderr != "understudy: not ready: --url-file "+secret+" has no URL: name the file of understudy serve --url-file\n" {
		t.Errorf("a file of something else: %+v", got)
	}
	long := commandtest.NewFile(t, "url", strings.Repeat("x", 1<<20)+"\n"+s.URL+"\n")
	commandtest.Understudy(t, "healthcheck", "--url-file", long).Want(t, command.ExitFailed, " has no URL: ")
	private := commandtest.NewFile(t, "url", "http://me:correct-horse@127.0.0.1:1\n")
	if got := commandtest.Understudy(t, "healthcheck", "--url-file", private); got.Code != command.ExitFailed || strings.Contains(got.Stderr, "correct-horse") {
		t.Errorf("a URL with a password: %+v", got)
	}
	commandtest.Understudy(t, "healthcheck", "--url-file", commandtest.NewFile(t, "url", gone+"\n")).Want(t, command.ExitFailed, "no answer from "+gone) // of a process that was killed
	commandtest.Understudy(t, "healthcheck", "--url-file", t.TempDir()).Want(t, command.ExitFailed, " cannot be read: it is not a regular file: ")
	commandtest.Understudy(t, "healthcheck", "--url-file", file, "--url", s.URL).Want(t, command.ExitUsage, "--url-file and --url contradict each other")
	commandtest.Understudy(t, "healthcheck", "--url-file", file, "--addr", s.Host()).Want(t, command.ExitUsage, "--url-file and --addr contradict each other")

	t.Setenv("UNDERSTUDY_URL", gone)
	t.Setenv("UNDERSTUDY_ADDR", "127.0.0.1:1")
	t.Setenv("UNDERSTUDY_URL_FILE", file) // which the server has written beats its settings
	commandtest.Understudy(t, "healthcheck").Want(t, command.ExitOK)
	t.Setenv("UNDERSTUDY_URL_FILE", none)
	commandtest.Understudy(t, "healthcheck").Want(t, command.ExitFailed, "UNDERSTUDY_URL_FILE "+none+" cannot be read: ")
	commandtest.Understudy(t, "healthcheck", "--url", s.URL).Want(t, command.ExitOK)
	commandtest.Understudy(t, "healthcheck", "--addr", s.Host()).Want(t, command.ExitOK)
}
