package emulator

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// call is one request on its way to one answer.
type call struct {
	emulator  *Emulator
	writer    http.ResponseWriter
	request   *http.Request
	context   context.Context // for what the call asks of its world; see [Emulator.newCall]
	params    httprouter.Params
	operation *operation   // nil when none has the path and method
	world     *world.World // nil until the key is judged
	id        string       // of the request
	began     time.Time
	notes     []string // for the diagnosis
	body      *heard   // of the request; nil when there is none
	query     struct { // of an operation that takes one, decoded
		read  api.ReadQuery
		notes []api.Note
		err   error
	}
	recorded bool // in the journal
}

// newCall begins a call. What it asks of its world is done also when the client has nothing more to say: one that closes
// its half of the connection waits for the answer all the same.
func (e *Emulator) newCall(w http.ResponseWriter, r *http.Request, params httprouter.Params, op *operation) *call {
	return &call{
		emulator: e, writer: w, request: r, context: context.WithoutCancel(r.Context()), params: params, operation: op,
		id: ulid.Make().String(), began: time.Now(),
	}
}

// handle serves an operation.
func (e *Emulator) handle(op *operation) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		c := e.newCall(w, r, params, op)
		defer c.recoverPanic()
		c.listen()
		c.answer(c.judge())
	}
}

// judge goes through the order of judgement; the first failure is the answer. Path and method were the router's; body,
// number, resource and state are the operation's. A call that a reset overtakes is judged again, in the world as it is
// then: no answer is of both.
func (c *call) judge() (resource any, err error) {
	key, err := c.emulator.keys.authenticate(c.request.Header["Authorization"])
	if err != nil {
		return nil, err
	}
	open := func() (*world.World, error) { return c.emulator.worlds.Open(c.context, key) }
	err = world.Do(c.context, open, false, func(opened *world.World) (err error) {
		c.world, c.notes = opened, nil
		c.body.again()
		resource, err = c.judgeInWorld()
		return err
	})
	return resource, err
}

// judgeInWorld goes on from where the world is known.
func (c *call) judgeInWorld() (resource any, err error) {
	if err := c.weigh(api.Negotiate(c.request.Header["Accept"], c.operation.version)); err != nil {
		return nil, err
	}
	if err := c.world.Admit(c.context); err != nil {
		return nil, err
	}
	if err := c.world.Judge(c.context, c.asked()); err != nil {
		return nil, err
	}
	if !c.operation.query {
		if err := c.weigh(api.NoteQuery(c.request.URL.RawQuery), nil); err != nil {
			return nil, err
		}
	}
	return c.operation.serve(c)
}

// asked says what the call asks, as far as rules look at it.
func (c *call) asked() world.Asked {
	asked := world.Asked{Operation: c.operation.on, Kind: c.operation.kind, ID: c.resourceID()}
	if c.operation.query {
		c.query.read, c.query.notes, c.query.err = api.DecodeReadQuery(c.request.URL.RawQuery)
		asked.Reads = c.query.err == nil // else the query is answered, 400
	}
	return asked
}

// resourceID returns the id in the path, "" when the operation has none.
func (c *call) resourceID() string { return unescape(c.params.ByName("id")) }

// unescape decodes a path or a part of one. The server has refused what cannot be decoded.
func unescape(path string) string {
	decoded, err := url.PathUnescape(path)
	if err != nil {
		return path
	}
	return decoded
}

func (c *call) note(notes ...string) {
	for _, note := range notes {
		if note != "" {
			c.notes = append(c.notes, note)
		}
	}
}
