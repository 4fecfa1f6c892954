package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A small heap is full again after a few hundred requests, and to collect it costs a good part of what they cost. While
// little is live, three times as much garbage may lie beside it: 24 MiB at most. A larger heap is collected as Go has it.
const (
	littleLive = 8 << 20 // bytes
	patient    = 300     // percent, as GOGC counts
	asGoHasIt  = 100
)

// collectPatiently has garbage be collected less often, from now until the process ends, unless the user has said how.
func collectPatiently() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	now := asGoHasIt
	adjust := func() {
		if next := percentFor(live()); next != now {
			now = next
			debug.SetGCPercent(now)
		}
	}
	adjust()
	afterCollections(adjust)
}

// percentFor returns how much garbage may lie beside so many live bytes.
func percentFor(live uint64) int {
	if live > littleLive {
		return asGoHasIt
	}
	return patient
}

// live returns how many bytes were live when garbage was collected last.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// afterCollections calls act after each collection, one call after the other.
func afterCollections(act func()) {
	type garbage struct{ _ *int } // with a pointer, so that it shares its memory with nothing that lives on
	runtime.AddCleanup(&garbage{}, func(act func()) {
		act()
		afterCollections(act)
	}, act)
}
