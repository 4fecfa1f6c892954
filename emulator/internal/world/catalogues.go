package world

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// maxCatalogue is the approximate memory of the scenarios of a world's own files, in bytes, and of all that are cached.
const maxCatalogue = 24 << 20

// catalogues caches the scenarios of worlds with files of their own.
type catalogues struct {
	parsing sync.Mutex // one world's at a time: they take several times the memory while they are parsed

	mu    sync.Mutex
	found *simplelru.LRU[worldCatalogue, *scenarios.Catalogue]
	bytes int64
}

func newCatalogues() *catalogues {
	c := new(catalogues)
	c.found, _ = simplelru.NewLRU(math.MaxInt, func(_ worldCatalogue, evicted *scenarios.Catalogue) { // it fails on a size below 1 only
		c.bytes -= evicted.Bytes()
	})
	return c
}

// get returns a cached catalogue, or parses and caches it.
func (c *catalogues) get(key worldCatalogue, parse func() (*scenarios.Catalogue, error)) (*scenarios.Catalogue, error) {
	if cached := c.cached(key); cached != nil {
		return cached, nil
	}
	c.parsing.Lock()
	defer c.parsing.Unlock()
	if cached := c.cached(key); cached != nil { // another request has parsed it
		return cached, nil
	}
	parsed, err := parse()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found.Add(key, parsed)
	for c.bytes += parsed.Bytes(); c.bytes > maxCatalogue && c.found.Len() > 1; {
		c.found.RemoveOldest()
	}
	return parsed, nil
}

func (c *catalogues) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found.Purge()
}

func (c *catalogues) cached(key worldCatalogue) *scenarios.Catalogue {
	c.mu.Lock()
	defer c.mu.Unlock()
	cached, _ := c.found.Get(key)
	return cached
}
