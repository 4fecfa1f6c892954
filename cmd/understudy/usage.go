package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"
)

// badValue finds what the library says of the value of a flag, and of that of its environment variable.
var badValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?s:invalid value (".*") for flag -(\S+)|could not parse (".*") as \S+ value from environment variable "(\w+)" for flag \S+): (.*)$`)
})

// noTopic finds what the library says of a command that it has no help of.
var noTopic = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?s:No help topic for '(.*)')$`) })

// inOwnWords says what the library finds wrong with a command line. All other errors stay as they are.
func inOwnWords(root *cli.Command, args []string, err error) error {
	if found := badValue().FindStringSubmatch(err.Error()); found != nil {
		return fmt.Errorf("%s %s is %s", nameOf(found[2], found[4]), found[1]+found[3], kindOfValue(found[5]))
	}
	if found := noTopic().FindStringSubmatch(err.Error()); found != nil {
		return unknownCommand(commandOf(root, args), found[1])
	}
	if flag, ok := strings.CutPrefix(err.Error(), "flag needs an argument: "); ok {
		return errors.New(strings.Replace(flag, ":", " needs a value:", 1))
	}
	return err
}

// nameOf names what has a value: a flag, or its variable.
func nameOf(flag, variable string) string {
	if variable != "" {
		return variable
	}
	return "--" + flag
}

// kindOfValue says what a value is not, by what the library says of it.
func kindOfValue(why string) string {
	switch {
	case strings.HasPrefix(why, "parse error"):
		return "neither true nor false"
	case strings.HasPrefix(why, "time:"):
		return "not a span of time such as 5s"
	}
	return "not a whole number"
}

// commandOf returns the last command that a command line names.
func commandOf(root *cli.Command, args []string) *cli.Command {
	named := root
	for _, arg := range args[1:] {
		if inner := named.Command(arg); inner != nil && arg != "help" && arg != "h" {
			named = inner
		}
	}
	return named
}
