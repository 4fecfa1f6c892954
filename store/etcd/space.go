package etcd

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/store"
)

var _ store.Readier = (*Store)(nil)

// space is whether etcd has refused a write because it is full. It answers reads then, and takes nothing, until somebody
// has made room.
type space struct{ lacks atomic.Bool }

// Ready returns an error while etcd is full. Nobody else may be left to write: so it looks whether a write is taken again.
func (s *Store) Ready() error {
	if !s.space.lacks.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), tryTime)
	defer cancel()
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	mark := s.formatKey()
	_, err = s.client.Txn(ctx).If(clientv3.Compare(clientv3.Value(mark), "=", format)).Then(clientv3.OpPut(mark, format)).Commit()
	if err == nil {
		s.space.lacks.Store(false)
	}
	return s.failed(err)
}

func (s *Store) formatKey() string { return s.target.prefix + "/format" }

// failed says of an error of etcd's client in which store it was, and of one for which somebody has to do something what.
func (s *Store) failed(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, rpctypes.ErrNoSpace):
		s.space.lacks.Store(true)
		return fmt.Errorf("store %s: %w: %s", s, err, mend(err, s.target.secured()))
	}
	return fmt.Errorf("store %s: %w", s, err)
}
