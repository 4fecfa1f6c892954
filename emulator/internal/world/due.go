package world

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// What comes by the clock in a world with subscriptions is a key of the world: due/WEBHOOK/INSTANT/delivery/NUMBER with a claim,
// and due/0/INSTANT/REQUEST for the next step of a request. It is written in the transaction that makes it due. A key outside
// the world, RousedPrefix and its id, is there while something is due, and changes with what is due first: so one look
// finds the worlds that have changed.
const (
	duePrefix    = "due/"
	RousedPrefix = "due/"

	steps      = 0   // in place of a subscription
	unsearched = "*" // in place of a request: the requests after the rest may have steps
	dueInstant = "2006-01-02T15:04:05.000000000Z"
	searchedAt = 30 // requests in a transaction

	watchedClaims = 256 // of a subscription, in a store that other processes share
)

// claimAge is for how long a process sees another's claim unchanged before it takes it over.
const claimAge = 10 * time.Second

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

// claim returns the claim of this process to a delivery, another one each time; "" where no other process has the store.
func (ws *Worlds) claim() string {
	if !ws.config.Store.Shared() {
		return ""
	}
	return ws.process + ulid.Make().String()
}

// putDue makes something due.
func (tx *Tx) putDue(name, claim string) error {
	if _, err := tx.save(name, claim); err != nil {
		return err
	}
	return tx.rouse()
}

// rouse makes the processes look what is due in the world.
func (tx *Tx) rouse() error {
	tx.roused = true
	return tx.store.Put(RousedPrefix+tx.id, []byte(ulid.Make().String()))
}

// hears reports whether anybody is told of changes.
func (tx *Tx) hears() bool { return len(tx.record.Webhooks) > 0 && !tx.worlds.config.Targets.Off }

// search makes the steps of all stored requests due, which were not while nobody was told of changes.
func (tx *Tx) search() error { return tx.putDue(dueName(steps, tx.now, unsearched), "") }

