package surface

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// exchange is one request and where its answer goes.
type exchange struct {
	*Surface
	writer    http.ResponseWriter
	request   *http.Request
	operation *operation // an empty one when none has the path and method
	id        string     // of the request
	path      string     // unescaped
	began     time.Time
	body      *capturedBody // nil when there is none
}

// newExchange begins an exchange. The server's own request stays as it is: by its body the server knows whether the client
// still waits to be asked for it.
func (s *Surface) newExchange(w http.ResponseWriter, r *http.Request, op *operation) *exchange {
	x := &exchange{Surface: s, writer: w, request: r, operation: op, id: ulid.Make().String(), began: time.Now()}
	var err error
	if x.path, err = url.PathUnescape(r.URL.Path); err != nil {
		x.path = r.URL.Path
	}
	if op.name != "" && r.ContentLength != 0 {
		x.body = &capturedBody{ReadCloser: r.Body}
		captured := *r
		captured.Body = x.body
		x.request = &captured
	}
	return x
}

// answer is what leaves for an outcome.
type answer struct {
	status    int // 0: none
	body      []byte
	header    http.Header // beside the usual ones
	failure   error       // of the emulator's own, of which only the log tells the cause
	diagnosis             // the cause of a refusal last
}

// answer returns what leaves for an outcome of an operation.
func (out outcome) answer(op *operation) (a answer) {
	a.diagnosis = out.diagnosis
	for _, note := range out.decision.Notes {
		a.add(out.status.ID, note.Rules, note.Text)
	}
	if out.decision.Fault.Prevents() {
		return a
	}
	err := out.err
	if err == nil {
		var rendered bool
		if a.body, rendered = out.resource.([]byte); !rendered {
			a.body, err = api.Render(out.resource)
		}
	}
	if err != nil {
		a.refuse(out.status.ID, err)
		return a
	}
	a.status = op.success
	return a
}

// refuse makes the answer that of an error.
func (a *answer) refuse(world string, err error) {
	refusal := (*api.Error)(nil)
	if !errors.As(err, &refusal) {
		a.failure = err
		refusal = api.NewError(http.StatusInternalServerError, "an error of the emulator's own: its log says which")
		if errors.Is(err, store.ErrOutcomeUnknown) {
			refusal.Diagnosis = "the outcome is unknown: the store's answer was lost, and it may or may not have taken the change"
		}
	}
	a.status, a.body, a.header = refusal.Status, api.RenderError(refusal), refusal.Header
	a.add(world, strconv.Itoa(refusal.Status)+" "+refusal.Message, refusal.Diagnosis)
}

// diagnosisLength bounds the Understudy-Diagnosis header, in bytes. The log and the journal have all of it.
const diagnosisLength = 1024

// respond is the one place where an answer leaves: the delay, the journal, the log, the metrics, the headers, the body. In a
// world, Date is the world's, as all of the answer is.
func (x *exchange) respond(out outcome) {
	a, fault := out.answer(x.operation), out.decision.Fault
	if out.decision.Delay > 0 {
		if gone := x.pause(out.decision.Delay); gone != nil {
			a = answer{diagnosis: a.diagnosis, failure: fmt.Errorf("the client did not wait for the answer: %w", gone)}
			a.add(out.status.ID, "client gone", "the client did not wait for the answer")
			x.finish(out, a)
			panic(http.ErrAbortHandler)
		}
	}
	a = x.finish(out, a)
	if fault.Prevents() {
		x.breakOff(fault)
		return
	}
	header := x.writer.Header()
	header.Set("Understudy-Request-Id", x.id)
	if out.status.ID != "" {
		header.Set("Date", out.status.Now.Format(http.TimeFormat))
		header.Set("Understudy-World", out.status.ID)
	}
	if out.scenario != "" {
		header.Set("Understudy-Scenario", out.scenario)
	}
	if text := strings.Join(a.texts, "; "); len(text) > diagnosisLength {
		header.Set("Understudy-Diagnosis", text[:diagnosisLength-3]+"...")
	} else if text != "" {
		header.Set("Understudy-Diagnosis", text)
	}
	maps.Copy(header, a.header)
	if fault != scenarios.NoFault {
		x.sendDamaged(fault, a.status, a.body)
		return
	}
	api.Write(x.writer, a.status, a.body)
}

// loggedFindings is how many findings the log is known to have told of: those that it told of longest ago are told again.
const loggedFindings = 16 << 10

