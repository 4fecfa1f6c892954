package world

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Misbehaviours that the sender carries out.
const (
	Lost       = "lost" // never sent
	OtherToken = "wrong-token"

	beforeAnswer = "before-answer"
)

// event is what a subscription is told of a visit.
type event struct{ name, state string }

// saveVerification stores a verification request, and tells the subscriptions of the states that it has entered since it was
// stored last, by time too. It returns the stored bytes.
func (tx *Tx) saveVerification(v *verification) (stored []byte, err error) {
	if tx.hears() {
		if err := tx.announce(v); err != nil {
			return nil, err
		}
		if err := tx.putStep(v); err != nil {
			return nil, err
		}
	}
	v.fresh, v.passed = 0, 0
	return tx.save(prefixes[scenarios.VerificationRequestID]+v.id, *v) // a pointer would let every read allocate v
}

// announce makes the deliveries of the states that a request has entered. What time alone has done before a subscription was
// made is not for that.
func (tx *Tx) announce(v *verification) error {
	entered := v.History[max(0, len(v.History)-v.fresh):]
	if len(entered) == 0 {
		return nil
	}
	metadata := v.document(tx).Metadata
	for i, visit := range entered {
		events := v.events(visit)
		for _, s := range tx.record.Webhooks {
			if i < v.passed && !visit.At.After(s.Since) {
				continue
			}
			heard := slices.DeleteFunc(slices.Clone(events), func(e event) bool { return !slices.Contains(s.Events, e.name) })
			for j, e := range heard {
				body, err := s.body(v, e, visit.At, metadata)
				if err != nil {
					return err
				}
				d := Delivery{Subscription: s.ID, Event: e.name, State: e.state, Resource: v.id, Due: visit.At.UTC(), Status: DeliveryDue, Body: string(body)}
				last := visit.State.Terminal() && j == len(heard)-1
				if err := tx.misdeliver(v, d, last); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// misdeliver adds a delivery as the rules say. Out of order is no delivery after which its request has no other event: the last.
func (tx *Tx) misdeliver(v *verification, d Delivery, last bool) error {
	const kind = scenarios.VerificationRequestID
	about, told := Resource{kind: kind, id: v.id, name: prefixes[kind] + v.id, magic: tx.catalogue.ByID(kind, v.id), request: new(*v)}, api.State("") // a copy: see saveVerification
	if d.Event == RequestEvent {
		told = api.State(d.State)
	}
	decision, err := tx.evaluateWebhook(about, told)
	if err != nil || decision.deliver == nil {
		return cmp.Or(err, tx.deliver(d, false))
	}
	how := decision.deliver.Deliver
	d.Rule = decision.deliver.At.String()
	switch {
	case how.Lost:
		d.Manner = Lost
	case how.WrongToken:
		d.Manner = OtherToken
	case how.BeforeAnswer:
		d.Manner = beforeAnswer
	case how.Twice:
		err = tx.deliver(d, false)
	}
	d.Due = d.Due.Add(time.Duration(how.Late))
	return cmp.Or(err, tx.deliver(d, how.OutOfOrder && !last))
}

// events returns the events of a visit.
func (v *verification) events(visit Visit) []event {
	events := []event{{RequestEvent, string(visit.State)}}
	if v.Session != nil && visit.State.Terminal() {
		how := "failure"
		if visit.State == api.StateCompleted {
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

// hookData tells the state of a request or of its session.
type hookData struct {
	VerificationRequestID string            `json:"verification_request_id"`
	State                 string            `json:"state"`
	Metadata              map[string]string `json:"metadata"`
	SessionToken          *string           `json:"credentials_session_token"`
}

// body renders the body of a delivery, in the version of the subscription.
func (s Subscription) body(v *verification, e event, at time.Time, metadata map[string]string) ([]byte, error) {
	data := hookData{v.id, e.state, metadata, nil}
	if v.Session != nil {
		data.SessionToken = &v.Session.Token
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
