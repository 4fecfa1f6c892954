package console

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// page is the answer with a page: pages/NAME.html in the layout.
type page struct {
	name   string
	title  string
	status int    // 0: 200
	alert  string // the error of the posted form
	data   any    // .Data in its template
}

// pageView is the data of the layout.
type pageView struct {
	Title   string
	Section string // of the console, the first part of the path: "" for the overview
	Part    string // of the world
	Path    string // of the page
	Version string
	Token   bool           // a login can be ended
	World   *world.Status  // of the page; nil: none
	Worlds  []world.Status // to choose from
	More    bool           // there are more worlds
	Alert   string
	Notice  string
	Form    url.Values // posted values, to fill the form again
	Data    any
}

// manyWorlds bounds the worlds that a page offers to choose from.
const manyWorlds = 20

func (p page) write(x *exchange) error {
	did := x.request.URL.Query().Get("done")
	view := pageView{
		Title: p.title, Path: x.request.URL.Path, Version: x.Version, Token: !x.Guard.Open() && x.admitted(),
		Alert: p.alert, Notice: notices[did], Form: x.request.Form, Data: p.data,
		World: x.status,
	}
	if did == "stayed" {
		view.Alert = "The clock was not moved: it goes on by a span such as 36h, to the year 9990 at most, and while it runs to 292 years from the machine's."
	}
	parts := append(strings.Split(strings.TrimPrefix(view.Path, prefix), "/"), "", "")
	view.Section, view.Part = parts[0], parts[2]
	if x.admitted() {
		worlds, err := x.Worlds.List(x.context(), "", manyWorlds+1)
		if err != nil {
			return err
		}
		view.Worlds, view.More = worlds[:min(len(worlds), manyWorlds)], len(worlds) > manyWorlds
	}
	return fragment{p.name, "layout", view}.send(x, p.status)
}

// fragment is the answer with one template of a page.
type fragment struct {
	page, name string
	data       any
}

func (f fragment) write(x *exchange) error { return f.send(x, http.StatusOK) }

func (f fragment) send(x *exchange, status int) error {
	body, err := render(f.page, f.name, f.data)
	if err == nil {
		x.send(status, "text/html; charset=utf-8", body)
	}
	return err
}

// notices are the messages after a form, by the value of ?done=.
var notices = map[string]string{
	"advanced": "The clock was moved on.",
	"frozen":   "The clock is frozen.",
	"running":  "The clock runs.",
	"moved":    "The request was put into another state.",
	"canceled": "The request was canceled.",
	"changed":  "The fields were changed.",
	"read":     "The request was read once.",
	"removed":  "The resource was deleted.",
	"fault":    "The fault is on.",
	"unfault":  "The fault is off.",
	"unfaults": "All faults are off.",
	"reset":    "The world is as new.",
	"restored": "The world is what the snapshot says.",
	"deleted":  "The world was deleted.",
	"cleared":  "The journal is empty.",
	"waiting":  "The clock was not moved: nothing here waits for time to pass.",
}

// done redirects the browser to a page with a notice.
func done(page, notice string) answer {
	to, err := url.Parse(page)
	if err != nil {
		return seeOther(prefix)
	}
	query := to.Query()
	query.Set("done", notice)
	to.RawQuery = query.Encode()
	return seeOther(to.String())
}

