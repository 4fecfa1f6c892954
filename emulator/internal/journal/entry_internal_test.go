package journal

import (
	"bufio"
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// received returns what a server says of a request that it has read from a connection.
func received(t *testing.T, head string) Asked {
	t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head + "\r\n\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	return Asked{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header,
	}
}

// heldBy returns how many bytes are held by entries that are made of requests, and what they weigh together.
func heldBy(t *testing.T, head string) (held, weight int64) {
	t.Helper()
	entries := make([]*Entry, 1000)
	before := inUse()
	for i := range entries {
		entries[i] = NewEntry(received(t, head), nil)
		weight += entries[i].size()
	}
	held = inUse() - before
	runtime.KeepAlive(entries)
	return held, weight
}

func inUse() int64 {
	var figures runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers and pools held in the first
	runtime.ReadMemStats(&figures)
	return int64(figures.HeapAlloc)
}

// Entries have to go when all together weigh too much (contract 2, --journal-size): so what an entry holds has to be what
// it weighs. No other test runs beside this one.
func TestEntry_size_is_what_it_holds(t *testing.T) {
	const path, end = "/verification-requests/vr_completed", " HTTP/1.1\r\nHost: localhost"
	long := strings.Repeat("x", 40_000)
	for name, head := range map[string]string{
		"usual":                           "GET " + path + "?fields=id" + end,
		"with a query that is cut":        "GET " + path + "?fields=id&x=" + long + end,
		"with a path that is cut":         "GET /" + long + "?fields=id" + end,
		"of a host whose name is long":    "GET http://" + long + path + "?fields=id" + end,
		"with a key for its query":        "GET " + path + "?a_sk_" + long[:1900] + end,
		"with a key for its path":         "GET /a_sk_" + long[:1900] + "?fields=id" + end,
		"with an escaped path":            "GET /" + strings.Repeat("%61", 600) + "?fields=id" + end,
		"with a method that no other has": "FETCH " + path + "?x=" + long + end,
		"with a key for a header":         "GET " + path + end + "\r\nUser-Agent: a_sk_" + long[:1900],
	} {
		held, weight := heldBy(t, head)
		if held > weight+weight/4 {
			t.Errorf("%s: %d bytes are held of one, which weighs %d", name, held/1000, weight/1000)
		}
	}
}

// Of a number that the end of what is kept cuts in two nothing is known, and nothing kept.
func TestANumberThatIsCutIsNotKept(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"123-45-6789", "123456789"} {
		for inside := range len(number) {
			body := strings.Repeat("x", MaxBody-inside) + number + " tail"
			e := NewEntry(Asked{Body: []byte(body), Size: int64(len(body))}, nil)
			if text := string(e.request.text()); strings.ContainsAny(text, "123456789") {
				t.Errorf("%d of %s inside: …%s", inside, number, text[len(text)-12:])
			}
		}
	}
}
