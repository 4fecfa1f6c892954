package world

import (
	"context"
	"errors"
	"iter"
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
	"github.com/understudy-sandbox/understudy/store"
)

// Subscribe adds a subscription to the world, which gives it its id. A zero field has its default.
func (w *World) Subscribe(ctx context.Context, s delivery.Subscription) (delivery.Subscription, error) {
	s, err := w.worlds.config.Targets.Normalize(s)
	if err != nil {
		return s, err
	}
	return update(ctx, w, func(tx *Tx) (delivery.Subscription, error) {
		if err := tx.record.Full(); err != nil {
			return s, err
		}
		first, r := !tx.Outbox.Subscribed(), tx.record
		added := r.Add(delivery.Subscribed{Subscription: s, Since: tx.Now}, r.Seed)
		err := tx.setRecord(r)
		if err == nil && first {
			err = tx.Search("")
		}
		return added, err
	})
}

// subscribeFiles adds the subscriptions of the scenario files for the world's key. A world that was opened by its id, whose key
// is unknown, has those of its record before.
func (tx *Tx) subscribeFiles(r, before registry.Record) registry.Record {
	found, _ := tx.worlds.config.Targets.OfFiles(tx.worlds.Base().ForKey(tx.keyName))
	if tx.keyName == "" {
		found = nil
		for _, s := range before.Webhooks {
			if s.File {
				found = append(found, s.Subscription)
			}
		}
	}
	for _, s := range found {
		r.Add(delivery.Subscribed{Subscription: s, Since: r.Created, File: true}, r.Seed)
	}
	return r
}

// Subscriptions returns the subscriptions of the world, in the order in which they were made.
func (w *World) Subscriptions(ctx context.Context) ([]delivery.Subscription, error) {
	return read(ctx, w, func(tx *Tx) (all []delivery.Subscription, err error) {
		for _, s := range tx.record.Webhooks {
			all = append(all, s.Subscription)
		}
		return all, nil
	})
}

// Unsubscribe removes a subscription. What it has not been sent is given up.
func (w *World) Unsubscribe(ctx context.Context, id int) error {
	return w.Update(ctx, func(tx *Tx) (err error) {
		r := tx.record
		if r.Subscriptions, err = r.Without(id); err != nil {
			return err
		}
		return tx.setRecord(r)
	})
}

// Deliveries goes through the deliveries of the world, in the order in which they were made, from the first after an id. It ends
// with the first error.
func (w *World) Deliveries(ctx context.Context, after string) iter.Seq2[delivery.Delivery, error] {
	return pages(after, func(d delivery.Delivery) string { return d.ID }, func(after string, limit int) ([]delivery.Delivery, error) {
		return read(ctx, w, func(tx *Tx) ([]delivery.Delivery, error) { return tx.Outbox.List(after, limit) })
	})
}

// Resend makes a delivery due now. One that is done is sent once more, with the same bytes, and is repeated as a new one is.
func (w *World) Resend(ctx context.Context, id string) (delivery.Delivery, error) {
	return update(ctx, w, func(tx *Tx) (delivery.Delivery, error) { return tx.Outbox.Resend(id) })
}

// SetSender sets the sender of webhooks, before the first use of the worlds.
func (ws *Worlds) SetSender(s delivery.Sender) { ws.process.Sender = s }

// Hold makes the deliveries that calls of w cause wait until Release. It returns w, which is not for concurrent use then.
func Hold(w *World) *World {
	w.holds = true
	return w
}

// Release sends the deliveries that Hold has kept. Before it does, it calls flush, which makes the answer leave.
func Release(w *World, flush func() error) {
	if len(w.held) == 0 {
		return
	}
	_ = flush() // it fails only when the client left
	w.worlds.process.Release(w.id, w.held)
	w.held = nil
}

// Look carries out a step that is due in a world, or else returns the deliveries that are due, of the subscriptions that
// are not busy.
func (ws *Worlds) Look(ctx context.Context, id string, busy func(generation int64, webhook int) bool) (look delivery.Look, err error) {
	err = ws.ByID(id).Do(ctx, func(tx *Tx) error {
		stepped, err := tx.TakeStep()
		if look = (delivery.Look{More: true}); err != nil || stepped {
			return err
		}
		look, err = tx.Outbox.Look(busy)
		return err
	})
	if err == nil && !look.More {
		ws.process.Watch(id, &look)
	}
	if refusal := (*api.Error)(nil); errors.As(err, &refusal) && refusal.Status == http.StatusNotFound { // the world is gone
		err = ws.config.Store.Update(ctx, func(tx store.Tx) error {
			if r, err := registry.Read(tx, id); err != nil || r.Generation != 0 {
				return err
			}
			return tx.Delete(delivery.RousedPrefix + id)
		})
	}
	return look, err
}
