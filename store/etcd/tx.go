package etcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/store"
)

// tx reads at the revision of its first read, and gathers the conditions under which what it read is still there.
type tx struct {
	ctx        context.Context
	store      *Store
	revision   int64             // 0: nothing was read yet
	found      map[string][]byte // by key; nil: absent
	conditions []clientv3.Cmp
	err        error // of a read; all later ones fail too
}

func (t *tx) Get(key string) ([]byte, error) {
	if value, ok := t.found[key]; ok {
		return value, nil
	}
	answer, err := t.read(t.store.data + key)
	if err != nil {
		return nil, err
	}
	if len(answer.Kvs) == 0 {
		t.note(key, 0, nil)
		return nil, nil
	}
	return t.entry(answer.Kvs[0]).Value, nil
}

// pageKeys is how many keys Scan reads at once.
const pageKeys = 256

func (t *tx) Scan(prefix, after string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		begin, end := t.store.data+max(prefix, after+"\x00"), clientv3.GetPrefixRangeEnd(t.store.data+prefix)
		from := begin
		defer func() { t.conditions = append(t.conditions, t.unchanged(begin).WithRange(from)) }() // nothing came between
		for from < end {
			page, err := t.read(from, clientv3.WithRange(end), clientv3.WithLimit(pageKeys))
			if err != nil {
				yield(store.Entry{}, err)
				return
			}
			for _, kv := range page.Kvs {
				if err := t.ctx.Err(); err != nil {
					yield(store.Entry{}, err)
					return
				}
				from = string(kv.Key) + "\x00"
				if !yield(t.entry(kv), nil) {
					return
				}
			}
			if !page.More {
				from = end
			}
		}
	}
}

// read asks for keys at the revision of the transaction.
func (t *tx) read(key string, options ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if t.err != nil {
		return nil, t.err
	}
	answer, err := ask(t.ctx, t.store, passing, func(ctx context.Context) (*clientv3.GetResponse, error) {
		return t.store.client.Get(ctx, key, append(options, clientv3.WithRev(t.revision))...)
	})
	if err != nil {
		t.err = t.store.failed(err)
		return nil, t.err
	}
	if t.revision == 0 {
		t.revision = answer.Header.Revision
	}
	return answer, nil
}

func (t *tx) entry(kv *mvccpb.KeyValue) store.Entry {
	entry := store.Entry{Key: strings.TrimPrefix(string(kv.Key), t.store.data), Value: kv.Value}
	if entry.Value == nil {
		entry.Value = []byte{}
	}
	t.note(entry.Key, kv.ModRevision, entry.Value)
	return entry
}

// note keeps what was read of a key. The revision of one that is absent is 0.
func (t *tx) note(key string, revision int64, value []byte) {
	if _, known := t.found[key]; !known {
		t.found[key] = value
		t.conditions = append(t.conditions, clientv3.Compare(clientv3.ModRevision(t.store.data+key), "=", revision))
	}
}

// unchanged is the condition that nothing has written a key since the revision of the transaction.
func (t *tx) unchanged(key string) clientv3.Cmp {
	return clientv3.Compare(clientv3.ModRevision(key), "<", t.revision+1)
}

func (t *tx) Put(string, []byte) error { return store.ErrReadOnly }

func (t *tx) Delete(string) error { return store.ErrReadOnly }

// commit makes the writes, unless something that was read has changed since: then it is not done.
//
// When the answer to a transaction that has read something is lost, the same transaction is sent again, by another member.
// It is carried out once: each key it writes must be as it was at the revision read, and then no longer is.
func (t *tx) commit(writes []store.Entry) (done bool, err error) {
	var operations []clientv3.Op
	for _, write := range writes {
		key := t.store.data + write.Key
		known, read := t.found[write.Key]
		if read && (known == nil) == (write.Value == nil) && bytes.Equal(known, write.Value) {
			continue
		}
		operation := clientv3.OpDelete(key)
		if write.Value != nil {
			operation = clientv3.OpPut(key, string(write.Value))
		}
		operations = append(operations, operation)
		if !read && t.revision > 0 {
			t.conditions = append(t.conditions, t.unchanged(key))
		}
	}
	if len(operations) == 0 {
		return true, nil
	}
	unsure := false
	again := func(err error) bool {
		unsure = unsure || passing(err)
		return passing(err) && t.revision > 0
	}
	// A commit under way is not abandoned with its caller: what became of it would be unknown.
	answer, err := ask(context.WithoutCancel(t.ctx), t.store, again, func(ctx context.Context) (*clientv3.TxnResponse, error) {
		return t.store.client.Txn(ctx).If(t.conditions...).Then(operations...).Commit()
	})
	switch {
	case err == nil && answer.Succeeded:
		return true, nil
	case err == nil && !unsure:
		return false, nil
	case err == nil:
		err = errors.New("members failed, and sent again it met a conflict, with itself or another")
	case !unsure:
		return true, t.store.failed(err)
	}
	return true, fmt.Errorf("%w: store %s: %w", store.ErrOutcomeUnknown, t.store, err)
}
