package runs

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/requests"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/resources"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/snapshot"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// The bounds of a run as one file, so that it can be sent and opened.
const (
	maxDetails   = 8 << 20 // bytes of requests with their bodies, as HTML
	maxSnapshots = 4 << 20 // bytes of snapshots, in base 64
	maxRunRows   = 5000
)

// runFile is the data of pages/run.html.
type runFile struct {
	Policy           string
	Style            template.HTML
	Version          string
	Saved            time.Time
	Requests, Failed int
	Groups           []runGroup // the failed requests first
	Details          []template.HTML
	Worlds           []*runWorld
	Left             []string // what is left out, in sentences
}

// Title says how many requests there are.
func (f runFile) Title() string {
	return fmt.Sprintf("%s, %d failed", words.Count(f.Requests, "request", "requests"), f.Failed)
}

// runGroup is rows of a world.
type runGroup struct {
	Name string
	Rows []recorded.EntryRow
}

// runWorld is a world in a run file, at its end.
type runWorld struct {
	Name     string
	Status   *world.Status // nil outside any world
	Dropped  uint64
	Kinds    []runKind
	Snapshot string // compressed, in base 64; "": left out

	x       *frame.Exchange
	causes  recorded.Causes
	entries []*journal.Entry // the latest first
}

// runKind is the stored resources of a kind.
type runKind struct {
	Name string
	Rows []resources.ResourceRow
	More bool
}

// saveRun answers with the requests of the world of ?world=, or of all, as one file.
func saveRun(x *frame.Exchange) (frame.Answer, error) {
	look := runStyle(x)
	f := runFile{Version: x.Version, Saved: x.Worlds.Config().Clock.Wall(), Style: look.html, Policy: look.policy}
	worlds, err := runWorlds(x)
	if err != nil {
		return nil, err
	}
	for _, w := range worlds {
		if w.Status != nil {
			f.Worlds = append(f.Worlds, w)
		}
	}
	if err := f.fill(worlds); err != nil {
		return nil, err
	}
	if err := f.addSnapshots(); err != nil {
		return nil, err
	}
	text, err := x.Render("run", "file", f)
	x.Writer.Header().Set("Understudy-Diagnosis", strings.Join(f.Left, " "))
	name := f.Saved.UTC().Format("understudy-run-20060102T150405Z.html")
	return frame.Content{ContentType: "text/html; charset=utf-8", Header: "Content-Disposition", Value: `attachment; filename="` + name + `"`, Text: text}, err
}

// runWorlds reads the worlds of a run that have requests or resources, and what reached none.
func runWorlds(x *frame.Exchange) (all []*runWorld, err error) {
	outside := *x
	outside.Status, outside.World = nil, nil
	exchanges := []*frame.Exchange{&outside}
	if id := x.Request.URL.Query().Get("world"); id != "" {
		if err := x.Open(); err != nil {
			return nil, err
		}
		exchanges = []*frame.Exchange{x}
	} else {
		for status, err := range x.Worlds.All(x.Context()) {
			if err != nil {
				return nil, err
			}
			in := *x
			in.Status, in.World = &status, x.Worlds.ByID(status.ID)
			exchanges = append(exchanges, &in)
		}
	}
	for _, in := range exchanges {
		in.Request = in.Request.Clone(x.Context())
		in.Request.URL, in.Request.Form = &url.URL{Path: in.Request.URL.Path}, url.Values{}
		w, err := newRunWorld(in)
		if err != nil {
			return nil, err
		}
		if len(w.entries) > 0 || len(w.Kinds) > 0 {
			all = append(all, w)
		}
	}
	return all, nil
}

// newRunWorld reads the requests and the resources of a world, or the requests outside any.
func newRunWorld(x *frame.Exchange) (w *runWorld, err error) {
	w = &runWorld{Status: x.Status, x: x}
	if w.entries, w.Dropped, err = requests.Entries(x); err != nil {
		return nil, err
	}
	slices.Reverse(w.entries)
	if x.Status == nil {
		return w, nil
	}
	w.Name = cmp.Or(x.Status.Name, x.Status.Key)
	if w.causes, err = recorded.CausesHere(x); err != nil {
		return nil, err
	}
	for _, kind := range resources.ResourceKinds() {
		found, err := kind.List(x, "")
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			w.Kinds = append(w.Kinds, runKind{kind.Name, found[:min(len(found), frame.PerPage)], len(found) > frame.PerPage})
		}
	}
	return w, nil
}

