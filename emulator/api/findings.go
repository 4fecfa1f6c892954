package api

import (
	"fmt"
	"strings"
)

// findings are what a request was found to have.
type findings struct {
	problems list[string] // each makes it invalid
	notes    list[Note]   // each is worth knowing
}

// result returns the notes, and an error when there was any problem.
func (f *findings) result() (notes []Note, err error) {
	if problems := f.problems.all(plainly); len(problems) > 0 {
		err = Invalid(strings.Join(problems, "; "))
	}
	return f.notes.all(moreToTell), err
}

func plainly(text string) string { return text }

func moreToTell(text string) Note { return Note{Cause: MoreToTell, What: text} }

// mostTold is how many problems, and how many notes, are told of one request.
const mostTold = 20

// list is the findings of one kind: the first ones, and how many more there are.
type list[T any] struct {
	told   []T
	untold int
}

func (l *list[T]) add(finding T) { l.addLazily(func() T { return finding }) }

// addLazily adds a finding that is put into words only when it is told: a body can hold a hundred thousand.
func (l *list[T]) addLazily(finding func() T) {
	if len(l.told) == mostTold {
		l.untold++
		return
	}
	l.told = append(l.told, finding())
}

// all returns those that are told, and how many more there are in the words of more.
func (l *list[T]) all(more func(text string) T) []T {
	if l.untold == 0 {
		return l.told
	}
	return append(l.told, more(fmt.Sprintf("and %d more", l.untold)))
}
