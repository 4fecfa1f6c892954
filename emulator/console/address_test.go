package console_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
)

// opens returns a page of a handler, as a browser has it that reaches it at a URL.
func opens(t *testing.T, handler http.Handler, url string) answer {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", url, nil))
	return answer{t, w.Code, w.Header(), w.Body.String()}
}

func alone(t *testing.T) *emulator.Emulator {
	t.Helper()
	e, err := emulator.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// Contract 2, --control-addr.
func TestOnAnAddressOfItsOwnTheConsolePointsClientsToTheAPIs(t *testing.T) {
	t.Parallel()
	e := alone(t)
	loopback, anywhere := net.IPv4(127, 0, 0, 1), net.IPv6unspecified
	for _, tt := range []struct {
		name   string
		listen *net.TCPAddr
		secure bool
		page   string
		want   string
	}{
		{"the listener's", &net.TCPAddr{IP: loopback, Port: 9090}, false, "http://localhost:8081", "http://127.0.0.1:9090"},
		{"on every interface, by the browser's name", &net.TCPAddr{IP: anywhere, Port: 9090}, false, "http://understudy:8081", "http://understudy:9090"},
		{"on every interface, by the browser's address", &net.TCPAddr{IP: net.IPv4zero, Port: 9090}, false, "http://[::1]:8081", "http://[::1]:9090"},
		{"without a port in the browser's", &net.TCPAddr{IP: anywhere, Port: 9090}, false, "http://understudy", "http://understudy:9090"},
		{"over TLS", &net.TCPAddr{IP: loopback, Port: 9090}, true, "https://localhost:8081", "https://127.0.0.1:9090"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opens(t, e.ControlBeside(tt.listen, tt.secure), tt.page+prefix).
				says(200, "Base URL "+tt.want+" A key", "curl '"+tt.want+"/verification-requests/vr_completed'")
		})
	}
}

func TestAConsoleThatDoesNotKnowWhereTheAPIIsSaysSo(t *testing.T) {
	t.Parallel()
	e := alone(t)
	a := opens(t, e.Control(), "http://localhost:8081"+prefix).says(200, "this console has an address of its own", "curl 'http://THE-API/")
	if strings.Contains(a.text(), "localhost:8081") || strings.Contains(a.text(), ":8080") {
		t.Errorf("takes an address for the API's: %s", a.text())
	}
	if code := opens(t, e.Surface(), "http://localhost:8081"+prefix).status; code != 404 {
		t.Errorf("the console is served beside the API alone: %d", code)
	}
}
