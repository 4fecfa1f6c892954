package delivery

import (
	"errors"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
)

// Letter is a delivery as it is sent.
type Letter struct {
	Delivery
	Subscription Subscription
	Journal      journal.Ref
	At           time.Time // by the world's clock
}

// Begin begins an attempt of a delivery; ok is false when it is not to be sent: it is gone, or another process has claimed it.
func (o *Outbox) Begin(item Item) (l Letter, ok bool, err error) {
	l = Letter{Journal: o.Journal, At: o.Now}
	if mine, err := o.claimed(item, item.claim); err != nil || !mine {
		return l, false, err
	}
	if l.Delivery, err = o.delivery(item.number); errors.As(err, new(*api.Error)) {
		return l, false, o.Values.Delete(item.name)
	} else if err != nil {
		return l, false, err
	}
	s := o.Subscriptions.find(item.Webhook)
	if s == nil {
		return l, false, o.attempted(l.Delivery, Attempt{At: o.Now.UTC(), Error: "its webhook was removed"})
	}
	l.Subscription = s.Subscription
	if o.process.shared {
		err = o.take(item, l.Delivery)
	}
	return l, err == nil, err
}

// take claims a delivery that is due, and what follows it in its queue if the process that has claimed it is gone.
func (o *Outbox) take(item Item, d Delivery) error {
	claim := o.process.claim()
	if _, err := o.Values.Save(item.name, claim); err != nil || o.process.claims(item.claim) {
		return err
	}
	q, err := o.queueOf(d)
	if err != nil {
		return err
	}
	for i := range q {
		q[i].Claim = claim
	}
	_, err = o.Values.Save(d.queueName(), q)
	return err
}

// claimed reports whether a delivery is due as it was, with a claim.
func (o *Outbox) claimed(item Item, claim string) (bool, error) {
	value, err := o.Values.Get(item.name)
	if err != nil || value == nil || o.Journal.Generation != item.Generation {
		return false, err
	}
	var now string
	err = stored.Decode(item.name, value, &now)
	return now == claim || o.process.claims(now), err
}

// Renew renews the claim of this process to a delivery while an attempt takes long.
func (o *Outbox) Renew(item Item) error {
	claim := o.process.claim()
	mine, err := o.claimed(item, claim)
	if err == nil && mine && claim != "" {
		_, err = o.Values.Save(item.name, claim)
	}
	return err
}

// Finish records an attempt.
func (o *Outbox) Finish(item Item, a Attempt) error {
	if mine, err := o.claimed(item, item.claim); err != nil || !mine {
		return err
	}
	d, err := o.delivery(item.number)
	if err == nil {
		err = o.attempted(d, a)
	}
	return err
}
