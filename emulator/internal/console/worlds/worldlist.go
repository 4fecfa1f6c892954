// Package worlds is the first page, and those of the life of worlds: creation, reset, snapshots, deletion.
package worlds

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
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
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
	Last     *recorded.EntryRow // the last error; nil: none
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
	Start   recorded.Start
	Prefix  string // of keys
	Example string // of a masked key
}

// listWorlds shows the worlds after ?after=, those used last first or as ?sort= has it, with ?q= in their name, masked key or id.
func listWorlds(x *frame.Exchange) (frame.Answer, error) {
	p := worldsPage{Sort: x.Request.URL.Query().Get("sort"), Sorts: make(map[string]string), Query: x.Value("q"), Depth: worldDepth, Prefix: x.Key(""), Example: x.Key("…abcd#1234")}
	for _, by := range []string{"", sortName, sortRequest, sortErrors} {
		query := x.Query()
		query.Del("after")
		query.Set("sort", by)
		p.Sorts[by] = frame.Link("worlds") + "?" + query.Encode()
	}
	p.Here = p.Sorts[""]
	if to, ok := p.Sorts[p.Sort]; ok {
		p.Here = to
	}
	begin, most := positionOf(x.Request.URL.Query().Get("after")), frame.PerPage+1
	if p.Sort != "" {
		most = sortedMost
	}
	found, err := x.Worlds.Latest(x.Context(), most, func(s world.Status) bool {
		return inQuery(s, p.Query) && (begin.ID == "" || world.ByUse(begin, s) < 0)
	})
	if err != nil {
		return nil, err
	}
	now, worlds, last := x.Worlds.Config().Clock.Wall(), found, ""
	if p.Sort == "" {
		worlds, last = frame.Rows(found, position)
	}
	for i := range worlds {
		row, err := rowOfWorld(x, &worlds[i], now)
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
	if x.Request.Header.Get("HX-Target") == "worlds" {
		return frame.Fragment{Page: "worlds", Name: "list", Data: p}, nil
	}
	p.Next, p.Start = x.Next(frame.Link("worlds"), last), recorded.Starting(x)
	return frame.Page{Name: "worlds", Title: "Worlds", Data: p}, nil
}

// inQuery reports whether a world has a text in its name, masked key or id.
func inQuery(s world.Status, text string) bool {
	return strings.Contains(strings.ToLower(s.Name+"\n"+s.Key+"\n"+s.ID), strings.ToLower(text))
}

// rowOfWorld reads what the list shows of a world whose status was read at an instant: nothing more of one that is deleted meanwhile.
func rowOfWorld(x *frame.Exchange, s *world.Status, now time.Time) (row worldRow, err error) {
	row = worldRow{Status: *s, ErrorsAt: frame.Link("worlds", s.ID, "journal") + "?" + url.Values{"status": {recorded.ErrorsFilter}}.Encode(), Offset: offsetOf(s.Now.Sub(now).Round(time.Second))}
	if !s.Used.IsZero() {
		if row.Ago = words.Ago(now.Sub(s.Used)); now.Sub(s.Used) < 2*time.Minute {
			row.Ago = "just now" // which is known to the minute
		}
	}
	entries, err := lastOf(x, s.ID, worldDepth)
	if errors.Is(err, journal.ErrOff) {
		err = nil
	}
	if err != nil {
		return row, err
	}
	why, err := recorded.CausesIn(x, x.Worlds.ByID(s.ID))
	if err != nil {
		return row, err
	}
	row.Faults = 0
	for _, f := range why.Faults {
		if rules.On(f, s.Now) {
			row.Faults++
		}
	}
	for _, e := range entries {
		row.Requests = e.Sequence
		if recorded.Failed(e) {
			row.Errors++
			row.Last = &recorded.EntryRow{Entry: e, Why: why.Reason(e)}
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
		return words.Minus + words.Lasting(-span)
	}
	return "+" + words.Lasting(span)
}

// deleteWorlds deletes the worlds of the form, once it is confirmed.
func deleteWorlds(x *frame.Exchange) (frame.Answer, error) {
	chosen := x.Request.Form["id"]
	found, err := x.Worlds.Latest(x.Context(), math.MaxInt, func(s world.Status) bool {
		return slices.Contains(chosen, s.ID)
	})
	if err == nil && len(found) == 0 {
		err = api.Because(http.StatusBadRequest, "No world is chosen: tick those to delete")
	}
	if err != nil {
		return nil, err
	}
	if x.Value("sure") == "" {
		return frame.Page{Name: "delete", Title: "Delete worlds", Data: found}, nil
	}
	for _, s := range found {
		if err := x.Worlds.ByID(s.ID).Delete(x.Context()); err != nil {
			return nil, err
		}
	}
	return frame.Done(frame.Link("worlds"), "gone"), nil
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
func findWorld(x *frame.Exchange) (frame.Answer, error) {
	key := x.Value("key")
	if !strings.HasPrefix(key, x.Key("")) {
		key = x.Key(key)
	}
	id := world.IDOf(key)
	_, err := x.Worlds.ByID(id).Status(x.Context())
	if failure := (*api.Error)(nil); errors.As(err, &failure) {
		err = api.Because(http.StatusNotFound,
			"No world has that key: a world is created when its key is first used, and this key was not used, or its world was deleted")
	}
	return frame.SeeOther(frame.Link("worlds", id)), err
}

// renameWorld gives the world the name of the form; none takes it away.
func renameWorld(x *frame.Exchange) (frame.Answer, error) {
	_, err := x.World.Rename(x.Context(), x.Value("name"))
	return frame.Done(frame.OwnPath(cmp.Or(x.Value("back"), frame.Link("worlds"))), "renamed"), err
}

// createWorld makes a world by the name of the form: new, or what the form's snapshot says.
func createWorld(x *frame.Exchange) (frame.Answer, error) {
	file, err := x.Limits.File(x.Context(), x.Owner())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	chosen, err := x.Upload(file)
	if err != nil {
		return nil, err
	}
	if chosen {
		return create(x, file)
	}
	return create(x, nil)
}

// copyWorld makes a world by the name of the form that is as this one.
func copyWorld(x *frame.Exchange) (frame.Answer, error) {
	file, err := x.Limits.Snapshot(x.Context(), x.Owner(), x.World.WriteSnapshot)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return create(x, file)
}

// create makes the world whose key ends with the name of the form.
func create(x *frame.Exchange, snapshot io.ReadSeeker) (frame.Answer, error) {
	name := x.Value("name")
	key, err := x.Authenticate([]string{"Bearer " + x.Key(name)})
	if failure := (*api.Error)(nil); errors.As(err, &failure) {
		return nil, api.Because(http.StatusBadRequest, "The name would make no key of a world: "+failure.Diagnosis)
	}
	allowTime(x)
	var status world.Status
	make := func() (err error) {
		status, err = x.Worlds.Create(x.Context(), key, name, snapshot)
		return err
	}
	if snapshot == nil {
		err = make()
	} else {
		err = x.Limits.Turn(x.Context(), x.Owner(), make)
	}
	return frame.Done(frame.Link("worlds", status.ID), frame.MadeWorld), err
}

// notices are the messages after the forms of the room.
var notices = map[string]string{
	"reset":         "World reset.",
	"undone":        "The reset is undone.",
	frame.MadeWorld: "World created. Its key:",
	"renamed":       "World renamed.",
	"restored":      "Snapshot restored.",
	"deleted":       "World deleted.",
	"gone":          "Worlds deleted.",
}

// Room is the pages of all worlds, of the life of one, and of all requests.
func Room() frame.Room {
	return frame.Room{Funcs: worldFuncs, Messages: notices, Endpoints: []frame.Endpoint{
		{Method: http.MethodGet, Path: "", Serve: showHome},
		{Method: http.MethodGet, Path: "home/live", Serve: showArrivals},
		{Method: http.MethodGet, Path: "worlds", Serve: listWorlds},
		{Method: http.MethodPost, Path: "worlds", Serve: findWorld, Form: listWorlds},
		{Method: http.MethodPost, Path: "delete-worlds", Serve: deleteWorlds, Form: listWorlds},
		{Method: http.MethodPost, Path: "new-world", Serve: createWorld, Form: listWorlds, File: true},
		{Method: http.MethodPost, Path: "worlds/:world/name", Serve: renameWorld, Form: listWorlds},
		{Method: http.MethodGet, Path: "worlds/:world/reset", Serve: frame.Confirm},
		{Method: http.MethodPost, Path: "worlds/:world/reset", Serve: reset},
		{Method: http.MethodPost, Path: "worlds/:world/undo", Serve: undoReset, Form: showSnapshot},
		{Method: http.MethodGet, Path: "worlds/:world/delete", Serve: frame.Confirm},
		{Method: http.MethodPost, Path: "worlds/:world/delete", Serve: deleteWorld},
		{Method: http.MethodGet, Path: "worlds/:world/snapshot", Serve: showSnapshot},
		{Method: http.MethodPost, Path: "worlds/:world/snapshot", Serve: restoreSnapshot, Form: showSnapshot, File: true},
		{Method: http.MethodPost, Path: "worlds/:world/snapshot/copy", Serve: copyWorld, Form: showSnapshot},
		{Method: http.MethodGet, Path: "worlds/:world/snapshot/file", Serve: takeSnapshot},
	}}
}

var worldFuncs = template.FuncMap{
	"sorted": func(p worldsPage, name, by string) frame.Chip { // a heading of the list of worlds
		order := "descending"
		if by == sortName {
			order = "ascending"
		}
		return frame.Chip{Name: name, Link: p.Sorts[by], Tip: order, Current: p.Sort == by}
	},
}

func deleteWorld(x *frame.Exchange) (frame.Answer, error) {
	return frame.Done(frame.Link("worlds"), "deleted"), x.World.Delete(x.Context())
}