// fill adds the requests of worlds: those that failed first, with their bodies as far as there is room.
func (f *runFile) fill(worlds []*runWorld) error {
	rows, size, short := 0, 0, 0
	for _, part := range []struct {
		name   string
		failed bool
	}{{"Failed", true}, {"Answered", false}} {
		for _, w := range worlds {
			group := runGroup{Name: part.name}
			if w.Status == nil {
				group.Name += " outside any world"
			} else if len(worlds) > 1 {
				group.Name += " in " + w.Name
			}
			for _, e := range w.entries {
				if recorded.Failed(e) != part.failed {
					continue
				}
				f.Requests++
				if part.failed {
					f.Failed++
				}
				if rows++; rows > maxRunRows {
					continue
				}
				row := recorded.Row(w.x, []*journal.Entry{e}, w.causes, "")
				row.Dated, row.Link = true, "#"+e.ID
				detail, err := w.detail(e)
				if err != nil {
					return err
				}
				if size += len(detail); size > maxDetails {
					row.Link = ""
					short++
				} else {
					f.Details = append(f.Details, template.HTML(detail))
				}
				group.Rows = append(group.Rows, row)
			}
			if len(group.Rows) > 0 {
				f.Groups = append(f.Groups, group)
			}
		}
	}
	if short > 0 {
		f.Left = append(f.Left, fmt.Sprintf("%s no headers and bodies here: those of the others take %d MiB, the most that a file has.", words.Count(short, "request has", "requests have"), maxDetails>>20))
	}
	if rows > maxRunRows {
		f.Left = append(f.Left, fmt.Sprintf("%s left out: a file has %d.", words.Count(rows-maxRunRows, "request is", "requests are"), maxRunRows))
	}
	return nil
}

// detail returns a request and its answer as HTML.
func (w *runWorld) detail(e *journal.Entry) ([]byte, error) {
	view := &requests.EntryView{Entry: e, Outside: w.Status == nil, Why: w.causes.Reason(e)}
	requests.Explain(w.x, view, w.causes)
	view.ScenarioAt, view.RuleAt = "", "" // pages of the console
	return w.x.Render("run", "detail", view)
}

// addSnapshots adds the snapshots of the worlds, which two runs are compared by, as far as there is room.
func (f *runFile) addSnapshots() error {
	room, without := maxSnapshots, 0
	for _, w := range f.Worlds {
		var packed []byte
		err := w.x.Limits.Turn(w.x.Context(), w.x.Owner(), func() (err error) {
			packed, err = snapshot.Pack(base64.StdEncoding.DecodedLen(room), func(rewind func() error, to io.Writer) error {
				return w.x.World.WriteSnapshot(w.x.Context(), rewind, to)
			})
			return err
		})
		if errors.Is(err, snapshot.ErrLarge) {
			without++
			continue
		}
		if err != nil {
			return err
		}
		w.Snapshot = base64.StdEncoding.EncodeToString(packed)
		room -= len(w.Snapshot)
	}
	if without > 0 {
		f.Left = append(f.Left, fmt.Sprintf("%s not be compared with another run: a file has %d MiB for the snapshots that this needs.",
			words.Count(without, "world can", "worlds can"), maxSnapshots>>20))
	}
	return nil
}

// style is the style of a file, and the content policy that allows nothing else.
type style struct {
	html   template.HTML
	policy string
}

// runStyle returns the styles of the page of requests, with their typefaces.
func runStyle(x *frame.Exchange) style {
	var css strings.Builder
	for _, name := range []string{"base", "layout", "requests", "run"} {
		text, _ := x.Asset(name + ".css") // they are embedded
		css.Write(text)
	}
	text := css.String()
	for _, name := range []string{"fonts/sans.woff2", "fonts/mono.woff2"} {
		font, _ := x.Asset(name)
		text = strings.ReplaceAll(text, `url("`+name+`")`, `url("data:font/woff2;base64,`+base64.StdEncoding.EncodeToString(font)+`")`)
	}
	hash := sha256.Sum256([]byte(text))
	return style{template.HTML("<style>" + text + "</style>"),
		"default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'"}
}
