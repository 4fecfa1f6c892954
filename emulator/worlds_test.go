package emulator_test

import (
	"fmt"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// The worlds of an emulator are listed across pages, and one that is deleted meanwhile is gone. A key that has no world says why.
func TestWorlds(t *testing.T) {
	t.Parallel()
	e := lab.Launch(t)
	ctx := t.Context()
	const worlds = 150 // more than one page
	for i := range worlds {
		_, err := lab.WorldOf(t, e, fmt.Sprintf("svc_sk_test_suite_%04d", i)).Now(ctx)
		lab.NoError(t, err)
	}
	seen := make(map[string]bool)
	for status, err := range e.Worlds(ctx) {
		lab.NoError(t, err)
		seen[status.ID] = true
		if len(seen) == 1 {
			lab.NoError(t, e.WorldByID(status.ID).Delete(ctx))
			_, err := e.WorldByID(status.ID).Reset(ctx)
			lab.WantRefusal(t, err, 404, `There is no world "`+status.ID+`": the list of worlds has the ids`)
		}
	}
	lab.Want(t, worlds, len(seen), nil)
	for key, message := range map[string]string{ // contract 3
		"":                    "no world has this API key: the key is empty or undefined: is its variable set?",
		"svc_pk_test_a":       "no world has this API key: a publishable key is for the browser: send a secret sandbox key (our decision; the specification is silent)",
		"svc_sk_test_revoked": "no world has this API key: this magic key acts as a revoked key",
	} {
		if _, err := e.World(key); err == nil || err.Error() != message {
			t.Errorf("%q: %v", key, err)
		}
	}
}
