package world

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Delivery is an event for a subscription, and the attempts to deliver it.
type Delivery struct {
	ID           string         `json:"id"` // delivery-1, delivery-2, … in its world
	Subscription int            `json:"subscription"`
	Event        string         `json:"event"`
	State        string         `json:"state"`    // that the event tells
	Resource     string         `json:"resource"` // the id of the verification request
	Due          time.Time      `json:"due"`
	Status       DeliveryStatus `json:"status"`
	Manner       string         `json:"manner,omitempty"` // a misbehaviour; "": none
	Rule         string         `json:"rule,omitempty"`   // of the misbehaviour: file:line:column
	Attempts     []Attempt      `json:"attempts,omitempty"`
	Begun        int            `json:"begun,omitempty"` // the attempt from which repetitions are counted
	Body         string         `json:"body"`
}

// DeliveryStatus is how far a delivery is.
type DeliveryStatus string

const (
	DeliveryDue DeliveryStatus = "due"
	Delivered   DeliveryStatus = "delivered" // the receiver has taken it
	GivenUp     DeliveryStatus = "given-up"
)

// Values lists the statuses.
func (DeliveryStatus) Values() []DeliveryStatus {
	return []DeliveryStatus{DeliveryDue, Delivered, GivenUp}
}

// Attempt is an attempt of a delivery.
type Attempt struct {
	At     time.Time `json:"at"`              // by the world's clock
	Status int       `json:"status"`          // of the receiver's answer; 0: none
	Error  string    `json:"error,omitempty"` // why it failed; "": it did not
}

// Carried counts what a change of the clock has carried out, and what it has left.
type Carried struct{ Sent, Failed, Due int }

// Names under which a world stores its deliveries. The first of each queue is due, see due.go.
const (
	deliveryPrefix = "delivery/" // and its number
	queuePrefix    = "queue/"    // and subscription and request: the deliveries that are not done, in their order
	deliveryCount  = "deliveries"
)

// keptDeliveries is how many deliveries a world keeps once they are done.
const keptDeliveries = 1000

// repeatedAfter are the spans from the first attempt of a delivery to the others.
var repeatedAfter = []time.Duration{
	time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour,
}

func deliveryName(number int) string { return fmt.Sprintf("%s%012d", deliveryPrefix, number) }

func deliveryID(number int) string { return "delivery-" + strconv.Itoa(number) }

// deliveryNumber returns the number in a delivery's id, 0 for an invalid one.
func deliveryNumber(id string) int {
	number, err := strconv.Atoi(strings.TrimPrefix(id, "delivery-"))
	if err != nil || number < 1 || deliveryID(number) != id {
		return 0
	}
	return number
}

// queued is a delivery in a queue.
type queued struct {
	Number int    `json:"number"`
	Claim  string `json:"claim,omitempty"`
	Parked bool   `json:"parked,omitempty"` // until another one is in the queue
}

// queue is the deliveries of one request to one subscription that are not done, in their order.
type queue []queued

func (d Delivery) queueName() string {
	return queuePrefix + strconv.Itoa(d.Subscription) + "/" + d.Resource
}

// unclaimed returns a stored value without the claims of processes to deliveries.
func unclaimed(name string, stored []byte) ([]byte, error) {
	switch kind, _, _ := strings.Cut(name, "/"); kind + "/" {
	case duePrefix:
		return []byte(`""`), nil
	case queuePrefix:
		var q queue
		if err := decodeStored(name, stored, &q); err != nil {
			return nil, err
		}
		for i := range q {
			q[i].Claim = ""
		}
		return json.Marshal(q)
	}
	return stored, nil
}

// head returns the delivery that is due, nil for none.
func (q queue) head() *queued {
	if len(q) == 0 || q[0].Parked {
		return nil
	}
	return &q[0]
}

func (tx *Tx) queueOf(d Delivery) (q queue, err error) {
	err = tx.load(d.queueName(), &q)
	return q, err
}

// setQueue stores a queue. A head that was not the head before is due.
func (tx *Tx) setQueue(d Delivery, before, q queue) (err error) {
	if len(q) == 0 {
		return tx.store.Delete(tx.prefix + d.queueName())
	}
	if _, err := tx.save(d.queueName(), q); err != nil {
		return err
	}
	head, old := q.head(), before.head()
	if head == nil || old != nil && old.Number == head.Number {
		return nil
	}
	first, err := tx.delivery(head.Number)
	if err != nil {
		return err
	}
	return tx.putDue(dueName(d.Subscription, first.Due, deliveryName(head.Number)), head.Claim)
}

// deliver adds a delivery to its queue, parked or not. Its number is given.
func (tx *Tx) deliver(d Delivery, parked bool) error {
	var number int
	err := tx.countUp(deliveryCount, func(n int) []string { number = n; return []string{deliveryName(n)} })
	if err != nil {
		return err
	}
	d.ID = deliveryID(number)
	if _, err := tx.save(deliveryName(number), d); err != nil {
		return err
	}
	tx.announced = append(tx.announced, announced{tx.prefix + deliveryName(number), d.Manner == beforeAnswer})
	return tx.enqueue(d, number, parked)
}

// enqueue puts a delivery at the end of its queue, but before one that is parked.
func (tx *Tx) enqueue(d Delivery, number int, parked bool) error {
	before, err := tx.queueOf(d)
	if err != nil {
		return err
	}
	q, last := slices.Clone(before), len(before)-1
	added := queued{Number: number, Claim: tx.worlds.claim(), Parked: parked}
	if last >= 0 && q[last].Parked {
		added.Parked, q[last].Parked = false, false
		q = slices.Insert(q, last, added)
	} else {
		q = append(q, added)
	}
	return tx.setQueue(d, before, q)
}