// send sends a body, compressed where the browser accepts that.
func (x *exchange) send(status int, contentType string, body []byte) {
	header := x.writer.Header()
	header.Set("Content-Type", contentType)
	header.Add("Vary", "Accept-Encoding")
	if x.acceptsGzip() {
		header.Set("Content-Encoding", "gzip")
		var zipped bytes.Buffer
		w, _ := gzip.NewWriterLevel(&zipped, gzip.BestSpeed) // it fails for an unknown level only
		w.Write(body)                                        // to memory
		w.Close()
		body = zipped.Bytes()
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	x.writer.WriteHeader(cmp.Or(status, http.StatusOK))
	x.writer.Write(body)
}

func (x *exchange) acceptsGzip() bool {
	for part := range strings.SplitSeq(x.request.Header.Get("Accept-Encoding"), ",") {
		coding, weight, _ := strings.Cut(part, ";")
		if strings.TrimSpace(coding) == "gzip" {
			return strings.TrimSpace(weight) != "q=0"
		}
	}
	return false
}

// files are the templates: layout.html and part_*.html are part of every page; each other file is a page and defines "main".
//
//go:embed pages/*.html
var files embed.FS

// pages are the templates of all pages, parsed when the first is rendered.
var pages = sync.OnceValue(func() map[string]*template.Template {
	shared := template.Must(template.New("").Funcs(funcs()).ParseFS(files, "pages/layout.html", "pages/part_*.html"))
	names, _ := fs.Glob(files, "pages/*.html") // it fails for a malformed pattern only
	parsed := make(map[string]*template.Template)
	for _, name := range names {
		base := strings.TrimSuffix(path.Base(name), ".html")
		if base != "layout" && !strings.HasPrefix(base, "part_") {
			parsed[base] = template.Must(template.Must(shared.Clone()).ParseFS(files, name))
		}
	}
	return parsed
})

func render(page, name string, data any) ([]byte, error) {
	var out bytes.Buffer
	err := pages()[page].ExecuteTemplate(&out, name, data)
	return out.Bytes(), err
}

// funcs are the functions of the templates.
func funcs() template.FuncMap {
	return template.FuncMap{
		"link":     link,
		"back":     path.Dir,
		"asset":    assetLink,
		"instant":  instant,
		"iso":      func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
		"words":    func(name any) string { return strings.NewReplacer("-", " ", "_", " ").Replace(fmt.Sprint(name)) },
		"class":    func(status int) string { return cmp.Or(classes[status/100], "broken") },
		"bodyText": bodyText,
		"bytes":    bytesOf,
		"clock":    func(at time.Time) string { return at.UTC().Format("2 Jan 15:04:05") },
		"left":     func(f world.Fault) int { return f.Rule.Times - f.Applied },
		"label":    func(word any) string { return labelOf(fmt.Sprint(word)) },
		"year":     yearName,
		"money":    money,
		"amounts": func(e api.Earnings) []api.Decimal {
			return []api.Decimal{e.Base, e.Overtime, e.Bonus, e.Commission, e.Other, e.Total}
		},
		"paid": func(p api.Paystub) []*api.Decimal {
			return []*api.Decimal{p.Base, p.Overtime, p.Bonus, p.Commission, p.Other, p.Gross, p.Net}
		},
		"period": period,
		"fact": func(name string, v any, absent ...string) fact {
			return fact{name, valueOf(v, strings.Join(absent, ""))}
		},
		"value":      valueOf,
		"lower":      strings.ToLower,
		"metadata":   metadata,
		"documents":  documents,
		"turnaround": turnaround,
		"location":   locationOf,
		"number": func(d *api.Decimal, absent string) value {
			if d == nil {
				return value{Absent: absent}
			}
			return value{Text: plain(*d)}
		},
		"ratio":            func(d api.Decimal) string { return percent(d) + " (" + string(d) + ")" },
		"summary":          summary,
		"payChart":         payChart,
		"earningsChart":    earningsChart,
		"ratioChart":       ratioChart,
		"describeRatio":    describeRatio,
		"hyphens":          func(name any) string { return strings.ReplaceAll(fmt.Sprint(name), "_", "-") },
		"lasting":          lasting,
		"operations":       scenarios.OnAny.Values,
		"connectionFaults": scenarios.NoFault.Values,
		"statuses":         func() []int { return []int{400, 401, 403, 404, 406, 429, 451, 500, 501, 503} },
		"nth":              func(i int) int { return i + 1 },
		"reasons":          api.CancellationReason("").Values,
		"states":           api.State("").Values,
		"took": func(span time.Duration) string {
			return strconv.FormatFloat(float64(span.Microseconds())/1000, 'f', -1, 64) + " ms"
		},
	}
}

// classes are the CSS classes of statuses, by their first digit. 0 is a broken connection.
var classes = map[int]string{2: "ok", 3: "moved", 4: "refused", 5: "failed"}

// assetFiles are the files that pages load, and their licences.
//
//go:embed assets
var assetFiles embed.FS

// contentTypes are the types of assets, by extension. Other files are not served.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// assetVersion is part of the paths of all assets, so that browsers may cache them forever.
var assetVersion = sync.OnceValue(func() string {
	hash := sha256.New()
	fs.WalkDir(assetFiles, "assets", func(name string, _ fs.DirEntry, err error) error {
		text, _ := assetFiles.ReadFile(name) // of a folder: nothing
		hash.Write([]byte(name))
		hash.Write(text)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil)[:6])
})

func assetLink(name string) string { return prefix + "assets/" + assetVersion() + "/" + name }

// content is the answer with a file, and one header beside its type.
type content struct {
	contentType, header, value string
	text                       []byte
}

func (c content) write(x *exchange) error {
	x.writer.Header().Set(c.header, c.value)
	x.send(http.StatusOK, c.contentType, c.text)
	return nil
}

func showAsset(x *exchange) (answer, error) {
	name := strings.TrimPrefix(x.param("name"), "/")
	contentType := contentTypes[path.Ext(name)]
	text, err := assetFiles.ReadFile("assets/" + name)
	if err != nil || contentType == "" || x.param("version") != assetVersion() {
		return nil, api.Because(http.StatusNotFound, "There is no such file: reload the page that asks for it")
	}
	return content{contentType, "Cache-Control", "public, max-age=31536000, immutable", text}, nil
}
