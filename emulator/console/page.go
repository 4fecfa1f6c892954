package console

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// page is an answer that is a page: pages/NAME.html in the layout.
type page struct {
	name   string
	title  string
	status int    // 0: 200
	alert  string // what went wrong with the form that was posted
	data   any    // what the page is about, .Data in its template
}

// shown is what a template sees.
type shown struct {
	Title   string
	Section string // of the console, the first part of the path: "" for the overview
	Part    string // of the world
	Path    string // of the page
	Version string
	Token   bool // it was given, and so there is a way out
	World   *world.World
	Worlds  []*world.World // to choose from
	More    bool           // there are more of them
	Alert   string
	Notice  string
	Form    url.Values // what was posted or asked, to be kept
	Data    any
}

// manyWorlds is how many worlds a page offers to choose from.
const manyWorlds = 20

func (p page) write(x *exchange) error {
	did := x.request.URL.Query().Get("done")
	view := shown{
		Title: p.title, Path: x.request.URL.Path, Version: x.Version, Token: !x.Guard.Open() && x.admitted(), World: x.world,
		Alert: cmp.Or(p.alert, alerts[did]), Notice: notices[did], Form: x.request.Form, Data: p.data,
	}
	parts := append(strings.Split(strings.TrimPrefix(view.Path, Prefix), "/"), "", "")
	view.Section, view.Part = parts[0], parts[2]
	if x.admitted() {
		worlds, err := x.Worlds.List(x.context(), "", manyWorlds+1)
		if err != nil {
			return err
		}
		view.Worlds, view.More = worlds[:min(len(worlds), manyWorlds)], len(worlds) > manyWorlds
	}
	body, err := render(p.name, "layout", view)
	if err != nil {
		return err
	}
	x.send(p.status, "text/html; charset=utf-8", body)
	return nil
}

// fragment is an answer that is a part of a page.
type fragment struct {
	page, name string
	data       any
}

func (f fragment) write(x *exchange) error {
	body, err := render(f.page, f.name, f.data)
	if err == nil {
		x.send(http.StatusOK, "text/html; charset=utf-8", body)
	}
	return err
}

// again shows the page of a form with what was wrong with what was posted. An error of the emulator's own stays one.
func (x *exchange) again(show func(*exchange) (answer, error), err error) (answer, error) {
	failure := (*api.Error)(nil)
	if !errors.As(err, &failure) {
		return nil, err
	}
	shown, err := show(x)
	if err != nil {
		return nil, err
	}
	p := shown.(page)
	p.status, p.alert = failure.Status, failure.Message
	return p, nil
}

// errorPage is the page of an error that no form is to be mended for.
func errorPage(failure *api.Error) page {
	return page{name: "error", title: http.StatusText(failure.Status), status: failure.Status, data: failure}
}

// leastGzip is the size of a body that is worth compressing, in bytes.
const leastGzip = 1 << 10

// send sends a body, compressed where the browser takes it so.
func (x *exchange) send(status int, contentType string, body []byte) {
	header := x.writer.Header()
	header.Set("Content-Type", contentType)
	header.Add("Vary", "Accept-Encoding")
	if len(body) >= leastGzip && x.takesGzip() {
		header.Set("Content-Encoding", "gzip")
		body = compress(body, gzip.BestSpeed)
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	if status == 0 {
		status = http.StatusOK
	}
	x.writer.WriteHeader(status)
	x.writer.Write(body)
}

func (x *exchange) takesGzip() bool {
	for part := range strings.SplitSeq(x.request.Header.Get("Accept-Encoding"), ",") {
		coding, weight, _ := strings.Cut(part, ";")
		if strings.TrimSpace(coding) == "gzip" {
			return strings.TrimSpace(weight) != "q=0"
		}
	}
	return false
}

func compress(body []byte, level int) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		panic(err) // it fails on a level that there is not
	}
	w.Write(body) // to memory
	w.Close()
	return out.Bytes()
}
