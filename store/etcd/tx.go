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

// tx reads at the revision of its first read, and collects the conditions that hold while nothing it read has changed.
type tx struct {
	ctx        context.Context
	store      *etcdStore
	revision   int64             // 0 before the first read
	read       map[string][]byte // the values read by key; nil if there was none
	conditions []clientv3.Cmp
	err        error // of the first read that failed; later reads return it too
}

func (t *tx) Get(key string) ([]byte, error) {
	if value, ok := t.read[key]; ok {
		return value, nil
	}
	response, err := t.fetch(t.store.dataPrefix + key)
	if err != nil {
		return nil, err
	}
	if len(response.Kvs) == 0 {
		t.addRead(key, 0, nil)
		return nil, nil
	}
	return t.entry(response.Kvs[0]).Value, nil
}

// pageKeys is the number of keys that Scan reads by one request.
const pageKeys = 256

func (t *tx) Scan(prefix, after string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		begin, end := t.store.dataPrefix+max(prefix, after+"\x00"), clientv3.GetPrefixRangeEnd(t.store.dataPrefix+prefix)
		from := begin
		defer func() { t.conditions = append(t.conditions, t.unchanged(begin).WithRange(from)) }() // no key was added
		for from < end {
			page, err := t.fetch(from, clientv3.WithRange(end), clientv3.WithLimit(pageKeys))
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

// fetch reads keys at the revision of the transaction.
func (t *tx) fetch(key string, options ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if t.err != nil {
		return nil, t.err
	}
	response, err := call(t.ctx, t.store, transient, func(ctx context.Context) (*clientv3.GetResponse, error) {
		return t.store.client.Get(ctx, key, append(options, clientv3.WithRev(t.revision))...)
	})
	if err != nil {
		t.err = t.store.wrap(err)
		return nil, t.err
	}
	if t.revision == 0 {
		t.revision = response.Header.Revision
	}
	return response, nil
}

func (t *tx) entry(kv *mvccpb.KeyValue) store.Entry {
	entry := store.Entry{Key: strings.TrimPrefix(string(kv.Key), t.store.dataPrefix), Value: kv.Value}
	if entry.Value == nil {
		entry.Value = []byte{}
	}
	t.addRead(entry.Key, kv.ModRevision, entry.Value)
	return entry
}

// addRead records a value that was read and its condition. The revision of a missing key is 0.
func (t *tx) addRead(key string, revision int64, value []byte) {
	if _, ok := t.read[key]; !ok {
		t.read[key] = value
		t.conditions = append(t.conditions, clientv3.Compare(clientv3.ModRevision(t.store.dataPrefix+key), "=", revision))
	}
}

// unchanged returns the condition that a key was not written since the revision of the transaction.
func (t *tx) unchanged(key string) clientv3.Cmp {
	return clientv3.Compare(clientv3.ModRevision(key), "<", t.revision+1)
}

func (t *tx) Put(string, []byte) error { return store.ErrReadOnly }

func (t *tx) Delete(string) error { return store.ErrReadOnly }

// commit makes the writes. It is not done if something that was read has changed.
//
// When the response to a transaction that has read something is lost, the same transaction is sent again, to another member.
// It is applied once: its conditions require that each key it writes is unchanged, and writing changes it.
func (t *tx) commit(writes []store.Entry) (done bool, err error) {
	var operations []clientv3.Op
	for _, write := range writes {
		key := t.store.dataPrefix + write.Key
		old, read := t.read[write.Key]
		if read && (old == nil) == (write.Value == nil) && bytes.Equal(old, write.Value) {
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
	unknown := false // whether an earlier attempt was applied
	retryable := func(err error) bool {
		unknown = unknown || transient(err)
		return transient(err) && t.revision > 0
	}
	// The end of the caller's context does not stop a commit: its outcome would be unknown.
	response, err := call(context.WithoutCancel(t.ctx), t.store, retryable, func(ctx context.Context) (*clientv3.TxnResponse, error) {
		return t.store.client.Txn(ctx).If(t.conditions...).Then(operations...).Commit()
	})
	switch {
	case err == nil && response.Succeeded:
		return true, nil
	case err == nil && !unknown:
		return false, nil
	case err == nil:
		err = errors.New("the response was lost, and the retry met a conflict: with the first attempt or with another transaction")
	case !unknown:
		return true, t.store.wrap(err)
	}
	return true, fmt.Errorf("%w: store %s: %w", store.ErrOutcomeUnknown, t.store, err)
}
