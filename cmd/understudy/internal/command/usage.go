package command

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// text, toggle, texts and number return a flag, with its environment variable if the category has them.
func Text(category, name, value, usage string) *cli.StringFlag {
	return &cli.StringFlag{Category: category, Name: name, Value: value, Usage: usage, Sources: Sources(category, name)}
}

func Toggle(category, name, usage string) *cli.BoolFlag {
	return &cli.BoolFlag{Category: category, Name: name, Usage: usage, Sources: Sources(category, name)}
}

// Word returns a flag that takes WORD, or stands alone for a word: --grease is --grease=on. As a variable it is false for off.
func Word(category, name, value, alone, usage string) cli.Flag {
	return &WordFlag{Category: category, Name: name, Value: value, Config: wordConfig{alone}, Usage: usage, Sources: Sources(category, name)}
}

type WordFlag = cli.FlagBase[string, wordConfig, wordValue]

// wordConfig has the word of a flag that stands alone.
type wordConfig struct{ alone string }

// wordValue is the value of a [wordFlag].
type wordValue struct {
	word  *string
	alone string
}

// Create returns the value of a flag.
func (wordValue) Create(value string, into *string, c wordConfig) cli.Value {
	*into = value
	return &wordValue{into, c.alone}
}

// ToString shows a default.
func (wordValue) ToString(value string) string { return value }

// IsBoolFlag says that the flag may stand alone, which sets true.
func (*wordValue) IsBoolFlag() bool { return true }

// Set takes a word.
func (v *wordValue) Set(text string) error {
	*v.word = text
	if on, err := strconv.ParseBool(text); err == nil {
		*v.word = map[bool]string{true: v.alone, false: "off"}[on]
	}
	return nil
}

func (v *wordValue) Get() any       { return *v.word }
func (v *wordValue) String() string { return *v.word }

func Texts(category, name, usage string) *cli.StringSliceFlag {
	return &cli.StringSliceFlag{Category: category, Name: name, Usage: usage, Sources: Sources(category, name)}
}

func Number(category, name, usage string) *cli.IntFlag {
	return &cli.IntFlag{Category: category, Name: name, HideDefault: true, Usage: usage, Sources: Sources(category, name)}
}

// Example returns the description of a command whose usage line says everything else.
func Example(line string) string { return "Example:\n\n   understudy " + line }

// CheckUsage makes a command and its subcommands report an unknown flag in one line, and refuse arguments that the help does
// not mention.
func CheckUsage(command *cli.Command) {
	command.OnUsageError = onUsageError
	act, isGroup := command.Action, len(command.Commands) > 0
	if act == nil { // the command only groups others
		act = func(_ context.Context, c *cli.Command) error { return cli.ShowSubcommandHelp(c) }
	}
	if command.ArgsUsage == "" {
		command.Action = func(ctx context.Context, c *cli.Command) error {
			switch argument := c.Args().First(); {
			case isGroup && argument != "":
				return unknownCommand(c, argument)
			case c.Args().Present():
				return fmt.Errorf("%s takes no arguments, but was given %q: leave it out, or join it to its flag with =", c.FullName(), argument)
			}
			return act(ctx, c)
		}
	}
	for _, below := range command.Commands {
		CheckUsage(below)
	}
}

// WithArgument returns the action of a command that takes exactly one argument.
func WithArgument(what string, do func(ctx context.Context, c *cli.Command, argument string) error) cli.ActionFunc {
	return func(ctx context.Context, c *cli.Command) error {
		if c.Args().Len() != 1 || c.Args().First() == "" {
			if strings.HasPrefix(c.Args().First(), "-") { // the library takes the flags after it as arguments
				what += "; flags come before an argument that begins with -"
			}
			return fmt.Errorf("%s takes one argument: say %s", c.FullName(), what)
		}
		return do(ctx, c, c.Args().First())
	}
}

func unknownCommand(c *cli.Command, unknown string) error {
	var names []string
	for _, command := range c.Commands {
		names = append(names, command.Name)
	}
	return fmt.Errorf("there is no command %q: %s", unknown, Hint("", unknown, names, c.FullName()+" --help"))
}

// onUsageError returns a message of one line. Without it the library prints the whole help.
func onUsageError(_ context.Context, c *cli.Command, err error, _ bool) error {
	unknown, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	switch {
	case !ok:
		return fmt.Errorf("%w: see %s --help", err, c.FullName())
	case unknown == "port" || unknown == "p":
		if flag := "addr"; slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return f.Names()[0] == flag }) {
			return fmt.Errorf("there is no flag for a port alone: use --%s :PORT, such as --%[1]s :9090 or --%[1]s 127.0.0.1:9090", flag)
		}
	}
	var having []string // commands with this flag
	for _, command := range c.Commands {
		if slices.ContainsFunc(command.Flags, func(flag cli.Flag) bool { return flag.Names()[0] == unknown }) {
			having = append(having, command.Name)
		}
	}
	if len(having) > 0 {
		command := having[0]
		if len(having) > 1 {
			command = "COMMAND"
		}
		return fmt.Errorf("--%s belongs after its command: %s %s --%[1]s", unknown, c.FullName(), command)
	}
	var names []string
	for _, command := range c.Lineage() {
		for _, flag := range command.Flags {
			names = append(names, flag.Names()[0])
		}
	}
	list := c.FullName() + " --help"
	if strings.HasPrefix(c.ArgsUsage, "--") {
		list += ", and write -- before the command"
	}
	if c.ArgsUsage != "" && !strings.HasPrefix(c.ArgsUsage, "--") {
		list += ", and write -- before an argument that begins with -"
	}
	dashes := "--"
	if len(unknown) == 1 {
		dashes = "-"
	}
	return fmt.Errorf("there is no flag %s%s: %s", dashes, unknown, Hint("--", unknown, names, list))
}

