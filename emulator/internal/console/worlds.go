package console

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// API is the address of the emulated API on a listener of its own.
type API struct {
	Addr string // HOST:PORT; "": unknown
	TLS  bool
}

// baseURL returns the address of the emulated API as the browser can reach it, a placeholder when it is unknown.
func (x *exchange) baseURL() string {
	secure, address := x.request.TLS != nil, x.request.Host
	if x.API != nil {
		host, port, err := net.SplitHostPort(x.API.Addr)
		if err != nil {
			return "http://THE-API"
		}
		if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
			if host, _, err = net.SplitHostPort(x.request.Host); err != nil {
				host = strings.Trim(x.request.Host, "[]")
			}
		}
		secure, address = x.API.TLS, net.JoinHostPort(host, port)
	}
	if secure {
		return "https://" + address
	}
	return "http://" + address
}

// start is the data of pages/part_start.html: how to point a client at the emulator.
type start struct {
	BaseURL string // as the browser reaches it
	Unknown bool   // BaseURL is a placeholder
	Key     string
	Curl    string
}

func (x *exchange) start() start {
	s := start{BaseURL: x.baseURL(), Unknown: x.API != nil && x.API.Addr == "", Key: x.Key("console")}
	s.Curl = "curl " + shellQuote(s.BaseURL+"/verification-requests/vr_completed") + " \\\n  -H " + shellQuote("Authorization: Bearer "+s.Key)
	return s
}

func showOverview(x *exchange) (answer, error) {
	unmatched, err := x.Unmatched.Select(x.context(), journal.Ref{}, journal.Filter{Limit: maxRows})
	if err != nil && !errors.Is(err, journal.ErrOff) {
		return nil, err
	}
	return page{name: "overview", title: "Overview", data: struct {
		start
		world.Config
		Authority bool
		Journal   int
		Trouble   error // the error of a store that is not ready
		Unmatched []*journal.Entry
	}{x.start(), x.Worlds.Config(), x.Authority != nil, x.Journal.Size(), x.Worlds.Ready(x.context()), unmatched}}, nil
}

const (
	perPage   = 50  // rows of a list on a page
	perLookup = 500 // worlds that are read at once to filter them
)

// rows returns the rows of a page, and the id of the last one when a longer list was found.
func rows[T any](found []T, id func(T) string) (shown []T, last string) {
	if len(found) <= perPage {
		return found, ""
	}
	return found[:perPage], id(found[perPage-1])
}

// next returns the link to the page after a row, with the same query; "" without a row.
func (x *exchange) next(last string) string {
	if last == "" {
		return ""
	}
	return x.request.URL.EscapedPath() + "?" + x.queryWith("after", last)
}

// queryWith returns the page's query with a value set, and without the notice.
func (x *exchange) queryWith(name, value string) string {
	query := x.request.URL.Query()
	query.Del("done")
	query.Set(name, value)
	return query.Encode()
}

// listWorlds shows the worlds after ?after=, those with ?q= in their masked key or their id.
func listWorlds(x *exchange) (answer, error) {
	found, err := x.worldsLike(x.value("q"), x.value("after"))
	if err != nil {
		return nil, err
	}
	worlds, last := rows(found, func(s world.Status) string { return s.ID })
	return page{name: "worlds", title: "Worlds", data: struct {
		Worlds  []world.Status
		Next    string
		Start   start
		Prefix  string // of keys
		Example string // of a masked key
	}{worlds, x.next(last), x.start(), x.Key(""), x.Key("…abcd#1234")}}, nil
}

