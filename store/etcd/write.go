package etcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/store"
)

// maxKey is how long a key can be, in bytes.
const maxKey = 32768

// Update writes what change makes of the value that is known here, on condition that it still is; else change is called
// again with the one that is there.
func (s *Store) Update(ctx context.Context, key string, change store.Change) error {
	_, err := s.change(ctx, key, change, nil)
	return err
}

// Amend also tells the replicas, and waits for them. Where there is nothing to write, what it saw may be the amendment of
// another replica, of which not all have heard yet: it waits for that one.
func (s *Store) Amend(ctx context.Context, key string, change store.Change) error {
	tell := s.group.put(notice{By: s.group.self, Key: []byte(key)})
	done, err := s.change(ctx, key, change, &tell)
	if done.written {
		s.kept.amended(key, done.revision)
	}
	if late := s.await(ctx, done); late != nil {
		return s.failed(late) // and not what change decided: not everybody would
	}
	return err
}

// changed is what came of a change.
type changed struct {
	written  bool
	revision int64 // at which it was, 0 where etcd did not say; else that of the last amendment that may have led to what is there
}

func (s *Store) await(ctx context.Context, done changed) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), awaitTime)
	defer cancel()
	switch {
	case !done.written:
		return s.group.awaitSeen(ctx, done.revision)
	case done.revision == 0:
		return s.group.awaitSeen(ctx, math.MaxInt64)
	}
	return s.group.await(ctx, done.revision)
}

// change writes a key, and in the same transaction what else is to be told.
func (s *Store) change(ctx context.Context, key string, change store.Change, tell *clientv3.Op) (done changed, err error) {
	if len(key) == 0 || len(key) > maxKey {
		return done, fmt.Errorf("store: a key has 1 to %d bytes, this one has %d", maxKey, len(key))
	}
	end, err := s.begin(ctx)
	if err != nil {
		return done, err
	}
	defer end()
	lane := s.lanes.of(key)
	if err := lane.enter(ctx, callTime); err != nil {
		return done, s.failed(fmt.Errorf("other writes of the key take too long: %w", err))
	}
	defer lane.leave()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
	defer cancel()
	return s.tryChange(ctx, key, change, tell)
}

func (s *Store) tryChange(ctx context.Context, key string, change store.Change, tell *clientv3.Op) (done changed, err error) {
	old, sure := s.hints.get(key), false // that this is what is there, or was since the call began
	var seen int64                       // the revision of what was amended last, when old was read
	for try := 0; ; try++ {
		next, err := change(old.value)
		if err != nil || same(old.value, next) {
			if sure {
				s.kept.replace(key, old)
				return changed{revision: old.amendedBy(seen)}, err
			}
			if old, seen, err = s.see(ctx, key, tell != nil); err != nil {
				return done, err
			}
			sure = true
			continue
		}
		now, written, err := s.swap(ctx, key, old, found{value: next, tag: s.tags.next()}, tell)
		if err != nil {
			return done, err
		}
		s.hints.add(key, now)
		if written {
			s.kept.replace(key, now)
			return changed{written: true, revision: now.revision}, nil
		}
		old, sure = now, tell == nil // whoever amends has yet to learn what else was
		if try > 0 && !pause(ctx, backOff(try)) {
			return done, s.failed(fmt.Errorf("%d writes of others came before this one: %w", try, ctx.Err()))
		}
	}
}

// amendedBy returns the revision of the last amendment that may have led to f, where seen is that of the last of all.
func (f found) amendedBy(seen int64) int64 {
	if f.value == nil {
		return seen // it may be what deleted it
	}
	return min(f.revision, seen)
}

func same(old, next []byte) bool {
	return (old == nil) == (next == nil) && bytes.Equal(old, next)
}

// backOff is how long a writer that others were before waits, more or less, after so many tries.
func backOff(tries int) time.Duration {
	return min(time.Millisecond<<min(tries, 10), 100*time.Millisecond)
}

