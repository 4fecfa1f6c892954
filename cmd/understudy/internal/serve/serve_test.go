package serve

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

func TestServeLogLine(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t, "--clock", "2025-01-15T09:00:00Z", "--seed", "7")
	line := s.Stderr.Find(t, commandtest.StartLine)
	for _, part := range []string{"url=http://127.0.0.1:", "store=temp", "clock=2025-01-15T09:00:00Z", "seed=7", "scenarios="} {
		if !strings.Contains(line, part) {
			t.Errorf("%q does not say %s", line, part)
		}
	}
	s.WantServing(t)
	s.End(t)
}

// A number is never stored or logged, nor a key that looks random; with --mask-keys none is.
func TestServeSecrets(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"4f9c1e2a7b3d8e60": nil, "very_private": {"--mask-keys"}} {
		t.Run(fmt.Sprint(flags), func(t *testing.T) { // the log has the file, which has the test's name
			t.Parallel()
			file := filepath.Join(t.TempDir(), "understudy.db")
			s := commandtest.StartServer(t, append(flags, "--store", "file:"+file, "--log-level", "debug")...)
			c := apitest.New(t, s.URL, "svc_sk_test_"+name)
			for _, ssn := range []string{"666-12-3456", "666123456"} {
				commandtest.WantStatus(t, c.Post("/credentials/session", strings.Replace(commandtest.NewSession, "000-00-1001", ssn, 1)), http.StatusCreated)
			}
			s.Stop()
			stored := string(commandtest.ReadFile(t, file))
			if !strings.Contains(stored, `"last_four":"3456"`) {
				t.Error("the sessions are not in the file; this test looks in the wrong place")
			}
			for _, secret := range []string{"666-12-3456", "666123456", name} {
				if strings.Contains(stored, secret) || strings.Contains(s.Stderr.String(), secret) {
					t.Errorf("%s is in the store or the log", secret)
				}
			}
		})
	}
}

// Two processes with the same seed and a frozen clock give the same bytes, for different keys and stores.
func TestServeDeterminism(t *testing.T) {
	t.Parallel()
	answers := func(key, store string) string {
		s := commandtest.StartProcess(t, "--clock", "2025-01-15T09:00:00Z", "--seed", "7", "--store", store)
		c := apitest.New(t, s.URL, key)
		var text strings.Builder
		for _, path := range []string{"vr_completed", "vr_lifecycle", "vr_lifecycle", "vr_lifecycle?income_analytics=true", "vr_employment", "vr_nothing"} {
			r := c.Get("/verification-requests/" + path)
			fmt.Fprintf(&text, "%d %s %s\n", r.Status, r.Header.Get("Date"), r.Body)
		}
		return text.String()
	}
	one := answers("svc_sk_test_one", "temp")
	other := answers("svc_sk_test_other", "file:"+filepath.Join(t.TempDir(), "understudy.db"))
	if one != other {
		t.Errorf("one process answers\n%s\nand the other\n%s", one, other)
	}
}

// SIGTERM comes while clients write, wait for slow answers, and hold idle connections. No acknowledged write is lost.
func TestShutdownUnderLoad(t *testing.T) {
	t.Parallel()
	file := "file:" + filepath.Join(t.TempDir(), "understudy.db")
	s := commandtest.StartProcess(t, "--store", file)
	for range 50 {
		commandtest.Dial(t, s.URL) // idle
	}
	fmt.Fprintf(commandtest.Dial(t, s.URL), "%s\r\n", getHead)

	var slow sync.WaitGroup
	var waited atomic.Int32
	for range 4 {
		conn := commandtest.Dial(t, s.URL)
		fmt.Fprintf(conn, "GET /verification-requests/vr_slow HTTP/1.1\r\n%sConnection: close\r\n\r\n", head)
		slow.Go(func() {
			answer := make([]byte, 4096)
			if n, _ := conn.Read(answer); strings.HasPrefix(string(answer[:n]), "HTTP/1.1 200 ") {
				waited.Add(1)
			}
		})
	}
	writers := newWriters()
	writers.write(t, s.URL, 20, func() { s.End(t) }) // exit code 0: within the time to shut down
	if slow.Wait(); waited.Load() != 4 {
		t.Errorf("%d of 4 slow answers came", waited.Load())
	}
	writers.check(t, commandtest.StartServer(t, "--store", file).URL)
}

// --account takes a file, or the account itself in braces.
func TestAccountFlag(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "account.yaml")
	commandtest.NoError(t, os.WriteFile(file, []byte("types: [employment]"), 0o600))
	for name, account := range map[string]string{"file": file, "braces": "{types: [employment]}"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := commandtest.StartServer(t, "--account", account)
			shown := commandtest.Understudy(t, "settings", "--url", s.URL, "--key", commandtest.Key)
			shown.Want(t, command.ExitOK)
			if want := "grease off, session flow auto, the account may do {\"types\":[\"employment\"]}\n"; shown.Stdout != want {
				t.Errorf("%q, want %q", shown.Stdout, want)
			}
		})
	}
	t.Run("unknown key", func(t *testing.T) {
		t.Parallel()
		const want = `--account: account:1:2: unknown key "typs": did you mean types?`
		if got := commandtest.Understudy(t, "serve", "--account", "{typs: [employment]}"); got.Code != command.ExitUsage || !strings.Contains(got.Stderr, want) {
			t.Errorf("%d %s", got.Code, got.Stderr)
		}
	})
}
