package delivery_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/store"
)

// shared is a store that other processes have, too.
type shared struct{ store.Store }

func (shared) Shared() bool { return true }

// world is the deliveries of a world with one subscription, as a process has them.
type world struct {
	t       *testing.T
	store   store.Store
	process *delivery.Process
	now     time.Time
}

func newWorld(t *testing.T, s store.Store, elapsed *time.Duration) *world {
	return &world{t, s, delivery.NewProcess(s, delivery.Targets{}, func() time.Duration { return *elapsed }), lab.Epoch}
}

// in runs fn with the deliveries in a transaction.
func (w *world) in(fn func(*delivery.Outbox) error) {
	w.t.Helper()
	lab.NoError(w.t, w.store.Update(w.t.Context(), func(tx store.Tx) error {
		o := w.process.Outbox()
		o.Journal, o.Values, o.Now = journal.Ref{World: "w", Generation: 1}, stored.Values{Tx: tx, Prefix: "w/"}, w.now
		o.Subscriptions.Add(delivery.Subscribed{Subscription: delivery.Subscription{URL: "http://app/", Events: delivery.Events(), Version: "2023-10-30"}}, 1)
		return fn(&o)
	}))
}

// change makes requests processing.
func (w *world) change(ids ...string) {
	w.t.Helper()
	w.in(func(o *delivery.Outbox) error { return process(o, ids...) })
}