// swap writes next where old is still there. It returns what is there afterwards, and whether that is next.
//
// When etcd does not say what became of the transaction, the key tells: the tag of a value is of one change alone. The same
// transaction may be sent again, as it is carried out once: its condition is the revision of old. Where there was no value
// that is so unless somebody deletes what the first made before the second arrives; then it is made anew, as by a writer
// that came behind the deletion.
func (s *Store) swap(ctx context.Context, key string, old, next found, tell *clientv3.Op) (now found, written bool, err error) {
	name := s.data + key
	do := []clientv3.Op{clientv3.OpDelete(name)}
	if next.value != nil {
		do[0] = clientv3.OpPut(name, string(next.pack()))
	}
	if tell != nil {
		do = append(do, *tell)
	}
	unsure := false
	err = insist(ctx, func(ctx context.Context) (bool, error) {
		answer, err := s.client.Txn(ctx).
			If(clientv3.Compare(clientv3.ModRevision(name), "=", old.revision)).
			Then(do...).Else(clientv3.OpGet(name)).Commit()
		switch {
		case err != nil && final(err):
			return true, err
		case err != nil:
			unsure = true
			return false, fmt.Errorf("it is not known whether it was written: %w", err)
		case answer.Succeeded:
			now, written = old.next(next.value, next.tag, answer.Header.Revision), true
			return true, nil
		}
		now = firstOf(answer.Responses[0].GetResponseRange().Kvs)
		if unsure {
			written, err = settled(old, now, next)
		}
		return true, err
	})
	return now, written, s.failed(err)
}

// settled tells what became of a transaction of which etcd had not said it: now is what is there, and not old. Where one
// change alone came behind old, and it was another's, ours was not carried out, and never will be.
func settled(old, now, next found) (written bool, err error) {
	switch {
	case next.value == nil && now.value == nil:
		return true, nil // at a revision that is not known
	case next.value != nil && now.tag == next.tag:
		return true, nil
	case old.value != nil && now.created == old.created && now.version == old.version+1:
		return false, nil
	}
	return false, errors.New("it is not known whether it was written: members of etcd failed, and another write came behind it")
}

// DeletePrefix deletes the keys a page at a time, so that no transaction is large.
func (s *Store) DeletePrefix(ctx context.Context, prefix string) error {
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	ctx = context.WithoutCancel(ctx)
	to := clientv3.GetPrefixRangeEnd(s.data + prefix)
	for more := true; more; {
		if more, err = s.deletePage(ctx, s.data+prefix, to); err != nil {
			return err
		}
	}
	return nil
}

// deletePage deletes the first keys of a range, and tells whether there are others.
func (s *Store) deletePage(ctx context.Context, from, to string) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	page, err := ask(ctx, func(ctx context.Context) (*clientv3.GetResponse, error) {
		return s.client.Get(ctx, from, clientv3.WithRange(to), clientv3.WithLimit(pageKeys), clientv3.WithKeysOnly())
	})
	if err != nil || len(page.Kvs) == 0 {
		return false, s.failed(err)
	}
	behind := string(page.Kvs[len(page.Kvs)-1].Key) + "\x00"
	_, err = ask(ctx, func(ctx context.Context) (*clientv3.DeleteResponse, error) {
		return s.client.Delete(ctx, from, clientv3.WithRange(behind))
	})
	return page.More, s.failed(err)
}

// unpack reads a value as pack wrote it.
func unpack(kv *mvccpb.KeyValue) found {
	f := found{revision: kv.ModRevision, created: kv.CreateRevision, version: kv.Version, value: []byte{}}
	if n := copy(f.tag[:], kv.Value); n == len(f.tag) {
		f.value = kv.Value[n:]
	}
	return f
}

// pack writes a value as etcd has it.
func (f found) pack() []byte { return append(f.tag[:], f.value...) }
