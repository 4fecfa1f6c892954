// Package store keeps what the emulator must remember: ordered keys to bytes, changed by transactions.
package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	berrors "go.etcd.io/bbolt/errors"
)

var (
	// ErrClosed is returned by every method of a store that has been closed.
	ErrClosed = berrors.ErrDatabaseNotOpen

	// ErrReadOnly is returned by Put and Delete within View.
	ErrReadOnly = errors.New("store: the transaction is read-only")

	// ErrSpec is returned by Open for a text that names no store.
	ErrSpec = errors.New("no such store")

	// ErrTooLarge is returned by Update for a transaction that the engine cannot take.
	ErrTooLarge = errors.New("store: the transaction is too large")

	// ErrOutcomeUnknown is returned by Update when the answer to its commit was lost: it may or may not have been made.
	ErrOutcomeUnknown = errors.New("store: it is unknown whether the transaction was committed")
)

// MaxKey is the greatest length of a key, in bytes. The least is 1.
const MaxKey = 32768

// Store is an ordered map from keys to values, read and changed by transactions. All methods may be called from several
// goroutines at once.
//
// The function of a transaction depends only on its Tx and has no effect beyond it, because it may run more than once. It
// must not call the store. An error of the function is returned as it is and leaves no trace; a panic reaches the caller of
// the method and leaves no trace either. A context that has ended stops a transaction before it begins, and a Scan between
// two keys.
//
// Every engine takes an Update that reads and writes up to 100 keys and 1 MiB.
type Store interface {
	// View calls fn with one consistent snapshot, in which every Update is that returned before. Put and Delete return
	// ErrReadOnly.
	View(ctx context.Context, fn func(Tx) error) error

	// Update calls fn and commits its writes, all or none, when it returns nil. The transactions of Update are serializable.
	Update(ctx context.Context, fn func(Tx) error) error

	// Watch returns a channel that receives when a key with the prefix has changed since Watch returned; several changes
	// may be received as one. The channel is closed when ctx ends, the store closes, or changes may have been missed.
	Watch(ctx context.Context, prefix string) (<-chan struct{}, error)

	// Ready returns why the store cannot be used now, nil when it can.
	Ready(ctx context.Context) error

	// Shared reports whether several processes may have the store open: what all must see is kept in it, not in memory.
	Shared() bool

	// String returns what Open was given, without secrets.
	String() string

	// Close waits for the transactions under way and releases the store. Later calls return ErrClosed; closing twice is no
	// error.
	Close() error
}

// Tx is a transaction. It is for one goroutine, and is not used after its function has returned. Values are valid until
// then and must not be modified.
type Tx interface {
	// Get returns the value of key, nil when there is none.
	Get(key string) ([]byte, error)

	// Scan yields the entries whose keys begin with prefix and come behind after, in ascending byte order; all keys come
	// behind "". It yields what the transaction has written before the scan began. An error is the last it yields.
	Scan(prefix, after string) iter.Seq2[Entry, error]

	// Put sets the value of key; nil is an empty value. The value must not be modified until Update returns.
	Put(key string, value []byte) error

	// Delete deletes key. That there is none is no error.
	Delete(key string) error
}

// Entry is a key and its value.
type Entry struct {
	Key   string
	Value []byte
}

// Open opens the store that spec names, as the flag --store does:
//
//   - temp is a file in the temporary folder that nobody else sees. It is gone when the store is closed or the process
//     ends, however that ends.
//   - file:PATH is a file that is made when it does not exist. An Update that returned nil outlives a crash of the process
//     and of the machine. One process at a time can have it open.
//
// A store that several processes share, etcd://…, is opened by package etcd in the folder below.
func Open(spec string) (Store, error) {
	switch kind, path, _ := strings.Cut(spec, ":"); {
	case spec == "temp":
		return openTemp()
	case kind == "file" && path != "":
		return openFile(path)
	case kind == "etcd":
		return nil, fmt.Errorf("%w: package store does not open etcd://…: use package store/etcd", ErrSpec)
	}
	return nil, fmt.Errorf("%w %q: use temp, file:PATH or etcd://HOST:PORT", ErrSpec, spec)
}

// deleteKeys is how many keys DeletePrefix deletes in one transaction.
const deleteKeys = 100

// DeletePrefix deletes the keys with a prefix until there are none: it reads keys in a View, in order, and deletes them in an
// Update that reads nothing, which conflicts with no other.
func DeletePrefix(ctx context.Context, s Store, prefix string) error {
	for {
		var keys []string
		err := s.View(ctx, func(tx Tx) error {
			keys = nil
			for entry, err := range tx.Scan(prefix, "") {
				if err != nil || len(keys) == deleteKeys {
					return err
				}
				keys = append(keys, entry.Key)
			}
			return nil
		})
		if err != nil || len(keys) == 0 {
			return err
		}
		err = s.Update(ctx, func(tx Tx) (err error) {
			for _, key := range keys {
				err = errors.Join(err, tx.Delete(key))
			}
			return err
		})
		if err != nil && !errors.Is(err, ErrOutcomeUnknown) { // to delete again does no harm
			return err
		}
	}
}
