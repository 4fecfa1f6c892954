package emulator_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestTranscript plays every chapter on every engine, on etcd without CI only those that store, and compares the exchanges with one
// set of golden files.
// With -update the first engine writes them.
func TestTranscript(t *testing.T) {
	t.Parallel()
	checkChapters(t)
	for i, engine := range []struct {
		name  string
		start func(*testing.T) (open func(*testing.T) store.Store)
	}{
		{"temp", func(*testing.T) func(*testing.T) store.Store {
			return func(t *testing.T) store.Store { return lab.Opened(t, "temp") }
		}},
		{"etcd", func(t *testing.T) func(*testing.T) store.Store {
			cluster := etcdtest.Run(t, 1)
			var stores atomic.Int64
			return func(t *testing.T) store.Store {
				s, err := etcd.Open(t.Context(), fmt.Sprintf("etcd://%s/transcript-%d", cluster.Endpoints(), stores.Add(1)), os.Getenv)
				lab.NoError(t, err)
				return s
			}
		}},
	} {
		t.Run(engine.name, func(t *testing.T) {
			open := engine.start(t)
			for name, play := range chapters {
				if engine.name == "etcd" && os.Getenv("CI") != "true" && !slices.Contains(storing, name) {
					continue
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					p := &player{t: t, open: open, chapter: strings.ReplaceAll(name, "-", "_"), text: new(strings.Builder)}
					p.restart()
					p.world("1")
					play(p)
					compareTranscript(t, name, p.text.String(), *update && i == 0)
				})
			}
		})
	}
}

// storing are the chapters that change most in a store: the others read, or are refused.
var storing = []string{
	"cancel", "control-clock", "control-requests", "control-scenarios", "control-snapshot", "control-worlds", "limit", "rules", "session", "tenant",
	"verification-lifecycle",
}

// player sends requests to an emulator and records every exchange.
type player struct {
	t        *testing.T
	open     func(*testing.T) store.Store // opens an empty store
	chapter  string
	address  string
	key      string   // "" sends no Authorization
	header   []string // for the next request
	whole    bool     // long bodies are not shortened
	extended bool     // the extensions are served
	text     *strings.Builder
	count    int
	ids      []string // request ids in the order of their appearance
}

// restart continues with a new emulator, whose clock is frozen at epoch unless an option changes it.
func (p *player) restart(options ...emulator.Option) {
	all := append([]emulator.Option{emulator.WithSeed(1), emulator.WithStore(p.open(p.t))}, options...)
	if p.extended {
		all = append(all, emulator.WithExtended())
	}
	p.address = strings.TrimPrefix(lab.Serve(p.t, all...), "http://")
}

// world continues in another world of the chapter.
func (p *player) world(name string) { p.key = "svc_sk_test_" + p.chapter + "_" + name }

// title begins a part of the chapter.
func (p *player) title(text string) { fmt.Fprintf(p.text, "##### %s\n\n", text) }

// play sends the requests of a script. A line is METHOD PATH BODY, a header for the next request, or "# " and a title.
func (p *player) play(script string) {
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		method, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "":
		case method == "#":
			p.title(rest)
		case method == strings.ToUpper(method):
			path, body, _ := strings.Cut(rest, " ")
			p.ask(method, path, body)
		default:
			p.header = append(p.header, line)
		}
	}
}

// ask sends a request and records the exchange.
func (p *player) ask(method, path, body string) answer {
	a := p.exchange(method, path, body)
	p.record(method, path, body, a)
	return a
}

// askSession creates a credentials session, and returns its id and that of its verification request, or "" for a refusal.
func (p *player) askSession(body string) (id, request string) {
	made := lab.MadeID.FindSubmatch(p.ask("POST", "/credentials/session", body).body)
	if made == nil {
		return "", ""
	}
	id = string(made[1])
	return id, lab.RequestIn(p.exchange("GET", "/_understudy/v1/credentials-sessions/"+id, "").body)
}

