package emulator

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// pauseGrace is how long an answer may take after a pause, whatever the server's own limit.
const pauseGrace = time.Minute

var errHurried = errors.New("the emulator is to stop")

// pause lets real time pass on the way to an answer. Its error is why the client no longer waits for it; that the
// emulator is to stop ends the pause only.
func (c *call) pause(span time.Duration) error {
	if span == 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(c.request.Context())
	defer cancel(nil)
	stop := context.AfterFunc(c.emulator.hurried, func() { cancel(errHurried) })
	defer stop()
	c.control().SetWriteDeadline(time.Now().Add(span + pauseGrace)) // where there is none to set, none is in the way
	err := c.emulator.worlds.Config().Clock.Wait(ctx, span)
	if errors.Is(err, errHurried) {
		return nil
	}
	return err
}

// control reaches through to the connection.
func (c *call) control() *http.ResponseController { return http.NewResponseController(c.writer) }

// Hurry ends every pause that rules make, now and from now on, so that a server that stops need not wait for them.
func (e *Emulator) Hurry() { e.hurry() }
