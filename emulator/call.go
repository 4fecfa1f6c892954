package emulator

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// diagnosisLength bounds the Understudy-Diagnosis header, in bytes; the log has all of it.
const diagnosisLength = 1024

// call is one request on its way to one answer.
type call struct {
	emulator  *Emulator
	writer    http.ResponseWriter
	request   *http.Request
	params    httprouter.Params
	operation *operation // nil when none has the path and method
	world     *world.World
	id        string // of the request
	began     time.Time
	notes     []string // for the diagnosis
}

func (e *Emulator) newCall(w http.ResponseWriter, r *http.Request, params httprouter.Params, op *operation) *call {
	return &call{
		emulator: e, writer: w, request: r, params: params, operation: op,
		id: ulid.Make().String(), began: time.Now(),
	}
}

// handle serves an operation.
func (e *Emulator) handle(op *operation) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		r.Body = http.MaxBytesReader(w, r.Body, api.MaxBody)
		c := e.newCall(w, r, params, op)
		c.answer(c.judge())
	}
}

// judge goes through the order of judgement; the first failure is the answer. Path and method were the router's, body,
// number, resource and state are the operation's.
func (c *call) judge() (body any, err error) {
	defer recoverPanic(&err)
	key, err := c.emulator.keys.read(c.request.Header["Authorization"])
	if err != nil {
		return nil, err
	}
	ctx := c.request.Context()
	if c.world, err = c.emulator.worlds.Open(ctx, key); err != nil {
		return nil, err
	}
	note, err := api.Negotiate(c.request.Header["Accept"], c.operation.version)
	if err != nil {
		return nil, err
	}
	c.note(note)
	if err := c.world.Admit(ctx); err != nil {
		return nil, err
	}
	if err := c.world.Rule(c.operation.on, c.operation.kind, c.resourceID()); err != nil {
		return nil, err
	}
	if !c.operation.query {
		c.note(api.NoteQuery(c.request.URL.RawQuery)...)
	}
	return c.operation.serve(c)
}

// recoverPanic turns a panic into an error, which is answered 500 and logged with the stack.
func recoverPanic(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
	}
}

// resourceID returns the id in the path, "" when the operation has none.
func (c *call) resourceID() string {
	escaped := c.params.ByName("id")
	id, err := url.PathUnescape(escaped)
	if err != nil {
		return escaped
	}
	return id
}

func (c *call) note(notes ...string) {
	for _, note := range notes {
		if note != "" {
			c.notes = append(c.notes, note)
		}
	}
}

// answer is the one place where an answer leaves: the operation's resource, or the envelope of the error.
func (c *call) answer(resource any, err error) {
	var body []byte
	if err == nil {
		body, err = render(resource)
	}
	if err != nil {
		c.refuse(err)
		return
	}
	c.setHeaders()
	c.log(levelOf(c.notes), c.operation.success)
	api.Write(c.writer, c.operation.success, body)
}

// refuse answers with an error; one that is not meant for the caller as a 500 of which only the log tells the cause.
func (c *call) refuse(err error) {
	failure := (*api.Error)(nil)
	if !errors.As(err, &failure) {
		failure = api.NewError(http.StatusInternalServerError, "an error of the emulator's own: its log says which")
		c.emulator.log.Error("failed", "request", c.id, "cause", err)
	}
	c.note(failure.Diagnosis)
	c.setHeaders()
	c.log(levelOf(c.notes), failure.Status)
	api.WriteError(c.writer, failure)
}

// render returns a resource's JSON; one that was rendered before passes as it is.
func render(resource any) ([]byte, error) {
	if body, ok := resource.([]byte); ok {
		return body, nil
	}
	return api.Render(resource)
}

// setHeaders adds what the emulator says about the answer. In a world, Date is the world's, as all of the answer is.
func (c *call) setHeaders() {
	header := c.writer.Header()
	header["Understudy-Request-Id"] = []string{c.id}
	if c.world != nil {
		header["Date"] = []string{c.world.Now().UTC().Format(http.TimeFormat)}
		header["Understudy-World"] = []string{c.world.ID}
		if scenario := c.world.Scenario(); scenario != "" {
			header["Understudy-Scenario"] = []string{scenario}
		}
	}
	if len(c.notes) > 0 {
		diagnosis := strings.Join(c.notes, "; ")
		if len(diagnosis) > diagnosisLength {
			diagnosis = diagnosis[:diagnosisLength-3] + "..."
		}
		header["Understudy-Diagnosis"] = []string{diagnosis}
	}
}

// levelOf is for information when there is something to explain, else for debugging.
func levelOf(notes []string) slog.Level {
	if len(notes) > 0 {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// log writes a line for the answer. Neither the key nor the body is ever in it.
func (c *call) log(level slog.Level, status int) {
	ctx := c.request.Context()
	if !c.emulator.log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.Int("status", status),
		slog.String("method", c.request.Method),
		slog.String("path", api.Mask(c.request.URL.Path)),
		slog.Duration("took", time.Since(c.began)),
		slog.String("request", c.id),
	}
	if c.world != nil {
		attrs = append(attrs, slog.String("world", c.world.ID))
		if scenario := c.world.Scenario(); scenario != "" {
			attrs = append(attrs, slog.String("scenario", scenario))
		}
	}
	if len(c.notes) > 0 {
		attrs = append(attrs, slog.String("diagnosis", strings.Join(c.notes, "; ")))
	}
	c.emulator.log.LogAttrs(ctx, level, "answered", attrs...)
}
