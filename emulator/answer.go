package emulator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// diagnosisLength bounds the Understudy-Diagnosis header, in bytes; the log has all of it.
const diagnosisLength = 1024

// answer is the one place where an answer leaves: the operation's resource, or the envelope of the error.
func (c *call) answer(resource any, err error) {
	var body []byte
	if err == nil {
		body, err = render(resource)
	}
	c.noteRules()
	if err := c.hold(); err != nil {
		c.note("the client did not wait for the answer")
		c.record(0, scenarios.NoFault, nil)
		c.count(0)
		c.logFailure(fmt.Errorf("the client did not wait for the answer: %w", err))
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		c.refuse(err)
		return
	}
	c.send(c.operation.success, body)
}

// refuse answers with an error; one that is not meant for the caller as a 500 of which only the log tells the cause.
func (c *call) refuse(err error) {
	if broken := (*world.Broken)(nil); errors.As(err, &broken) {
		c.log(0, broken.Fault)
		c.record(0, broken.Fault, nil)
		c.count(0)
		c.breakOff(broken.Fault)
		return
	}
	failure := (*api.Error)(nil)
	if !errors.As(err, &failure) {
		failure = api.NewError(http.StatusInternalServerError, "an error of the emulator's own: its log says which")
		c.logFailure(err)
	}
	c.note(failure.Diagnosis)
	maps.Copy(c.writer.Header(), failure.Header)
	c.send(failure.Status, api.RenderError(failure))
}

// noteRules notes what rules do to the answer's way.
func (c *call) noteRules() {
	if c.world != nil {
		c.note(c.world.Notes()...)
	}
}

// hold lets the time pass for which rules hold the answer back.
func (c *call) hold() error {
	if c.world == nil {
		return nil
	}
	return c.pause(c.world.Delay())
}

// send sends an answer, as whole as rules leave it.
func (c *call) send(status int, body []byte) {
	c.setHeaders()
	damage := scenarios.NoFault
	if c.world != nil {
		damage = c.world.Damage()
	}
	c.log(status, damage)
	c.record(status, damage, body)
	c.count(status)
	if damage == scenarios.NoFault {
		api.WriteHeader(c.writer, status, len(body))
		c.writer.Write(body) // fails only when the client has gone
		return
	}
	c.sendDamaged(damage, status, body)
}

// recoverPanic answers a panic 500, and logs it with its stack. It must be deferred.
func (c *call) recoverPanic() {
	switch cause := recover(); cause {
	case nil:
	case http.ErrAbortHandler:
		panic(cause) // how a handler ends a connection
	default:
		c.refuse(fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
	}
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
	lines := make([]string, 0, 5) // all in one piece of memory
	set := func(name, line string) {
		lines = append(lines, line)
		header[name] = lines[len(lines)-1 : len(lines) : len(lines)]
	}
	set("Understudy-Request-Id", c.id)
	if c.world != nil {
		set("Date", c.world.Now().UTC().Format(http.TimeFormat))
		set("Understudy-World", c.world.ID)
		if scenario := c.world.Scenario(); scenario != "" {
			set("Understudy-Scenario", scenario)
		}
	}
	if len(c.notes) > 0 {
		diagnosis := strings.Join(c.notes, "; ")
		if len(diagnosis) > diagnosisLength {
			diagnosis = diagnosis[:diagnosisLength-3] + "..."
		}
		set("Understudy-Diagnosis", diagnosis)
	}
}

// log writes a line for the answer: for information when there is something to explain, else for debugging. A status of 0
// is no answer. Neither the key nor the body is ever in it.
func (c *call) log(status int, fault scenarios.Fault) {
	level := slog.LevelDebug
	if len(c.notes) > 0 || fault != scenarios.NoFault {
		level = slog.LevelInfo
	}
	ctx := c.request.Context()
	if !c.emulator.log.Enabled(ctx, level) {
		return
	}
	attrs := append([]slog.Attr{slog.Int("status", status)}, c.said()...)
	if c.world != nil && c.world.Scenario() != "" {
		attrs = append(attrs, slog.String("scenario", c.world.Scenario()))
	}
	if fault != scenarios.NoFault {
		attrs = append(attrs, slog.String("fault", string(fault)))
	}
	if len(c.notes) > 0 {
		attrs = append(attrs, slog.String("diagnosis", strings.Join(c.notes, "; ")))
	}
	c.emulator.log.LogAttrs(ctx, level, "answered", attrs...)
}

// said is what every line of the log says of the call.
func (c *call) said() []slog.Attr {
	attrs := []slog.Attr{
		slog.String("method", c.request.Method),
		slog.String("path", api.Excerpt(unescape(c.request.URL.Path))),
		slog.Duration("took", time.Since(c.began)),
		slog.String("request", c.id),
	}
	if c.operation != nil {
		attrs = append(attrs, slog.String("operation", c.operation.name))
	}
	if c.world != nil {
		attrs = append(attrs, slog.String("world", c.world.ID))
	}
	return attrs
}

// logFailure writes a line for an error of the emulator's own. That a client has gone away is none.
func (c *call) logFailure(cause error) {
	level := slog.LevelError
	if errors.Is(cause, context.Canceled) {
		level = slog.LevelDebug
	} else {
		c.emulator.figures.failures.Inc()
	}
	c.emulator.log.LogAttrs(c.request.Context(), level, "failed", append(c.said(), slog.Any("cause", cause))...)
}

func (e *Emulator) logControlFailure(r *http.Request, cause error) {
	e.figures.failures.Inc()
	e.log.ErrorContext(r.Context(), "failed", "path", api.Excerpt(r.URL.Path), "cause", cause)
}

// logControlRefusal writes a line for a call that may not steer.
func (e *Emulator) logControlRefusal(r *http.Request, why error) {
	e.log.InfoContext(r.Context(), "refused", "method", r.Method, "path", api.Excerpt(r.URL.Path), "from", r.RemoteAddr, "cause", why)
}