// Hint suggests the nearest name, written after prefix, and a command that lists all names.
func Hint(prefix, unknown string, names []string, list string) string {
	if nearest, ok := api.Nearest(unknown, names); ok {
		return "did you mean " + prefix + nearest + "? See " + list
	}
	return "see " + list
}

// reword replaces the library's messages about a command line by ours. It returns all other errors unchanged.
func reword(named []*cli.Command, err error) error {
	badValue := regexp.MustCompile(`^(?s:invalid value (".*") for flag -(\S+)|could not parse (".*") as \S+ value from environment variable "(\w+)" for flag \S+): (.*)$`)
	if found := badValue.FindStringSubmatch(err.Error()); found != nil {
		name := "--" + found[2]
		if found[4] != "" {
			name = found[4]
		}
		return fmt.Errorf("%s %s is %s", name, found[1]+found[3], kindOfValue(found[5]))
	}
	noTopic := regexp.MustCompile(`^(?s:No help topic for '(.*)')$`)
	if found := noTopic.FindStringSubmatch(err.Error()); found != nil {
		return unknownCommand(named[len(named)-1], found[1])
	}
	if flag, ok := strings.CutPrefix(err.Error(), "flag needs an argument: "); ok {
		return errors.New(strings.Replace(flag, ":", " needs a value:", 1))
	}
	return err
}

// kindOfValue translates the library's reason for refusing a value.
func kindOfValue(reason string) string {
	switch {
	case strings.HasPrefix(reason, "parse error"):
		return "neither true nor false"
	case strings.HasPrefix(reason, "time:"):
		return "not a duration such as 5s"
	}
	return "not a whole number"
}

// namedCommands returns the commands that a command line names, from the root to the last one.
func namedCommands(root *cli.Command, args []string) []*cli.Command {
	named := []*cli.Command{root}
	for _, arg := range args[1:] {
		if inner := named[len(named)-1].Command(arg); inner != nil && arg != "help" && arg != "h" {
			named = append(named, inner)
		}
	}
	return named
}

// HelpWidth is the width of help, in characters.
const HelpWidth = 100

// lastColumn matches a line up to its last column, or to its indentation.
var lastColumn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ *(?:\S.*?  +)?`) })

// paragraph matches the lines of a paragraph. Examples are further in, and lists have columns.
var paragraph = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^   \S+(?: \S+)*(?:\n   \S+(?: \S+)*)+$`)
})

// joined makes one line of each paragraph of help.
func joined(help string) string {
	return paragraph().ReplaceAllStringFunc(help, func(lines string) string { return "   " + strings.Join(strings.Fields(lines), " ") })
}

// wrapped breaks a line of help that is too wide. The rest is below its last column, or 8 characters in where that is narrow.
func wrapped(line string) string {
	var out strings.Builder
	indent := utf8.RuneCountInString(lastColumn().FindString(line))
	if indent > HelpWidth*7/10 {
		indent = 8
	}
	for utf8.RuneCountInString(strings.TrimRight(line, "\n")) > HelpWidth {
		runes := []rune(line)
		at := HelpWidth
		for at > indent && runes[at] != ' ' {
			at--
		}
		if at <= indent {
			break // a word without end
		}
		out.WriteString(strings.TrimRight(string(runes[:at]), " ") + "\n")
		line = strings.Repeat(" ", indent) + strings.TrimLeft(string(runes[at:]), " ")
	}
	return out.String() + line
}

// DefaultCommand is the key of a group's metadata for the command that a flag in the place of a command means.
const DefaultCommand = "default"

// withDefault inserts the default command of a group into a command line that has one of its flags in its place.
func withDefault(root *cli.Command, args []string) []string {
	if len(args) < 3 || !strings.HasPrefix(args[2], "--") {
		return args
	}
	group := root.Command(args[1])
	if group == nil || group.Metadata[DefaultCommand] == nil {
		return args
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(args[2], "--"), "=")
	other := fmt.Sprint(group.Metadata[DefaultCommand])
	if !slices.ContainsFunc(group.Command(other).Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) }) {
		return args
	}
	return slices.Insert(slices.Clone(args), 2, other)
}