// follow adds the valid scenarios of a file to the world.
func (p *player) follow(file string) {
	for document := range strings.SplitSeq(file, "---") {
		name, _, _ := strings.Cut(strings.TrimPrefix(document, "\nname: "), "\n")
		if a := p.ask("PUT", "/_understudy/v1/scenarios/"+name, document); a.status != "HTTP/1.1 200 OK" {
			p.t.Errorf("%s is refused: %s", name, a.body)
		}
	}
}

// answer is an answer as the client sees it.
type answer struct {
	status string
	header http.Header
	body   []byte
	end    string // how the connection ended before the answer did
}

// exchange sends a request on a new connection.
func (p *player) exchange(method, path, body string) (a answer) {
	conn, sent := p.send(method, path, body)
	if conn == nil {
		return a
	}
	defer conn.Close()
	var raw bytes.Buffer
	r, err := http.ReadResponse(bufio.NewReader(io.TeeReader(conn, &raw)), sent)
	switch {
	case errors.Is(err, syscall.ECONNRESET):
		a.end = "connection reset"
	case err != nil && raw.Len() == 0:
		a.end = "connection closed without a byte"
	case err != nil:
		a.end = fmt.Sprintf("no HTTP: %q", raw.String())
	}
	if err != nil {
		return a
	}
	defer r.Body.Close()
	a.status, a.header = r.Proto+" "+r.Status, r.Header
	if len(r.TransferEncoding) > 0 {
		a.header.Set("Transfer-Encoding", strings.Join(r.TransferEncoding, ", "))
	}
	if a.body, err = io.ReadAll(r.Body); err != nil {
		a.end = fmt.Sprintf("connection closed after %d of %d bytes", len(a.body), r.ContentLength)
	}
	return a
}

// send writes a request with the headers that were set for it.
func (p *player) send(method, path, body string) (net.Conn, *http.Request) {
	p.complete(body)
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		p.t.Error(err)
		return nil, nil
	}
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // an answer that never comes fails the test
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", method, p.unmask(path))
	if !slices.ContainsFunc(p.header, func(line string) bool { return strings.HasPrefix(line, "Host: ") }) {
		b.WriteString("Host: localhost\r\n")
	}
	for _, line := range p.header {
		b.WriteString(p.unmask(line) + "\r\n")
	}
	body = p.unmask(body)
	if body != "" || method != http.MethodGet {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	if _, err := io.WriteString(conn, b.String()+"\r\n"+body); err != nil {
		p.t.Errorf("%s %s: %v", method, path, err)
	}
	return conn, &http.Request{Method: method}
}

// complete adds the headers that most requests have.
func (p *player) complete(body string) {
	has := func(name string) bool {
		return slices.ContainsFunc(p.header, func(line string) bool { return strings.HasPrefix(line, name+":") })
	}
	if p.key != "" && !has("Authorization") {
		p.header = append([]string{"Authorization: Bearer " + p.key}, p.header...)
	}
	if body != "" && !has("Content-Type") {
		p.header = append(p.header, "Content-Type: application/json")
	}
}

// record appends an exchange to the text, and clears the headers for the next request.
func (p *player) record(method, path, body string, a answer) {
	p.count++
	fmt.Fprintf(p.text, "=== %d\n%s %s\n", p.count, method, p.mask(path))
	for _, line := range p.header {
		fmt.Fprintln(p.text, p.mask(line))
	}
	if p.header = nil; body != "" {
		fmt.Fprintf(p.text, "\n%s\n", p.shown(p.mask(body)))
	}
	p.text.WriteString("---\n")
	document := strings.HasPrefix(path, "/_understudy/openapi") && len(a.body) > 1000 // its tests have its content
	if a.status != "" {
		fmt.Fprintln(p.text, a.status)
	}
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		for _, value := range a.header[name] {
			switch {
			case name == "Content-Length" && (document || varying.MatchString(string(a.body))):
				value = "{varies}"
			case name == "Date" && a.header.Get("Understudy-World") == "":
				value = "{wall time}"
			}
			fmt.Fprintf(p.text, "%s: %s\n", name, p.mask(value))
		}
	}
	if document {
		p.text.WriteString("\n{the OpenAPI document}\n")
	} else if len(a.body) > 0 {
		fmt.Fprintf(p.text, "\n%s\n", p.shown(p.mask(string(a.body))))
	}
	if a.end != "" {
		fmt.Fprintf(p.text, "(%s)\n", a.end)
	}
	p.text.WriteByte('\n')
}

