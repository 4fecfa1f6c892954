package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// sendRequests sends three requests in the world of key, and returns their ids.
func sendRequests(s commandtest.Steered) (ids []string) {
	s.T.Helper()
	c := s.API(s.T)
	for _, r := range []struct {
		version, method, path string
		body                  any
	}{
		{"2019-10-15", "GET", "/verification-requests/vr_completed?fields=state", nil},
		{"2019-10-15", "GET", "/verification-requests/vr_completd", nil},
		{"2022-08-01", "PUT", "/verification-requests/vr_processing/cancel", `{"cancellation_reason":"competitor"}`},
	} {
		answer := c.With("Accept", "application/json; version="+r.version).With("User-Agent", "suite/1").Send(r.method, r.path, r.body)
		ids = append(ids, answer.Header.Get("Understudy-Request-Id"))
	}
	return ids
}

func TestJournalCommand(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	s.Prints("ID  TIME  STATUS  REQUEST  SCENARIO  DIAGNOSIS\n(none)\n", "journal")
	ids := sendRequests(s)
	s.Prints(fmt.Sprintf(`ID                          TIME                  STATUS  REQUEST                                               SCENARIO    DIAGNOSIS
%s  2025-01-15T09:00:00Z  200     GET /verification-requests/vr_completed?fields=state  completed   -
%s  2025-01-15T09:00:00Z  400     GET /verification-requests/vr_completd                -           no verification request is "vr_completd": did you mean vr_completed?
%s  2025-01-15T09:00:00Z  200     PUT /verification-requests/vr_processing/cancel       processing  -
`, ids[0], ids[1], ids[2]), "journal")
	s.Prints(fmt.Sprintf(`ID                          TIME                  STATUS  REQUEST                                               SCENARIO   DIAGNOSIS
%s  2025-01-15T09:00:00Z  200     GET /verification-requests/vr_completed?fields=state  completed  -
`, ids[0]), "journal", "list", "--operation", "getVerificationRequest", "--status", "2xx")
	if found := s.Run("journal", "--search", "competitor PUT"); strings.Count(found.Stdout, "\n") != 2 || !strings.Contains(found.Stdout, ids[2]) {
		t.Errorf("%+v", found)
	}
	last := s.Run("journal", "--last", "1", "--json", "--since", ids[0], "--path", "/verification-requests/*/cancel")
	if !strings.HasPrefix(last.Stdout, `{"items":[{"id":"`+ids[2]+`"`) || last.Code != command.ExitOK {
		t.Errorf("%+v", last)
	}
	shown := s.Run("journal", "show", ids[2])
	if !strings.HasPrefix(shown.Stdout, "PUT /verification-requests/vr_processing/cancel: 200\n\ntime            2025-01-15T09:00:00Z\noperation       cancelVerificationRequest\n") ||
		!strings.Contains(shown.Stdout, "\nUser-Agent      suite/1\n") || !strings.Contains(shown.Stdout, "\nREQUEST\n{\n  \"cancellation_reason\": \"competitor\"\n}\n\nRESPONSE HEADERS\nContent-Length ") ||
		!strings.Contains(shown.Stdout, "\nUnderstudy-Request-Id  "+ids[2]+"\n") || !strings.Contains(shown.Stdout, "\n\nRESPONSE\n{\n  \"") {
		t.Errorf("%+v", shown)
	}
	s.Fails("the emulator answers 404: This world's journal has no request \"01\": it has the last 1000 only", "journal", "show", "01")
	s.Prints("the journal is empty\n", "journal", "clear")
	s.Prints(`{"items":[],"next":null}`+"\n", "journal", "--json")
}

