package console

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// worldRow is a world in the list of worlds.
type worldRow struct {
	world.Status
	Ago string // the last use; "": unknown
}

// listWorlds shows the worlds after ?after=, those used last first, with ?q= in their name, masked key or id.
func listWorlds(x *exchange) (answer, error) {
	part, begin := strings.ToLower(x.value("q")), positionOf(x.request.URL.Query().Get("after"))
	found, err := x.Worlds.Latest(x.context(), perPage+1, func(s world.Status) bool {
		return strings.Contains(strings.ToLower(s.Name+"\n"+s.Key+"\n"+s.ID), part) && (begin.ID == "" || world.ByUse(begin, s) < 0)
	})
	if err != nil {
		return nil, err
	}
	worlds, last := rows(found, position)
	now, shown := x.Worlds.Config().Clock.Wall(), make([]worldRow, len(worlds))
	for i, s := range worlds {
		shown[i].Status = s
		if !s.Used.IsZero() {
			shown[i].Ago = ago(now.Sub(s.Used))
		}
		if s.Faults == 0 {
			continue
		}
		on, err := x.Worlds.ByID(s.ID).Faults(x.context())
		if failure := (*api.Error)(nil); err != nil && !errors.As(err, &failure) { // which a world that is deleted meanwhile is
			return nil, err
		}
		shown[i].Faults = len(on)
	}
	return page{name: "worlds", title: "Worlds", data: struct {
		Worlds  []worldRow
		Next    string
		Start   start
		Prefix  string // of keys
		Example string // of a masked key
	}{shown, x.next(link("worlds"), last), x.start(), x.Key(""), x.Key("…abcd#1234")}}, nil
}

// position returns the position of a world in the list: its last use and its id.
func position(s world.Status) string { return s.Used.Format(time.RFC3339Nano) + "," + s.ID }

// positionOf returns what position needs of a world, the zero Status for no position.
func positionOf(text string) (s world.Status) {
	used, id, _ := strings.Cut(text, ",")
	var err error
	if s.Used, err = time.Parse(time.RFC3339Nano, used); err == nil {
		s.ID = id
	}
	return s
}

// findWorld redirects to the world of the typed key, whole or without its prefix. The key is not stored.
func findWorld(x *exchange) (answer, error) {
	key := x.value("key")
	if !strings.HasPrefix(key, x.Key("")) {
		key = x.Key(key)
	}
	id := world.IDOf(key)
	_, err := x.Worlds.ByID(id).Status(x.context())
	if failure := (*api.Error)(nil); errors.As(err, &failure) {
		err = api.Because(http.StatusNotFound,
			"No world has that key: a world is created when its key is first used, and this key was not used, or its world was deleted")
	}
	return seeOther(link("worlds", id)), err
}

// renameWorld gives the world the name of the form; none takes it away.
func renameWorld(x *exchange) (answer, error) {
	_, err := x.world.Rename(x.context(), x.value("name"))
	return done(ownPath(cmp.Or(x.value("back"), link("worlds"))), "renamed"), err
}

// createWorld makes a world by the name of the form: new, or what the form's snapshot says.
func createWorld(x *exchange) (answer, error) {
	file, err := x.Limits.File(x.context(), x.owner())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	switch chosen, err := x.upload(file); {
	case err != nil:
		return nil, err
	case chosen:
		return x.create(file)
	case x.status != nil: // on the page of snapshots, not on that of worlds
		return nil, errNoFile
	}
	return x.create(nil)
}

// copyWorld makes a world by the name of the form that is as this one.
func copyWorld(x *exchange) (answer, error) {
	file, err := x.Limits.Snapshot(x.context(), x.owner(), x.world.WriteSnapshot)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return x.create(file)
}

// create makes the world whose key ends with the name of the form.
func (x *exchange) create(snapshot io.ReadSeeker) (answer, error) {
	name := x.value("name")
	key, err := x.Authenticate([]string{"Bearer " + x.Key(name)})
	if failure := (*api.Error)(nil); errors.As(err, &failure) {
		return nil, api.Because(http.StatusBadRequest, "The name would make no key of a world: "+failure.Diagnosis)
	}
	x.allowTime()
	var status world.Status
	make := func() (err error) {
		status, err = x.Worlds.Create(x.context(), key, name, snapshot)
		return err
	}
	if snapshot == nil {
		err = make()
	} else {
		err = x.Limits.Turn(x.context(), x.owner(), make)
	}
	return done(link("worlds", status.ID), "made"), err
}
