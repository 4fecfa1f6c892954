package etcd

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Get asks etcd, and returns what is there after every write that is over.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	end, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if key == "" {
		return nil, nil
	}
	f, _, err := s.find(ctx, key)
	return bytes.Clone(f.value), err
}

// Recall asks etcd only when the value is not kept.
func (s *Store) Recall(ctx context.Context, key string, still func(value []byte) bool) ([]byte, error) {
	end, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if f, ok := s.kept.get(key); ok && still(f.value) {
		s.recalls.kept.Add(1)
		return f.value, nil
	}
	s.recalls.asked.Add(1)
	f, at, err := s.find(ctx, key)
	if err == nil && still(f.value) {
		s.kept.add(key, f, at)
	}
	return f.value, err
}

// Epoch is told by the amendments that were heard of.
func (s *Store) Epoch() uint64 { return s.kept.now() }

// find asks for the value of a key, and tells at which revision of the store it was so.
func (s *Store) find(ctx context.Context, key string) (f found, at int64, err error) {
	return s.findHinting(ctx, s.hints, key)
}

// findHinting is find of a key of which other hints than those of the store are kept.
func (s *Store) findHinting(ctx context.Context, known hints, key string) (f found, at int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	got, err := ask(ctx, func(ctx context.Context) (*clientv3.GetResponse, error) { return s.client.Get(ctx, s.data+key) })
	if err != nil {
		return f, 0, s.failed(err)
	}
	f = firstOf(got.Kvs)
	known.add(key, f)
	return f, got.Header.Revision, nil
}

// see is find for a write. For an amendment it also tells the revision of what was amended last, in the whole store.
func (s *Store) see(ctx context.Context, key string, amends bool) (f found, amended int64, err error) {
	if !amends {
		f, _, err = s.find(ctx, key)
		return f, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	got, err := ask(ctx, func(ctx context.Context) (*clientv3.TxnResponse, error) {
		return s.client.Txn(ctx).Then(clientv3.OpGet(s.data+key), clientv3.OpGet(s.group.noticeKey(), clientv3.WithKeysOnly())).Commit()
	})
	if err != nil {
		return f, 0, s.failed(err)
	}
	f = firstOf(got.Responses[0].GetResponseRange().Kvs)
	s.hints.add(key, f)
	return f, firstOf(got.Responses[1].GetResponseRange().Kvs).revision, nil
}

// pageKeys is how many keys are asked for at once.
const pageKeys = 256

// Scan visits the keys as they all were at one revision; where etcd compacts that away meanwhile, the rest as they are then.
func (s *Store) Scan(ctx context.Context, prefix, after string, visit func(key string, value []byte) error) error {
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	from, to := s.data+prefix, clientv3.GetPrefixRangeEnd(s.data+prefix)
	if after != "" {
		from = max(from, s.data+after+"\x00")
	}
	for revision, more := int64(0), true; more; {
		page, err := s.page(ctx, from, to, revision, pageKeys)
		if revision != 0 && errors.Is(err, rpctypes.ErrCompacted) {
			revision = 0
			continue
		}
		if err != nil {
			return err
		}
		for _, kv := range page.Kvs {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := visit(strings.TrimPrefix(string(kv.Key), s.data), unpack(kv).value); err != nil {
				return err
			}
			from = string(kv.Key) + "\x00"
		}
		revision, more = page.Header.Revision, page.More
	}
	return nil
}

// page asks for the next keys of a range, at most so many; at revision 0 for those that are there now.
func (s *Store) page(ctx context.Context, from, to string, revision, most int64) (*clientv3.GetResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	page, err := ask(ctx, func(ctx context.Context) (*clientv3.GetResponse, error) {
		return s.client.Get(ctx, from, clientv3.WithRange(to), clientv3.WithLimit(most), clientv3.WithRev(revision))
	})
	return page, s.failed(err)
}

// firstOf returns the first of the keys that were found, that there is none where none was.
func firstOf(kvs []*mvccpb.KeyValue) (f found) {
	if len(kvs) > 0 {
		f = unpack(kvs[0])
	}
	return f
}
