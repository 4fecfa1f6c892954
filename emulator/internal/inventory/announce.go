package inventory

import (
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// saveVerification stores a verification request, and announces the states that it has entered since it was
// stored last, by time too. It returns the stored bytes.
func (tx *Tx) saveVerification(v *resource.Request) (stored []byte, err error) {
	if tx.Outbox.Subscribed() {
		if err := tx.announce(v); err != nil {
			return nil, err
		}
		if err := tx.putStep(v); err != nil {
			return nil, err
		}
	}
	v.Saved()
	return tx.Values.Save(resource.Prefixes[scenarios.VerificationRequestID]+v.ID(), *v) // a pointer would let every read allocate v
}

// announce makes the deliveries of the states that a request has entered, each as the rules say.
func (tx *Tx) announce(v *resource.Request) error {
	fresh, passed := v.Fresh()
	if len(fresh) == 0 {
		return nil
	}
	is := delivery.Request{ID: v.ID(), Metadata: v.Document(tx.Scene).Metadata, Session: v.Session}
	for i, visit := range fresh {
		is.Entered = append(is.Entered, delivery.Entered{State: visit.State, At: visit.At, Passed: i < passed})
	}
	drafts, err := tx.Outbox.Letters(is)
	if err != nil {
		return err
	}
	const kind = scenarios.VerificationRequestID
	about := Resource{kind: kind, id: v.ID(), name: resource.Prefixes[kind] + v.ID(), magic: tx.Catalogue.ByID(kind, v.ID()), request: new(*v)} // a copy: see saveVerification
	for _, d := range drafts {
		rule, err := tx.evaluateWebhook(about, d.State())
		if err == nil {
			err = tx.Outbox.Deliver(d, rule)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// putStep makes the next step of a request due, if it comes by the clock.
func (tx *Tx) putStep(v *resource.Request) error {
	next, ok := v.Next(tx.Scene)
	if !ok {
		return nil
	}
	return tx.Outbox.PutStep(next.At, v.ID())
}
