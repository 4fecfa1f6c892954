package frame

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// Page is the answer with a page: pages/NAME.html in the layout.
type Page struct {
	Name   string
	Title  string
	Status int    // 0: 200
	Alert  string // the error of the posted form
	Data   any    // .Data in its template
}

// pageView is the data of the layout.
type pageView struct {
	Title   string
	Section string // of the console, the first part of the path: "" for the first page
	Part    string // of the world
	Path    string // of the page
	Here    string // the page that is open, with its query
	Theme   string // light or dark; "": as the system
	Version string
	Live    bool           // it may follow the requests
	Token   bool           // a login can be ended
	World   *world.Status  // of the page; nil: none
	Nav     *world.Status  // that the navigation leads to: World, else that of ?world=, else the first of Worlds
	Carried string         // the id of Nav, which pages of all worlds have in their address; "": it is the first of Worlds
	Worlds  []world.Status // to choose from
	More    bool           // there are more worlds
	Alert   string
	Refused string // see world.Worlds.Refused
	Notice  string
	Key     string     // after the notice: of the world that was made
	Form    url.Values // posted values, to fill the form again
	Data    any
	x       *Exchange
}

// ManyWorlds bounds the worlds that a page offers to choose from.
const ManyWorlds = 20

func (p Page) Respond(x *Exchange) error {
	view := pageView{
		Title: p.Title, Path: x.Request.URL.Path, Here: x.opened(), Theme: x.theme(), Version: x.Version,
		Token: !x.Guard.Open() && x.admitted(), Refused: x.Worlds.Refused(), Form: x.Request.Form, Data: p.Data, World: x.Status, Nav: x.Status, x: x,
	}
	did := x.takeDone()
	view.Alert = cmp.Or(p.Alert, x.alerts[did])
	if view.Notice = x.notices[did]; did == MadeWorld && x.Status != nil {
		view.Key = x.Key(x.Status.Name)
	}
	parts := append(strings.Split(strings.TrimPrefix(view.Path, Prefix), "/"), "", "")
	view.Section, view.Part = parts[0], parts[2]
	if view.Live = x.admitted(); view.Live {
		worlds, err := x.Worlds.Latest(x.Context(), ManyWorlds+1, nil)
		if err != nil { // the page of an error, too, has a way on
			x.Fail(x.Request, err)
		}
		view.Worlds, view.More = worlds[:min(len(worlds), ManyWorlds)], len(worlds) > ManyWorlds
		if view.Nav == nil {
			view.Nav = x.namedWorld()
		}
		if view.Nav != nil {
			view.Carried = view.Nav.ID
		} else if len(worlds) > 0 {
			view.Nav = &worlds[0]
		}
	}
	return Fragment{p.Name, "layout", view}.send(x, p.Status)
}

// namedWorld returns the world of ?world=, nil for none.
func (x *Exchange) namedWorld() *world.Status {
	id := x.Request.URL.Query().Get("world")
	if id == "" {
		return nil
	}
	status, err := x.Worlds.ByID(id).Status(x.Context())
	if err != nil { // it is gone
		return nil
	}
	return &status
}

// WasReset returns when the page's world was reset, which can be undone; nil for none. A page that shows it reads it.
func (v pageView) WasReset() *time.Time {
	if v.x.Status == nil {
		return nil
	}
	at, err := world.ResetAt(v.x.Context(), v.x.World)
	if err != nil {
		v.x.Fail(v.x.Request, err)
	}
	if at.IsZero() {
		return nil
	}
	return &at
}

// Fragment is the answer with one template of a page.
type Fragment struct {
	Page, Name string
	Data       any
}

func (f Fragment) Respond(x *Exchange) error { return f.send(x, http.StatusOK) }

func (f Fragment) send(x *Exchange, status int) error {
	body, err := x.Render(f.Page, f.Name, f.Data)
	if err == nil {
		x.send(status, "text/html; charset=utf-8", body)
	}
	return err
}

// Finished is the answer to a form: a redirect to a page, which shows a notice once.
type Finished struct {
	Page   string
	Notice string // key of the notices of a room
}

// MadeWorld is the notice that a world's key follows.
const MadeWorld = "made"

// Done returns a redirect to a page, with a notice.
func Done(page, notice string) Answer { return Finished{page, notice} }

func (f Finished) Respond(x *Exchange) error {
	x.SetCookie(DoneCookie, f.Notice, 60)
	return SeeOther(f.Page).Respond(x)
}

// DoneCookie has the notice between a form and the page after it.
const DoneCookie = "done"

// takeDone returns the notice that waits for a page, and takes it away.
func (x *Exchange) takeDone() string {
	cookie, err := x.Request.Cookie(x.cookie(DoneCookie))
	if err != nil {
		return ""
	}
	x.SetCookie(DoneCookie, "", -1)
	return cookie.Value
}

const themeCookie = "theme"

// theme returns the theme that the browser chose, "" for that of its system.
func (x *Exchange) theme() string {
	cookie, err := x.Request.Cookie(x.cookie(themeCookie))
	if err != nil || cookie.Value != "light" && cookie.Value != "dark" {
		return ""
	}
	return cookie.Value
}

