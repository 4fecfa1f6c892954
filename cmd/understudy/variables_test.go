package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/store/etcd"
)

// commandFlag is a flag of the command to which path leads.
type commandFlag struct {
	path []string
	name string
}

func (f commandFlag) String() string { return strings.Join(f.path, " ") + " --" + f.name }

// allFlags returns the flags of all commands that have a variable.
func allFlags() (flags []commandFlag) {
	var walk func(c *cli.Command, path []string)
	walk = func(c *cli.Command, path []string) {
		for _, flag := range c.Flags {
			if len(flag.(cli.DocGenerationFlag).GetEnvVars()) > 0 {
				flags = append(flags, commandFlag{path, flag.Names()[0]})
			}
		}
		for _, below := range c.Commands {
			walk(below, append(slices.Clone(path), below.Name))
		}
	}
	walk(root(io.Discard, io.Discard), nil)
	return flags
}

// probe parses the flag's command line, does not act on it, and returns the value and the name under which it was given.
func (f commandFlag) probe(t *testing.T, args ...string) (value, name string, isSet bool) {
	t.Helper()
	tree := root(io.Discard, io.Discard)
	last := tree
	for _, word := range f.path {
		last = last.Command(word)
	}
	last.Action = func(_ context.Context, c *cli.Command) error {
		value, name, isSet = fmt.Sprint(c.Value(f.name)), command.Given(c, f.name), c.IsSet(f.name)
		return nil
	}
	commandtest.NoError(t, tree.Run(t.Context(), slices.Concat([]string{"understudy"}, f.path, args)))
	return value, name, isSet
}

// typed returns two values that the library accepts for a flag with a default.
func typed(unset string) (one, other string) {
	switch unset {
	case "false":
		return "true", "false"
	case "0":
		return "3", "4"
	case "0s", "2s", "8s":
		return "3s", "4s"
	case "[]":
		return "[a]", "[b]"
	}
	return "a", "b"
}

// A value of an environment file is refused when it has what belongs to the file.
func TestVariablesOfFile(t *testing.T) {
	for name, tt := range map[string]struct{ variable, value, want string }{
		"carriage return":           {"URL_FILE", "u.txt\r", "UNDERSTUDY_URL_FILE has a carriage return in its value"},
		"quotes":                    {"STORE", `"file:x.db"`, "UNDERSTUDY_STORE has quotes around its value"},
		"one quote alone":           {"STORE", `"`, "no such store"},
		"blanks":                    {"CONTROL_TOKEN", "correct-horse ", "UNDERSTUDY_CONTROL_TOKEN has blanks at an end of its value"},
		"variable that no flag has": {"ETCD_CA", "'ca.pem'", "UNDERSTUDY_ETCD_CA has quotes around its value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(command.VariablePrefix+tt.variable, tt.value)
			commandtest.Understudy(t, commandtest.ServeArgs()...).Want(t, command.ExitUsage, tt.want)
		})
	}
	t.Run("of another command", func(t *testing.T) {
		t.Setenv("UNDERSTUDY_STORE", `"file:x.db"`)
		if got := commandtest.Understudy(t, "version"); got.Code != command.ExitOK {
			t.Errorf("exit code %d: %s", got.Code, got.Stderr)
		}
	})
}

// A flag of one command alone has no variable.
func TestVariablesOfOneCommand(t *testing.T) {
	without := commandtest.Understudy(t, "generate", "report")
	t.Setenv("UNDERSTUDY_ID", "9")
	if with := commandtest.Understudy(t, "generate", "report"); with.Stdout != without.Stdout {
		t.Error("UNDERSTUDY_ID changes what generate prints")
	}
}

// Every setting has a variable. The flag wins, and an empty variable counts as unset.
func TestVariables(t *testing.T) {
	for _, f := range allFlags() {
		t.Run(f.String(), func(t *testing.T) {
			variable, unbracketed := string(command.VariableOf(f.name)), strings.NewReplacer("[", "", "]", "")
			unset, _, _ := f.probe(t)
			one, other := typed(unset)
			byFlag := "--" + f.name + "=" + unbracketed.Replace(one)
			want := func(wantValue, wantName string, wantSet bool, args ...string) {
				t.Helper()
				value, name, isSet := f.probe(t, args...)
				if value != wantValue || name != wantName || isSet != wantSet {
					t.Errorf("%s: value %q by %s, set %t, want %q by %s, %t", args, value, name, isSet, wantValue, wantName, wantSet)
				}
			}
			want(one, "--"+f.name, true, byFlag)
			t.Setenv(variable, "")
			want(unset, "--"+f.name, false)
			t.Setenv(variable, unbracketed.Replace(other))
			want(other, variable, true)
			want(one, "--"+f.name, true, byFlag)
		})
	}
}