// lines calls visit with the first that is due of each subscription, and of the steps.
func (tx *Tx) lines(visit func(webhook int, at time.Time) error) error {
	for after, more := "", true; more; {
		more = false
		err := tx.scan(duePrefix, after, func(rest string, _ []byte) (bool, error) {
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

// nextDue returns the instant of what is due first; ok is false when nothing is.
func (tx *Tx) nextDue() (first time.Time, ok bool, err error) {
	err = tx.lines(func(_ int, at time.Time) error {
		if !ok || at.Before(first) {
			first, ok = at, true
		}
		return nil
	})
	return first, ok, err
}

// Due is a delivery whose time has come.
type Due struct {
	World      string
	Generation int64
	Webhook    int
	number     int
	item       string // its name
	claim      string
}

// Look is what a process finds due in a world.
type Look struct {
	Due   []Due         // at most one of each subscription
	More  bool          // something else was carried out: look once more
	Waits bool          // something is due, and waits for an attempt, an answer or another process
	Next  time.Duration // until there is more to do; 0: nothing comes by itself
}

func (l *Look) in(span time.Duration) {
	if l.Next == 0 || span < l.Next {
		l.Next = max(span, time.Millisecond)
	}
}

// Look carries out a step that is due in a world, or else returns the deliveries that are due, of the subscriptions that
// are not busy.
func (ws *Worlds) Look(ctx context.Context, id string, busy func(generation int64, webhook int) bool) (look Look, err error) {
	claims := make(map[string]string)
	err = ws.ByID(id).Do(ctx, func(tx *Tx) error {
		look = Look{}
		clear(claims)
		stepped, err := tx.takeStep()
		if err != nil || stepped {
			look.More = true
			return err
		}
		empty := true
		err = tx.lines(func(webhook int, at time.Time) error {
			empty = false
			switch {
			case at.After(tx.now):
				if tx.record.Frozen == nil {
					look.in(at.Sub(tx.now))
				}
				return nil
			case webhook == steps:
				return nil
			}
			look.Waits = true
			return tx.firstFree(webhook, busy(tx.record.Generation, webhook), &look, claims)
		})
		if err == nil && empty {
			err = tx.rest()
		}
		return err
	})
	if err == nil {
		ws.watchClaims(id, claims, &look)
	}
	if refusal := (*api.Error)(nil); errors.As(err, &refusal) && refusal.Status == http.StatusNotFound { // the world is gone
		err = ws.config.Store.Update(ctx, func(tx store.Tx) error {
			if r, err := readRecord(tx, id); err != nil || r.Generation != 0 {
				return err
			}
			return tx.Delete(RousedPrefix + id)
		})
	}
	return look, err
}

// rest deletes the key of a world in which nothing is due.
func (tx *Tx) rest() error {
	roused, err := tx.store.Get(RousedPrefix + tx.id)
	if err != nil || roused == nil {
		return err
	}
	return tx.store.Delete(RousedPrefix + tx.id)
}

// firstFree adds the first delivery of a subscription that is due and neither waits for an answer nor is claimed by another
// process, unless the subscription is busy. It adds the claims of other processes among the first that are due.
func (tx *Tx) firstFree(webhook int, busy bool, look *Look, claims map[string]string) error {
	seen, shared := 0, tx.worlds.config.Store.Shared()
	return tx.scan(duePrefix+strconv.Itoa(webhook)+"/", "", func(rest string, stored []byte) (more bool, err error) {
		_, at, what, err := splitDue(strconv.Itoa(webhook) + "/" + rest)
		d := Due{World: tx.id, Generation: tx.record.Generation, Webhook: webhook, item: dueName(webhook, at, what)}
		if err == nil {
			err = decodeStored(d.item, stored, &d.claim)
		}
		if err == nil {
			d.number, err = strconv.Atoi(strings.TrimPrefix(what, deliveryPrefix))
		}
		if err != nil || at.After(tx.now) {
			return false, err
		}
		seen++
		free := !tx.worlds.holding.has(tx.prefix + deliveryName(d.number))
		if d.claim != "" && !strings.HasPrefix(d.claim, tx.worlds.process) {
			claims[d.item] = d.claim
			free = free && tx.worlds.isOld(tx.id, d.item, d.claim)
		}
		if free && !busy {
			look.Due, busy = append(look.Due, d), true
		}
		return !busy || shared && seen < watchedClaims, nil
	})
}

// takeStep carries out the first step that is due; ok is false when none is.
func (tx *Tx) takeStep() (ok bool, err error) {
	var name, id string
	err = tx.scan(duePrefix+strconv.Itoa(steps)+"/", "", func(rest string, _ []byte) (more bool, err error) {
		_, at, what, err := splitDue(strconv.Itoa(steps) + "/" + rest)
		if ok = err == nil && !at.After(tx.now); ok {
			name, id = dueName(steps, at, what), what
		}
		return false, err
	})
	if err != nil || !ok {
		return false, err
	}
	if err := tx.store.Delete(tx.prefix + name); err != nil {
		return false, err
	}
	if after, search := strings.CutPrefix(id, unsearched); search {
		return true, tx.searchAfter(after)
	}
	r, err := tx.Find(scenarios.VerificationRequestID, id)
	if err != nil || r.request == nil || r.stored == nil {
		return true, err
	}
	_, err = tx.saveVerification(r.request)
	return true, err
}

// searchAfter makes the steps of stored requests due, from the first after an id.
func (tx *Tx) searchAfter(after string) error {
	var found []verification
	err := tx.scanVerifications(after, func(v verification, _ int64) (more bool) {
		found = append(found, v)
		return len(found) < searchedAt
	})
	for _, v := range found {
		if err == nil {
			err = tx.putStep(&v)
		}
	}
	if err == nil && len(found) == searchedAt {
		err = tx.putDue(dueName(steps, tx.now, unsearched+found[searchedAt-1].id), "")
	}
	return err
}

// putStep makes the next step of a request due, if it comes by the clock.
func (tx *Tx) putStep(v *verification) error {
	next, ok := v.next(tx)
	if !ok {
		return nil
	}
	name := dueName(steps, next.At, v.id)
	stored, err := tx.store.Get(tx.prefix + name)
	if err != nil || stored != nil {
		return err
	}
	return tx.putDue(name, "")
}

// Letter is a delivery as it is sent.
type Letter struct {
	Delivery
	Subscription Subscription
	Journal      journal.Ref
	At           time.Time // by the world's clock
}

// Begin begins an attempt of a delivery; ok is false when it is not to be sent: it is gone, or another process has claimed it.
func (ws *Worlds) Begin(ctx context.Context, due Due) (l Letter, ok bool, err error) {
	err = ws.ByID(due.World).Do(ctx, func(tx *Tx) error {
		l, ok = Letter{Journal: tx.Journal(), At: tx.now}, false
		if mine, err := tx.claimed(due, due.claim); err != nil || !mine {
			return err
		}
		var missing error
		if l.Delivery, missing = tx.delivery(due.number); missing != nil {
			return errors.Join(tx.store.Delete(tx.prefix+due.item), storeFailure(missing))
		}
		s := tx.subscription(due.Webhook)
		if s == nil {
			return tx.attempted(due.number, l.Delivery, Attempt{At: tx.now.UTC(), Error: "its webhook was removed"})
		}
		l.Subscription, ok = s.Subscription, true
		if ws.config.Store.Shared() {
			return tx.take(due, l.Delivery)
		}
		return nil
	})
	return l, ok && err == nil, err
}

// take claims a delivery that is due, and what follows it in its queue if the process that has claimed it is gone.
func (tx *Tx) take(due Due, d Delivery) error {
	claim := tx.worlds.claim()
	if _, err := tx.save(due.item, claim); err != nil || strings.HasPrefix(due.claim, tx.worlds.process) {
		return err
	}
	q, err := tx.queueOf(d)
	if err != nil {
		return err
	}
	for i := range q {
		q[i].Claim = claim
	}
	_, err = tx.save(d.queueName(), q)
	return err
}

// storeFailure returns an error that is no refusal, nil for one.
func storeFailure(err error) error {
	if errors.As(err, new(*api.Error)) {
		return nil
	}
	return err
}

// claimed reports whether a delivery is due as it was, with a claim.
func (tx *Tx) claimed(due Due, claim string) (bool, error) {
	stored, err := tx.store.Get(tx.prefix + due.item)
	if err != nil || stored == nil || tx.record.Generation != due.Generation {
		return false, err
	}
	var now string
	err = decodeStored(due.item, stored, &now)
	return now == claim || now != "" && strings.HasPrefix(now, tx.worlds.process), err
}

// Renew renews the claim of this process to a delivery while an attempt takes long.
func (ws *Worlds) Renew(ctx context.Context, due Due) error {
	claim := ws.claim()
	if claim == "" {
		return nil
	}
	return ws.ByID(due.World).Update(ctx, func(tx *Tx) error {
		mine, err := tx.claimed(due, claim)
		if err == nil && mine {
			_, err = tx.save(due.item, claim)
		}
		return err
	})
}

// Finish records an attempt.
func (ws *Worlds) Finish(ctx context.Context, due Due, a Attempt) error {
	return ws.ByID(due.World).Update(ctx, func(tx *Tx) error {
		if mine, err := tx.claimed(due, due.claim); err != nil || !mine {
			return err
		}
		d, err := tx.delivery(due.number)
		if err == nil {
			err = tx.attempted(due.number, d, a)
		}
		return err
	})
}
