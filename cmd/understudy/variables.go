package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

const variablePrefix = "UNDERSTUDY_"

// variable is the name of a flag's environment variable. An empty variable counts as unset: compose and CI systems pass one
// for a value that is not there.
type variable string

func variableOf(flag string) variable {
	return variable(variablePrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_")))
}

func sources(flag string) cli.ValueSourceChain { return cli.NewValueSourceChain(variableOf(flag)) }

// Lookup implements [cli.ValueSource].
func (v variable) Lookup() (value string, ok bool) {
	value = os.Getenv(string(v))
	return value, value != ""
}

// Key and IsFromEnv implement [cli.EnvValueSource]: help shows the variable beside the flag.
func (v variable) Key() string     { return string(v) }
func (v variable) IsFromEnv() bool { return true }

func (v variable) String() string   { return fmt.Sprintf("environment variable %q", string(v)) }
func (v variable) GoString() string { return v.String() }

// given returns the name under which the user gave a flag its value: the environment variable, or else --flag.
func given(c *cli.Command, flag string) string {
	value, ok := variableOf(flag).Lookup()
	switch used := c.Value(flag).(type) {
	case bool:
		set, err := strconv.ParseBool(value)
		ok = ok && err == nil && set == used
	case []string:
		ok = ok && strings.Join(used, ",") == value
	default:
		ok = ok && fmt.Sprint(used) == value
	}
	if ok {
		return string(variableOf(flag))
	}
	return "--" + flag
}

// prefers reports whether a flag counts rather than others that say the same in another way. A flag of the command line beats
// a variable, and two of them contradict each other.
func prefers(c *cli.Command, flag string, others ...string) (bool, error) {
	if !c.IsSet(flag) {
		return false, nil
	}
	for _, other := range others {
		if !c.IsSet(other) || given(c, other) != "--"+other {
			continue
		}
		if given(c, flag) == "--"+flag {
			return false, fmt.Errorf("--%s and --%s contradict each other: leave one out", flag, other)
		}
		return false, nil
	}
	return true, nil
}

// misused returns an error about the value of a text flag: the name under which it was given, the value, and what is wrong.
func misused(c *cli.Command, flag, format string, args ...any) error {
	return fmt.Errorf("%s %q %s", given(c, flag), c.String(flag), fmt.Sprintf(format, args...))
}

// named puts the name under which a flag was given before an error.
func named(c *cli.Command, flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", given(c, flag), err)
}

// otherVariables are those that no flag has.
var otherVariables = []variable{
	checkHere,
	"UNDERSTUDY_ETCD_CA", "UNDERSTUDY_ETCD_CERT", "UNDERSTUDY_ETCD_KEY", "UNDERSTUDY_ETCD_PASSWORD", "UNDERSTUDY_ETCD_TLS", "UNDERSTUDY_ETCD_USER",
}

// ofKits is the variable, without prefix, that names this program to the kits for tests.
const ofKits = "BINARY"

// definedVariables returns the names, without prefix, of the variables of all commands.
func definedVariables(root *cli.Command) (names []string) {
	for _, v := range otherVariables {
		names = append(names, strings.TrimPrefix(string(v), variablePrefix))
	}
	_ = root.Walk(func(c *cli.Command) error { // the function returns no error
		for _, flag := range c.Flags {
			if documented, ok := flag.(cli.DocGenerationFlag); ok {
				for _, name := range documented.GetEnvVars() {
					names = append(names, strings.TrimPrefix(name, variablePrefix))
				}
			}
		}
		return nil
	})
	return names
}

// unknownVariables returns a warning for each variable of an environment that looks like a setting and is none.
func unknownVariables(root *cli.Command, environment []string) (warnings []string) {
	names := definedVariables(root)
	for _, entry := range environment {
		name, value, _ := strings.Cut(entry, "=")
		short, ok := strings.CutPrefix(name, variablePrefix)
		if !ok || slices.Contains(names, short) || short == ofKits || ofOrchestrator(short, value) {
			continue
		}
		warnings = append(warnings, name+" is not a setting"+suggestion(short, names))
	}
	slices.Sort(warnings)
	return warnings
}

func suggestion(short string, names []string) string {
	if nearest, ok := api.Nearest(short, names); ok {
		return ": did you mean " + variablePrefix + nearest + "?"
	}
	return ": see understudy serve --help"
}

// ofOrchestrator reports whether Kubernetes sets a variable in every pod beside a service that is named understudy.
func ofOrchestrator(short, value string) bool {
	return strings.HasPrefix(short, "SERVICE_") || strings.HasPrefix(short, "PORT_") || short == "PORT" && strings.Contains(value, "://")
}
