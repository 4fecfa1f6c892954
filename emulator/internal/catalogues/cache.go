package catalogues

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// cache has the scenarios of worlds with files of their own.
type cache struct {
	parsing sync.Mutex // one world's at a time: they take several times the memory while they are parsed

	mu    sync.Mutex
	found *simplelru.LRU[key, *scenarios.Catalogue]
	bytes int64
}

// key is what the catalogue of a world depends on.
type key struct {
	prefix, files string // of the world's values, and their names
	base          *scenarios.Catalogue
}

func newCache() *cache {
	c := new(cache)
	c.found, _ = simplelru.NewLRU(math.MaxInt, func(_ key, evicted *scenarios.Catalogue) { // it fails on a size below 1 only
		c.bytes -= evicted.Bytes()
	})
	return c
}

// get returns a cached catalogue, or parses and caches it.
func (c *cache) get(of key, parse func() (*scenarios.Catalogue, error)) (*scenarios.Catalogue, error) {
	if cached := c.cached(of); cached != nil {
		return cached, nil
	}
	c.parsing.Lock()
	defer c.parsing.Unlock()
	if cached := c.cached(of); cached != nil { // another request has parsed it
		return cached, nil
	}
	parsed, err := parse()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found.Add(of, parsed)
	for c.bytes += parsed.Bytes(); c.bytes > maxMemory && c.found.Len() > 1; {
		c.found.RemoveOldest()
	}
	return parsed, nil
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.found.Purge()
}

func (c *cache) cached(of key) *scenarios.Catalogue {
	c.mu.Lock()
	defer c.mu.Unlock()
	cached, _ := c.found.Get(of)
	return cached
}
