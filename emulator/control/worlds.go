package control

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/world"
)

// worldView is a world as a list shows it.
type worldView struct {
	ID      string    `json:"id"`
	Key     string    `json:"key"` // masked
	Seed    uint64    `json:"seed"`
	Created time.Time `json:"created"`
	Clock   worldTime `json:"clock"`
}

func viewWorld(w *world.World) worldView {
	return worldView{ID: w.ID, Key: w.Key(), Seed: w.Seed(), Created: w.Created(), Clock: viewTime(w)}
}

// listWorlds shows the worlds in the order of their ids.
func listWorlds(x *exchange) (any, error) {
	after, limit, err := x.span(world.ValidID)
	if err != nil {
		return nil, err
	}
	worlds, err := x.Worlds.List(x.context(), after, limit+1)
	if err != nil {
		return nil, err
	}
	var views []worldView
	for _, w := range worlds {
		views = append(views, viewWorld(w))
	}
	return page(views, limit, func(v worldView) string { return v.ID }), nil
}

// deleteWorld forgets a world.
func deleteWorld(x *exchange) (any, error) {
	if err := x.Worlds.Delete(x.context(), x.param("id")); err != nil {
		return nil, err
	}
	x.Journal.Forget(x.param("id"))
	return nil, nil
}

// reset makes the world as new, and shows it. It takes no body, so that nobody thinks to have reset a part.
func reset(x *exchange) (any, error) {
	if err := x.refuseBody(); err != nil {
		return nil, err
	}
	if err := x.world.Reset(x.context()); err != nil {
		return nil, err
	}
	x.Journal.Renew(x.world.ID, x.world.Generation())
	return viewWorld(x.world), nil
}
