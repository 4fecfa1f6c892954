package etcd

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/store"
)

var _ store.Logs = (*Store)(nil)

// A log is a head and chunks. A chunk is a batch as it was added, below the number of its last entry, and is written once:
// etcd keeps what a key was. All chunks of a life, a random number, are of the log, and those of no other. The head's key
// comes behind those of the chunks, so that [Store.DeletePrefix] deletes it last: an append that finds the head leaves no
// chunk behind.
type logHead struct {
	store.LogHead
	life     uint32
	revision int64 // at which it was written; 0: there is none
}

func headKey(log string) string { return log + "head" }

func lifePrefix(log string, life uint32) string { return fmt.Sprintf("%s%08x/", log, life) }

func (h logHead) chunkKey(log string, last uint64) string {
	return lifePrefix(log, h.life) + fmt.Sprintf("%016x", last)
}

func (h logHead) encode() []byte {
	text := binary.BigEndian.AppendUint64(nil, h.Last)
	text = binary.BigEndian.AppendUint64(text, h.Base)
	return binary.BigEndian.AppendUint32(text, h.life)
}

func decodeHead(log string, f found) (h logHead, err error) {
	if f.value == nil {
		return h, nil
	}
	if len(f.value) != 20 {
		return h, fmt.Errorf("the head of the log %s has %d bytes instead of 20: it was written by a later release, use that, or reset the world", log, len(f.value))
	}
	h.Last, h.Base = binary.BigEndian.Uint64(f.value), binary.BigEndian.Uint64(f.value[8:])
	h.life, h.revision = binary.BigEndian.Uint32(f.value[16:]), f.revision
	return h, nil
}

// packed writes a value of a log, which needs no tag of its own.
func packed(value []byte) string { return string(found{value: value}.pack()) }

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
	err = insist(ctx, func(ctx context.Context) (done bool, err error) {
		begun, done, err = s.tryAppend(ctx, id, batches)
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
	look := []clientv3.Op{clientv3.OpGet(s.wroteKey())}
	var heads []logHead
	for _, b := range batches {
		head, err := decodeHead(b.Log, s.hints.get(headKey(b.Log)))
		if err != nil {
			return nil, true, &store.LogError{Log: b.Log, Err: err}
		}
		next := head.behind(b)
		name := s.data + headKey(b.Log)
		conditions = append(conditions, clientv3.Compare(clientv3.ModRevision(name), "=", head.revision))
		write = append(write, next.add(s.data, b)...)
		look = append(look, clientv3.OpGet(name))
		if heads = append(heads, next); head.revision == 0 {
			begun = append(begun, b.Log)
		}
	}
	answer, err := s.client.Txn(ctx).If(conditions...).Then(write...).Else(look...).Commit()
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
			s.hints.add(headKey(b.Log), found{value: heads[i].encode(), revision: answer.Header.Revision})
		}
		return begun, true, nil
	}
	for i, b := range batches {
		s.hints.add(headKey(b.Log), firstOf(answer.Responses[i+1].GetResponseRange().Kvs))
	}
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

// behind returns the head once a batch was added.
func (h logHead) behind(b store.Batch) logHead {
	if h.revision == 0 {
		h.life = rand.Uint32()
	}
	h.Last += b.Entries
	return h
}

// add writes the head and the chunk that it has last, and deletes the chunks that are of no use.
func (h logHead) add(data string, b store.Batch) []clientv3.Op {
	write := []clientv3.Op{
		clientv3.OpPut(data+headKey(b.Log), packed(h.encode())),
		clientv3.OpPut(data+h.chunkKey(b.Log, h.Last), packed(b.Value)),
	}
	if b.Keep > 0 && h.Last > b.Keep {
		oldest := h.chunkKey(b.Log, h.Last-b.Keep+1)
		write = append(write, clientv3.OpDelete(data+lifePrefix(b.Log, h.life), clientv3.WithRange(data+oldest)))
	}
	return write
}

// chunkPage is how many chunks are asked for at once.
const chunkPage = 64

// ReadLog reads the head, and the chunks as they were with it; where etcd compacts these away meanwhile, those behind the last
// that was visited as they are then.
func (s *Store) ReadLog(ctx context.Context, log string, behind uint64, visit func(last uint64, value []byte) error) (store.LogHead, error) {
	end, err := s.begin(ctx)
	if err != nil {
		return store.LogHead{}, err
	}
	defer end()
	for {
		head, revision, err := s.findHead(ctx, log)
		if err != nil || head.Last <= behind {
			return head.LogHead, err
		}
		err = s.readChunks(ctx, log, head, revision, behind, func(last uint64, value []byte) error {
			behind = last
			return visit(last, value)
		})
		if !errors.Is(err, rpctypes.ErrCompacted) {
			return head.LogHead, err
		}
	}
}

func (s *Store) findHead(ctx context.Context, log string) (head logHead, revision int64, err error) {
	f, revision, err := s.find(ctx, headKey(log))
	if err != nil {
		return head, 0, err
	}
	head, err = decodeHead(log, f)
	return head, revision, s.failed(err)
}

func (s *Store) readChunks(ctx context.Context, log string, head logHead, revision int64, behind uint64, visit func(last uint64, value []byte) error) error {
	prefix := s.data + lifePrefix(log, head.life)
	from, to := s.data+head.chunkKey(log, behind+1), clientv3.GetPrefixRangeEnd(prefix)
	for more := true; more; {
		page, err := s.page(ctx, from, to, revision, chunkPage)
		if err != nil {
			return err
		}
		for _, kv := range page.Kvs {
			last, err := strconv.ParseUint(strings.TrimPrefix(string(kv.Key), prefix), 16, 64)
			if err == nil {
				err = visit(last, unpack(kv).value)
			}
			if err != nil {
				return err
			}
			from = string(kv.Key) + "\x00"
		}
		more = page.More
	}
	return nil
}