// finish records, logs and counts an answer before it leaves. It returns another one where the journal cannot be written:
// nobody has an answer that the journal does not have. The log has a line for information where it has not told of a finding
// in this world, else for debugging; neither the key nor the body is ever in it.
func (x *exchange) finish(out outcome, a answer) answer {
	if err := x.record(out, a); err != nil && a.failure == nil {
		a.refuse(out.status.ID, api.NewError(http.StatusInternalServerError, "the outcome is unknown: the journal could not be written"))
		a.failure = err
	}
	if a.failure != nil {
		x.logFailure(out, a.failure)
	}
	level := slog.LevelDebug
	for _, f := range a.findings {
		if told, _ := x.logged.ContainsOrAdd(f, struct{}{}); !told || f.world == "" {
			level = slog.LevelInfo
		}
	}
	if x.Log.Enabled(x.request.Context(), level) {
		attrs := append([]slog.Attr{slog.Int("status", a.status)}, x.attrs(out)...)
		attrs = appendSet(attrs, "scenario", out.scenario, "fault", string(out.decision.Fault), "diagnosis", strings.Join(a.texts, "; "))
		x.Log.LogAttrs(x.request.Context(), level, "answered", attrs...)
	}
	x.Observe(x.operation.name, a.status, time.Since(x.began))
	return a
}

// record puts the request and its answer into the world's journal.
func (x *exchange) record(out outcome, a answer) error {
	if out.status.ID == "" || !x.Journal.On() {
		return nil
	}
	asked := journal.Request{
		Method: x.request.Method, Path: x.path, Query: x.request.URL.RawQuery, Header: x.request.Header,
	}
	if x.body != nil {
		x.body.finish(x.request.Header.Get("Expect") != "")
		asked.Body, asked.Size = x.body.text, max(x.body.taken, x.request.ContentLength)
	}
	e := journal.NewEntry(asked, a.body)
	e.ID, e.Operation = x.id, x.operation.name
	e.Time, e.Wall, e.Duration = out.status.Now, x.began, time.Since(x.began)
	e.Status, e.Fault = a.status, string(out.decision.Fault)
	e.Scenario, e.Rule, e.Diagnosis = out.scenario, out.decision.Rule, a.texts
	return x.Journal.Append(x.request.Context(), out.place, e)
}

// attrs are what every line of the log says of the exchange.
func (x *exchange) attrs(out outcome) []slog.Attr {
	return appendSet([]slog.Attr{
		slog.String("method", x.request.Method),
		slog.String("path", api.Excerpt(x.path)),
		slog.Duration("took", time.Since(x.began)),
		slog.String("request", x.id),
	}, "operation", x.operation.name, "world", out.status.ID)
}

// appendSet appends those of some names and values whose value is not empty.
func appendSet(attrs []slog.Attr, pairs ...string) []slog.Attr {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			attrs = append(attrs, slog.String(pair[0], pair[1]))
		}
	}
	return attrs
}

// logFailure writes a line for an error of the emulator's own. That a client has gone away is none.
func (x *exchange) logFailure(out outcome, cause error) {
	level := slog.LevelError
	if errors.Is(cause, context.Canceled) {
		level = slog.LevelDebug
	} else {
		x.Failed()
	}
	x.Log.LogAttrs(x.request.Context(), level, "failed", append(x.attrs(out), slog.Any("cause", cause))...)
}

// recoverPanic answers a panic 500, and logs it with its stack. It must be deferred.
func (x *exchange) recoverPanic() {
	switch cause := recover(); cause {
	case nil:
	case http.ErrAbortHandler:
		panic(cause) // how a handler ends a connection
	default:
		x.respond(outcome{err: fmt.Errorf("panic: %v\n%s", cause, debug.Stack())})
	}
}

// capturedBody is a request's body that keeps the beginning of what is read, for the journal.
type capturedBody struct {
	io.ReadCloser
	text  []byte // up to journal.MaxBody
	taken int64  // of the client, in bytes
	ended bool   // there is no more
}

func (b *capturedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.text = append(b.text, p[:min(n, journal.MaxBody-len(b.text))]...)
	b.taken += int64(n)
	b.ended = err == io.EOF
	return n, err
}

// finish reads the beginning of a body that nobody wanted, so that the journal has it. A client that asks whether to send
// it is left alone.
func (b *capturedBody) finish(asks bool) {
	if read := int64(len(b.text)); !asks && !b.ended && read < journal.MaxBody {
		_, _ = io.CopyN(io.Discard, b, journal.MaxBody-read) // as much as there is
	}
}