// worldsLike returns the worlds after an id with a text in key or id: one more than a page shows.
func (x *exchange) worldsLike(part, after string) (found []world.Status, err error) {
	part = strings.ToLower(part)
	for {
		some, err := x.Worlds.List(x.context(), after, perLookup)
		if err != nil {
			return nil, err
		}
		for _, s := range some {
			if strings.Contains(strings.ToLower(s.Key), part) || strings.Contains(s.ID, part) {
				found = append(found, s)
			}
		}
		if len(found) > perPage || len(some) < perLookup {
			return found[:min(len(found), perPage+1)], nil
		}
		after = some[len(some)-1].ID
	}
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

// resourceKind is a kind of resource that a world has.
type resourceKind struct {
	Path    string // of its pages, below the world's
	Name    string // of many
	One     string
	prefix  string // of ids
	list    func(x *exchange, after string) ([]resourceRow, error)
	show    call
	actions map[string]action // by the name of a form's button; nil: there are none
}

func resourceKinds() []resourceKind {
	return []resourceKind{
		{"verification-requests", "Verification requests", "verification request", "vr", verificationRows, showVerification, map[string]action{
			"read":    {readOnce, "read"},
			"advance": {advanceTo, "advanced"},
			"move":    {move, "moved"},
			"cancel":  {cancelAsService, "canceled"},
			"set":     {setFieldsOf((*world.World).ChangeVerificationRequest), "changed"},
			"delete":  {deleteBy((*world.World).DeleteVerificationRequest), "removed"},
		}},
		{"qualification-checks", "Qualification checks", "qualification check", "qc", qualificationRows, showQualification, map[string]action{
			"set":    {setFieldsOf((*world.World).ChangeQualificationCheck), "changed"},
			"delete": {deleteBy((*world.World).DeleteQualificationCheck), "removed"},
		}},
		{"tenant-properties", "Tenant properties", "tenant property", "tp", tenantRows, showTenantProperty, map[string]action{
			"set":    {setFieldsOf((*world.World).ChangeTenantProperty), "changed"},
			"delete": {deleteBy((*world.World).DeleteTenantProperty), "removed"},
		}},
		{"credentials-sessions", "Credentials sessions", "credentials session", "cs", sessionRows, showSession, nil},
	}
}

// kindOf returns the kind of resource of a path, the first when there is none.
func kindOf(path string) resourceKind {
	kinds := resourceKinds()
	return kinds[max(0, slices.IndexFunc(kinds, func(k resourceKind) bool { return k.Path == path }))]
}

type resourceRow struct {
	ID       string
	State    string // text of the badge; "": none
	Class    string // of the badge
	About    string
	Scenario string
	Created  time.Time // zero: unknown
	Session  string    // that created it
	Request  string    // that the session created
}

// showWorld shows the stored resources of a kind: ?kind=, and ?state= of verification requests.
func showWorld(x *exchange) (answer, error) {
	kind := kindOf(x.value("kind"))
	found, err := kind.list(x, x.value("after"))
	if err != nil {
		return nil, err
	}
	shown, last := rows(found, func(r resourceRow) string { return r.ID })
	return page{name: "world", title: kind.Name, data: struct {
		Kind  resourceKind
		Kinds []resourceKind
		Rows  []resourceRow
		Next  string
		Start start
	}{kind, resourceKinds(), shown, x.next(last), x.start()}}, nil
}

// openResource redirects to the page of a resource, of the kind of its prefix, else of ?kind=.
func openResource(x *exchange) (answer, error) {
	id := x.value("id")
	if id == "" {
		return nil, api.Because(http.StatusBadRequest, "Enter an id such as vr_completed")
	}
	kind := kindOf(x.value("kind"))
	prefix, _, _ := strings.Cut(id, "_")
	for _, k := range resourceKinds() {
		if k.prefix == prefix {
			kind = k
		}
	}
	return seeOther(x.here(kind.Path, id)), nil
}

func verificationRows(x *exchange, after string) (all []resourceRow, err error) {
	state := api.State(x.value("state"))
	if state != "" {
		if err := world.CheckState(state); err != nil {
			return nil, err
		}
	}
	found, err := x.world.ListVerificationRequests(x.context(), after, perPage+1, func(v world.Verification) bool {
		return state == "" || v.Progress.State == state
	})
	for _, v := range found {
		all = append(all, rowOf(v, v.ID, v.SessionID, ""))
	}
	return all, err
}

func sessionRows(x *exchange, after string) (all []resourceRow, err error) {
	found, err := x.world.ListCredentialsSessions(x.context(), after, perPage+1)
	for _, v := range found {
		all = append(all, rowOf(v, v.SessionID, "", v.ID))
	}
	return all, err
}

func rowOf(v world.Verification, id, session, request string) resourceRow {
	state := string(v.Progress.State)
	return resourceRow{id, state, "state-" + state, "", v.Name, v.Progress.Created, session, request}
}

func qualificationRows(x *exchange, after string) (all []resourceRow, err error) {
	found, err := x.world.ListQualificationChecks(x.context(), after, perPage+1)
	for _, q := range found {
		outcome := string(q.Result.Outcome)
		all = append(all, resourceRow{ID: q.ID, State: outcome, Class: "outcome-" + outcome, About: string(q.Kind), Created: q.Created.Time})
	}
	return all, err
}

func tenantRows(x *exchange, after string) (all []resourceRow, err error) {
	found, err := x.world.ListTenantProperties(x.context(), after, perPage+1)
	for _, p := range found {
		all = append(all, resourceRow{ID: p.ID, State: p.Status, Class: "state-" + p.Status, About: p.Name})
	}
	return all, err
}

// confirm asks for confirmation of a deletion. Its form posts to the same path.
func confirm(x *exchange) (answer, error) {
	what := path.Base(x.request.URL.Path)
	return page{name: "confirm", title: labelOf(what), data: what}, nil
}

func reset(x *exchange) (answer, error) {
	_, err := x.world.Reset(x.context())
	return done(x.here(), "reset"), err
}

func deleteWorld(x *exchange) (answer, error) {
	return done(link("worlds"), "deleted"), x.world.Delete(x.context())
}

func showSnapshot(*exchange) (answer, error) { return page{name: "snapshot", title: "Snapshot"}, nil }

func takeSnapshot(x *exchange) (answer, error) {
	file, err := x.Limits.Snapshot(x.context(), x.world.WriteSnapshot)
	return snapshotFile{file}, err
}

// snapshotFile is a snapshot to be downloaded.
type snapshotFile struct{ *limits.File }

func (f snapshotFile) write(x *exchange) error {
	name := fmt.Sprintf("understudy-%.8s-%s.json", x.status.ID, x.status.Now.Format("20060102T150405Z"))
	x.writer.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	f.ServeHTTP(x.writer, x.request)
	return nil
}

// restoreSnapshot restores an uploaded file. The form has a box to confirm that this replaces everything.
func restoreSnapshot(x *exchange) (answer, error) {
	file, err := x.Limits.File(x.context())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := x.upload(file); err != nil {
		return nil, err
	}
	http.NewResponseController(x.writer).SetWriteDeadline(time.Now().Add(world.RestoreTime)) // it fails where there are no deadlines
	_, err = x.world.RestoreFrom(x.context(), file)
	return done(x.here(), "restored"), err
}

// upload copies the file of a form whose box is checked.
func (x *exchange) upload(to io.Writer) error {
	sure, named := false, false
	form, err := x.request.MultipartReader()
	for err == nil {
		var part *multipart.Part
		if part, err = form.NextPart(); err != nil {
			break
		}
		switch part.FormName() {
		case "sure":
			sure = true
		case "snapshot":
			named = part.FileName() != ""
			_, err = io.Copy(to, part)
		}
	}
	tooLarge := (*http.MaxBytesError)(nil)
	switch {
	case errors.As(err, new(*fs.PathError)): // of the file that is written
		return err
	case errors.Is(err, http.ErrNotMultipart) || errors.Is(err, http.ErrMissingBoundary):
		return api.Because(http.StatusBadRequest, "The form has no file: choose one")
	case errors.As(err, &tooLarge):
		return api.Because(http.StatusRequestEntityTooLarge, fmt.Sprintf("The file is larger than %d MB", tooLarge.Limit>>20))
	case err != io.EOF:
		return api.Because(http.StatusBadRequest, "The file did not arrive whole: "+strings.TrimPrefix(err.Error(), "multipart: "))
	case !named:
		return api.Because(http.StatusBadRequest, "No file was chosen: a snapshot is a JSON file that was downloaded here")
	case !sure:
		return api.Because(http.StatusBadRequest, "The file replaces everything in this world: check the box if that is meant")
	}
	return nil
}
