package surface

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// exchange is one request and the writer of its answer.
type exchange struct {
	*Surface
	writer    http.ResponseWriter
	request   *http.Request
	operation *operation // an empty one when no operation has the path and method
	id        string     // of the request
	path      string     // unescaped
	began     time.Time
	body      *capturedBody  // nil for none
	memory    *limits.Answer // nil for an answer that is not sent
}

// newExchange begins an exchange. It does not change r: the server finds out by r's body whether the client of an
// Expect: 100-continue still waits.
func (s *Surface) newExchange(w http.ResponseWriter, r *http.Request, op *operation) *exchange {
	x := &exchange{Surface: s, writer: w, request: r, operation: op, id: ulid.Make().String(), began: time.Now()}
	var err error
	if x.path, err = url.PathUnescape(r.URL.Path); err != nil {
		x.path = r.URL.Path
	}
	if op.Name != "" && r.ContentLength != 0 {
		x.body = &capturedBody{ReadCloser: r.Body, most: journal.MaxBody}
		if op.omits != nil {
			x.body.most = api.MaxBody // for what comes after that
		}
		captured := *r
		captured.Body = x.body
		x.request = &captured
	}
	return x
}

// answer is the response to a request.
type answer struct {
	status    int // 0 for none
	body      []byte
	header    http.Header // beside those that respond sets
	failure   error       // of the emulator itself; only the log shows its cause
	diagnosis             // the cause of a refusal is first
}

// answer returns the answer for an outcome of an operation.
func (out outcome) answer(op *operation) (a answer) {
	a.diagnosis = out.diagnosis
	for _, note := range append(slices.Clip(out.decision.Notes), out.decision.Effect) {
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
	a.status = op.Success
	if err != nil {
		a.refuse(out.status.ID, err)
	}
	if out.grease != nil && out.decision.Answer == nil && a.failure == nil {
		a.grease(out, op)
	}
	return a
}

// grease greases the answer. An answer of a rule stays as it is.
func (a *answer) grease(out outcome, op *operation) {
	of := op.answer
	if out.err != nil {
		of = reflect.TypeFor[api.ErrorEnvelope]()
	}
	greased, note, err := out.grease.Apply(a.body, of)
	if err != nil {
		a.refuse(out.status.ID, err)
		return
	}
	a.body = greased
	a.add(out.status.ID, "grease", note)
}

// refuse turns the answer into an error. An error that is no [*api.Error] becomes a 500.
func (a *answer) refuse(world string, err error) {
	refusal := (*api.Error)(nil)
	if !errors.As(err, &refusal) {
		a.failure = err
		refusal = api.NewError(http.StatusInternalServerError, cmp.Or(NoSpace(err), "the emulator failed: see its log for the cause"))
		if errors.Is(err, store.ErrOutcomeUnknown) {
			refusal.Diagnosis = "the outcome is unknown: the store's answer was lost, and the change may or may not be stored"
		}
	}
	a.status, a.body, a.header = refusal.Status, api.RenderError(refusal), refusal.Header
	a.addCause(world, strconv.Itoa(refusal.Status)+" "+refusal.Message, refusal.Diagnosis)
}

// NoSpace explains an error of a store that is full; "" for any other error.
func NoSpace(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "the store cannot be written, because its volume is full: free some space; the log names the store"
	}
	return ""
}

// diagnosisLength limits the Understudy-Diagnosis header, in bytes. The log and the journal have the whole diagnosis.
const diagnosisLength = 1024

// respond sends the answer of every request: delay, journal, log, metrics, headers, body.
func (x *exchange) respond(out outcome) {
	a, fault := out.answer(x.operation), out.decision.Fault
	if x.memory != nil {
		defer x.memory.Release()
		if err := x.memory.Rendered(x.request.Context(), out.status.ID, len(a.body)); err != nil && !x.operation.writes {
			a.refuse(out.status.ID, err)
		}
	}
	x.writer.Header().Set("Understudy-Request-Id", x.id) // also when nothing is sent: the console reads it
	if out.decision.Delay > 0 {
		if gone := x.pause(out.decision.Delay); gone != nil {
			a = answer{diagnosis: a.diagnosis, failure: fmt.Errorf("the client did not wait for the answer: %w", gone)}
			a.addCause(out.status.ID, "client gone", "the client did not wait for the answer")
			x.finish(out, a)
			panic(http.ErrAbortHandler)
		}
	}
	x.setHeaders(out, a)
	a = x.finish(out, a)
	if fault.Prevents() {
		x.breakOff(fault)
		return
	}
	if fault != scenarios.NoFault {
		x.sendDamaged(fault, a.status, a.body)
		return
	}
	x.writer.WriteHeader(a.status)
	x.writer.Write(a.body) // fails only when the client left
}

