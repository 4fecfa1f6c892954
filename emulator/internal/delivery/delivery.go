package delivery

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Delivery is an event for a subscription, and the attempts to deliver it.
type Delivery struct {
	ID           string    `json:"id"` // delivery-1, delivery-2, … in its world
	Subscription int       `json:"subscription"`
	Event        string    `json:"event"`
	State        string    `json:"state"`    // of the event
	Resource     string    `json:"resource"` // the id of the verification request
	Due          time.Time `json:"due"`
	Status       Status    `json:"status"`
	Manner       string    `json:"manner,omitempty"` // one of [scenarios.Manners]; "": none
	Rule         string    `json:"rule,omitempty"`   // of the misbehaviour: file:line:column
	Attempts     []Attempt `json:"attempts,omitempty"`
	Begun        int       `json:"begun,omitempty"` // the attempt from which repetitions are counted
	Body         string    `json:"body"`
}

// Status is how far a delivery is.
type Status string

const (
	Due     Status = "due"
	Taken   Status = "delivered" // by the receiver
	GivenUp Status = "given-up"
)

// Values lists the statuses.
func (Status) Values() []Status { return []Status{Due, Taken, GivenUp} }

// Attempt is an attempt of a delivery.
type Attempt struct {
	At     time.Time `json:"at"`              // by the world's clock
	Status int       `json:"status"`          // of the receiver's answer; 0: none
	Error  string    `json:"error,omitempty"` // why it failed; "": it did not
}

// Names under which a world stores its deliveries. The first of each queue is due, see due.go.
const (
	deliveryPrefix = "delivery/" // and its number
	queuePrefix    = "queue/"    // and subscription and request: the deliveries that are not done, in their order
	aboutPrefix    = "about/"    // and request and number: finds a request's deliveries, see Latest
	deliveryCount  = "deliveries"
)

// maxDone is how many deliveries a world keeps once they are done.
const maxDone = 1000

// repeatedAfter are the spans from the first attempt of a delivery to the others.
var repeatedAfter = []time.Duration{
	time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour,
}

func deliveryName(number int) string { return fmt.Sprintf("%s%012d", deliveryPrefix, number) }

// idPrefix begins the ids of deliveries.
const idPrefix = "delivery-"

func deliveryID(number int) string { return idPrefix + strconv.Itoa(number) }

// numberOf returns the number in a delivery's id, 0 for an invalid one.
func numberOf(id string) int { return stored.Number(idPrefix, id) }

func (d Delivery) name() string      { return deliveryName(numberOf(d.ID)) }
func (d Delivery) dueName() string   { return dueName(d.Subscription, d.Due, d.name()) }
func (d Delivery) aboutName() string { return aboutOf(d.Resource) + d.name()[len(deliveryPrefix):] }
func (d Delivery) queueName() string {
	return queuePrefix + strconv.Itoa(d.Subscription) + "/" + d.Resource
}

// queued is a delivery in a queue.
type queued struct {
	Number int    `json:"number"`
	Claim  string `json:"claim,omitempty"`
	Parked bool   `json:"parked,omitempty"` // until another one is in the queue
}

// queue is the deliveries of one request to one subscription that are not done, in their order.
type queue []queued

// head returns the delivery that is due, nil for none.
func (q queue) head() *queued {
	if len(q) == 0 || q[0].Parked {
		return nil
	}
	return &q[0]
}

// Unclaimed returns a stored value without the claims of processes to deliveries.
func Unclaimed(name string, value []byte) ([]byte, error) {
	switch kind, _, _ := strings.Cut(name, "/"); kind + "/" {
	case duePrefix:
		return []byte(`""`), nil
	case queuePrefix:
		var q queue
		if err := stored.Decode(name, value, &q); err != nil {
			return nil, err
		}
		for i := range q {
			q[i].Claim = ""
		}
		return json.Marshal(q)
	}
	return value, nil
}

func (o *Outbox) queueOf(d Delivery) (q queue, err error) {
	err = o.Values.Load(d.queueName(), &q)
	return q, err
}

