package console_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

// opens returns a page of a handler as a browser shows it at a URL.
func opens(t *testing.T, handler http.Handler, url string) answer {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", url, nil))
	return answer{t, w.Code, w.Header(), w.Body.String(), ""}
}

// Pages point to the emulated API when --control-addr serves the console on a listener of its own.
func TestAddress(t *testing.T) {
	t.Parallel()
	e := emulatortest.Run(t).Emulator
	loopback, anywhere := net.IPv4(127, 0, 0, 1), net.IPv6unspecified
	for name, tt := range map[string]struct {
		listen     *net.TCPAddr
		secure     bool
		page, want string
	}{
		"address of the listener":                   {&net.TCPAddr{IP: loopback, Port: 9090}, false, "http://localhost:8081", "http://127.0.0.1:9090"},
		"on every interface, by the browser's name": {&net.TCPAddr{IP: anywhere, Port: 9090}, false, "http://understudy:8081", "http://understudy:9090"},
		"unspecified address becomes the browser's": {&net.TCPAddr{IP: net.IPv4zero, Port: 9090}, false, "http://[::1]:8081", "http://[::1]:9090"},
		"without a port in the browser's":           {&net.TCPAddr{IP: anywhere, Port: 9090}, false, "http://understudy", "http://understudy:9090"},
		"over TLS":                                  {&net.TCPAddr{IP: loopback, Port: 9090}, true, "https://localhost:8081", "https://127.0.0.1:9090"},
	} {
		t.Run(name, func(t *testing.T) {
			opens(t, e.Control(tt.listen, tt.secure), tt.page+prefix).
				shows(200, "Base URL "+tt.want+" A key", "curl '"+tt.want+"/verification-requests/vr_completed'")
		})
	}
	t.Run("not known", func(t *testing.T) {
		opens(t, e.Control(nil, false), "http://localhost:8081"+prefix).
			shows(200, "this console has another address", "curl 'http://THE-API/").lacks("localhost:8081", ":8080")
		opens(t, e.Surface(), "http://localhost:8081"+prefix).shows(404) // the API alone is without a console
	})
}
