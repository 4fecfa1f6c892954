package main

import (
	"runtime"
	"testing"
)

func TestALittleHeapIsCollectedPatientlyAndALargeOneAsGoHasIt(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{0: patient, littleLive: patient, littleLive + 1: asGoHasIt, 1 << 40: asGoHasIt} {
		if got := percentFor(live); got != want {
			t.Errorf("%d bytes are live: %d percent, want %d", live, got, want)
		}
	}
}

func TestTheHeapIsLookedAtAfterEachCollection(t *testing.T) {
	t.Parallel()
	looked := make(chan uint64, 1)
	afterCollections(func() {
		select {
		case looked <- live():
		default: // the test has ended
		}
	})
	for range 3 {
		for seen := false; !seen; {
			runtime.GC()
			select {
			case bytes := <-looked:
				if seen = true; bytes == 0 {
					t.Error("nothing is live")
				}
			default: // not yet
			}
		}
	}
}
