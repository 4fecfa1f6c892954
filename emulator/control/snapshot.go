package control

import "github.com/understudy-sandbox/understudy/emulator/snapshot"

func takeSnapshot(x *exchange) (any, error) { return snapshot.Take(x.context(), x.world, x.Journal) }

// restoreSnapshot makes the world what a snapshot says, and shows it.
func restoreSnapshot(x *exchange) (any, error) {
	text, err := x.read()
	if err != nil {
		return nil, err
	}
	d, err := snapshot.Parse(text, x.Operations)
	if err != nil {
		return nil, err
	}
	if err := snapshot.Restore(x.context(), x.world, x.Journal, d); err != nil {
		return nil, err
	}
	return viewWorld(x.world), nil
}
