package resource

import (
	"slices"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Each terminal state is an outcome of a session, and each outcome but success has a timeline.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for _, state := range api.State("").Values() {
		if of, ok := played[state]; ok != state.Terminal() || ok && !slices.Contains(of.Values(), of) {
			t.Errorf("%s is the outcome %q", state, of)
		}
	}
	for _, of := range outcome("").Values() {
		if _, ok := unsuccessful[of]; ok == (of == "success") {
			t.Errorf("%s has a timeline: %t", of, ok)
		}
	}
}