// sent sends the webhooks that a request has caused, once its answer has left.
func (x *exchange) sent(at *world.World) {
	flush := func() error { return nil }
	if x.writer != nil {
		flush = x.control().Flush
	}
	world.Release(at, flush)
}

// setHeaders sets the headers of an answer: first the usual ones, of which Date is the time of the world, then those of a
// refusal, then those of a rule.
func (x *exchange) setHeaders(out outcome, a answer) {
	header := x.writer.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(a.body)))
	if x.operation.Extension {
		header.Set("Understudy-Extension", x.operation.Name)
	}
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
	if a.failure == nil {
		maps.Copy(header, out.decision.Header)
	}
}

// loggedFindings limits the cache of logged findings. A finding that is evicted is logged again.
const loggedFindings = 16 << 10

// finish records, logs and counts an answer before it is sent. When the journal cannot be written, it returns a 500, so
// that no client gets an answer that the journal lacks. The log line has level info when it has a finding that is new in
// the world, or is due for a request outside any world, else debug. It never contains the key or the body.
func (x *exchange) finish(out outcome, a answer) answer {
	if err := x.record(out, a); err != nil && a.failure == nil {
		for _, set := range []http.Header{a.header, out.decision.Header} {
			for name := range set {
				x.writer.Header().Del(name)
			}
		}
		diagnosis := "the outcome is unknown: the journal could not be written"
		if full := NoSpace(err); full != "" {
			diagnosis = full + "; " + diagnosis
		}
		a.refuse(out.status.ID, api.NewError(http.StatusInternalServerError, diagnosis))
		a.failure = err
		x.setHeaders(out, a)
	}
	if a.failure != nil {
		x.logFailure(out, a.failure)
	} else if out.status.ID != "" {
		x.Worlds.CountOutcome(false)
	}
	x.count(out.noted)
	level, unlogged, texts := slog.LevelDebug, 0, strings.Join(a.texts, "; ")
	for _, f := range a.findings {
		if logged, _ := x.logged.ContainsOrAdd(f, struct{}{}); !logged && f.world != "" {
			level = slog.LevelInfo
		}
	}
	if out.status.ID == "" && texts != "" {
		var due bool
		if unlogged, due = x.unmatched.due(api.Excerpt(x.path)+" "+texts, x.began); due {
			level = slog.LevelInfo
		}
	}
	if x.Log.Enabled(x.request.Context(), level) {
		attrs := append([]slog.Attr{slog.Int("status", a.status)}, x.attrs(out)...)
		attrs = appendSet(attrs, "scenario", out.scenario, "fault", string(out.decision.Fault), "diagnosis", texts)
		if unlogged > 0 {
			attrs = append(attrs, slog.Int("unlogged", unlogged))
		}
		x.Log.LogAttrs(x.request.Context(), level, "answered", attrs...)
	}
	x.Observe(x.operation.Name, a.status, time.Since(x.began))
	return a
}

// count counts an answer for each kind of note that it has.
func (s *Surface) count(kinds []string) {
	s.noted.Lock()
	defer s.noted.Unlock()
	for i, kind := range kinds {
		if !slices.Contains(kinds[:i], kind) {
			s.noted.answers[kind]++
		}
	}
}

// Diagnosed sums up what was only diagnosed so far: a line for each kind of note, the most frequent first.
func (s *Surface) Diagnosed() []string {
	s.noted.Lock()
	defer s.noted.Unlock()
	return api.SumUp(s.noted.answers)
}

