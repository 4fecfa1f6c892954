package lab

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/understudy-sandbox/understudy/store"
)

// Puts is a transaction that records the keys that are put.
type Puts struct {
	store.Tx
	Keys []string
}

func (p *Puts) Put(key string, value []byte) error {
	p.Keys = append(p.Keys, key)
	return p.Tx.Put(key, value)
}

// Mute is a shared store that fails to write journal entries while it is down.
type Mute struct {
	store.Store
	Down atomic.Bool
}

func (m *Mute) Shared() bool { return true }

func (m *Mute) Update(ctx context.Context, fn func(store.Tx) error) error {
	return m.Store.Update(ctx, func(tx store.Tx) error {
		seen := &Puts{Tx: tx}
		if err := fn(seen); err != nil {
			return err
		}
		if m.Down.Load() && strings.Contains(strings.Join(seen.Keys, " "), "journal/") {
			return errors.New("the disk is on fire")
		}
		return nil
	})
}
