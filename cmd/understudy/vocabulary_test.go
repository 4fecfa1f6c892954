package main

import (
	"io"

	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// commandLine is a command of the tree, with its flags and those that it inherits.
type commandLine struct {
	command *cli.Command
	path    string // without understudy
	flags   map[string]cli.Flag
}

// innermost returns the commands that have no subcommands.
func innermost() (all []commandLine) {
	var walk func(c *cli.Command, path []string, inherited []cli.Flag)
	walk = func(c *cli.Command, path []string, inherited []cli.Flag) {
		flags := slices.Concat(inherited, c.Flags)
		if len(c.Commands) == 0 {
			l := commandLine{c, strings.Join(path, " "), make(map[string]cli.Flag)}
			for _, flag := range flags {
				l.flags[flag.Names()[0]] = flag
			}
			all = append(all, l)
		}
		for _, below := range c.Commands {
			walk(below, append(slices.Clone(path), below.Name), flags)
		}
	}
	for _, c := range root(io.Discard, io.Discard).Commands {
		walk(c, []string{c.Name}, nil)
	}
	return all
}

// withoutEmulator are the commands that call no running emulator.
var withoutEmulator = []string{
	"serve", "run", "scenarios list", "scenarios show", "scenarios validate", "scenarios schema", "generate report",
	"generate verification-request", "generate qualification-check", "generate tenant-property", "book show", "book population", "book schema", "compare", "openapi", "skill", "docs", "store check", "version",
}

// Every command that calls an emulator has the same flags for it, with the same meaning.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	usage := func(flag cli.Flag) string { return flag.(cli.DocGenerationFlag).GetUsage() }
	common := make(map[string]string)
	for _, flag := range steeringFlags() {
		common[flag.Names()[0]] = usage(flag)
	}
	for _, l := range innermost() {
		if slices.Contains(withoutEmulator, l.path) {
			if flag := l.flags["json"]; flag != nil && usage(flag) != common["json"] || l.flags["url"] != nil {
				t.Errorf("%s has --url, or another --json", l.path)
			}
			continue
		}
		for name, want := range common {
			flag := l.flags[name]
			if flag == nil && l.path == "healthcheck" && name != "url" && name != "json" { // which needs no world, token or certificate
				continue
			}
			if flag == nil && l.path == "mcp" && name == "json" { // whose output is a protocol
				continue
			}
			if flag == nil || usage(flag) != want {
				t.Errorf("%s has no --%s that means: %s", l.path, name, want)
			}
		}
	}
}

// Missing and unexpected arguments are wrong use, before anything is called.
func TestVocabularyArguments(t *testing.T) {
	t.Parallel()
	nowhere := []string{"--url", "http://127.0.0.1:1", "--key", commandtest.Key}
	for _, l := range innermost() {
		args := strings.Fields(l.path)
		if l.flags["key"] != nil {
			args = append(args, nowhere...)
		}
		if usage := l.command.ArgsUsage; usage != "" && !strings.HasPrefix(usage, "[") {
			if got := commandtest.Understudy(t, args...); got.Code != command.ExitUsage || got.Stdout != "" || strings.Count(got.Stderr, "\n") != 1 {
				t.Errorf("%s without %s: %+v", l.path, usage, got)
			}
		}
		if strings.Contains(l.command.ArgsUsage, "...") {
			continue
		}
		if got := commandtest.Understudy(t, append(args, "a", "b", "c", "d", "e")...); got.Code != command.ExitUsage || got.Stdout != "" || strings.Count(got.Stderr, "\n") != 1 {
			t.Errorf("%s with five arguments: %+v", l.path, got)
		}
	}
}

// A flag that names the world beats a variable that names another one.
func TestVocabularyWorld(t *testing.T) {
	s := commandtest.StartServer(t, "--clock", "2025-01-15T09:00:00Z")
	reset := commandtest.Understudy(t, "reset", "--url", s.URL, "--key", commandtest.Key, "--json")
	reset.Want(t, command.ExitOK)
	id := commandtest.Decoded[struct{ ID string }](t, reset.Stdout).ID
	t.Setenv("UNDERSTUDY_URL", s.URL)
	t.Setenv("UNDERSTUDY_WORLD", "0a0a")
	commandtest.Understudy(t, "clock", "advance", "1h", "--key", commandtest.Key).Want(t, command.ExitOK, "10:00:00Z frozen\n")
	t.Setenv("UNDERSTUDY_KEY", "svc_sk_test_other")
	commandtest.Understudy(t, "clock", "--world", id).Want(t, command.ExitOK, "10:00:00Z frozen\n")
	commandtest.Understudy(t, "clock").Want(t, command.ExitFailed, `There is no world "0a0a"`) // of two variables
}

// steeringFlags returns the flags of every command that steers a running emulator.
func steeringFlags() []cli.Flag { return root(io.Discard, io.Discard).Command("reset").Flags }
