package emulatortest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
)

// Webhook subscribes a URL to all events of the world from now on, and returns the subscription with its id and its token.
func (w *World) Webhook(url string) emulator.Subscription {
	w.t.Helper()
	return result[emulator.Subscription](w, "subscribe a webhook")(w.world.Subscribe(context.Background(), emulator.Subscription{URL: url}))
}

// Deliveries returns what the world's webhooks were sent, or will be, in the order of the events.
func (w *World) Deliveries() (all []delivery.Delivery) {
	w.t.Helper()
	for d, err := range w.world.Deliveries(context.Background(), "") {
		w.must("list the deliveries", err)
		all = append(all, d)
	}
	return all
}

// Event is a webhook as a [Receiver] got it.
type Event struct {
	Name  string // such as verification_request.state.change
	State string // of the request or session
	ID    string // of the verification request
	Token string // in X-Webhook-Token
	Body  []byte
}

// Receiver is a subscribed server for the webhooks of a test's world. It answers 200.
type Receiver struct {
	world  *World
	events chan Event
}

// Receiver starts a receiver on a free loopback port, and subscribes it to all events of the world from now on. It ends with the
// test.
func (w *World) Receiver() *Receiver {
	w.t.Helper()
	r := &Receiver{w, make(chan Event, maxEvents)}
	server := httptest.NewServer(http.HandlerFunc(r.take))
	w.t.Cleanup(server.Close)
	w.Webhook(server.URL)
	return r
}

// maxEvents is how many events a receiver holds that the test has not asked for. Others are answered 503.
const maxEvents = 1000

// take takes a webhook.
func (r *Receiver) take(answer http.ResponseWriter, sent *http.Request) {
	e := Event{Token: sent.Header.Get("X-Webhook-Token")}
	var body struct {
		Hook struct{ Event string }
		Data struct {
			State string
			ID    string `json:"verification_request_id"`
		}
	}
	var err error
	if e.Body, err = io.ReadAll(sent.Body); err == nil {
		err = json.Unmarshal(e.Body, &body)
	}
	if err != nil {
		http.Error(answer, err.Error(), http.StatusBadRequest)
		return
	}
	e.Name, e.State, e.ID = body.Hook.Event, body.Data.State, body.Data.ID
	select {
	case r.events <- e:
	default:
		http.Error(answer, "the test asks for no events", http.StatusServiceUnavailable)
	}
}

// nextTime is how long [Receiver.Next] waits.
const nextTime = 10 * time.Second

// Next returns the next event of a state, such as completed; "" is any. Events before it are skipped. It ends the test
// when none has come within ten seconds: events that time causes come when the world's clock gets there, as by [World.Advance].
func (r *Receiver) Next(state string) Event {
	r.world.t.Helper()
	var skipped []string
	for timeout := time.After(nextTime); ; {
		select {
		case e := <-r.events:
			if state == "" || e.State == state {
				return e
			}
			skipped = append(skipped, e.State)
		case <-timeout:
			r.world.t.Fatalf("emulatortest: no event with the state %q within %s, only %q", state, nextTime, skipped)
		}
	}
}
