// Package run has the command that runs another command with an emulator of its own: a command line goes in, and its exit code comes
// out.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/coverage"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/serve"
	"github.com/understudy-sandbox/understudy/emulator"
)

func Command() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "run a command with an emulator of its own, and exit as it does",
		ArgsUsage: "-- COMMAND...",
		Description: `It starts an emulator on a free port, runs COMMAND, and stops the emulator when COMMAND ends. COMMAND finds in its environment
UNDERSTUDY_URL, UNDERSTUDY_KEY (unless it is set: PREFIX_sk_test_run), and with --tls-auto UNDERSTUDY_CA, the file of the
certificate to trust. The client commands of understudy read them too. Examples:

   understudy run -- go test ./...
   understudy run --clock 2025-01-15T09:00:00Z -- npm test
   understudy run -- sh -c 'API_URL=$UNDERSTUDY_URL API_KEY=$UNDERSTUDY_KEY make test'
   understudy run --trial -- ./smoke.sh                  which faults, statuses and states can it not act with?
   understudy run --coverage -- npm test                 which documented answers has it never met?
   understudy run --out run.html -- npm test             what did it ask, and why was it answered so? One page, without a server.

The flags are those of serve without --control-addr and --exit-with-stdin; only warnings are logged. Unless --strict says
otherwise, it is spec. At the end, standard error has a line for each kind of finding that was only diagnosed, with the --strict
that rejects it. Signals are passed on to COMMAND, which is killed 5 s after the second one that asks it to end. The exit code
is that of COMMAND, 128 and the number of the signal that ended it, 127 if it is not found, and 126 if it cannot be executed.`,
		Flags:           runFlags(),
		Action:          runWithEmulator,
		HideHelpCommand: true, // COMMAND may be help
	}
}

// runFlags returns the flags of serve with the defaults of run. There is no --control-addr, because the command gets one URL for
// the API and the control plane, and no --exit-with-stdin, because the input is the command's.
func runFlags() []cli.Flag {
	flags := slices.DeleteFunc(serve.Flags(), func(flag cli.Flag) bool {
		return slices.Contains([]string{"control-addr", "exit-with-stdin"}, flag.Names()[0])
	})
	for _, flag := range flags {
		switch flag := flag.(type) {
		case *cli.StringFlag:
			flag.Value = cmp.Or(map[string]string{"addr": "127.0.0.1:0", "log-level": "warn"}[flag.Name], flag.Value)
		case *command.WordFlag:
			flag.Value = cmp.Or(map[string]string{"strict": "spec"}[flag.Name], flag.Value)
		}
	}
	return slices.Concat(flags, []cli.Flag{outFlag()}, trialFlags(), coverage.Flags())
}

// Exit codes of run, as shells have them.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
	exitSignal        = 128 // and the number of the signal
)

func runWithEmulator(ctx context.Context, c *cli.Command) error {
	if c.Args().First() == "" {
		return errors.New("run has no command: give one after --, as in: understudy run -- make test")
	}
	if found := exec.Command(c.Args().First()); found.Err != nil {
		return notStarted(found, found.Err)
	}
	covered, err := coverage.Of(c, wantsTrial(c))
	if err := cmp.Or(err, checkTrial(c), checkOut(c)); err != nil {
		return err
	}
	work := once
	if wantsTrial(c) {
		work = try
		if !c.IsSet("clock") { // the same data in every trial
			err = c.Set("clock", command.GeneratedAt)
		}
	}
	if err != nil {
		return err
	}
	seen := &observer{by: make(map[string]*watch)}
	around := seen.around
	if covered == nil {
		around = nil
	}
	return serve.Emulate(ctx, c, around, func(ctx context.Context, settings serve.Settings, e *emulator.Emulator, baseURL string) error {
		authority, err := writeAuthority(settings.Authority)
		defer os.Remove(authority)
		if err != nil {
			return err
		}
		env := append(os.Environ(), "UNDERSTUDY_URL="+baseURL, "UNDERSTUDY_WORLD=") // of another emulator
		for name, value := range map[string]string{"UNDERSTUDY_CONTROL_TOKEN=": c.String("control-token"), "UNDERSTUDY_CA=": authority} {
			if value != "" {
				env = append(env, name+value)
			}
		}
		err = work(ctx, c, &trial{emulator: e, observer: seen, coverage: covered, command: c.Args().Slice(), env: env})
		return errors.Join(err, covered.Report(ctx, c, e))
	})
}

// once runs the command as it is.
func once(ctx context.Context, c *cli.Command, t *trial) error {
	child := exec.Command(t.command[0], t.command[1:]...)
	child.Stdin, child.Stdout, child.Stderr = c.Root().Reader, c.Root().Writer, c.Root().ErrWriter
	child.Env = append(t.env, "UNDERSTUDY_KEY="+cmp.Or(os.Getenv("UNDERSTUDY_KEY"), t.emulator.Key("run")))
	if t.coverage != nil {
		t.observer.watch("", &watch{coverage: t.coverage})
	}
	err := errors.Join(execute(ctx, child), writeOut(ctx, c, t.emulator))
	for _, line := range t.emulator.Diagnosed() {
		fmt.Fprintln(c.Root().ErrWriter, "understudy:", line)
	}
	return err
}

// lastWait is how long a command may go on after the second signal that asks it to end. Then it is killed.
const lastWait = 5 * time.Second

// execute runs a command to its end, and passes signals on to it. It does not start it when ctx has ended.
func execute(ctx context.Context, child *exec.Cmd) error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, passedOn...)
	if !signal.Ignored(syscall.SIGHUP) { // as below nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	defer signal.Stop(signals)
	if ctx.Err() != nil {
		return errors.New("interrupted before the command was started")
	}
	runtime.LockOSThread() // the command ends with the thread that starts it
	defer runtime.UnlockOSThread()
	kill := setApart(child)
	if err := child.Start(); err != nil {
		return notStarted(child, err)
	}
	ended, asked := make(chan error), 0
	go func() { ended <- child.Wait() }()
	for {
		select {
		case s := <-signals:
			if fromTerminal(s) { // which sends it to the command, too
				continue
			}
			_ = child.Process.Signal(s) // it may have ended
			if slices.Contains([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}, s) {
				asked++
			}
			if asked == 2 {
				time.AfterFunc(lastWait, kill)
			}
		case err := <-ended:
			return commandEnd(child.ProcessState, err)
		}
	}
}

// commandEnd returns the error of a command that has ended, nil after exit code 0.
func commandEnd(state *os.ProcessState, err error) error {
	if state == nil || state.Success() {
		return err
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return command.Ended{Code: exitSignal + int(status.Signal())}
	}
	return command.Ended{Code: state.ExitCode()}
}

// notStarted returns the error of a command that could not be started.
func notStarted(child *exec.Cmd, err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return command.Ended{Code: exitNotFound, Message: fmt.Sprintf("the command %s is not found: correct its name or path, or the first line of a script", child.Args[0])}
	}
	return command.Ended{Code: exitNotExecutable, Message: fmt.Sprintf("the command %s cannot be executed: %s", child.Args[0], cmp.Or(errors.Unwrap(err), err))}
}

// writeAuthority writes the certificate of an authority to a temporary file. Without one the path is "".
func writeAuthority(certificate []byte) (path string, err error) {
	if certificate == nil {
		return "", nil
	}
	file, err := os.CreateTemp("", "understudy-ca-*.pem")
	if err != nil {
		return "", err
	}
	_, err = file.Write(certificate)
	return file.Name(), errors.Join(err, file.Close())
}
