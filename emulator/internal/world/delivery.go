package world

import (
	"context"
	"encoding/json"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Delivery is an event for a subscription, and the attempts to deliver it.
type Delivery struct {
	ID           string // delivery-1, delivery-2, … in its world
	Subscription int
	Event        string
	State        string // that the event tells
	Resource     string // the verification request
	Due          time.Time
	Status       DeliveryStatus
	Attempts     []Attempt
	Body         json.RawMessage
}

// DeliveryStatus is how far a delivery is.
type DeliveryStatus string

const (
	DeliveryDue DeliveryStatus = "due"
	Delivered   DeliveryStatus = "delivered" // the receiver has taken it
	GivenUp     DeliveryStatus = "given-up"
)

// Attempt is an attempt of a delivery.
type Attempt struct {
	At     time.Time // by the world's clock
	Status int       // of the receiver's answer; 0: none
	Error  string    // why it failed; "": it did not
}

// Carried counts what a change of the clock has carried out, and what it has left.
type Carried struct{ Sent, Failed, Due int }

// Deliveries returns up to limit deliveries of the world, in the order in which they were made, from the first after an id.
func (w *World) Deliveries(ctx context.Context, after string, limit int) ([]Delivery, error) {
	return read(ctx, w, func(tx *Tx) (all []Delivery, err error) { return nil, nil })
}

// Resend makes a delivery due now, once more.
func (w *World) Resend(ctx context.Context, id string) (Delivery, error) {
	return update(ctx, w, func(tx *Tx) (Delivery, error) {
		return Delivery{}, notFound("There is no delivery " + api.Quote(id))
	})
}
