package delivery

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
)

// What comes by the clock in a world with subscriptions is a value of the world: due/WEBHOOK/INSTANT/delivery/NUMBER with a claim,
// and due/0/INSTANT/STEP for a step that the world takes. It is written in the transaction that makes it due. A key outside
// the world, RousedPrefix and its id, is there while something is due, and changes with what is due first: so one look
// finds the worlds that have changed.
const (
	duePrefix    = "due/"
	RousedPrefix = "due/"

	steps      = 0 // in place of a subscription
	dueInstant = "2006-01-02T15:04:05.000000000Z"

	watchedClaims = 256 // of a subscription, in a store that other processes share
)

func dueName(webhook int, at time.Time, what string) string {
	return fmt.Sprintf("%s%d/%s/%s", duePrefix, webhook, at.UTC().Format(dueInstant), what)
}

// splitDue returns the parts of the rest of a name that dueName returned.
func splitDue(rest string) (webhook int, at time.Time, what string, err error) {
	line, rest, _ := strings.Cut(rest, "/")
	instant, what, _ := strings.Cut(rest, "/")
	webhook, err = strconv.Atoi(line)
	if err == nil {
		at, err = time.Parse(dueInstant, instant)
	}
	return webhook, at, what, err
}

// putDue makes something due.
func (o *Outbox) putDue(name, claim string) error {
	if _, err := o.Values.Save(name, claim); err != nil {
		return err
	}
	return o.Rouse()
}

// Rouse makes the processes look what is due in the world.
func (o *Outbox) Rouse() error {
	o.Roused = true
	return o.Values.Tx.Put(RousedPrefix+o.Journal.World, []byte(ulid.Make().String()))
}

// rest deletes the key of a world in which nothing is due.
func (o *Outbox) rest() error {
	key := RousedPrefix + o.Journal.World
	roused, err := o.Values.Tx.Get(key)
	if err != nil || roused == nil {
		return err
	}
	return o.Values.Tx.Delete(key)
}

// PutStep makes a step of the world due at an instant, unless it is.
func (o *Outbox) PutStep(at time.Time, step string) error {
	name := dueName(steps, at, step)
	value, err := o.Values.Get(name)
	if err != nil || value != nil {
		return err
	}
	return o.putDue(name, "")
}

// TakeStep takes the first step that is due; ok is false when none is.
func (o *Outbox) TakeStep() (step string, ok bool, err error) {
	var name string
	err = o.Values.Scan(dueLine(steps), "", func(rest string, _ []byte) (more bool, err error) {
		var at time.Time
		name = dueLine(steps) + rest
		_, at, step, err = splitDue(strings.TrimPrefix(name, duePrefix))
		ok = err == nil && !at.After(o.Now)
		return false, err
	})
	if ok {
		err = o.Values.Delete(name)
	}
	return step, ok, err
}

// dueLine begins the names of what is due of a subscription, or of the steps.
func dueLine(webhook int) string { return duePrefix + strconv.Itoa(webhook) + "/" }

// lines calls visit with the first that is due of each subscription, and of the steps.
func (o *Outbox) lines(visit func(webhook int, at time.Time) error) error {
	for after, more := "", true; more; {
		more = false
		err := o.Values.Scan(duePrefix, after, func(rest string, _ []byte) (bool, error) {
			webhook, at, _, err := splitDue(rest)
			after, more = strconv.Itoa(webhook)+"0", true // after all of this line
			if err == nil {
				err = visit(webhook, at)
			}
			return false, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Next returns the instant of what is due first; ok is false when nothing is.
func (o *Outbox) Next() (first time.Time, ok bool, err error) {
	err = o.lines(func(_ int, at time.Time) error {
		if !ok || at.Before(first) {
			first, ok = at, true
		}
		return nil
	})
	return first, ok, err
}

// Item is a delivery whose time has come.
type Item struct {
	World      string
	Generation int64
	Webhook    int
	number     int
	name       string
	claim      string
}

// Look is what a process finds due in a world.
type Look struct {
	Due   []Item        // at most one of each subscription
	More  bool          // something else was carried out: look once more
	Waits bool          // something is due, and waits for an attempt, an answer or another process
	Next  time.Duration // until there is more to do; 0: nothing comes by itself

	claims map[string]string // of other processes, among the first that are due
}

func (l *Look) in(span time.Duration) {
	if l.Next == 0 || span < l.Next {
		l.Next = max(span, time.Millisecond)
	}
}

// Look returns the deliveries that are due, of the subscriptions that are not busy.
func (o *Outbox) Look(busy func(generation int64, webhook int) bool) (look Look, err error) {
	look.claims = make(map[string]string)
	empty := true
	err = o.lines(func(webhook int, at time.Time) error {
		empty = false
		switch {
		case at.After(o.Now):
			if o.Running {
				look.in(at.Sub(o.Now))
			}
			return nil
		case webhook == steps:
			return nil
		}
		look.Waits = true
		return o.firstFree(webhook, busy(o.Journal.Generation, webhook), &look)
	})
	if err == nil && empty {
		err = o.rest()
	}
	return look, err
}

// firstFree adds the first delivery of a subscription that is due and neither waits for an answer nor is claimed by another
// process, unless the subscription is busy.
func (o *Outbox) firstFree(webhook int, busy bool, look *Look) error {
	seen, line := 0, dueLine(webhook)
	return o.Values.Scan(line, "", func(rest string, value []byte) (more bool, err error) {
		item := Item{World: o.Journal.World, Generation: o.Journal.Generation, Webhook: webhook, name: line + rest}
		_, at, what, err := splitDue(strings.TrimPrefix(item.name, duePrefix))
		if err == nil {
			err = stored.Decode(item.name, value, &item.claim)
		}
		if err == nil {
			item.number, err = strconv.Atoi(strings.TrimPrefix(what, deliveryPrefix))
		}
		if err != nil || at.After(o.Now) {
			return false, err
		}
		seen++
		free := !o.process.holding.has(o.Values.Prefix + deliveryName(item.number))
		if item.claim != "" && !o.process.claims(item.claim) {
			look.claims[item.name] = item.claim
			free = free && o.process.isOld(item)
		}
		if free && !busy {
			look.Due, busy = append(look.Due, item), true
		}
		return !busy || o.process.shared && seen < watchedClaims, nil
	})
}
