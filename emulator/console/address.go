package console

import (
	"net"
	"net/netip"
	"strings"
)

// API is where the emulated API is, on a listener that is not the console's.
type API struct {
	Addr string // HOST:PORT; "": that is not known
	TLS  bool
}

// unknownBase stands for the base URL of the emulated API where that is not known.
const unknownBase = "http://THE-API"

// baseURL returns where a client that can do what the browser can reaches the emulated API.
func (x *exchange) baseURL() string {
	if x.Apart == nil {
		return scheme(x.request.TLS != nil) + x.request.Host
	}
	host, port, err := net.SplitHostPort(x.Apart.Addr)
	if err != nil {
		return unknownBase
	}
	if address, err := netip.ParseAddr(host); host == "" || err == nil && address.IsUnspecified() {
		host = hostOf(x.request.Host)
	}
	return scheme(x.Apart.TLS) + net.JoinHostPort(host, port)
}

func scheme(secure bool) string {
	if secure {
		return "https://"
	}
	return "http://"
}

// hostOf returns the host of a Host header, without brackets.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}
