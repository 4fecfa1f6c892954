package api

import (
	"fmt"
	"strings"
)

// findings are what a request was found to have.
type findings struct {
	problems list // each makes it invalid
	notes    list // each is worth knowing
}

// result returns the notes, and an error when there was any problem.
func (f *findings) result() (notes []string, err error) {
	if problems := f.problems.all(); len(problems) > 0 {
		err = Invalid(strings.Join(problems, "; "))
	}
	return f.notes.all(), err
}

// mostTold is how many problems, and how many notes, are told of one request.
const mostTold = 20

// list is the findings of one kind: the first ones, and how many more there are.
type list struct {
	told   []string
	untold int
}

func (l *list) add(finding string) { l.addLazily(func() string { return finding }) }

// addLazily adds a finding that is put into words only when it is told: a body can hold a hundred thousand.
func (l *list) addLazily(finding func() string) {
	if len(l.told) == mostTold {
		l.untold++
		return
	}
	l.told = append(l.told, finding())
}

func (l *list) all() []string {
	if l.untold == 0 {
		return l.told
	}
	return append(l.told, fmt.Sprintf("and %d more", l.untold))
}
