// Package catalogues has the scenarios of worlds: those of a world's own files over those of all worlds. The texts of files flow in,
// and are refused where they are invalid or too large; the catalogue of a world flows out, parsed once. The package stores nothing.
package catalogues

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// Catalogues are the scenarios of all worlds. They are safe for concurrent use.
type Catalogues struct {
	base    atomic.Pointer[scenarios.Catalogue]
	refused atomic.Pointer[refusal] // of later files of all worlds; nil: none
	wall    func() time.Time
	cache   *cache
}

// New returns the catalogues over those of all worlds, with the machine's clock.
func New(base *scenarios.Catalogue, wall func() time.Time) *Catalogues {
	c := &Catalogues{wall: wall, cache: newCache()}
	c.base.Store(base)
	return c
}

// Base returns the catalogue of all worlds.
func (c *Catalogues) Base() *scenarios.Catalogue { return c.base.Load() }

// SetCatalogue replaces the catalogue of all worlds. Requests that are under way keep the one that they began with.
func (c *Catalogues) SetCatalogue(base *scenarios.Catalogue) {
	c.base.Store(base)
	c.refused.Store(nil)
	c.cache.clear() // those of worlds are over the one before
}

// refusal is where scenario files are refused, and since when by the machine's clock.
type refusal struct {
	since time.Time
	at    scenarios.Position
}

// Refuse notes that scenario files with problems are refused: the catalogue stays.
func (c *Catalogues) Refuse(problems scenarios.Problems) {
	first := slices.IndexFunc(problems, func(p scenarios.Problem) bool { return !p.Warning })
	now := &refusal{c.wall(), problems[max(first, 0)].At}
	if before := c.refused.Load(); before != nil {
		now.since = before.since
	}
	c.refused.Store(now)
}

// Refused says since when and where scenario files are refused; "" while they are not.
func (c *Catalogues) Refused() string {
	r := c.refused.Load()
	if r == nil {
		return ""
	}
	return fmt.Sprintf("scenario files are refused since %s, first at %s: the last valid ones are served", r.since.UTC().Format(time.RFC3339), r.at)
}