// chooseTheme keeps the theme of the form for a year.
func chooseTheme(x *Exchange) (Answer, error) {
	x.SetCookie(themeCookie, x.Value("theme"), 365*24*60*60)
	return SeeOther(OwnPath(x.Value("back"))), nil
}

// send sends a body, compressed where the browser accepts that. Links of a page are relative.
func (x *Exchange) send(status int, contentType string, body []byte) {
	if strings.HasPrefix(contentType, "text/html") {
		body = relativeLinks(body, firstPage(x.shownIn()))
	}
	header := x.Writer.Header()
	header.Set("Content-Type", contentType)
	header.Add("Vary", "Accept-Encoding")
	if x.acceptsGzip() && contentType != contentTypes[".woff2"] { // which is compressed
		header.Set("Content-Encoding", "gzip")
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		w.Write(body) // to memory
		w.Close()
		body = zipped.Bytes()
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	x.Writer.WriteHeader(cmp.Or(status, http.StatusOK))
	x.Writer.Write(body)
}

func (x *Exchange) acceptsGzip() bool {
	for part := range strings.SplitSeq(x.Request.Header.Get("Accept-Encoding"), ",") {
		coding, weight, _ := strings.Cut(part, ";")
		if strings.TrimSpace(coding) == "gzip" {
			return strings.TrimSpace(weight) != "q=0"
		}
	}
	return false
}

// templates returns the templates of all pages, by their names: layout.html and part_*.html are part of every page; each other
// file of pages is a page and defines "main".
func (s *Shell) templates() map[string]*template.Template {
	funcs := template.FuncMap{"asset": s.assetLink, "icon": func(name string) template.HTML {
		return template.HTML(`<svg class="icon" aria-hidden="true"><use href="` + s.assetLink("icons.svg") + "#" + name + `"/></svg>`)
	}}
	for _, r := range s.rooms {
		maps.Copy(funcs, r.Funcs)
	}
	shared := template.Must(template.New("").Funcs(funcs).ParseFS(s.files, "pages/layout.html", "pages/part_*.html"))
	names, _ := fs.Glob(s.files, "pages/*.html") // it fails for a malformed pattern only
	parsed := make(map[string]*template.Template)
	for _, name := range names {
		base := strings.TrimSuffix(path.Base(name), ".html")
		if base != "layout" && !strings.HasPrefix(base, "part_") {
			parsed[base] = template.Must(template.Must(shared.Clone()).ParseFS(s.files, name))
		}
	}
	return parsed
}

// Render renders a template of a page.
func (s *Shell) Render(page, name string, data any) ([]byte, error) {
	var out bytes.Buffer
	err := s.pages()[page].ExecuteTemplate(&out, name, data)
	return out.Bytes(), err
}

// Funcs are the functions of the frame's templates.
var Funcs = template.FuncMap{
	"link":    Link,
	"outside": OutsideLink,
	"back":    path.Dir,
	"initial": func(name string) string { // of a world
		for _, r := range strings.ToUpper(name) {
			return string(r)
		}
		return "#"
	},
	"keyParts": func(maskedKey string) []string {
		beginning, _, _ := strings.Cut(maskedKey, "…")
		return []string{beginning, maskedKey[len(beginning):]}
	},
	"class": func(status int) string { return cmp.Or(classes[status/100], "broken") },
	"ago":   func(at time.Time) string { return words.Ago(time.Since(at)) },
	"age":   func(at time.Time) string { return words.Age(time.Since(at)) },
	"breakable": func(text string) template.HTML { // a narrow column divides an e-mail address before its @
		return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(text), "@", "<wbr>@"))
	},
	"instant": words.Instant,
	"iso":     func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
	"words":   func(name any) string { return strings.NewReplacer("-", " ", "_", " ").Replace(fmt.Sprint(name)) },
	"hyphens": func(name any) string { return strings.ReplaceAll(fmt.Sprint(name), "_", "-") },
	"bytes":   words.BytesOf,
	"clock":   func(at time.Time) string { return at.UTC().Format("2 Jan 15:04:05") },
	"label":   func(word any) string { return words.LabelOf(fmt.Sprint(word)) },
	"money":   words.Money,
	"fact": func(name string, v any, absent ...string) words.Fact {
		return words.Fact{Name: name, Value: words.ValueOf(v, strings.Join(absent, ""))}
	},
	"value":   words.ValueOf,
	"lower":   strings.ToLower,
	"number":  words.NumberOf,
	"lasting": words.Lasting,
	"nth":     func(i int) int { return i + 1 },
	"took": func(span time.Duration) string {
		ms := float64(span.Microseconds()) / 1000
		if ms >= 10 {
			return fmt.Sprintf("%.0f ms", ms)
		}
		return fmt.Sprintf("%.1f ms", ms)
	},
}

// classes are the CSS classes of statuses, by their first digit. 0 is a broken connection.
var classes = map[int]string{2: "ok", 3: "moved", 4: "refused", 5: "failed"}
