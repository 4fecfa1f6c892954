package console

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// API is the address of the emulated API on a listener of its own.
type API struct {
	Addr string // HOST:PORT; "": unknown
	TLS  bool
}

// baseURL returns the address of the emulated API as the browser can reach it, a placeholder when it is unknown.
func (x *exchange) baseURL() string {
	secure, address := x.request.TLS != nil, x.request.Host+x.outside()
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
	Code    snippet
}

func (x *exchange) start() start {
	s := start{BaseURL: x.baseURL(), Unknown: x.API != nil && x.API.Addr == "", Key: x.Key("console")}
	s.Code = x.snippet("code", http.MethodGet, "/verification-requests/vr_completed", "")
	s.Code.Key = s.Key
	return s
}

// showHome shows the requests of all worlds as they come, and how to send them.
func showHome(x *exchange) (answer, error) {
	data := struct {
		start
		world.Config
		Authority bool
		Journal   int
		Trouble   error // of a store that is not ready
		Arrivals  arrivals
	}{x.start(), x.Worlds.Config(), x.Authority != nil, x.Journal.Size(), x.Worlds.Ready(x.context()), arrivals{}}
	var err error
	if data.Trouble == nil {
		data.Arrivals, err = x.arrivals()
	}
	return page{name: "home", title: "Home", data: data}, err
}
