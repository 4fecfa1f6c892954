package etcd

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/store"
)

// ClearLog begins another life of the log, which has no chunks yet.
func (s *Store) ClearLog(ctx context.Context, log string) error {
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	return s.changeLog(ctx, log, func(_ context.Context, head logHead, _ int64) (logHead, error) {
		if head.revision != 0 {
			head.Base, head.life = head.Last, rand.Uint32()
		}
		return head, nil
	})
}

// ReplaceLog writes the chunks as those of a life that is nobody's yet, and then makes it the log's.
func (s *Store) ReplaceLog(ctx context.Context, log string, head store.LogHead, batches []store.Batch) error {
	next := logHead{LogHead: head, life: rand.Uint32()}
	for _, b := range batches {
		head.Last -= b.Entries
	}
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	for _, b := range batches {
		head.Last += b.Entries
		if err := s.putChunk(ctx, log, next, head.Last, b.Value); err != nil {
			return err
		}
	}
	return s.changeLog(ctx, log, func(ctx context.Context, present logHead, at int64) (logHead, error) {
		next := next
		if present.revision == 0 {
			return next, nil
		}
		err := s.readChunks(ctx, log, present, at, 0, func(last uint64, value []byte) error {
			return s.putChunk(ctx, log, next, head.Last+last, value)
		})
		next.Last += present.Last
		return next, err
	})
}

func (s *Store) putChunk(ctx context.Context, log string, head logHead, last uint64, value []byte) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	_, err := ask(ctx, func(ctx context.Context) (*clientv3.PutResponse, error) {
		return s.client.Put(ctx, s.data+head.chunkKey(log, last), packed(value))
	})
	return s.failed(err)
}

// changeLog writes what change makes of the head that was there at a revision, if that is something else, and deletes the
// chunks of the life that ends with it. Where others change the head meanwhile, it begins again.
func (s *Store) changeLog(ctx context.Context, log string, change func(ctx context.Context, head logHead, at int64) (logHead, error)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
	defer cancel()
	for try := 0; ; try++ {
		head, at, err := s.findHead(ctx, log)
		if err != nil {
			return err
		}
		next, err := change(ctx, head, at)
		done := err == nil && next == head
		if err == nil && !done {
			done, err = s.swapHead(ctx, log, head, next)
		}
		switch {
		case errors.Is(err, rpctypes.ErrCompacted) && pause(ctx, backOff(try)): // what it read of the log is gone
		case err != nil || done:
			return err
		case !pause(ctx, backOff(try)):
			return s.failed(fmt.Errorf("the log %s was not changed: others came before %d tries: %w", log, try+1, ctx.Err()))
		}
	}
}

// swapHead writes next where head is still there, and deletes the chunks that are no longer the log's.
func (s *Store) swapHead(ctx context.Context, log string, head, next logHead) (done bool, err error) {
	name := s.data + headKey(log)
	do := []clientv3.Op{clientv3.OpPut(name, packed(next.encode()))}
	if head.revision != 0 {
		do = append(do, clientv3.OpDelete(s.data+lifePrefix(log, head.life), clientv3.WithPrefix()))
	}
	unsure := false
	err = insist(ctx, func(ctx context.Context) (bool, error) {
		answer, err := s.client.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(name), "=", head.revision)).
			Then(do...).Else(clientv3.OpGet(name)).Commit()
		switch {
		case err != nil:
			unsure = true
			return final(err), fmt.Errorf("it is not known whether it was changed: %w", err)
		case answer.Succeeded:
			done = true
		case unsure:
			now, err := decodeHead(log, firstOf(answer.Responses[0].GetResponseRange().Kvs))
			if err != nil {
				return true, err
			}
			done, err = head.became(next, now)
			return true, err
		}
		return true, nil
	})
	if err != nil {
		return false, s.failed(fmt.Errorf("the log %s: %w", log, err))
	}
	return done, nil
}

// became tells whether head was changed to next, where etcd has not said so and now is what is there: a life is of one change
// alone, and an append does not end it.
func (h logHead) became(next, now logHead) (bool, error) {
	switch {
	case now.revision != 0 && now.life == next.life:
		return true, nil
	case now.revision != 0 && h.revision != 0 && now.life == h.life:
		return false, nil
	}
	return false, errors.New("it is not known whether it was changed: members of etcd failed, and another change came behind it")
}
