// Package store is the emulator's storage: an ordered map from keys to bytes, read and changed by transactions. Its words
// are bbolt's:
//
//	s, err := store.Open("file:understudy.db")
//	err = s.Update(ctx, func(tx store.Tx) error { return tx.Put("greeting", []byte("hello")) })
//	err = s.View(ctx, func(tx store.Tx) error {
//		value, err := tx.Get("greeting") // valid until the function returns
//		fmt.Printf("%s\n", value)
//		return err
//	})
//
// A View reads one snapshot. An Update commits all of its writes or none. Either may run its function again after a
// conflict, so the function has no effect beyond its Tx.
//
// Begin with [Store] and [Tx], the contract of every engine. The engine here is a bbolt file, for one process: commit.go
// shares a commit among concurrent Updates, check.go refuses and checks damaged files. Package store/etcd is the engine for
// several processes, and package storetest has the tests that both engines pass.
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

	// ErrSpec is returned by Open for a spec that is not the name of a store.
	ErrSpec = errors.New("no such store")

	// ErrTooLarge is returned by Update for a transaction above the engine's limits.
	ErrTooLarge = errors.New("store: the transaction is too large")

	// ErrOutcomeUnknown is returned by Update when the response to its commit was lost. The transaction may be committed or
	// not.
	ErrOutcomeUnknown = errors.New("store: it is unknown whether the transaction was committed")
)

// MaxKey is the maximum length of a key, in bytes. A key is not empty.
const MaxKey = 32768

// Store is an ordered map from keys to values, read and changed by transactions. It is safe for concurrent use.
//
// The function of a transaction may run more than once: it depends only on its Tx, has no effect beyond it, and does not call
// the store. If it returns an error or panics, nothing is written; the caller gets the error as it is, or the panic. A context
// that has ended stops a transaction before it begins, and a Scan between two keys.
//
// Every engine accepts an Update that reads and writes up to 100 keys and 1 MiB.
type Store interface {
	// View calls fn with a consistent snapshot that includes every Update that has returned. Put and Delete return
	// ErrReadOnly.
	View(ctx context.Context, fn func(Tx) error) error

	// Update calls fn and commits its writes, all or none, if it returns nil. Updates are serializable.
	Update(ctx context.Context, fn func(Tx) error) error

	// Watch returns a channel that receives after a key with the prefix has changed; several changes may be received as
	// one. The channel is closed when ctx ends, the store closes, or changes may have been missed.
	Watch(ctx context.Context, prefix string) (<-chan struct{}, error)

	// Ready returns an error while the store cannot be used.
	Ready(ctx context.Context) error

	// Shared reports whether several processes may have the store open. State that all of them must see is then in the
	// store, not in memory.
	Shared() bool

	// String returns the spec that Open was given, without secrets.
	String() string

	// Close waits for running transactions and releases the store. Later calls return ErrClosed; a second Close returns nil.
	Close() error
}

// Tx is a transaction, for one goroutine. It and its values are valid until its function returns; values must not be
// modified.
type Tx interface {
	// Get returns the value of key, nil if there is none.
	Get(key string) ([]byte, error)

	// Scan yields the entries with the prefix whose keys are greater than after, in ascending byte order. It sees what the
	// transaction wrote before the scan. After an error it yields nothing more.
	Scan(prefix, after string) iter.Seq2[Entry, error]

	// Put sets the value of key; nil is an empty value. The caller must not modify value until Update returns.
	Put(key string, value []byte) error

	// Delete deletes key. A missing key is not an error.
	Delete(key string) error
}

// Entry is a key and its value.
type Entry struct {
	Key   string
	Value []byte
}

// Open opens a store by its spec, the value of the flag --store:
//
//   - temp is an unnamed file in the temporary folder. It is gone when the store is closed or the process ends, even by
//     kill -9.
//   - file:PATH is a file, created if it does not exist. An Update that returned nil survives a crash of the process and of
//     the machine. One process at a time can have it open.
//
// Package store/etcd opens etcd://…, a store that several processes share.
func Open(spec string) (Store, error) {
	switch kind, path, _ := strings.Cut(spec, ":"); {
	case spec == "temp":
		return openTemp()
	case kind == "file" && path != "":
		return openFile(path)
	case kind == "etcd":
		return nil, fmt.Errorf("%w: package store does not open etcd://…: use package store/etcd", ErrSpec)
	}
	if spec != "" && !strings.Contains(spec, ":") {
		return nil, fmt.Errorf("%w %q: use temp, file:%s or etcd://HOST:PORT", ErrSpec, spec, spec)
	}
	return nil, fmt.Errorf("%w %q: use temp, file:PATH or etcd://HOST:PORT", ErrSpec, spec)
}

// deleteBatch is the number of keys that DeletePrefix deletes in one transaction.
const deleteBatch = 100

// DeletePrefix deletes all keys with a prefix, in several transactions. It reads keys in a View and deletes them in an
// Update that reads nothing and so never conflicts.
func DeletePrefix(ctx context.Context, s Store, prefix string) error {
	for {
		var keys []string
		err := s.View(ctx, func(tx Tx) error {
			keys = nil
			for entry, err := range tx.Scan(prefix, "") {
				if err != nil || len(keys) == deleteBatch {
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
		if err != nil && !errors.Is(err, ErrOutcomeUnknown) { // a second delete is harmless
			return err
		}
	}
}
