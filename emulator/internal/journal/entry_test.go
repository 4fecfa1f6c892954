package journal_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// longest is the number of bytes that are recorded of a path, a query or a header.
var longest = len(journal.NewEntry(journal.Request{Path: strings.Repeat("x", 1<<16)}, nil, nil).Path) - len("...")

// received returns a request as a server reads it from a connection.
func received(t *testing.T, head string) journal.Request {
	t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head + "\r\n\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	return journal.Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header}
}

// measure returns the memory that a journal with the entries of a request holds, and the memory that it counts.
func measure(t *testing.T, head string) (held, counted int64) {
	t.Helper()
	j := journal.New(journal.Config{Size: 1000})
	before := inUse()
	for range 1000 {
		r := received(t, head)
		diagnosis := r.Path[:min(len(r.Path), longest)]
		e := journal.NewEntry(r, nil, http.Header{"Content-Type": {"application/json"}, "Understudy-Diagnosis": {diagnosis}})
		if err := j.Append(t.Context(), w1, e); err != nil {
			t.Fatal(err)
		}
	}
	held = inUse() - before
	return held, j.Bytes()
}

func inUse() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // frees what finalizers and pools held during the first
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// The budget limits memory only if no entry takes more than is counted of it. Not parallel: it measures the heap.
func TestEntrySize(t *testing.T) {
	const path, end = "/verification-requests/vr_completed", " HTTP/1.1\r\nHost: localhost"
	long := strings.Repeat("x", 40_000)
	for name, head := range map[string]string{
		"usual":            "GET " + path + "?fields=id" + end,
		"truncated query":  "GET " + path + "?fields=id&x=" + long + end,
		"truncated path":   "GET /" + long + "?fields=id" + end,
		"long host":        "GET http://" + long + path + "?fields=id" + end,
		"key in the query": "GET " + path + "?a_sk_" + long[:1900] + end,
		"key in the path":  "GET /a_sk_" + long[:1900] + "?fields=id" + end,
		"escaped path":     "GET /" + strings.Repeat("%61", 600) + "?fields=id" + end,
		"unknown method":   "FETCH " + path + "?x=" + long + end,
		"key in a header":  "GET " + path + end + "\r\nUser-Agent: a_sk_" + long[:1900],
	} {
		held, counted := measure(t, head)
		if held > counted+counted/4 {
			t.Errorf("%s: an entry holds %d bytes, %d are counted", name, held/1000, counted/1000)
		}
	}
}

// A social security number that the end of a captured body splits is left out.
func TestEntryTruncatedNumber(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"123-45-6789", "123456789"} {
		for inside := range len(number) {
			body := strings.Repeat("x", journal.MaxBody-inside) + number + " tail"
			e := journal.NewEntry(journal.Request{Body: []byte(body), Size: int64(len(body))}, nil, nil)
			if text := e.Request().Excerpt(len(body)); strings.ContainsAny(text, "123456789") {
				t.Errorf("%d of %s inside: …%s", inside, number, text[len(text)-12:])
			}
		}
	}
}

// Of a social security number that the end of a captured text splits, at most the last four digits are left.
func TestEntryTruncatedText(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"123-45-6789", "123456789", "%31%32%33456789"} {
		for inside := range len(number) {
			text := strings.Repeat("x", longest-inside) + number + " tail"
			e := journal.NewEntry(journal.Request{Method: text, Path: text, Query: text, Header: map[string][]string{"User-Agent": {text}}}, nil, nil)
			for name, stored := range map[string]string{"method": e.Method, "path": e.Path, "query": e.Query, "header": e.Headers[0].Value} {
				if strings.ContainsAny(stored, "12345") || len(stored) > longest+len("...") {
					t.Errorf("%s, %d of %s inside: …%s", name, inside, number, stored[longest-12:])
				}
			}
		}
	}
}

// What was left out of a body on purpose does not make it one that was cut.
func TestEntryOmitted(t *testing.T) {
	t.Parallel()
	body := []byte(`{"a":"(100 bytes are not in the journal)"}`)
	const omitted = 60 // bytes by which the body is shorter
	for size, truncated := range map[int64]bool{int64(len(body)) + omitted: false, int64(len(body)) + omitted + 1: true} {
		e := journal.NewEntry(journal.Request{Body: body, Size: size, Omitted: omitted}, nil, nil)
		if b := e.Request(); b.Truncated != truncated || (b.JSON == nil) != truncated || b.Size != size {
			t.Errorf("of %d bytes: truncated %t, as JSON %s", size, b.Truncated, b.JSON)
		}
	}
}

// A duration is the same to the microsecond after it was stored and read.
func TestEntryDurationStored(t *testing.T) {
	t.Parallel()
	for micros := range time.Duration(3000) {
		e, read := &journal.Entry{ID: "a", Duration: micros * time.Microsecond}, new(journal.Entry)
		text, err := json.Marshal(e)
		if err = errors.Join(err, json.Unmarshal(text, read)); err != nil || read.Duration != e.Duration {
			t.Fatalf("%v is read as %v, %v", e.Duration, read.Duration, err)
		}
	}
}
