package console

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// API is where the emulated API is, on a listener that is not the console's.
type API struct {
	Addr string // HOST:PORT; "": that is not known
	TLS  bool
}

// baseURL returns where a client that can do what the browser can reaches the emulated API; a placeholder where that is
// not known.
func (x *exchange) baseURL() string {
	secure, address := x.request.TLS != nil, x.request.Host
	if x.Apart != nil {
		host, port, err := net.SplitHostPort(x.Apart.Addr)
		if err != nil {
			return "http://THE-API"
		}
		if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
			if host, _, err = net.SplitHostPort(x.request.Host); err != nil {
				host = strings.Trim(x.request.Host, "[]")
			}
		}
		secure, address = x.Apart.TLS, net.JoinHostPort(host, port)
	}
	if secure {
		return "https://" + address
	}
	return "http://" + address
}

// start is how a client is pointed at the emulator.
type start struct {
	BaseURL string // as the browser has it
	Unknown bool   // BaseURL is a placeholder
	Key     string
	Curl    string
}

func (x *exchange) start() start {
	s := start{BaseURL: x.baseURL(), Unknown: x.Apart != nil && x.Apart.Addr == "", Key: x.Key("console")}
	s.Curl = "curl " + shellQuote(s.BaseURL+"/verification-requests/vr_completed") + " \\\n  -H " + shellQuote("Authorization: Bearer "+s.Key)
	return s
}

// showOverview says what this is, how it is, and how a client is pointed here.
func showOverview(x *exchange) (answer, error) {
	return page{name: "overview", title: "Overview", data: struct {
		start
		world.Config
		Authority bool
		Journal   int
		Trouble   error // why it is not ready
	}{x.start(), x.Worlds.Config(), x.Authority != nil, x.Journal.Size(), x.Worlds.Ready(x.context())}}, nil
}

const (
	perPage   = 50  // rows of a list on a page
	perLookup = 500 // worlds that are read at once to filter them
)

// rows returns the rows of a page, from a list that was read one row longer, and the id of the last row when there is more.
func rows[T any](found []T, id func(T) string) (shown []T, last string) {
	if len(found) <= perPage {
		return found, ""
	}
	return found[:perPage], id(found[perPage-1])
}

// next returns the page behind a row, with what else the query asks for; "" behind the last.
func (x *exchange) next(last string) string {
	if last == "" {
		return ""
	}
	return x.request.URL.EscapedPath() + "?" + x.queryWith("after", last)
}

// queryWith returns the page's query with a value set, and without what was done.
func (x *exchange) queryWith(name, value string) string {
	query := x.request.URL.Query()
	query.Del("done")
	query.Set(name, value)
	return query.Encode()
}

// listWorlds shows the worlds, from the first behind ?after=: those with ?q= in their masked key or their id.
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

// worldsLike returns one world more than a page shows, from the first behind another.
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

// findWorld leads to the world of the key that was typed, whole or what is behind its prefix. The key is not stored.
func findWorld(x *exchange) (answer, error) {
	key := x.value("key")
	if !strings.HasPrefix(key, x.Key("")) {
		key = x.Key(key)
	}
	id := world.IDOf(key)
	x.at = world.ByID(id)
	err := x.open()
	if failure := (*api.Error)(nil); errors.As(err, &failure) {
		err = api.Because(http.StatusNotFound,
			"No world has that key: one is made when its key is first used, and this is not one that was, or its world is forgotten")
	}
	return seeOther(link("worlds", id)), err
}
