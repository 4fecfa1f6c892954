package console

import "github.com/understudy-sandbox/understudy/emulator/world"

// atOnce is how many rows of a list a page shows.
const atOnce = 50

// listWorlds shows the worlds, from the first behind ?after=.
func listWorlds(x *exchange) (answer, error) {
	found, err := x.Worlds.List(x.context(), x.value("after"), atOnce+1)
	if err != nil {
		return nil, err
	}
	worlds, last := rows(found, func(w *world.World) string { return w.ID })
	return page{name: "worlds", title: "Worlds", data: struct {
		Worlds []*world.World
		Next   string
		Start  start
	}{worlds, x.next(last), x.start()}}, nil
}