// record writes the request and its answer to the world's journal. A request that was refused before it reached a world is
// written to the journal of unmatched requests, without its body.
func (x *exchange) record(out outcome, a answer) error {
	matched, to := out.status.ID != "", x.Journal
	if !matched {
		to, out.status.Now = x.Unmatched, x.began
	}
	if !to.On() || !matched && a.failure != nil {
		return nil
	}
	asked := journal.Request{
		Method: x.request.Method, Path: x.path, Query: x.request.URL.RawQuery, Header: x.request.Header,
	}
	if x.body != nil && matched {
		x.body.finish(x.request.Header.Get("Expect") != "")
		asked.Body, asked.Size = x.body.text, max(x.body.size, x.request.ContentLength)
		if omits := x.operation.omits; omits != nil {
			asked.Body, asked.Omitted = omit(omits, asked.Body)
		}
	}
	header := x.writer.Header()
	if a.status == 0 {
		header = nil
	}
	e := journal.NewEntry(asked, a.body, header)
	e.ID, e.Operation = x.id, x.operation.Name
	e.Time, e.Wall, e.Duration = out.status.Now, x.began, time.Since(x.began)
	e.Status, e.Fault = a.status, string(out.decision.Fault)
	e.Scenario, e.Rule, e.Diagnosis = out.scenario, out.decision.Rule, a.texts
	return to.Append(x.request.Context(), out.journal, e)
}

// attrs returns the log attributes of every line about the exchange.
func (x *exchange) attrs(out outcome) []slog.Attr {
	return appendSet([]slog.Attr{
		slog.String("method", api.Excerpt(x.request.Method)),
		slog.String("path", api.Excerpt(x.path)),
		slog.Duration("took", time.Since(x.began)),
		slog.String("request", x.id),
	}, "operation", x.operation.Name, "world", out.status.ID)
}

// appendSet appends pairs of a name and a value, without those whose value is empty.
func appendSet(attrs []slog.Attr, pairs ...string) []slog.Attr {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			attrs = append(attrs, slog.String(pair[0], pair[1]))
		}
	}
	return attrs
}

// logFailure logs and counts an error of the emulator itself. A client that left is logged for debugging only.
func (x *exchange) logFailure(out outcome, cause error) {
	level := slog.LevelError
	if errors.Is(cause, context.Canceled) {
		level = slog.LevelDebug
	} else {
		x.Failed()
		x.Worlds.CountOutcome(true)
	}
	x.Log.LogAttrs(x.request.Context(), level, "failed", append(x.attrs(out), slog.Any("cause", cause))...)
}

// recoverPanic answers a panic with 500 and logs it with its stack. It must be deferred.
func (x *exchange) recoverPanic() {
	switch cause := recover(); cause {
	case nil:
	case http.ErrAbortHandler:
		panic(cause) // this is how a handler ends a connection
	default:
		x.respond(outcome{err: fmt.Errorf("panic: %v\n%s", cause, debug.Stack())})
	}
}

// omit leaves the first group of each match out of a text, and says so in its place. It returns by how much the text is shorter.
func omit(what *regexp.Regexp, text []byte) (rest []byte, omitted int64) {
	at := 0
	for _, match := range what.FindAllSubmatchIndex(text, -1) {
		rest = append(append(rest, text[at:match[2]]...), fmt.Sprintf("(%d bytes are not in the journal)", match[3]-match[2])...)
		at = match[3]
	}
	rest = append(rest, text[at:]...)
	return rest, int64(len(text) - len(rest))
}

// capturedBody records the request body for the journal.
type capturedBody struct {
	io.ReadCloser
	most  int // bytes of the text
	text  []byte
	size  int64 // of all that was read
	ended bool  // the body was read to its end
}

func (b *capturedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.text = append(b.text, p[:min(n, b.most-len(b.text))]...)
	b.size += int64(n)
	b.ended = err == io.EOF
	return n, err
}

// limitBody makes the body share the memory of all bodies until release, which may be called several times.
func (x *exchange) limitBody() (release func()) {
	if x.body == nil {
		return func() {}
	}
	limited := x.Limits.Body(x.request.Context(), x.body.ReadCloser)
	x.body.ReadCloser = limited
	return limited.Release
}

// finish reads more of a body that the operation did not read, up to what is recorded. It reads nothing from a client that
// still waits for a 100 Continue.
func (b *capturedBody) finish(waits bool) {
	if more := int64(b.most - len(b.text)); !waits && !b.ended && more > 0 {
		_, _ = io.CopyN(io.Discard, b, more) // as much as the client sends
	}
}
