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
	f, revision, err := s.findHinting(ctx, s.heads, headKey(log))
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
