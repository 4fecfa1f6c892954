package control

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

func worldCalls() []endpoint {
	return []endpoint{
		{method: get, path: "v1/worlds", serve: listWorlds(), query: paged},
		{method: patch, path: "v1/worlds/:id", serve: takes(renameWorld)},
		{method: del, path: "v1/worlds/:id", serve: deleteWorld},
		{method: post, path: "v1/reset", inWorld: reset},
		{method: get, path: "v1/snapshot", inWorld: takeSnapshot},
		{method: put, path: "v1/snapshot", inWorld: restoreSnapshot, snapshot: true},
	}
}

// worldView is a world as a list shows it.
type worldView struct {
	ID       string     `json:"id"`
	Key      string     `json:"key"` // masked
	Name     *string    `json:"name"`
	Seed     uint64     `json:"seed"`
	Created  time.Time  `json:"created"`
	Clock    worldTime  `json:"clock"`
	LastUsed *time.Time `json:"last_used"`
}

func viewWorld(s world.Status) worldView {
	v := worldView{ID: s.ID, Key: s.Key, Seed: s.Seed, Created: s.Created, Clock: viewTime(s)}
	if s.Name != "" {
		v.Name = &s.Name
	}
	if !s.Used.IsZero() {
		v.LastUsed = new(s.Used.Truncate(time.Second))
	}
	return v
}

// listWorlds lists the worlds in the order of their ids.
func listWorlds() call {
	return lists(world.ValidID, func(s world.Status) string { return s.ID }, viewWorld, func(x *exchange, after string, limit int) ([]world.Status, error) {
		return x.Worlds.List(x.context(), after, limit)
	})
}

// renameWorld gives a world a name, or takes it away by null.
func renameWorld(x *exchange, in struct {
	Name jsontext.Value `json:"name"`
}) (any, error) {
	name := ""
	switch in.Name.Kind() {
	case 'n':
	case '"':
		if err := json.Unmarshal(in.Name, &name); err != nil {
			return nil, err
		}
		if err := world.CheckName(name); err != nil {
			return nil, err
		}
	default:
		return nil, api.Because(http.StatusBadRequest, `Send the name, a text: {"name":"Payroll"}, or null for none`)
	}
	return viewed(viewWorld)(x.Worlds.ByID(x.param()).Rename(x.context(), name))
}

func deleteWorld(x *exchange) (any, error) {
	return nil, x.Worlds.ByID(x.param()).Delete(x.context())
}

// reset returns the world to its first state. It takes no body except {}, so that nobody expects to reset a part.
func reset(x *exchange) (any, error) {
	if text := string(bytes.TrimSpace(x.body)); text == "null" || text != "" && x.decode(new(struct{})) != nil {
		return nil, api.Because(http.StatusBadRequest, "This call takes no body: leave it out, or send {}")
	}
	return viewed(viewWorld)(x.world.Reset(x.context()))
}

// takeSnapshot returns the snapshot in a file, so that a world of any size takes no memory.
func takeSnapshot(x *exchange) (any, error) {
	return x.Limits.Snapshot(x.context(), x.owner(), x.world.WriteSnapshot)
}

// restoreSnapshot makes the world what a snapshot says.
func restoreSnapshot(x *exchange) (any, error) {
	file, err := x.Limits.File(x.context(), x.owner())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := io.Copy(file, x.request.Body); err != nil {
		return nil, unread(err)
	}
	http.NewResponseController(x.writer).SetWriteDeadline(time.Now().Add(registry.RestoreTime)) // it fails where there are no deadlines
	var restored world.Status
	err = x.Limits.Turn(x.context(), x.owner(), func() (err error) {
		restored, err = x.world.RestoreFrom(x.context(), file)
		return err
	})
	return viewed(viewWorld)(restored, err)
}