// anyValue reports whether the command takes every value of a flag, because the emulator checks it, or no value is wrong.
func (f commandFlag) anyValue() bool {
	switch f.name {
	case "control-token":
		return f.path[0] != "serve"
	case "scenario":
		return f.path[0] != "generate"
	case "tls-cert", "tls-key":
		return f.path[0] == "healthcheck" // which only wants to know whether there is one
	case "url-file", "for":
		return true // a path; a span, which the emulator checks
	}
	return slices.Contains(strings.Fields("control-host details id key method name operation outcome path reason search since state status world"), f.name)
}

// arguments are those without which a command fails before it looks at its flags.
var arguments = map[string][]string{
	"run":        {"--", "true"},
	"faults add": {"{on: get, fault: empty}"}, "scenarios show": {"lifecycle"}, "scenarios put": {"../../scenarios/catalogue/tenant-properties/tenant-properties.yaml"}, "scenarios delete": {"mine"}, "scenarios resolve": {"GET", "/"}, "snapshot": {"save", "-"},
}

// A bad value is reported by the name under which the user gave it. A new flag must refuse the value here, or be in anyValue.
func TestVariablesBadValue(t *testing.T) {
	const bad = "no such value"
	for _, f := range allFlags() {
		if f.anyValue() {
			continue
		}
		t.Run(f.String(), func(t *testing.T) {
			given, variable := arguments[strings.Join(f.path, " ")], string(command.VariableOf(f.name))
			want := func(name, otherName string, args ...string) {
				t.Helper()
				got := commandtest.Understudy(t, args...)
				if got.Code == command.ExitOK || got.Stdout != "" || !strings.Contains(got.Stderr, name+" ") && !strings.Contains(got.Stderr, name+":") || strings.Contains(got.Stderr, otherName) {
					t.Errorf("%q: exit code %d, want a message that names %s:\n%s%s", args, got.Code, name, got.Stdout, got.Stderr)
				}
			}
			want("--"+f.name, variable, slices.Concat(f.path, []string{"--" + f.name + "=" + bad}, given)...)
			t.Setenv(variable, bad)
			want(variable, "--"+f.name, slices.Concat(f.path, given)...)
		})
	}
}

// A value that is right in itself and cannot be used is reported by its variable, too.
func TestVariablesUnusableValue(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	commandtest.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	none := t.TempDir() + "/none"
	for name, tt := range map[string]struct {
		args, environment []string
		code              int
		want              string
	}{
		"address in use": {[]string{"serve"}, []string{"ADDR=" + taken.Addr().String()}, command.ExitFailed,
			"cannot listen on " + taken.Addr().String() + ": bind: address already in use: choose another address with UNDERSTUDY_ADDR"},
		"control address in use": {commandtest.ServeArgs(), []string{"CONTROL_ADDR=" + taken.Addr().String()}, command.ExitFailed, "choose another address with UNDERSTUDY_CONTROL_ADDR"},
		"unknown kind of store":  {commandtest.ServeArgs(), []string{"STORE=redis://x"}, command.ExitUsage, `UNDERSTUDY_STORE: no such store "redis://x": use temp, file:PATH or etcd://HOST:PORT`},
		"folder of the store is missing": {commandtest.ServeArgs(), []string{"STORE=file:" + none + "/a.db"}, command.ExitFailed,
			"UNDERSTUDY_STORE: store file " + none + "/a.db cannot be created, its folder does not exist: create the folder"},
		"etcd is down": {commandtest.ServeArgs(), []string{"STORE=etcd://127.0.0.1:1"}, command.ExitFailed, "UNDERSTUDY_STORE: store etcd://127.0.0.1:1/understudy cannot be used: "},
		"certificate is missing": {commandtest.ServeArgs(), []string{"TLS_CERT=" + none, "TLS_KEY=k.pem"}, command.ExitFailed,
			"UNDERSTUDY_TLS_CERT " + none + " and UNDERSTUDY_TLS_KEY k.pem cannot be used: open " + none},
		"certificate without key":  {commandtest.ServeArgs(), []string{"TLS_CERT=" + none}, command.ExitUsage, "UNDERSTUDY_TLS_CERT is given without --tls-key: give both, or neither"},
		"two kinds of TLS":         {commandtest.ServeArgs("--tls-key", none), []string{"TLS_AUTO=1"}, command.ExitUsage, "UNDERSTUDY_TLS_AUTO makes its own certificates: leave it out, or --tls-cert and --tls-key"},
		"emulator does not run":    {[]string{"worlds"}, []string{"URL=http://127.0.0.1:1"}, command.ExitFailed, "start one with understudy serve, or name its address with UNDERSTUDY_URL"},
		"healthcheck of no server": {[]string{"healthcheck"}, []string{"ADDR=127.0.0.1:1"}, command.ExitFailed, "not ready: no answer from http://127.0.0.1:1/_understudy/v1/ready: "},
	} {
		t.Run(name, func(t *testing.T) {
			for _, entry := range tt.environment {
				variable, value, _ := strings.Cut(entry, "=")
				t.Setenv(command.VariablePrefix+variable, value)
			}
			commandtest.Understudy(t, tt.args...).Want(t, tt.code, tt.want)
		})
	}
	t.Run("folder of scenarios is missing", func(t *testing.T) {
		t.Setenv("UNDERSTUDY_SCENARIOS", none)
		got := commandtest.Understudy(t, commandtest.ServeArgs()...)
		if want := "understudy: the scenario files of UNDERSTUDY_SCENARIOS have 1 error\n" + none + ": cannot be read: "; got.Code != command.ExitFailed || !strings.HasPrefix(got.Stderr, want) {
			t.Errorf("exit code %d: %s, want %s", got.Code, got.Stderr, want)
		}
	})
}

