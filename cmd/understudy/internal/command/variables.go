package command

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

const VariablePrefix = "UNDERSTUDY_"

// Variable is the name of a flag's environment variable. An empty variable counts as unset: compose and CI systems pass one
// for a value that is not there.
type Variable string

func VariableOf(flag string) Variable {
	return Variable(VariablePrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_")))
}

// Categories of flags that have variables: settings of an emulator, and which emulator to call. A flag of one command alone has
// none, so that no variable changes what a command line says.
const (
	AddressCategory  = "Listening"
	WorldsCategory   = "Worlds"
	ControlCategory  = "Control plane"
	LoggingCategory  = "Logging"
	EmulatorCategory = "Emulator"
)

func Sources(category, flag string) (chain cli.ValueSourceChain) {
	switch category {
	case AddressCategory, WorldsCategory, ControlCategory, LoggingCategory, EmulatorCategory:
		chain.Append(cli.NewValueSourceChain(VariableOf(flag)))
	}
	return chain
}

// Lookup implements [cli.ValueSource].
func (v Variable) Lookup() (value string, ok bool) {
	value = os.Getenv(string(v))
	return value, value != ""
}

// Key and IsFromEnv implement [cli.EnvValueSource]: help shows the variable beside the flag.
func (v Variable) Key() string     { return string(v) }
func (v Variable) IsFromEnv() bool { return true }

func (v Variable) String() string   { return fmt.Sprintf("environment variable %q", string(v)) }
func (v Variable) GoString() string { return v.String() }

// Given returns the name under which the user gave a flag its value: the environment variable, or else --flag.
func Given(c *cli.Command, flag string) string {
	value, ok := VariableOf(flag).Lookup()
	switch used := c.Value(flag).(type) {
	case bool:
		set, err := strconv.ParseBool(value)
		ok = ok && err == nil && set == used
	case []string:
		ok = ok && strings.Join(used, ",") == value
	default:
		ok = ok && fmt.Sprint(used) == value
	}
	if ok && slices.Contains(VariablesOf(c.Lineage()...), VariableOf(flag)) {
		return string(VariableOf(flag))
	}
	return "--" + flag
}

// VariablesOf returns the variables of the flags of commands.
func VariablesOf(commands ...*cli.Command) (all []Variable) {
	for _, c := range commands {
		for _, flag := range c.Flags {
			if documented, ok := flag.(cli.DocGenerationFlag); ok {
				for _, name := range documented.GetEnvVars() {
					all = append(all, Variable(name))
				}
			}
		}
	}
	return all
}

// checkVariables refuses a value that an environment file left with what does not belong to it: shells take such quotes and
// blanks away, other readers of these files do not.
func checkVariables(commands ...*cli.Command) error {
	var errs []error
	variables := VariablesOf(commands...)
	if slices.Contains(variables, VariableOf("store")) {
		variables = append(variables, OtherVariables...)
	}
	for _, name := range variables {
		value, _ := name.Lookup()
		trimmed := strings.TrimSpace(value)
		quoted := len(trimmed) > 1 && trimmed[0] == trimmed[len(trimmed)-1] && strings.Contains(`"'`, trimmed[:1])
		switch {
		case strings.HasPrefix(trimmed, "{"): // an account, which is YAML
		case strings.Contains(value, "\r"):
			errs = append(errs, fmt.Errorf("%s has a carriage return in its value: give its file the line ends of Unix (LF)", string(name)))
		case quoted:
			errs = append(errs, fmt.Errorf("%s has quotes around its value: leave them out, they are part of the value here", string(name)))
		case value != trimmed:
			errs = append(errs, fmt.Errorf("%s has blanks at an end of its value: leave them out", string(name)))
		}
	}
	return errors.Join(errs...)
}

// Prefers reports whether a flag counts rather than others that say the same in another way. A flag of the command line beats
// a variable, and two of them contradict each other.
func Prefers(c *cli.Command, flag string, others ...string) (bool, error) {
	if !c.IsSet(flag) {
		return false, nil
	}
	for _, other := range others {
		if !c.IsSet(other) || Given(c, other) != "--"+other {
			continue
		}
		if Given(c, flag) == "--"+flag {
			return false, fmt.Errorf("--%s and --%s contradict each other: leave one out", flag, other)
		}
		return false, nil
	}
	return true, nil
}

// Misused returns an error about the value of a text flag: the name under which it was given, the value, and what is wrong.
func Misused(c *cli.Command, flag, format string, args ...any) error {
	return fmt.Errorf("%s %q %w", Given(c, flag), c.String(flag), fmt.Errorf(format, args...))
}

// Named puts the name under which a flag was given before an error.
func Named(c *cli.Command, flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", Given(c, flag), err)
}

// CheckHere is set in the environment of the process that checkElsewhere starts.
const CheckHere = "UNDERSTUDY_STORE_CHECK_HERE"

// OtherVariables are those that no flag has.
var OtherVariables = []Variable{
	CheckHere,
	"UNDERSTUDY_ETCD_CA", "UNDERSTUDY_ETCD_CERT", "UNDERSTUDY_ETCD_KEY", "UNDERSTUDY_ETCD_PASSWORD", "UNDERSTUDY_ETCD_TLS", "UNDERSTUDY_ETCD_USER",
	"UNDERSTUDY_TRIAL", "UNDERSTUDY_TRIAL_DIR",
}

// ofKits is the variable, without prefix, that names this program to the kits for tests.
const ofKits = "BINARY"

// definedVariables returns the names, without prefix, of the variables of all commands.
func definedVariables(root *cli.Command) (names []string) {
	for _, v := range OtherVariables {
		names = append(names, strings.TrimPrefix(string(v), VariablePrefix))
	}
	_ = root.Walk(func(c *cli.Command) error { // the function returns no error
		for _, name := range VariablesOf(c) {
			names = append(names, strings.TrimPrefix(string(name), VariablePrefix))
		}
		return nil
	})
	return names
}

// UnknownVariables returns a warning for each variable of an environment that looks like a setting and is none.
func UnknownVariables(root *cli.Command, environment []string) (warnings []string) {
	names := definedVariables(root)
	for _, entry := range environment {
		name, value, _ := strings.Cut(entry, "=")
		short, ok := strings.CutPrefix(name, VariablePrefix)
		if !ok || slices.Contains(names, short) || short == ofKits || ofOrchestrator(short, value) {
			continue
		}
		warnings = append(warnings, name+" is not a setting"+suggestion(short, names))
	}
	slices.Sort(warnings)
	return warnings
}

func suggestion(short string, names []string) string {
	if short == "PORT" {
		return ": use " + VariablePrefix + "ADDR=:PORT"
	}
	if nearest, ok := api.Nearest(short, names); ok {
		return ": did you mean " + VariablePrefix + nearest + "?"
	}
	return ": see understudy serve --help"
}

// ofOrchestrator reports whether Kubernetes sets a variable in every pod beside a service that is named understudy.
func ofOrchestrator(short, value string) bool {
	return strings.HasPrefix(short, "SERVICE_") || strings.HasPrefix(short, "PORT_") || short == "PORT" && strings.Contains(value, "://")
}
