package delivery

import (
	"slices"
	"strconv"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Request is a verification request that subscriptions are about.
type Request struct {
	ID       string
	Metadata map[string]string
	Session  *api.CredentialsSession // that created it; nil: none
	Entered  []Entered
}

// Entered is a state that a request has entered.
type Entered struct {
	State  api.State
	At     time.Time
	Passed bool // by time alone: a subscription that was made later has no event of it
}

// Letters returns the deliveries to the subscriptions for the states that a request has entered, in their order.
func (o *Outbox) Letters(r Request) (all []Draft, err error) {
	for _, entered := range r.Entered {
		events := r.events(entered.State)
		for _, s := range o.Subscriptions.Webhooks {
			if entered.Passed && !entered.At.After(s.Since) {
				continue
			}
			wanted := slices.DeleteFunc(slices.Clone(events), func(e event) bool { return !slices.Contains(s.Events, e.name) })
			for i, e := range wanted {
				body, err := s.body(r, e, entered.At)
				if err != nil {
					return nil, err
				}
				all = append(all, Draft{
					delivery: Delivery{Subscription: s.ID, Event: e.name, State: e.state, Resource: r.ID, Due: entered.At.UTC(), Status: Due, Body: string(body)},
					last:     entered.State.Terminal() && i == len(wanted)-1,
				})
			}
		}
	}
	return all, nil
}

// Draft is a delivery before a rule says how it is delivered.
type Draft struct {
	delivery Delivery
	last     bool // its request has no other event after it
}

// State returns the state of the request of the delivery, "" for the end of its session.
func (d Draft) State() api.State {
	if d.delivery.Event == RequestEvent {
		return api.State(d.delivery.State)
	}
	return ""
}

// Deliver adds a delivery as a rule says, nil for none. Out of order is no delivery after which its request has no other event.
func (o *Outbox) Deliver(draft Draft, rule *scenarios.Rule) (err error) {
	d := draft.delivery
	if rule == nil {
		return o.deliver(d, false)
	}
	how := rule.Deliver
	d.Rule = rule.At.String()
	switch how.Manner {
	case scenarios.Manners.Lost, scenarios.Manners.WrongToken, scenarios.Manners.BeforeAnswer: // the sender carries it out
		d.Manner = string(how.Manner)
	case scenarios.Manners.Twice:
		if err := o.deliver(d, false); err != nil {
			return err
		}
	}
	d.Due = d.Due.Add(how.Delay())
	return o.deliver(d, how.Manner == scenarios.Manners.OutOfOrder && !draft.last)
}

// event is what a subscription gets for a state.
type event struct{ name, state string }

// events returns the events of a state that the request has entered.
func (r Request) events(state api.State) []event {
	events := []event{{RequestEvent, string(state)}}
	if r.Session != nil && state.Terminal() {
		how := "failure"
		if state == api.StateCompleted {
			how = "success"
		}
		events = append(events, event{SessionEvent, how})
	}
	return events
}

// hookBody is the body of a delivery.
type hookBody struct {
	Version string `json:"version,omitzero"`
	Hook    struct {
		ID          any           `json:"id"`
		Event       string        `json:"event"`
		Target      string        `json:"target"`
		TriggeredAt *api.Datetime `json:"triggered_at,omitzero"`
	} `json:"hook"`
	Data any `json:"data"`
}

// hookData has the state of a request or of its session.
type hookData struct {
	VerificationRequestID string            `json:"verification_request_id"`
	State                 string            `json:"state"`
	Metadata              map[string]string `json:"metadata"`
	SessionToken          *string           `json:"credentials_session_token"`
}

// body renders the body of a delivery, in the version of the subscription.
func (s Subscription) body(r Request, e event, at time.Time) ([]byte, error) {
	data := hookData{r.ID, e.state, r.Metadata, nil}
	if r.Session != nil {
		data.SessionToken = &r.Session.Token
	}
	var b hookBody
	b.Hook.ID, b.Hook.Event, b.Hook.Target, b.Data = strconv.Itoa(s.ID), e.name, s.URL, data
	if s.Version <= lastPlainBody {
		return api.Render(b)
	}
	b.Version, b.Hook.ID, b.Hook.TriggeredAt = s.Version, s.ID, new(api.DatetimeOf(at))
	if e.name == RequestEvent {
		b.Data = struct {
			hookData
			OrderID *string `json:"order_id"`
		}{hookData: data}
	}
	return api.Render(b)
}

// lastPlainBody is the last version whose bodies have neither version nor instant.
const lastPlainBody = "2022-08-01"
