// Package command has what all commands share: flags with their environment variables, the errors of a command line and their exit
// codes, input and output.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"
)

func init() { // the library has these words in variables
	cli.UsageCommandHelp = "show the commands, or the help of one"
	cli.CommandHelpTemplate = strings.ReplaceAll(cli.CommandHelpTemplate, "GLOBAL OPTIONS:", "EMULATOR:")
	cli.HelpPrinter = func(to io.Writer, template string, data any) {
		var help strings.Builder
		cli.DefaultPrintHelp(&help, template, data)
		for line := range strings.Lines(joined(help.String())) {
			io.WriteString(to, wrapped(line))
		}
	}
}

// SignalContext returns a context that ends with SIGINT, SIGTERM or SIGHUP; its cause is a signalError. A second after that, another
// signal ends the process: timeout(1) sends two at once.
func SignalContext() context.Context {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup has it ignored
		signal.Notify(signals, syscall.SIGHUP)
	}
	ctx, end := context.WithCancelCause(context.Background())
	go func() {
		end(SignalError{<-signals})
		time.AfterFunc(time.Second, func() { signal.Stop(signals) })
	}()
	return ctx
}

type SignalError struct{ os.Signal }

func (e SignalError) Error() string { return e.String() + " signal received" }

func (e SignalError) Unwrap() error { return context.Canceled }

// Exit codes.
const (
	ExitOK = iota
	ExitFailed
	ExitUsage
)

// Tree completes a tree of commands for [Run].
func Tree(stdout, stderr io.Writer, root *cli.Command) *cli.Command {
	root.Writer, root.ErrWriter = stdout, stderr
	root.ExitErrHandler = func(context.Context, *cli.Command, error) {} // Run gives the exit code
	CheckUsage(root)
	return root
}

// Run executes a command line of a program and returns its exit code. When ctx ends, a server shuts down gracefully.
func Run(ctx context.Context, root *cli.Command, args []string) int {
	args = withDefault(root, args)
	named := namedCommands(root, args)
	err := checkVariables(named...)
	if err == nil {
		err = root.Run(ctx, args)
	}
	if err == nil {
		return ExitOK
	}
	if message := strings.TrimSpace(reword(named, err).Error()); message != "" {
		fmt.Fprintln(root.ErrWriter, "understudy:", strings.TrimPrefix(message, "understudy ")) // some begin with the full name of a command
	}
	if len(named) > 1 && named[1].Name != "serve" && named[1].Name != "run" { // which log them
		for _, warning := range UnknownVariables(root, os.Environ()) {
			fmt.Fprintln(root.ErrWriter, "understudy:", warning)
		}
	}
	if ended := (Ended{}); errors.As(err, &ended) {
		return ended.Code
	}
	if errors.As(err, new(failure)) {
		return ExitFailed
	}
	return ExitUsage
}

// failure is the error of a command whose command line was right. Any other error is about the command line.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// Failed marks the error of a command whose command line was right.
func Failed(err error) error { return failure{err} }

// Blamed returns an error that counts as one about the command line, whether it was marked by [Failed] or not.
func Blamed(err error) error {
	if found := (failure{}); errors.As(err, &found) {
		return found.error
	}
	return err
}

// Ended is the end of a command that understudy ran, or why it did not run.
type Ended struct {
	Code    int // of understudy too
	Message string
}

func (e Ended) Error() string { return e.Message }