// A request can neither move the cursor of a terminal nor pretend to be several.
func TestJournalCommandVisible(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	hidden := "%1b%5b2J%0aforged%09tab%c2%9b%e2%80%ae"
	c := s.API(t)
	c.Get("/v1" + hidden)
	c.Get("/verification-requests/vr_x" + hidden)
	refused := c.Put("/verification-requests/vr_x/cancel", "\x1b[2J{").Header.Get("Understudy-Request-Id")
	for _, args := range [][]string{{"journal", "--unmatched"}, {"journal"}, {"journal", "show", refused}} {
		got := s.Run(args...)
		hides := strings.ContainsFunc(got.Stdout, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
		if got.Code != command.ExitOK || hides || strings.Contains(got.Stdout, "\nforged") || !strings.Contains(got.Stdout, "?[2J") {
			t.Errorf("%q: %q", args, got.Stdout)
		}
	}
}

func TestJournalVerify(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	ids := sendRequests(s)
	s.Prints("1 request matched\n", "journal", "verify", "--operation", "cancelVerificationRequest", "--exactly", "1")
	s.Prints("2 requests matched\n", "journal", "verify", "--method", "get", "--at-least", "1", "--at-most", "2")
	s.Prints("0 requests matched\n", "journal", "verify", "--path", "/verification-requests/vr_1", "--at-most", "0")
	s.Prints("3 requests matched\n", "journal", "verify", `{"match":{"headers":{"User-Agent":{"contains":"suite"}}}}`)
	s.Prints(`{"count":1,"dropped":0,"nearest":[]}`+"\n", "journal", "verify", "--status", "4xx", "--json")

	unmet := s.Run("journal", "verify", "--operation", "cancelVerificationRequest", "--body", `{"cancellation_reason":"other"}`)
	want := fmt.Sprintf("%s  200  PUT /verification-requests/vr_processing/cancel\n  - body.cancellation_reason is \"competitor\", not \"other\"\n", ids[2])
	if unmet.Code != command.ExitFailed || !strings.HasPrefix(unmet.Stdout, want) ||
		!strings.HasPrefix(unmet.Stderr, "understudy: No request matched cancelVerificationRequest; expected at least 1. Nearest is ") {
		t.Errorf("%+v", unmet)
	}
	unmet = s.Run("journal", "verify", "--exactly", "9", "--json")
	if unmet.Code != command.ExitFailed || !json.Valid([]byte(unmet.Stdout)) || !strings.HasPrefix(unmet.Stdout, `{"error":{"message":"3 requests matched; expected exactly 9`) {
		t.Errorf("%+v", unmet)
	}
	commandtest.Steer(t, "--journal-size", "0").Fails("the emulator answers 409: The journal is off: serve with a --journal-size above 0", "journal", "verify")
}

func TestJournalFollow(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	sendRequests(s)
	follow := func(until string, args ...string) (printed, notes string, code int) {
		ctx, interrupt := context.WithCancel(t.Context())
		out, ended := commandtest.NewStream(), make(chan int, 1)
		var stderr bytes.Buffer
		go func() {
			ended <- commandtest.Execute(ctx, out, &stderr, append([]string{"journal", "--follow", "--url", s.URL, "--key", commandtest.Key}, args...)...)
		}()
		printed = out.Find(t, `(?s)(.*`+until+`.*)`)
		interrupt()
		code = <-ended
		return printed, stderr.String(), code
	}
	printed, notes, code := follow("cancel", "--since", "2025-01-15T09:00:00Z")
	lines := strings.Split(printed, "\n")
	if code != command.ExitOK || notes != "" || len(lines) < 3 || !strings.HasSuffix(lines[0], "  2025-01-15T09:00:00Z  200  GET /verification-requests/vr_completed?fields=state  completed  -") {
		t.Errorf("%s, %s, exit code %d", printed, notes, code)
	}
	printed, _, code = follow("vr_completd", "--since", "2025-01-15T09:00:00Z", "--status", "400", "--json")
	if code != command.ExitOK || !json.Valid([]byte(printed)) {
		t.Errorf("%s, exit code %d", printed, code)
	}
}

func TestJournalEvents(t *testing.T) {
	t.Parallel()
	var events []string
	err := eachEvent(strings.NewReader(": hello\n\nevent: gap\ndata: {\"missed\":2}\n\n: \n\nevent: request\nid: 1\ndata: {}\n\nevent: cut"), func(name, data string) error {
		events = append(events, name+" "+data)
		return nil
	})
	if diff := cmp.Diff([]string{`gap {"missed":2}`, "request {}"}, events); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// An event is one line of visible characters, whatever the request had.
func TestJournalEventVisible(t *testing.T) {
	t.Parallel()
	line, err := eventLine(`{"id":"1","time":"2025-01-15T09:00:00Z","method":"G\u001bT","path":"/\u001b[2J\nforged","query":"-\u009b","status":0,"fault":"empty","diagnosis":[]}`, false)
	commandtest.NoError(t, err)
	if want := "1  2025-01-15T09:00:00Z  - empty  G?T /?[2J?forged?-?  -  -"; line != want {
		t.Errorf("%q, want %q", line, want)
	}
}

// Only a terminal gets colors, by the first digit of the status.
func TestJournalColors(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	commandtest.NoError(t, err)
	defer file.Close()
	if command.IsTerminal(file) || command.IsTerminal(&bytes.Buffer{}) {
		t.Error("a file has colors")
	}
	line, err := eventLine(`{"id":"1","time":"2025-01-15T09:00:00Z","method":"GET","path":"/a","status":404,"scenario":null,"diagnosis":["why"]}`, true)
	commandtest.NoError(t, err)
	if want := "1  2025-01-15T09:00:00Z  \x1b[33m404\x1b[0m  GET /a  -  why"; line != want {
		t.Errorf("%q", line)
	}
}

func TestJournalUnmatched(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	c := s.API(t)
	c.Get("/v1/verification-requests/vr_completed")
	id := c.With("Authorization", "Bearer svc_sk_test_expired").Get("/verification-requests/vr_completed").Header.Get("Understudy-Request-Id")
	c.Get("/verification-requests/vr_completed")
	listed := s.Run("journal", "--unmatched")
	if lines := strings.Split(listed.Stdout, "\n"); len(lines) != 4 || !strings.Contains(lines[1], `  404     GET /v1/verification-requests/vr_completed  -         no operation has this path: did you mean`) ||
		!strings.HasPrefix(lines[2], id) || !strings.HasSuffix(lines[2], "this magic key acts as an expired key") {
		t.Errorf("%+v", listed)
	}
	if last := s.Run("journal", "list", "--unmatched", "--status", "4xx", "--last", "1", "--json"); !strings.HasPrefix(last.Stdout, `{"items":[{"id":"`+id+`"`) {
		t.Errorf("%+v", last)
	}
	if shown := s.Run("journal", "show", "--unmatched", id); !strings.HasPrefix(shown.Stdout, "GET /verification-requests/vr_completed: 401\n") {
		t.Errorf("%+v", shown)
	}
	s.Prints("the journal is empty\n", "journal", "--unmatched", "clear")
	s.Prints(`{"items":[],"next":null}`+"\n", "journal", "--unmatched", "--json")
}
