package control

import (
	"bytes"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/snapshot"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// worldView is a world as a list shows it.
type worldView struct {
	ID      string    `json:"id"`
	Key     string    `json:"key"` // masked
	Seed    uint64    `json:"seed"`
	Created time.Time `json:"created"`
	Clock   worldTime `json:"clock"`
}

// worldTime is the clock of a world: an instant, at which it stands or from which it runs on.
type worldTime struct {
	Now    time.Time `json:"now"`
	Frozen bool      `json:"frozen"`
}

func viewWorld(w *world.World) worldView {
	return worldView{w.ID, w.Key(), w.Seed(), w.Created(), viewTime(w)}
}

func viewTime(w *world.World) worldTime { return worldTime{w.Now().UTC(), w.Frozen()} }

// listWorlds lists the worlds in the order of their ids.
func listWorlds(x *exchange) (any, error) {
	after, limit, err := x.span(world.ValidID)
	if err != nil {
		return nil, err
	}
	found, err := x.Worlds.List(x.context(), after, limit+1)
	return page(found, limit, func(w *world.World) string { return w.ID }, viewWorld), err
}

func deleteWorld(x *exchange) (any, error) {
	if err := x.Worlds.Delete(x.context(), x.param("id")); err != nil {
		return nil, err
	}
	x.Journal.Forget(x.param("id"))
	return nil, nil
}

// reset makes the world as new. It takes no body but {}, so that nobody believes to reset a part.
func reset(x *exchange) (any, error) {
	if text := string(bytes.TrimSpace(x.body)); text == "null" || text != "" && x.decode(new(struct{})) != nil {
		return nil, api.Because(http.StatusBadRequest, "This call takes no body: leave it out, or send {}")
	}
	if err := x.do(func(w *world.World) error { return w.Reset(x.context()) }); err != nil {
		return nil, err
	}
	x.Journal.Renew(x.world.ID, x.world.Generation())
	return viewWorld(x.world), nil
}

func takeSnapshot(x *exchange) (any, error) { return snapshot.Take(x.context(), x.Journal, x.do) }

// restoreSnapshot makes the world what a snapshot says.
func restoreSnapshot(x *exchange) (any, error) {
	d, err := snapshot.Parse(x.body, x.Operations)
	if err != nil {
		return nil, err
	}
	if err := snapshot.Restore(x.context(), x.Journal, x.do, d); err != nil {
		return nil, err
	}
	return viewWorld(x.world), nil
}

func showClock(x *exchange) (any, error) { return viewTime(x.world), nil }

// setClock sets the world's clock to an instant, freezes it or lets it run, or both.
func setClock(x *exchange) (any, error) {
	var in struct {
		Now    *time.Time `json:"now"`
		Frozen *bool      `json:"frozen"`
	}
	if err := x.decode(&in); err != nil {
		return nil, err
	}
	if in.Now == nil && in.Frozen == nil {
		return nil, api.Because(http.StatusBadRequest, `Say what the clock is set to: {"now":"2025-01-15T09:00:00Z"}, {"frozen":true} or both`)
	}
	if err := x.world.SetTime(x.context(), in.Now, in.Frozen); err != nil {
		return nil, err
	}
	return viewTime(x.world), nil
}

func advanceClock(x *exchange) (any, error) {
	var in struct {
		By scenarios.Duration `json:"by"`
	}
	if err := x.decode(&in); err != nil {
		return nil, err
	}
	if in.By == 0 {
		return nil, api.Because(http.StatusBadRequest, `Say by how much the clock is advanced: {"by":"36h"}`)
	}
	if err := x.world.Advance(x.context(), time.Duration(in.By)); err != nil {
		return nil, err
	}
	return viewTime(x.world), nil
}
