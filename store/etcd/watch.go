package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// WatchLog watches the head alone.
func (s *Store) WatchLog(ctx context.Context, log string) (<-chan struct{}, error) {
	return s.Watch(ctx, headKey(log))
}

// Watch returns once etcd watches.
func (s *Store) Watch(ctx context.Context, key string) (<-chan struct{}, error) {
	end, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	events := s.client.Watch(ctx, s.data+key, clientv3.WithCreatedNotify())
	late := time.AfterFunc(callTime, cancel)
	first, ok := <-events
	if err := first.Err(); err != nil || !ok || !late.Stop() {
		cancel()
		return nil, s.failed(fmt.Errorf("etcd does not watch: %w", errors.Join(err, ctx.Err())))
	}
	changed := make(chan struct{}, 1)
	go func() {
		defer cancel()
		defer close(changed)
		for news := range events {
			if news.Err() != nil {
				return
			}
			wake(changed)
		}
	}()
	return changed, nil
}