// setQueue stores a queue. A head that was not the head before is due.
func (o *Outbox) setQueue(d Delivery, before, q queue) error {
	if len(q) == 0 {
		return o.Values.Delete(d.queueName())
	}
	if _, err := o.Values.Save(d.queueName(), q); err != nil {
		return err
	}
	head, old := q.head(), before.head()
	if head == nil || old != nil && old.Number == head.Number {
		return nil
	}
	first, err := o.delivery(head.Number)
	if err != nil {
		return err
	}
	return o.putDue(first.dueName(), head.Claim)
}

// deliver adds a delivery to its queue, parked or not. Its id is given.
func (o *Outbox) deliver(d Delivery, parked bool) error {
	err := o.Values.CountUp(deliveryCount, func(n int) []string { d.ID = deliveryID(n); return []string{deliveryName(n)} })
	if err != nil {
		return err
	}
	if _, err := o.Values.Save(d.name(), d); err != nil {
		return err
	}
	if err := o.Values.Put(d.aboutName(), nil); err != nil {
		return err
	}
	o.announce(d)
	return o.enqueue(d, parked)
}

// enqueue puts a delivery at the end of its queue, but before one that is parked.
func (o *Outbox) enqueue(d Delivery, parked bool) error {
	before, err := o.queueOf(d)
	if err != nil {
		return err
	}
	q, last := slices.Clone(before), len(before)-1
	added := queued{Number: numberOf(d.ID), Claim: o.process.claim(), Parked: parked}
	if last >= 0 && q[last].Parked {
		added.Parked, q[last].Parked = false, false
		q = slices.Insert(q, last, added)
	} else {
		q = append(q, added)
	}
	return o.setQueue(d, before, q)
}

// delivery returns a delivery, or a 404.
func (o *Outbox) delivery(number int) (d Delivery, err error) {
	err = o.Values.Load(deliveryName(number), &d)
	if err == nil && d.Status == "" {
		err = api.Because(404, "There is no delivery "+deliveryID(number)+": the list of deliveries has the last "+strconv.Itoa(maxDone))
	}
	return d, err
}

// attempted records an attempt of a delivery that is due, the first of its queue.
func (o *Outbox) attempted(d Delivery, a Attempt) error {
	if err := o.Values.Delete(d.dueName()); err != nil {
		return err
	}
	d.Attempts = append(d.Attempts, a)
	switch next, ok := d.repetition(o.Now); {
	case a.Error == "":
		d.Status = Taken
	case ok && o.Subscriptions.find(d.Subscription) != nil:
		d.Due = next
		if err := o.putDue(d.dueName(), o.process.claim()); err != nil {
			return err
		}
	default:
		d.Status = GivenUp
	}
	return o.done(d)
}

