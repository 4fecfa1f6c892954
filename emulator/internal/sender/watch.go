package sender

import (
	"context"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/store"
)

// roused returns the keys of the worlds in which something is due, by their ids.
func (s *Sender) roused(ctx context.Context) (values map[string]string, err error) {
	err = s.Worlds.Config().Store.View(ctx, func(tx store.Tx) error {
		values = make(map[string]string)
		for entry, err := range tx.Scan(delivery.RousedPrefix, "") {
			if err != nil {
				return err
			}
			values[entry.Key[len(delivery.RousedPrefix):]] = string(entry.Value)
		}
		return nil
	})
	return values, err
}

// watch follows the store until the sender stops.
func (s *Sender) watch() {
	for s.stopping.Err() == nil {
		watching, stop := context.WithCancel(s.stopping)
		changes, err := s.Worlds.Config().Store.Watch(watching, delivery.RousedPrefix)
		if err == nil {
			err = s.follow(changes)
		}
		stop() // also after an error, so that the store does not watch for nobody
		if err != nil {
			s.failure("webhooks that are due not watched", "", err)
		}
		s.pause()
	}
}

// pause waits before something is retried.
func (s *Sender) pause() {
	select {
	case <-time.After(retryPause):
	case <-s.stopping.Done():
	}
}

// follow looks at the worlds that have changed, and at those whose time has come.
func (s *Sender) follow(changes <-chan struct{}) error {
	for changed := true; ; {
		if changed {
			values, err := s.roused(s.stopping)
			if err != nil {
				return err
			}
			s.compare(values)
		}
		wait, cancel := s.next()
		select {
		case _, changed = <-changes:
			if !changed {
				cancel()
				return nil
			}
		case <-s.replan:
			changed = false
		case <-wait:
			changed = false
			s.wakeUp()
		case <-s.stopping.Done():
			cancel()
			return nil
		}
		cancel()
	}
}

// compare rouses the worlds whose key has changed, and removes those without one.
func (s *Sender) compare(values map[string]string) {
	var changed []string
	s.mu.Lock()
	for id, w := range s.works {
		value, ok := values[id]
		if !ok && w.users == 0 && len(w.busy) == 0 {
			close(w.changed)
			delete(s.works, id)
		} else if value != w.value { // another process may have carried out what [Sender.Complete] waits for
			close(w.changed)
			w.changed = make(chan struct{})
		}
		if !ok {
			w.value = ""
		}
	}
	for id, value := range values {
		if w := s.work(id); w.value != value {
			w.value = value
			changed = append(changed, id)
		}
	}
	s.mu.Unlock()
	for _, id := range changed {
		s.Rouse(id)
	}
}

// next waits for the earliest time to wake, and for ever without one.
func (s *Sender) next() (<-chan struct{}, context.CancelFunc) {
	s.mu.Lock()
	var first time.Duration
	for _, w := range s.works {
		if w.wake > 0 && (first == 0 || w.wake < first) {
			first = w.wake
		}
	}
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(s.stopping)
	if first == 0 {
		return nil, cancel
	}
	clock, over := s.Worlds.Config().Clock, make(chan struct{})
	go func() {
		if clock.Wait(ctx, max(first-clock.Elapsed(), 0)) == nil {
			close(over)
		}
	}()
	return over, cancel
}

// wakeUp looks at the worlds whose time has come.
func (s *Sender) wakeUp() {
	now := s.Worlds.Config().Clock.Elapsed()
	var ids []string
	s.mu.Lock()
	for id, w := range s.works {
		if w.wake > 0 && w.wake <= now {
			w.wake = 0
			ids = append(ids, id)
		}
	}
	s.mu.Unlock()
	for _, id := range ids {
		s.Rouse(id)
	}
}
