package query

import (
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// possible are the operations whose requests can be what was asked so far.
type possible struct{ all, left []api.Operation }

// narrow keeps the operations that fit. Its error for what only other operations have names these; for what none has it is
// otherwise.
func (p *possible) narrow(what, otherwise string, fits func(api.Operation) bool) error {
	of := func(operations []api.Operation) []api.Operation {
		return slices.DeleteFunc(slices.Clone(operations), func(o api.Operation) bool { return !fits(o) })
	}
	left, fitting := of(p.left), of(p.all)
	switch {
	case len(fitting) == 0:
		return invalid(otherwise)
	case len(left) == 0:
		return invalid(strings.Join(journal.NamesOf(p.left), " or ") + " never has " + what + ": did you mean " + strings.Join(journal.NamesOf(fitting), " or ") + "?")
	}
	p.left = left
	return nil
}

// named begins with the operation of a name, or all for "".
func named(operation string) (p possible, err error) {
	p = possible{api.Operations(), api.Operations()}
	if operation != "" {
		names := journal.NamesOf(p.all)
		err = p.narrow("", "There is no operation "+api.Quote(operation)+api.DidYouMean(operation, names, ": it is one of "+strings.Join(names, ", ")),
			func(o api.Operation) bool { return o.Name == operation })
	}
	return p, err
}

// path narrows to the operations that have a path or a pattern: like compares its segments with those beside :id.
func (p *possible) path(sent string, like func(sent, segment string) bool) error {
	paths := journal.Each(p.all, func(o api.Operation) string { return o.Path })
	hint := ": the paths are " + strings.ReplaceAll(strings.Join(paths, ", "), ":id", "{id}")
	if near, ok := journal.NearestPath(sent, paths); ok {
		hint = ": did you mean " + api.Quote(near) + "?"
	}
	what, segments := "the path "+api.Quote(sent), strings.Split(withoutSlash(sent), "/")
	return p.narrow(what, "No operation has "+what+hint, func(o api.Operation) bool {
		return slices.EqualFunc(segments, strings.Split(o.Path, "/"), func(sent, segment string) bool {
			return strings.HasPrefix(segment, ":") || like(sent, segment)
		})
	})
}

func invalid(message string) error { return api.Because(http.StatusBadRequest, message) }
