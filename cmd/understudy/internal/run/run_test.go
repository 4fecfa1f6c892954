//go:build unix

package run

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// inCommand is a shell script that runs command lines of understudy, without flags that name an emulator.
func inCommand(t *testing.T, lines ...string) []string {
	t.Helper()
	binary, err := os.Executable()
	commandtest.NoError(t, err)
	script := "set -e\nunderstudy() { " + commandtest.AsUnderstudy + `=1 "$0" "$@"; }` + "\n" + strings.Join(lines, "\n")
	return []string{"--", commandtest.Need(t, "sh"), "-c", script, binary}
}

func TestRun(t *testing.T) {
	frozen := []string{"run", "--clock", "2025-01-15T09:00:00Z"}
	for name, tt := range map[string]struct {
		flags  []string
		script string
		code   int
		stdout string
	}{
		"client commands need no flags":  {nil, "understudy clock\nunderstudy healthcheck", command.ExitOK, "2025-01-15T09:00:00Z frozen\n"},
		"TLS":                            {[]string{"--tls-auto"}, "understudy clock\nunderstudy healthcheck --json", command.ExitOK, "2025-01-15T09:00:00Z frozen\n{\"status\":\"ready\"}\n"},
		"a control token":                {[]string{"--control-token", "correct-horse"}, "understudy clock", command.ExitOK, "2025-01-15T09:00:00Z frozen\n"},
		"another key prefix":             {[]string{"--key-prefix", "acme"}, "understudy clock\necho $UNDERSTUDY_KEY", command.ExitOK, "2025-01-15T09:00:00Z frozen\nacme_sk_test_run\n"},
		"every interface":                {[]string{"--addr", ":0", "--control-token", "correct-horse"}, "understudy healthcheck\necho ${UNDERSTUDY_URL%:*}", command.ExitOK, "http://127.0.0.1\n"},
		"a key in the environment":       {nil, "echo $UNDERSTUDY_KEY", command.ExitOK, "svc_sk_test_run\n"},
		"the exit code is the command's": {nil, "exit 7", 7, ""},
		"a signal ends the command":      {nil, "kill -KILL $$", 137, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := commandtest.Understudy(t, append(append(frozen[:len(frozen):len(frozen)], tt.flags...), inCommand(t, tt.script)...)...)
			if got.Code != tt.code || got.Stdout != tt.stdout || got.Stderr != "" {
				t.Errorf("%+v, want exit code %d and %q", got, tt.code, tt.stdout)
			}
		})
	}
}

func TestRunEnvironment(t *testing.T) {
	t.Setenv("UNDERSTUDY_URL", "http://127.0.0.1:1")
	t.Setenv("UNDERSTUDY_WORLD", "of another emulator")
	t.Setenv("UNDERSTUDY_KEY", "svc_sk_test_mine")
	got := commandtest.Understudy(t, append([]string{"run"}, inCommand(t, "understudy reset >&2\nunderstudy worlds\necho $UNDERSTUDY_KEY")...)...)
	got.Want(t, command.ExitOK, " is reset, its clock is at ", "svc_sk_test_mine\n")
}

// The page is written whatever the exit code is, and has the requests of all worlds.
func TestRunOut(t *testing.T) {
	t.Parallel()
	page, script := filepath.Join(t.TempDir(), "run.html"), commandtest.Need(t, "curl")+` -s -o /dev/null -H "Authorization: Bearer $UNDERSTUDY_KEY" "$UNDERSTUDY_URL/verification-requests/vr_error_451"
exit 7`
	for name, flags := range map[string][]string{"plain": nil, "with a token": {"--control-token", "correct-horse"}} {
		t.Run(name, func(t *testing.T) {
			got := commandtest.Understudy(t, append(append([]string{"run", "--out", page}, flags...), "--", "sh", "-c", script)...)
			text := string(commandtest.ReadFile(t, page))
			if got.Code != 7 || !strings.Contains(text, "1 request, 1 failed") || !strings.Contains(text, "451 by vr_error_451") {
				t.Errorf("%+v\n%s", got, text)
			}
			commandtest.NoError(t, os.Remove(page))
		})
	}
	for want, flags := range map[string][]string{
		"is in no folder that exists: create ":                           {"--out", filepath.Join(page, "run.html")},
		"--out has the requests of one run, and a trial has many":        {"--out", page, "--trial"},
		"--journal-size 0 leaves nothing to write: --out needs the jour": {"--out", page, "--journal-size", "0"},
	} {
		commandtest.Understudy(t, append(append([]string{"run"}, flags...), "--", "true")...).Want(t, command.ExitUsage, want)
	}
}