// delivery returns a delivery, or a 404.
func (tx *Tx) delivery(number int) (d Delivery, err error) {
	err = tx.load(deliveryName(number), &d)
	if err == nil && d.Status == "" {
		err = notFound("There is no delivery " + deliveryID(number) + ": a world keeps the last " + strconv.Itoa(keptDeliveries))
	}
	return d, err
}

// attempted records an attempt of a delivery that is due, the first of its queue.
func (tx *Tx) attempted(number int, d Delivery, a Attempt) error {
	if err := tx.store.Delete(tx.prefix + dueName(d.Subscription, d.Due, deliveryName(number))); err != nil {
		return err
	}
	d.Attempts = append(d.Attempts, a)
	switch again, ok := d.repetition(tx.now); {
	case a.Error == "":
		d.Status = Delivered
	case ok && tx.subscription(d.Subscription) != nil:
		d.Due = again
		if err := tx.putDue(dueName(d.Subscription, d.Due, deliveryName(number)), tx.worlds.claim()); err != nil {
			return err
		}
	default:
		d.Status = GivenUp
	}
	return tx.done(number, d)
}

// repetition returns when a delivery is repeated after its last attempt has failed; ok is false when it is given up.
func (d Delivery) repetition(now time.Time) (at time.Time, ok bool) {
	if d.Manner == Lost || d.Begun >= len(d.Attempts) {
		return at, false
	}
	for _, span := range repeatedAfter {
		if at = d.Attempts[d.Begun].At.Add(span); at.After(now) {
			return at, true
		}
	}
	return at, false
}

// done stores a delivery, and makes the next one of its queue due if it is done. It deletes old ones.
func (tx *Tx) done(number int, d Delivery) error {
	if _, err := tx.save(deliveryName(number), d); err != nil || d.Status == DeliveryDue {
		return err
	}
	before, err := tx.queueOf(d)
	if err == nil {
		err = tx.setQueue(d, before, slices.DeleteFunc(slices.Clone(before), func(q queued) bool { return q.Number == number }))
	}
	if err != nil {
		return err
	}
	var made int
	err = tx.load(deliveryCount, &made)
	for _, old := range []int{number, number - keptDeliveries} { // one that is done later is deleted then
		if err != nil || old > made-keptDeliveries {
			continue
		}
		if kept, missing := tx.delivery(old); missing == nil && kept.Status != DeliveryDue {
			err = tx.store.Delete(tx.prefix + deliveryName(old))
		}
	}
	return err
}

// Deliveries goes through the deliveries of the world, in the order in which they were made, from the first after an id. It ends
// with the first error.
func (w *World) Deliveries(ctx context.Context, after string) iter.Seq2[Delivery, error] {
	return pages(after, func(d Delivery) string { return d.ID }, func(after string, limit int) ([]Delivery, error) {
		return read(ctx, w, func(tx *Tx) (all []Delivery, err error) {
			number := strings.TrimPrefix(deliveryName(deliveryNumber(after)), deliveryPrefix)
			err = tx.scan(deliveryPrefix, number, func(name string, stored []byte) (more bool, err error) {
				var d Delivery
				err = decodeStored(name, stored, &d)
				all = append(all, d)
				return len(all) < limit, err
			})
			return all, err
		})
	})
}

// countDue returns how many deliveries of the world are not done.
func (tx *Tx) countDue() (due int, err error) {
	err = tx.scan(queuePrefix, "", func(name string, stored []byte) (more bool, err error) {
		var q queue
		err = decodeStored(name, stored, &q)
		due += len(q)
		return true, err
	})
	return due, err
}

// Resend makes a delivery due now. One that is done is sent once more, with the same bytes, and is repeated as a new one is.
func (w *World) Resend(ctx context.Context, id string) (Delivery, error) {
	return update(ctx, w, func(tx *Tx) (Delivery, error) {
		number := deliveryNumber(id)
		if number == 0 {
			return Delivery{}, notFound("There is no delivery " + api.Quote(id) + ": ids are delivery-1, delivery-2 and so on")
		}
		d, err := tx.delivery(number)
		if err != nil {
			return d, err
		}
		if tx.subscription(d.Subscription) == nil {
			return d, conflict(fmt.Sprintf("The webhook %d of this delivery no longer exists: add it again, and change a request", d.Subscription))
		}
		return d, tx.resend(number, &d)
	})
}

func (tx *Tx) resend(number int, d *Delivery) error {
	before, err := tx.queueOf(*d)
	if err != nil {
		return err
	}
	head, earlier := before.head(), *d
	d.Due, d.Begun, d.Manner = tx.now.UTC(), len(d.Attempts), ""
	queued := d.Status == DeliveryDue
	d.Status = DeliveryDue
	if _, err := tx.save(deliveryName(number), *d); err != nil {
		return err
	}
	tx.announced = append(tx.announced, announced{key: tx.prefix + deliveryName(number)})
	if !queued {
		return tx.enqueue(*d, number, false)
	}
	if head != nil && head.Number == number {
		err = tx.store.Delete(tx.prefix + dueName(d.Subscription, earlier.Due, deliveryName(number)))
		if err == nil {
			err = tx.putDue(dueName(d.Subscription, d.Due, deliveryName(number)), tx.worlds.claim())
		}
		return err
	}
	q := slices.Clone(before)
	for i := range q {
		q[i].Parked = q[i].Parked && q[i].Number != number
	}
	return tx.setQueue(*d, before, q)
}

// subscription returns a subscription of the world, nil for one that is gone.
func (tx *Tx) subscription(id int) *subscription {
	i := slices.IndexFunc(tx.record.Webhooks, func(s subscription) bool { return s.ID == id })
	if i < 0 {
		return nil
	}
	return &tx.record.Webhooks[i]
}