func process(o *delivery.Outbox, ids ...string) error {
	for _, id := range ids {
		drafts, err := o.Letters(delivery.Request{ID: id, Entered: []delivery.Entered{{State: api.StateProcessing, At: o.Now}}})
		if err != nil {
			return err
		}
		for _, d := range drafts {
			if err := o.Deliver(d, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// look returns what the process finds due.
func (w *world) look() (look delivery.Look) {
	w.t.Helper()
	w.in(func(o *delivery.Outbox) (err error) {
		look, err = o.Look(func(int64, int) bool { return false })
		return err
	})
	w.process.Watch("w", &look)
	return look
}

// attempt carries out an attempt, and returns the id of the delivery, "" for one that is not to be sent.
func (w *world) attempt(item delivery.Item, failure string) (id string) {
	w.t.Helper()
	w.in(func(o *delivery.Outbox) error {
		letter, ok, err := o.Begin(item)
		if id = ""; ok {
			id = letter.ID
		}
		return err
	})
	if id != "" {
		w.in(func(o *delivery.Outbox) error { return o.Finish(item, delivery.Attempt{At: w.now, Error: failure}) })
	}
	return id
}

// due returns the only delivery that is due, and fails without one.
func (w *world) due() delivery.Item {
	w.t.Helper()
	look := w.look()
	if len(look.Due) != 1 {
		w.t.Fatalf("%d deliveries are due, want 1", len(look.Due))
	}
	return look.Due[0]
}

// A process takes over what another has claimed once it has seen the claim unchanged for ten seconds. The other one's result does not
// count then.
func TestClaims(t *testing.T) {
	t.Parallel()
	s, elapsed := shared{lab.Opened(t, "temp")}, new(time.Duration)
	first, second := newWorld(t, s, elapsed), newWorld(t, s, elapsed)
	first.change("vr_a")
	claimed := first.due()
	for _, at := range []time.Duration{0, 10*time.Second - 1} {
		*elapsed = at
		if look := second.look(); len(look.Due) > 0 || !look.Waits || look.Next != max(10*time.Second-at, time.Millisecond) {
			t.Errorf("after %s: %+v", at, look)
		}
	}
	first.in(func(o *delivery.Outbox) error { return o.Renew(claimed) })
	*elapsed = 10 * time.Second
	if look := second.look(); len(look.Due) > 0 {
		t.Error("a claim that was renewed is old")
	}
	*elapsed = 20 * time.Second
	taken := second.due()
	second.in(func(o *delivery.Outbox) error {
		_, _, err := o.Begin(taken)
		return err
	})
	if id := first.attempt(claimed, ""); id != "" {
		t.Errorf("the first process has begun %s, which the second has claimed", id)
	}
	if id := second.attempt(taken, "refused"); id != "delivery-1" {
		t.Errorf("the second process has begun %q", id)
	}
	first.in(func(o *delivery.Outbox) error { return o.Finish(claimed, delivery.Attempt{At: first.now}) })
	first.in(func(o *delivery.Outbox) error {
		all, err := o.List("", 10)
		if len(all) != 1 || len(all[0].Attempts) != 1 || all[0].Attempts[0].Error != "refused" {
			t.Errorf("the deliveries are %+v", all)
		}
		return err
	})
}

// What comes by a running clock is looked for when the first of it is due: a step of the world, or another attempt.
func TestLookNext(t *testing.T) {
	t.Parallel()
	w := newWorld(t, lab.Opened(t, "temp"), new(time.Duration))
	w.change("vr_a")
	w.attempt(w.due(), "refused")
	wantNext := func(earlier bool, than time.Duration) {
		t.Helper()
		w.in(func(o *delivery.Outbox) error {
			o.Running = true
			look, err := o.Look(func(int64, int) bool { return false })
			if first, ok, err2 := o.Next(); !ok || look.Next != first.Sub(o.Now) || (look.Next < than) != earlier {
				t.Errorf("the next look is in %s, what is due first at %s (%v)", look.Next, first, err2)
			}
			return err
		})
	}
	step := func(in time.Duration) {
		w.in(func(o *delivery.Outbox) error { return o.PutStep(o.Now.Add(in), "vr_a") })
	}
	step(2 * time.Hour)
	wantNext(true, time.Hour) // the attempt
	step(time.Second)
	wantNext(false, time.Second) // the step
}

// A delivery that is done late is there while it is among the last thousand.
func TestDoneLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, lab.Opened(t, "temp"), new(time.Duration))
	w.change("vr_lost", "vr_retained")
	w.attempt(w.due(), "refused")
	w.attempt(w.due(), "refused")
	w.in(func(o *delivery.Outbox) error { // there were 1,001 by now
		_, err := o.Values.Save("deliveries", 1001)
		return err
	})
	w.now = w.now.Add(time.Minute)
	w.attempt(w.due(), "")
	w.attempt(w.due(), "")
	w.in(func(o *delivery.Outbox) error {
		lost, _, err := o.Latest("vr_lost", 1)
		retained, _, err2 := o.Latest("vr_retained", 1)
		if len(lost) != 0 || len(retained) != 1 {
			t.Errorf("%d and %d are retained", len(lost), len(retained))
		}
		return errors.Join(err, err2)
	})
}

// A world keeps the last thousand that are done. The latest of all and of a request are found without reading the others.
func TestLatest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, lab.Opened(t, "temp"), new(time.Duration))
	w.change("vr_due")
	w.in(func(o *delivery.Outbox) error { // all but the first are done
		first := func(int64, int) bool { return false }
		look, err := o.Look(first)
		if err == nil {
			err = o.Finish(look.Due[0], delivery.Attempt{At: o.Now, Error: "refused"})
		}
		for i := 0; i < 1005 && err == nil; i++ {
			if err = process(o, fmt.Sprintf("vr_%d", i%2)); err == nil {
				look, err = o.Look(first)
			}
			if err == nil {
				err = o.Finish(look.Due[0], delivery.Attempt{At: o.Now})
			}
		}
		return err
	})
	for request, want := range map[string][]string{
		"":       {"delivery-1006", "delivery-1005", "delivery-1004", "more"},
		"vr_1":   {"delivery-1005", "delivery-1003", "delivery-1001", "more"},
		"vr_due": {"delivery-1"},
		"vr":     {},
	} {
		w.in(func(o *delivery.Outbox) error {
			latest, more, err := o.Latest(request, 3)
			ids := []string{}
			for _, d := range latest {
				ids = append(ids, d.ID)
			}
			if more {
				ids = append(ids, "more")
			}
			if diff := cmp.Diff(want, ids); diff != "" {
				t.Errorf("%q: %s", request, diff)
			}
			return err
		})
	}
	w.in(func(o *delivery.Outbox) error {
		names := map[bool]int{}
		err := o.Values.Scan("", "", func(name string, _ []byte) (bool, error) {
			names[delivery.IsIndex(name)]++
			return true, nil
		})
		if names[true] != 1001 { // as many as there are deliveries
			t.Errorf("%d names find deliveries", names[true])
		}
		all, more, err2 := o.Latest("vr_0", 600)
		if len(all) != 500 || more || !slices.ContainsFunc(all, func(d delivery.Delivery) bool { return d.ID == "delivery-8" }) {
			t.Errorf("%d of vr_0, the last is %s", len(all), all[len(all)-1].ID)
		}
		if err == nil {
			err = err2
		}
		return err
	})
}