func TestRunExitWithStdin(t *testing.T) {
	t.Parallel()
	commandtest.Understudy(t, "run", "--exit-with-stdin", "--", "true").Want(t, command.ExitUsage, "there is no flag --exit-with-stdin")
}

func TestRunNoCommand(t *testing.T) {
	t.Parallel()
	text := commandtest.NewFile(t, "notes.txt", "no program")
	damaged := commandtest.NewFile(t, "damaged", "no program")
	commandtest.NoError(t, os.Chmod(damaged, 0o755))
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"none":                       {nil, command.ExitUsage, "run has no command: give one after --, as in: understudy run -- make test\n"},
		"an empty name":              {[]string{"--", ""}, command.ExitUsage, "run has no command: give one after --, as in: understudy run -- make test\n"},
		"a name that is not found":   {[]string{"--", "nosuch"}, exitNotFound, "the command nosuch is not found: "},
		"a path that is not found":   {[]string{"--", text + ".none"}, exitNotFound, ".none is not found: "},
		"the name of a help command": {[]string{"--", "help"}, exitNotFound, "the command help is not found: "},
		"a file without permission":  {[]string{"--", text}, exitNotExecutable, "cannot be executed: permission denied\n"},
		"a file that is no program":  {[]string{"--", damaged}, exitNotExecutable, "cannot be executed: exec format error\n"},
		"flags without --":           {[]string{"pytest", "-q"}, command.ExitUsage, "there is no flag -q: see understudy run --help, and write -- before the command\n"},
		"a control address":          {[]string{"--control-addr", "127.0.0.1:0", "--", "true"}, command.ExitUsage, "there is no flag --control-addr"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			commandtest.Understudy(t, append([]string{"run"}, tt.args...)...).Want(t, tt.code, tt.want)
		})
	}
}

// The temporary store, the certificate and the URL file are removed.
func TestRunRemovesFiles(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	file := filepath.Join(folder, "url")
	got := commandtest.Understudy(t, append([]string{"run", "--tls-auto", "--url-file", file}, inCommand(t, "cat "+file, "ls "+folder, "exit 3")...)...)
	if got.Code != 3 || !strings.HasPrefix(got.Stdout, "https://127.0.0.1:") || strings.Count(got.Stdout, "\n") < 3 {
		t.Errorf("%+v, want a URL and the names of two files", got)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%s are left, error %v", left, err)
	}
}

