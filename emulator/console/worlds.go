package console

import (
	"errors"
	"net/http"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

const (
	atOnce  = 50  // rows of a list that a page shows
	aGlance = 500 // worlds that are looked through at once for those that a filter wants
)

// listWorlds shows the worlds, from the first behind ?after=: those with ?q= in their masked key or their id.
func listWorlds(x *exchange) (answer, error) {
	found, err := x.worldsLike(x.value("q"), x.value("after"))
	if err != nil {
		return nil, err
	}
	worlds, last := rows(found, func(w *world.World) string { return w.ID })
	return page{name: "worlds", title: "Worlds", data: struct {
		Worlds  []*world.World
		Next    string
		Start   start
		Prefix  string // of keys
		Example string // of a masked key
	}{worlds, x.next(last), x.start(), x.Key(""), x.Key("…abcd#1234")}}, nil
}

// worldsLike returns one world more than a page shows, from the first behind another.
func (x *exchange) worldsLike(part, after string) (found []*world.World, err error) {
	part = strings.ToLower(part)
	for {
		glance, err := x.Worlds.List(x.context(), after, aGlance)
		if err != nil {
			return nil, err
		}
		for _, w := range glance {
			if strings.Contains(strings.ToLower(w.Key()), part) || strings.Contains(w.ID, part) {
				found = append(found, w)
			}
			if len(found) > atOnce {
				return found, nil
			}
		}
		if len(glance) < aGlance {
			return found, nil
		}
		after = glance[len(glance)-1].ID
	}
}

// findWorld leads to the world of the key that was typed, whole or what is behind its prefix. The key is not kept.
func findWorld(x *exchange) (answer, error) {
	key := x.value("key")
	if !strings.HasPrefix(key, x.Key("")) {
		key = x.Key(key)
	}
	id := world.IDOf(key)
	_, err := x.Worlds.OpenID(x.context(), id)
	if failure := (*api.Error)(nil); errors.As(err, &failure) {
		return x.again(listWorlds, api.Because(http.StatusNotFound,
			"No world has that key: one is made when its key is first used, and this is not one that was, or its world is forgotten"))
	}
	if err != nil {
		return nil, err
	}
	return seeOther(link("worlds", id)), nil
}
