package catalogues

import (
	"fmt"
	"testing"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// The memory of cached catalogues is that of those that are there: what is evicted takes none.
func TestCataloguesMemory(t *testing.T) {
	t.Parallel()
	c := newCache()
	parse := func() (*scenarios.Catalogue, error) {
		return scenarios.Files{}.With("a.yaml", []byte("name: a\ntitle: a\nmagic: {verification_request: vr_a}\n")).Over(nil)
	}
	one, err := parse()
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if _, err := c.get(key{prefix: fmt.Sprint(n)}, parse); err != nil {
			t.Fatal(err)
		}
	}
	for left := int64(3); left >= 0; left-- {
		if c.bytes != left*one.Bytes() {
			t.Errorf("%d catalogues of %d bytes take %d", left, one.Bytes(), c.bytes)
		}
		c.found.RemoveOldest()
	}
}
