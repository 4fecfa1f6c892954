package etcd

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/store"
)

// AppendLogs writes in one transaction, on condition that the heads are as they are known here, and that the same append
// was not carried out before; else it tries again with the heads that are there.
func (s *Store) AppendLogs(ctx context.Context, id string, batches []store.Batch) (begun []string, err error) {
	end, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	look := s.crowded.Load()
	err = insist(ctx, func(ctx context.Context) (done bool, err error) {
		if look {
			look = false
			begun, done, err = s.lookAtHeads(ctx, id, batches)
		} else {
			begun, done, err = s.tryAppend(ctx, id, batches)
		}
		return done || err != nil && final(err), err
	})
	if err != nil {
		return nil, s.failed(fmt.Errorf("adding to %d logs: %w", len(batches), err))
	}
	return begun, nil
}

// tryAppend sends one transaction, and learns the heads that are there when it is not carried out.
func (s *Store) tryAppend(ctx context.Context, id string, batches []store.Batch) (begun []string, done bool, err error) {
	lease, err := s.holdWrote(ctx)
	if err != nil {
		return nil, false, err
	}
	conditions := []clientv3.Cmp{clientv3.Compare(clientv3.Value(s.wroteKey()), "!=", id)}
	write := []clientv3.Op{clientv3.OpPut(s.wroteKey(), id, clientv3.WithLease(lease))}
	var heads []logHead
	for _, b := range batches {
		head, err := decodeHead(b.Log, s.heads.get(headKey(b.Log)))
		if err != nil {
			return nil, true, &store.LogError{Log: b.Log, Err: err}
		}
		next := head.behind(b)
		name := s.data + headKey(b.Log)
		conditions = append(conditions, clientv3.Compare(clientv3.ModRevision(name), "=", head.revision))
		write = append(write, next.add(s.data, b)...)
		if heads = append(heads, next); head.revision == 0 {
			begun = append(begun, b.Log)
		}
	}
	answer, err := s.client.Txn(ctx).If(conditions...).Then(write...).Else(s.heading(batches)...).Commit()
	switch {
	case errors.Is(err, rpctypes.ErrRequestTooLarge) || errors.Is(err, rpctypes.ErrTooManyOps):
		return nil, true, fmt.Errorf("%w: %w", store.ErrTooLarge, err)
	case errors.Is(err, rpctypes.ErrLeaseNotFound):
		s.wrote.lose(lease)
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case answer.Succeeded:
		for i, b := range batches {
			s.heads.add(headKey(b.Log), found{value: heads[i].encode(), revision: answer.Header.Revision})
		}
		return begun, true, nil
	}
	return s.learn(ctx, id, batches, answer, lease)
}

// lookAtHeads learns the heads before anything is sent. It is for when others add to the same logs: then it is known that
// the heads are others, and the batches need not be sent to find out.
func (s *Store) lookAtHeads(ctx context.Context, id string, batches []store.Batch) (begun []string, done bool, err error) {
	lease, err := s.holdWrote(ctx)
	if err != nil {
		return nil, false, err
	}
	answer, err := s.client.Txn(ctx).Then(s.heading(batches)...).Commit()
	if err != nil {
		return nil, false, err
	}
	return s.learn(ctx, id, batches, answer, lease)
}

// heading asks for what an append depends on.
func (s *Store) heading(batches []store.Batch) []clientv3.Op {
	look := []clientv3.Op{clientv3.OpGet(s.wroteKey())}
	for _, b := range batches {
		look = append(look, clientv3.OpGet(s.data+headKey(b.Log)))
	}
	return look
}

// learn takes in what heading asked for. The append is done if it was carried out before.
func (s *Store) learn(ctx context.Context, id string, batches []store.Batch, answer *clientv3.TxnResponse, lease clientv3.LeaseID) (begun []string, done bool, err error) {
	moved := false
	for i, b := range batches {
		head := firstOf(answer.Responses[i+1].GetResponseRange().Kvs)
		moved = moved || head.revision != s.heads.get(headKey(b.Log)).revision
		s.heads.add(headKey(b.Log), head)
	}
	s.crowded.Store(moved)
	switch wrote := answer.Responses[0].GetResponseRange().Kvs; {
	case len(wrote) == 0: // a condition on a value needs one
		if _, err = s.client.Put(ctx, s.wroteKey(), "", clientv3.WithLease(lease)); errors.Is(err, rpctypes.ErrLeaseNotFound) {
			s.wrote.lose(lease)
			err = nil
		}
		return nil, false, err
	case string(wrote[0].Value) == id:
		return logsOf(batches), true, nil // which of them it began is not known
	}
	return nil, false, nil
}

func logsOf(batches []store.Batch) (logs []string) {
	for _, b := range batches {
		logs = append(logs, b.Log)
	}
	return logs
}