// These match values that depend on chance, on the machine's clock or on the engine.
var (
	requestID = regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`)
	varying   = regexp.MustCompile(`("(?:wall_time|duration_ms|store|last_used)":)("[^"]*"|[0-9.e+-]+)`)
	named     = regexp.MustCompile(`\{request-[0-9]+\}`)
)

// mask replaces values that vary by names.
func (p *player) mask(text string) string {
	text = varying.ReplaceAllString(text, "$1{varies}")
	return requestID.ReplaceAllStringFunc(text, func(id string) string {
		i := slices.Index(p.ids, id)
		if i < 0 {
			i = len(p.ids)
			p.ids = append(p.ids, id)
		}
		return fmt.Sprintf("{request-%d}", i+1)
	})
}

// unmask replaces the names of request ids by the ids.
func (p *player) unmask(text string) string {
	return named.ReplaceAllStringFunc(text, func(name string) string {
		var i int
		fmt.Sscanf(name, "{request-%d}", &i)
		if i > len(p.ids) {
			p.t.Errorf("there is no %s yet", name)
			return name
		}
		return p.ids[i-1]
	})
}

// shown returns a body, or the beginning and the hash of a long one.
func (p *player) shown(body string) string {
	const most, beginning = 4096, 300
	if len(body) <= most || p.whole {
		return strings.ToValidUTF8(body, "\ufffd")
	}
	return fmt.Sprintf("(%d bytes, SHA-256 %x)\n%s", len(body), sha256.Sum256([]byte(body)), strings.ToValidUTF8(body[:beginning], ""))
}

// beside plays a part for each name in parallel, each in a world of its own.
func (p *player) beside(names []string, play func(p *player, name string)) {
	parts := make([]player, len(names))
	var running sync.WaitGroup
	for i, name := range names {
		parts[i] = player{t: p.t, chapter: p.chapter, address: p.address, text: new(strings.Builder)}
		parts[i].world(name)
		running.Go(func() { play(&parts[i], name) })
	}
	running.Wait()
	for i, name := range names {
		p.title(name)
		p.text.WriteString(parts[i].text.String())
	}
}

// atLeast records whether do takes at least a span.
func (p *player) atLeast(span time.Duration, do func()) {
	began := time.Now()
	do()
	fmt.Fprintf(p.text, "(took %v or more: %t)\n\n", span, time.Since(began) >= span)
}

func transcriptFile(name string) string { return filepath.Join("testdata", "transcript", name+".txt") }

// compareTranscript compares a chapter with its golden file, exchange by exchange.
func compareTranscript(t *testing.T, name, got string, write bool) {
	t.Helper()
	if write {
		lab.NoError(t, os.WriteFile(transcriptFile(name), []byte(got), 0o644))
	}
	text, err := os.ReadFile(transcriptFile(name))
	lab.NoError(t, err)
	if got == string(text) {
		return
	}
	want, have := strings.Split(string(text), "\n=== "), strings.Split(got, "\n=== ")
	if len(want) != len(have) {
		t.Errorf("%d exchanges, want %d", len(have)-1, len(want)-1)
	}
	shown := 0
	for i := range min(len(want), len(have)) {
		if want[i] == have[i] {
			continue
		}
		if shown++; shown > 3 {
			t.Fatal("more exchanges differ; if that is meant, run go test ./emulator -run Transcript -update")
		}
		t.Errorf("exchange %d (-want +got):\n%s", i, cmp.Diff(strings.Split(want[i], "\n"), strings.Split(have[i], "\n")))
	}
}

// checkChapters fails when a golden file has no chapter.
func checkChapters(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(transcriptFile("*"))
	lab.NoError(t, err)
	for _, file := range files {
		if _, ok := chapters[strings.TrimSuffix(filepath.Base(file), ".txt")]; !ok {
			t.Errorf("%s has no chapter: delete it", file)
		}
	}
}