func TestVariablesUnknown(t *testing.T) {
	got := command.UnknownVariables(root(io.Discard, io.Discard), []string{
		"UNDERSTUDY_SED=secret", "UNDERSTUDY_SCENARIO_FOLDER=x", "UNDERSTUDY_PORT=9090", "UNDERSTUDYADDR=x", "PATH=/bin",
		"UNDERSTUDY_SEED=1", "UNDERSTUDY_URL=x", "UNDERSTUDY_ETCD_USER=u", // known to serve, to client commands, to the store
		"UNDERSTUDY_BINARY=./understudy",                                             // read by kits
		"UNDERSTUDY_SERVICE_HOST=10.0.0.1", "UNDERSTUDY_PORT_8080_TCP_ADDR=10.0.0.1", // set by Kubernetes
	})
	want := []string{
		"UNDERSTUDY_PORT is not a setting: use UNDERSTUDY_ADDR=:PORT",
		"UNDERSTUDY_SCENARIO_FOLDER is not a setting: see understudy serve --help",
		"UNDERSTUDY_SED is not a setting: did you mean UNDERSTUDY_SEED?",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := command.UnknownVariables(root(io.Discard, io.Discard), []string{"UNDERSTUDY_PORT=tcp://10.0.0.1:8080"}); got != nil {
		t.Errorf("a variable of Kubernetes: %s", got)
	}
	t.Run("serve logs a warning and starts", func(t *testing.T) {
		t.Setenv("UNDERSTUDY_SED", "secret")
		t.Setenv("UNDERSTUDY_CONTROL_TOKEN", "")
		s := commandtest.StartServer(t)
		s.Stderr.Find(t, `(level=WARN msg="UNDERSTUDY_SED is not a setting: did you mean UNDERSTUDY_SEED\?")`)
		s.Stderr.Find(t, `(level=WARN msg="UNDERSTUDY_CONTROL_TOKEN is empty: the control plane requires no token")`)
		s.End(t)
	})
}

func TestVariablesOfEtcd(t *testing.T) {
	t.Parallel()
	var asked []command.Variable
	_, _ = etcd.Open(t.Context(), "etcd://127.0.0.1:1", func(name string) string { // fails: tls is neither true nor false
		asked = append(asked, command.Variable(name))
		return "x"
	})
	for _, name := range asked {
		if !slices.Contains(command.OtherVariables, name) {
			t.Errorf("%s is unknown", name)
		}
	}
	others := slices.DeleteFunc(slices.Clone(command.OtherVariables), func(v command.Variable) bool { return !strings.HasPrefix(string(v), "UNDERSTUDY_ETCD_") })
	if len(asked) != len(others) {
		t.Errorf("etcd has the variables %s", asked)
	}
}
