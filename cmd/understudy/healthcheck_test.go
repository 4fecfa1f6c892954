package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestHealthcheck(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, port, err := net.SplitHostPort(s.host())
	noError(t, err)
	for _, addr := range []string{"127.0.0.1:" + port, ":" + port, "0.0.0.0:" + port, "[::]:" + port} {
		if got := understudy(t, "healthcheck", "--addr", addr); got != (result{}) {
			t.Errorf("%s: %+v", addr, got)
		}
	}
	if got := understudy(t, "healthcheck", "--url", s.url+"/", "--json"); got != (result{stdout: `{"status":"ready"}` + "\n"}) {
		t.Errorf("by its URL: %+v", got)
	}
	secure := startServer(t, "--tls-auto")
	understudy(t, "healthcheck", "--url", secure.url).want(t, exitOK)
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
		understudy(t, "healthcheck", "--url", url).want(t, exitFailed, "understudy: not ready: "+url+"/_understudy/v1/ready answers 503 Service Unavailable\n")
		if n := asked.Load(); n != 1 {
			t.Errorf("%d attempts", n)
		}
	})
	t.Run("it ends when the emulator is ready", func(t *testing.T) {
		t.Parallel()
		url, asked := answers(t, 2)
		understudy(t, "healthcheck", "--url", url, "--wait", "1m").want(t, exitOK)
		if n := asked.Load(); n != 3 {
			t.Errorf("%d attempts", n)
		}
	})
	t.Run("it ends with the last reason", func(t *testing.T) {
		t.Parallel()
		url, _ := answers(t, forever)
		understudy(t, "healthcheck", "--url", url, "--wait", "250ms").want(t, exitFailed, "understudy: not ready: "+url+"/_understudy/v1/ready answers 503 Service Unavailable\n")
		understudy(t, "healthcheck", "--url", "http://127.0.0.1:1", "--wait", "250ms").want(t, exitFailed, "understudy: not ready: no answer from http://127.0.0.1:1/_understudy/v1/ready: connect: connection refused")
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
			got := understudy(t, "healthcheck", "--url", url, "--wait", "1m")
			got.want(t, exitFailed, fmt.Sprintf("/_understudy/v1/ready is not an emulator: it answers %d ", status), "name its address with --url\n")
			if n := asked.Load(); n != 1 || strings.Contains(got.stderr, "correct-horse") {
				t.Errorf("%d attempts: %s", n, got.stderr)
			}
		}
	})
}

// A flag beats a variable, and two flags that name an emulator contradict each other.
func TestHealthcheckAddress(t *testing.T) {
	s, gone := startServer(t), "http://127.0.0.1:1"
	understudy(t, "healthcheck", "--url", s.url, "--addr", s.host()).want(t, exitUsage, "--url and --addr contradict each other: leave one out\n")
	understudy(t, "healthcheck", "--url", s.url, "--tls-auto").want(t, exitUsage, "--url and --tls-auto contradict each other")
	understudy(t, "healthcheck", "--addr", "127.0.0.1:0").want(t, exitUsage, `--addr "127.0.0.1:0" is a free port of serve`, "name the emulator with --url")
	t.Setenv("UNDERSTUDY_URL", gone)
	understudy(t, "healthcheck", "--addr", s.host()).want(t, exitOK)
	t.Setenv("UNDERSTUDY_ADDR", s.host())
	understudy(t, "healthcheck").want(t, exitFailed, gone, "name its address with UNDERSTUDY_URL") // as inside understudy run
	understudy(t, "healthcheck", "--url", s.url).want(t, exitOK)
}

func TestHealthcheckURLFile(t *testing.T) {
	gone, none := "http://127.0.0.1:1", filepath.Join(t.TempDir(), "none")
	file := filepath.Join(t.TempDir(), "url")
	waiting := make(chan result)
	go func() { waiting <- understudy(t, "healthcheck", "--url-file", file, "--wait", "1m") }()
	s := startServer(t, "--url-file", file)
	if got := <-waiting; got != (result{}) {
		t.Errorf("started before the server: %+v", got)
	}
	secure := filepath.Join(t.TempDir(), "url")
	startServer(t, "--url-file", secure, "--tls-auto", "--control-addr", "127.0.0.1:0")
	understudy(t, "healthcheck", "--url-file", secure).want(t, exitOK)

	understudy(t, "healthcheck", "--url-file", none).want(t, exitFailed,
		"understudy: not ready: --url-file "+none+" cannot be read: no such file or directory: start understudy serve --url-file, or name its file\n")
	secret := newFile(t, "key", "svc_sk_test_private\n")
	if got := understudy(t, "healthcheck", "--url-file", secret); got.code != exitFailed || got.stderr != "understudy: not ready: --url-file "+secret+" has no URL: name the file of understudy serve --url-file\n" {
		t.Errorf("a file of something else: %+v", got)
	}
	long := newFile(t, "url", strings.Repeat("x", 1<<20)+"\n"+s.url+"\n")
	understudy(t, "healthcheck", "--url-file", long).want(t, exitFailed, " has no URL: ")
	private := newFile(t, "url", "http://me:correct-horse@127.0.0.1:1\n")
	if got := understudy(t, "healthcheck", "--url-file", private); got.code != exitFailed || strings.Contains(got.stderr, "correct-horse") {
		t.Errorf("a URL with a password: %+v", got)
	}
	understudy(t, "healthcheck", "--url-file", newFile(t, "url", gone+"\n")).want(t, exitFailed, "no answer from "+gone) // of a process that was killed
	understudy(t, "healthcheck", "--url-file", t.TempDir()).want(t, exitFailed, " cannot be read: it is not a regular file: ")
	understudy(t, "healthcheck", "--url-file", file, "--url", s.url).want(t, exitUsage, "--url-file and --url contradict each other")
	understudy(t, "healthcheck", "--url-file", file, "--addr", s.host()).want(t, exitUsage, "--url-file and --addr contradict each other")

	t.Setenv("UNDERSTUDY_URL", gone)
	t.Setenv("UNDERSTUDY_ADDR", "127.0.0.1:1")
	t.Setenv("UNDERSTUDY_URL_FILE", file) // which the server has written beats its settings
	understudy(t, "healthcheck").want(t, exitOK)
	t.Setenv("UNDERSTUDY_URL_FILE", none)
	understudy(t, "healthcheck").want(t, exitFailed, "UNDERSTUDY_URL_FILE "+none+" cannot be read: ")
	understudy(t, "healthcheck", "--url", s.url).want(t, exitOK)
	understudy(t, "healthcheck", "--addr", s.host()).want(t, exitOK)
}
