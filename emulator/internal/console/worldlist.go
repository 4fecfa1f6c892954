package console

import (
	"cmp"
	"errors"
	"html/template"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// worldRow is a world in the list of worlds, with the last of its requests.
type worldRow struct {
	world.Status
	Ago      string // the last use; "": unknown
	Offset   string // of its clock to the machine's
	Requests uint64 // since it began, or was reset
	Errors   int    // of the last ones
	ErrorsAt string
	Last     *arrival // the last error; nil: none
}

const (
	worldDepth  = 200 // requests of each world in which the list looks for errors
	sortedMost  = 200 // worlds that are sorted by anything but their use
	sortRequest = "requests"
	sortErrors  = "errors"
	sortName    = "name"
)

// worldsPage is the data of pages/worlds.html.
type worldsPage struct {
	Worlds  []worldRow
	Sort    string
	Sorts   map[string]string // links, by what they sort by
	Query   string
	Depth   int
	Here    string // the page, to show it again
	Next    string
	Start   start
	Prefix  string // of keys
	Example string // of a masked key
}

// listWorlds shows the worlds after ?after=, those used last first or as ?sort= has it, with ?q= in their name, masked key or id.
func listWorlds(x *exchange) (answer, error) {
	p := worldsPage{Sort: x.request.URL.Query().Get("sort"), Sorts: make(map[string]string), Query: x.value("q"), Depth: worldDepth, Prefix: x.Key(""), Example: x.Key("…abcd#1234")}
	for _, by := range []string{"", sortName, sortRequest, sortErrors} {
		p.Sorts[by] = link("worlds") + "?" + url.Values{"q": {p.Query}, "sort": {by}}.Encode()
	}
	p.Here = p.Sorts[""]
	if to, ok := p.Sorts[p.Sort]; ok {
		p.Here = to
	}
	begin, most := positionOf(x.request.URL.Query().Get("after")), perPage+1
	if p.Sort != "" {
		most = sortedMost
	}
	found, err := x.Worlds.Latest(x.context(), most, func(s world.Status) bool {
		return inQuery(s, p.Query) && (begin.ID == "" || world.ByUse(begin, s) < 0)
	})
	if err != nil {
		return nil, err
	}
	worlds, last := found, ""
	if p.Sort == "" {
		worlds, last = rows(found, position)
	}
	for i := range worlds {
		row, err := x.worldRow(&worlds[i])
		if err != nil {
			return nil, err
		}
		p.Worlds = append(p.Worlds, row)
	}
	slices.SortStableFunc(p.Worlds, func(a, b worldRow) int {
		switch p.Sort {
		case sortName:
			return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
		case sortRequest:
			return cmp.Compare(b.Requests, a.Requests)
		case sortErrors:
			return cmp.Compare(b.Errors, a.Errors)
		}
		return 0
	})
	if x.request.Header.Get("HX-Target") == "worlds" {
		return fragment{"worlds", "list", p}, nil
	}
	p.Next, p.Start = x.next(link("worlds"), last), x.starting()
	return page{name: "worlds", title: "Worlds", data: p}, nil
}

// inQuery reports whether a world has a text in its name, masked key or id.
func inQuery(s world.Status, text string) bool {
	return strings.Contains(strings.ToLower(s.Name+"\n"+s.Key+"\n"+s.ID), strings.ToLower(text))
}

// worldRow reads what the list shows of a world: nothing more of one that is deleted meanwhile.
func (x *exchange) worldRow(s *world.Status) (row worldRow, err error) {
	now := x.Worlds.Config().Clock.Wall()
	row = worldRow{Status: *s, ErrorsAt: link("worlds", s.ID, "journal") + "?" + url.Values{"status": {errorsFilter}}.Encode(), Offset: offsetOf(s.Now.Sub(now))}
	if !s.Used.IsZero() {
		if row.Ago = ago(now.Sub(s.Used)); now.Sub(s.Used) < 2*time.Minute {
			row.Ago = "just now" // which is known to the minute
		}
	}
	entries, err := x.lastOf(s.ID, worldDepth)
	if errors.Is(err, journal.ErrOff) {
		err = nil
	}
	if err != nil {
		return row, err
	}
	why, err := x.causesIn(x.Worlds.ByID(s.ID))
	if err != nil {
		return row, err
	}
	row.Faults = 0
	for _, f := range why.faults {
		if rules.On(f, s.Now) {
			row.Faults++
		}
	}
	for _, e := range entries {
		row.Requests = e.Sequence
		if failed(e) {
			row.Errors++
			row.Last = &arrival{e, s, 1, why.reason(e)}
		}
	}
	return row, nil
}

// offsetOf says how far a clock is ahead of the machine's.
func offsetOf(span time.Duration) string {
	switch {
	case span.Abs() < time.Second:
		return "real time"
	case span < 0:
		return minus + lasting(-span)
	}
	return "+" + lasting(span)
}

// deleteWorlds deletes the worlds of the form, once it is confirmed.
func deleteWorlds(x *exchange) (answer, error) {
	chosen := x.request.Form["id"]
	found, err := x.Worlds.Latest(x.context(), math.MaxInt, func(s world.Status) bool {
		return slices.Contains(chosen, s.ID)
	})
	if err == nil && len(found) == 0 {
		err = api.Because(http.StatusBadRequest, "No world is chosen: tick those to delete")
	}
	if err != nil {
		return nil, err
	}
	if x.value("sure") == "" {
		return page{name: "delete", title: "Delete worlds", data: found}, nil
	}
	for _, s := range found {
		if err := x.Worlds.ByID(s.ID).Delete(x.context()); err != nil {
			return nil, err
		}
	}
	return done(link("worlds"), "gone"), nil
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

// worldsRoom is the pages of all worlds, of the life of one, and of all requests.
func worldsRoom() room {
	return room{Funcs: worldFuncs, Endpoints: []endpoint{
		{method: http.MethodGet, path: "", serve: showHome},
		{method: http.MethodGet, path: "home/live", serve: showArrivals},
		{method: http.MethodGet, path: "worlds", serve: listWorlds},
		{method: http.MethodPost, path: "worlds", serve: findWorld, form: listWorlds},
		{method: http.MethodPost, path: "delete-worlds", serve: deleteWorlds, form: listWorlds},
		{method: http.MethodPost, path: "new-world", serve: createWorld, form: listWorlds, file: true},
		{method: http.MethodPost, path: "worlds/:world/name", serve: renameWorld, form: listWorlds},
		{method: http.MethodGet, path: "worlds/:world/reset", serve: confirm},
		{method: http.MethodPost, path: "worlds/:world/reset", serve: reset},
		{method: http.MethodPost, path: "worlds/:world/undo", serve: undoReset, form: showSnapshot},
		{method: http.MethodGet, path: "worlds/:world/delete", serve: confirm},
		{method: http.MethodPost, path: "worlds/:world/delete", serve: deleteWorld},
		{method: http.MethodGet, path: "worlds/:world/snapshot", serve: showSnapshot},
		{method: http.MethodPost, path: "worlds/:world/snapshot", serve: restoreSnapshot, form: showSnapshot, file: true},
		{method: http.MethodPost, path: "worlds/:world/snapshot/new", serve: createWorld, form: showSnapshot, file: true},
		{method: http.MethodPost, path: "worlds/:world/snapshot/copy", serve: copyWorld, form: showSnapshot},
		{method: http.MethodGet, path: "worlds/:world/snapshot/file", serve: takeSnapshot},
	}}
}

var worldFuncs = template.FuncMap{
	"sorted": func(p worldsPage, name, by string) chip { // a heading of the list of worlds
		order := "descending"
		if by == sortName {
			order = "ascending"
		}
		return chip{Name: name, Link: p.Sorts[by], Tip: order, Current: p.Sort == by}
	},
}
