package control

import (
	"github.com/understudy-sandbox/understudy/emulator/world"
)

func takeSnapshot(x *exchange) (any, error) { return x.world.Snapshot(x.context()) }

// restoreSnapshot makes the world what a snapshot says, and shows it.
func restoreSnapshot(x *exchange) (any, error) {
	var s world.Snapshot
	if err := x.decode(&s); err != nil {
		return nil, err
	}
	if err := x.world.Restore(x.context(), s); err != nil {
		return nil, err
	}
	return viewWorld(x.world), nil
}