// repetition returns when a delivery is repeated after its last attempt has failed; ok is false when it is given up.
func (d Delivery) repetition(now time.Time) (at time.Time, ok bool) {
	if d.Manner == string(scenarios.Manners.Lost) || d.Begun >= len(d.Attempts) {
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
func (o *Outbox) done(d Delivery) error {
	if _, err := o.Values.Save(d.name(), d); err != nil || d.Status == Due {
		return err
	}
	number := numberOf(d.ID)
	before, err := o.queueOf(d)
	if err == nil {
		err = o.setQueue(d, before, slices.DeleteFunc(slices.Clone(before), func(q queued) bool { return q.Number == number }))
	}
	if err != nil {
		return err
	}
	var made int
	err = o.Values.Load(deliveryCount, &made)
	for _, old := range []int{number, number - maxDone} { // one that is done later is deleted then
		if err != nil || old > made-maxDone {
			continue
		}
		if retained, missing := o.delivery(old); missing == nil && retained.Status != Due {
			err = errors.Join(o.Values.Delete(retained.name()), o.Values.Delete(retained.aboutName()))
		}
	}
	return err
}

// List returns up to limit deliveries, in the order in which they were made, from the first after an id.
func (o *Outbox) List(after string, limit int) (all []Delivery, err error) {
	number := strings.TrimPrefix(deliveryName(numberOf(after)), deliveryPrefix)
	err = o.Values.Scan(deliveryPrefix, number, func(name string, value []byte) (more bool, err error) {
		var d Delivery
		err = stored.Decode(name, value, &d)
		all = append(all, d)
		return len(all) < limit, err
	})
	return all, err
}

// Latest returns up to limit of the deliveries of the world, or about a request, the latest first, and whether there are more.
func (o *Outbox) Latest(request string, limit int) (latest []Delivery, more bool, err error) {
	numbers, err := o.latestOf(request, limit+1)
	for _, number := range numbers[:min(len(numbers), limit)] {
		if err == nil {
			var d Delivery
			d, err = o.delivery(number)
			latest = append(latest, d)
		}
	}
	return latest, len(numbers) > limit, err
}

// latestOf returns the numbers of deliveries, the latest first. None of the last maxDone of a world is deleted.
func (o *Outbox) latestOf(request string, limit int) (numbers []int, err error) {
	if request == "" {
		var made int
		err = o.Values.Load(deliveryCount, &made)
		for number := made; number > max(0, made-limit); number-- {
			numbers = append(numbers, number)
		}
		return numbers, err
	}
	err = o.Values.Scan(aboutOf(request), "", func(rest string, _ []byte) (more bool, err error) {
		number, err := strconv.Atoi(rest)
		numbers = append(numbers, number)
		return true, err
	})
	slices.Reverse(numbers)
	return numbers[:min(len(numbers), limit)], err
}

func aboutOf(request string) string { return aboutPrefix + request + "/" }

// IsIndex reports whether a name is of what a world stores beside its deliveries only to find them: a snapshot has none of it.
func IsIndex(name string) bool { return strings.HasPrefix(name, aboutPrefix) }

// IndexOf returns the name under which a world finds a stored value, "" for a value that is no delivery.
func IndexOf(name string, value []byte) string {
	d := Delivery{}
	if !strings.HasPrefix(name, deliveryPrefix) || json.Unmarshal(value, &d) != nil {
		return ""
	}
	return d.aboutName()
}

// Count returns how many deliveries are not done.
func (o *Outbox) Count() (due int, err error) {
	err = o.Values.Scan(queuePrefix, "", func(name string, value []byte) (more bool, err error) {
		var q queue
		err = stored.Decode(name, value, &q)
		due += len(q)
		return true, err
	})
	return due, err
}

// Resend makes a delivery due now. One that is done is sent once more, with the same bytes, and is repeated as a new one is.
func (o *Outbox) Resend(id string) (Delivery, error) {
	number := numberOf(id)
	if number == 0 {
		return Delivery{}, api.Because(404, "There is no delivery "+api.Quote(id)+": ids are delivery-1, delivery-2 and so on")
	}
	d, err := o.delivery(number)
	if err != nil {
		return d, err
	}
	if o.Subscriptions.find(d.Subscription) == nil {
		return d, api.Because(409, fmt.Sprintf("The webhook %d of this delivery no longer exists: add it again, and change a request", d.Subscription))
	}
	earlier := d
	d.Due, d.Begun, d.Manner, d.Status = o.Now.UTC(), len(d.Attempts), "", Due
	if _, err := o.Values.Save(d.name(), d); err != nil {
		return d, err
	}
	o.announce(d)
	if earlier.Status != Due {
		return d, o.enqueue(d, false)
	}
	return d, o.hasten(d, earlier)
}

// hasten makes a delivery due that was due later, or waits in its queue.
func (o *Outbox) hasten(d, earlier Delivery) error {
	before, err := o.queueOf(d)
	if err != nil {
		return err
	}
	number := numberOf(d.ID)
	if head := before.head(); head != nil && head.Number == number {
		if err := o.Values.Delete(earlier.dueName()); err != nil {
			return err
		}
		return o.putDue(d.dueName(), o.process.claim())
	}
	q := slices.Clone(before)
	for i := range q {
		q[i].Parked = q[i].Parked && q[i].Number != number
	}
	return o.setQueue(d, before, q)
}
