package control

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// shows returns a call that shows what a method of the world returns.
func shows[T, V any](act func(*world.World, context.Context) (T, error), view func(T) V) call {
	return func(x *exchange) (any, error) { return viewed(view)(act(x.world, x.context())) }
}

// removes returns a call that removes what the path names.
func removes(act func(w *world.World, ctx context.Context, id string) error) call {
	return func(x *exchange) (any, error) { return nil, act(x.world, x.context(), x.param()) }
}

// takes returns a call with a body.
func takes[T any](act func(x *exchange, in T) (any, error)) call {
	return func(x *exchange) (any, error) {
		var in T
		if err := x.decode(&in); err != nil {
			return nil, err
		}
		return act(x, in)
	}
}

// written returns a call with a body in the language of scenario files.
func written(act func(x *exchange, text string) (any, error)) call {
	return func(x *exchange) (any, error) {
		text, err := x.document()
		if err != nil {
			return nil, err
		}
		return act(x, text)
	}
}

// viewed returns a function that returns the view of a result.
func viewed[T, V any](view func(T) V) func(T, error) (any, error) {
	return func(result T, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		return view(result), nil
	}
}

// made returns a function that returns the view of what a call has made.
func made[T, V any](view func(T) V) func(T, error) (any, error) {
	return func(result T, err error) (any, error) {
		shown, err := viewed(view)(result, err)
		return withStatus{http.StatusCreated, shown}, err
	}
}

// same is the view of what is shown as it is.
func same[T any](value T) T { return value }

// How many items a page of a list has.
const (
	defaultLimit = 100
	maxLimit     = 1000
)

// paged are the parameters of every list.
var paged = []string{"limit", "after"}

// list is a page of a list. Next is the id to get the next page with, nil on the last page.
type list struct {
	Items []any   `json:"items"`
	Next  *string `json:"next"`
}

// lists returns a call that shows the page of a list that the query wants. find returns up to limit items, from the first after an
// id, which is "" for the first page, and may be that of an item that no longer exists.
func lists[T, V any](valid func(id string) bool, id func(T) string, view func(T) V, find func(x *exchange, after string, limit int) ([]T, error)) call {
	return func(x *exchange) (any, error) {
		limit, after := defaultLimit, x.query.Get("after")
		if text := x.query.Get("limit"); text != "" {
			var err error
			if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxLimit {
				return nil, api.Because(http.StatusBadRequest, fmt.Sprintf("limit must be a number from 1 to %d", maxLimit))
			}
		}
		if after != "" && !valid(after) {
			return nil, api.Because(http.StatusBadRequest, "after is the next of the page before, an id, which "+api.Quote(after)+" cannot be")
		}
		found, err := find(x, after, limit+1)
		l := list{Items: []any{}}
		for _, item := range found[:min(limit, len(found))] {
			l.Items = append(l.Items, view(item))
		}
		if len(found) > limit {
			l.Next = new(id(found[limit-1]))
		}
		return l, err
	}
}

// following returns the items after the one with an id: all for "", none for an unknown id.
func following[T any](all []T, after string, id func(T) string) []T {
	if after == "" {
		return all
	}
	i := slices.IndexFunc(all, func(item T) bool { return id(item) == after })
	if i < 0 {
		return nil
	}
	return all[i+1:]
}
