package control

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// How many things a page of a list has.
const (
	defaultLimit = 100
	maxLimit     = 1000
)

// span returns which page of a list the query asks for: what is behind an id, "" for the first page, and how many things
// at most. The thing with the id may be gone.
func (x *exchange) span(valid func(id string) bool) (after string, limit int, err error) {
	limit = defaultLimit
	if text := x.query.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxLimit {
			return "", 0, api.Because(http.StatusBadRequest, fmt.Sprintf("limit must be a number from 1 to %d", maxLimit))
		}
	}
	if after = x.query.Get("after"); after != "" && !valid(after) {
		return "", 0, api.Because(http.StatusBadRequest, "after is the next of the page before, an id, which "+api.Quote(after)+" cannot be")
	}
	return after, limit, nil
}

// list is a page of a list, and what asks for the next: nil when this is the last.
type list struct {
	Items []any   `json:"items"`
	Next  *string `json:"next"`
}

// page makes a page of the first things of those found; where there are more of them than limit, another page follows.
func page[T, V any](found []T, limit int, id func(T) string, view func(T) V) list {
	l := list{Items: []any{}}
	for _, thing := range found[:min(limit, len(found))] {
		l.Items = append(l.Items, view(thing))
	}
	if len(found) > limit {
		l.Next = new(id(found[limit-1]))
	}
	return l
}

// behind returns what comes after a thing of a list: nothing when the list does not have it.
func behind[T any](all []T, is func(T) bool) []T {
	i := slices.IndexFunc(all, is)
	if i < 0 {
		return nil
	}
	return all[i+1:]
}
