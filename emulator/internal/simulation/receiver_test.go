package simulation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// receiver is where all webhooks go. It may hang, fail, or lose its answer.
type receiver struct {
	taken []event // in their order
}

// event is a webhook that the receiver has taken.
type event struct {
	about, state string // the webhook and the request
	arrived      int    // the step
}

// post carries the webhooks of a machine.
type post struct{ *machine }

func (m post) RoundTrip(r *http.Request) (*http.Response, error) {
	s := m.sim
	body, _ := io.ReadAll(r.Body)
	var hook struct {
		Hook struct{ ID any }
		Data struct {
			State string
			ID    string `json:"verification_request_id"`
		}
	}
	if err := json.Unmarshal(body, &hook); err != nil {
		s.fail("a webhook is no JSON: %s", body)
	}
	e := event{fmt.Sprint(hook.Hook.ID, " ", hook.Data.ID), hook.Data.State, s.now}
	p := &parked{machine: m.machine, by: "webhook", what: "tells", on: fmt.Sprint(e.about, " ", e.state)}
	v, ok := s.parkUntil(p, r.Context().Done())
	if !ok {
		s.note(m.name, "webhook %s: no answer in time", p.on)
		return nil, r.Context().Err()
	}
	if took := v != refuse && v != drop && v != dieBefore && !(m.dead.Load() && v != dieAfter); took {
		s.mu.Lock()
		s.receiver.taken = append(s.receiver.taken, e)
		s.mu.Unlock()
	}
	switch v {
	case refuse:
		return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(""))}, nil
	case drop, lose, dieBefore:
		return nil, errors.New("connection reset")
	case dieAfter:
		s.kill(m.machine)
	}
	return &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{}, Body: http.NoBody}, nil
}