// What the specification requires is refused unless --strict says otherwise. At the end what was only diagnosed in any world is
// summed up, also without a journal. The exit code stays.
func TestRunStrict(t *testing.T) {
	script := `get() { ` + commandtest.Need(t, "curl") + ` -s -o /dev/null -w '%{http_code} ' -H "Authorization: Bearer $1" "$UNDERSTUDY_URL/verification-requests/vr_completed$2"; }
get "$UNDERSTUDY_KEY" "?feilds=id"
get "$UNDERSTUDY_KEY"
get svc_sk_test_other
exit 3`
	const version, spec = "understudy: 3 answers asked for no version: --strict=version\n", "understudy: 1 request had unknown query parameters: --strict=spec\n"
	for name, tt := range map[string]struct {
		flags          []string
		variable       string
		stdout, stderr string
	}{
		"the default is spec":     {nil, "", "400 200 200 ", version},
		"off":                     {[]string{"--strict=off"}, "", "200 200 200 ", version + spec},
		"the variable":            {nil, "false", "200 200 200 ", version + spec},
		"a flag beats a variable": {[]string{"--strict=spec"}, "false", "400 200 200 ", version},
		"all":                     {[]string{"--strict"}, "", "400 400 400 ", ""},
		"without a journal":       {[]string{"--journal-size", "0"}, "", "400 200 200 ", version},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("UNDERSTUDY_STRICT", tt.variable)
			got := commandtest.Understudy(t, append(append([]string{"run"}, tt.flags...), "--", commandtest.Need(t, "sh"), "-c", script)...)
			if want := (commandtest.Result{Code: 3, Stdout: tt.stdout, Stderr: tt.stderr}); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

// Programs such as timeout(1) send a signal to the process, and at once to its group: the server stops in order all the same.
func TestSignalTwice(t *testing.T) {
	t.Parallel()
	c := commandtest.Self(t, commandtest.AsUnderstudy+"=1", commandtest.ServeArgs()...)
	stderr := commandtest.Begin(t, c)
	stderr.Find(t, commandtest.StartURL)
	ended := make(chan int)
	go func() { ended <- commandtest.WantEnded(t, c, stderr) }()
	for c.Process.Signal(syscall.SIGTERM) == nil { // until it has ended
	}
	if code := <-ended; code != command.ExitOK || !strings.Contains(stderr.String(), "msg=stopped") {
		t.Errorf("exit code %d:\n%s", code, stderr)
	}
}

// Signals reach the command, here a server, and run ends after it with its exit code.
func TestRunSignals(t *testing.T) {
	t.Parallel()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // below nohup it is ignored, and run would ignore it, too
	for sent, code := range map[syscall.Signal]int{syscall.SIGINT: command.ExitOK, syscall.SIGTERM: command.ExitOK, syscall.SIGHUP: command.ExitOK} {
		t.Run(fmt.Sprint(sent), func(t *testing.T) {
			t.Parallel()
			c, stderr := startRun(t, append([]string{os.Args[0]}, commandtest.ServeArgs()...)...)
			stderr.Find(t, commandtest.StartURL)
			commandtest.NoError(t, c.Process.Signal(sent))
			if got := commandtest.WantEnded(t, c, stderr); got != code || code == command.ExitOK && !strings.Contains(stderr.String(), "msg=stopped") {
				t.Errorf("exit code %d, want %d:\n%s", got, code, stderr)
			}
		})
	}
	for _, sent := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGALRM, syscall.SIGUSR1, syscall.SIGUSR2} {
		t.Run(fmt.Sprint(sent), func(t *testing.T) {
			t.Parallel()
			c, stderr := startRun(t, commandtest.Need(t, "sh"), "-c", "echo '(ready)' >&2; exec sleep 600")
			stderr.Find(t, "(ready)")
			commandtest.NoError(t, c.Process.Signal(sent))
			if got := commandtest.WantEnded(t, c, stderr); got != exitSignal+int(sent) {
				t.Errorf("exit code %d:\n%s", got, stderr)
			}
		})
	}
}

// startRun starts run with a command, without a terminal.
func startRun(t *testing.T, command ...string) (*exec.Cmd, *commandtest.Stream) {
	t.Helper()
	c := commandtest.Self(t, commandtest.AsUnderstudy+"=1", append([]string{"run", "--"}, command...)...)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return c, commandtest.Begin(t, c)
}

// stubborn is a script that goes on after SIGTERM, as its child does. It prints the processes, and each signal.
const stubborn = `trap 'echo "(term)" >&2' TERM; (trap "" TERM; exec sleep 600) & echo "processes $$ $!." >&2; while :; do wait; done`

// A command that goes on after the second signal is killed, with its children.
func TestRunKills(t *testing.T) {
	t.Parallel()
	c, stderr := startRun(t, commandtest.Need(t, "sh"), "-c", stubborn)
	processes := stderr.Find(t, `processes (.*)\.`)
	commandtest.NoError(t, c.Process.Signal(syscall.SIGTERM))
	stderr.Find(t, `(term)`)
	commandtest.NoError(t, c.Process.Signal(syscall.SIGTERM))
	if got := commandtest.WantEnded(t, c, stderr); got != exitSignal+int(syscall.SIGKILL) {
		t.Errorf("exit code %d:\n%s", got, stderr)
	}
	wantGone(t, processes)
}

// wantGone wants processes to end.
func wantGone(t *testing.T, processes string) {
	t.Helper()
	for _, text := range strings.Fields(processes) {
		process, err := strconv.Atoi(text)
		commandtest.NoError(t, err)
		for deadline := time.Now().Add(time.Minute); syscall.Kill(process, 0) == nil; {
			if state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process)); strings.Contains(string(state), ") Z ") {
				break // this system has nobody who waits for it
			}
			if time.Now().After(deadline) {
				t.Fatalf("process %d goes on", process)
			}
		}
	}
}
