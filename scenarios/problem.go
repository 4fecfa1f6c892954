package scenarios

import (
	"fmt"
	"strings"
)

// Position is a place in a scenario file; lines and columns count from 1.
type Position struct {
	File   string
	Line   int
	Column int
}

// String returns file:line:column.
func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Problem is one thing that is wrong with a scenario file.
type Problem struct {
	At   Position
	What string // what is wrong and how to mend it
}

// Problems are all things that are wrong with a set of scenario files. It is an error when there is any.
type Problems []Problem

// Error returns a line a problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.At.String() + ": " + p.What
	}
	return strings.Join(lines, "\n")
}

// err returns the problems as an error, nil when there are none.
func (ps Problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}
