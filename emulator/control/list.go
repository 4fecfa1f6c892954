package control

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// How many things a list has.
const (
	defaultLimit = 100
	maxLimit     = 1000
)

// span returns what part of a list the query asks for: behind which id, and how many things at most.
func (x *exchange) span(valid func(id string) bool) (after string, limit int, err error) {
	if limit, err = x.limit(); err == nil {
		after, err = x.after(valid)
	}
	return after, limit, err
}

// limit returns how many things the query asks for.
func (x *exchange) limit() (int, error) {
	text := x.request.URL.Query().Get("limit")
	if text == "" {
		return defaultLimit, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 || limit > maxLimit {
		return 0, api.Because(http.StatusBadRequest, fmt.Sprintf("limit must be a number from 1 to %d", maxLimit))
	}
	return limit, nil
}

// after returns the id behind which the query asks for things, "" for the first page. It may be gone by now.
func (x *exchange) after(valid func(id string) bool) (string, error) {
	id := x.request.URL.Query().Get("after")
	if id != "" && !valid(id) {
		return "", api.Because(http.StatusBadRequest, "after is the next of the page before, an id, which "+api.Quote(id)+" cannot be")
	}
	return id, nil
}

// list is a page of a list, and what asks for the next: nil when this is the last.
type list[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"`
}

// page makes a list of one thing more than it may have, where there is more.
func page[T any](items []T, limit int, id func(T) string) list[T] {
	if items == nil {
		items = []T{}
	}
	if len(items) <= limit {
		return list[T]{Items: items}
	}
	return list[T]{Items: items[:limit], Next: new(id(items[limit-1]))}
}

// pageOf makes a page of a list that is there whole, from the first thing that is behind the page before.
func pageOf[T any](all []T, limit int, id func(T) string, behind func(T) bool) list[T] {
	from := slices.IndexFunc(all, behind)
	if from < 0 {
		from = len(all)
	}
	return page(all[from:min(len(all), from+limit+1)], limit, id)
}
