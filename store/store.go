// Package store keeps what the emulator must remember: ordered keys to bytes, one key changed atomically at a time.
package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrClosed is returned by every method of a store that has been closed.
	ErrClosed = errors.New("store: closed")

	// ErrSpec is returned by Open for a text that names no store.
	ErrSpec = errors.New("no such store")
)

// Store is an ordered map from keys to values that survives what its engine says it survives. A key is any string of 1 to
// 32768 bytes; a value may be empty. All methods may be called from several goroutines at once.
//
// A context that has ended stops a call before it begins, and a Scan between two keys. A write once begun is not
// abandoned: its caller waits, and learns what became of it.
type Store interface {
	// Get returns the value of key, or nil when there is none. The bytes are the caller's.
	Get(ctx context.Context, key string) ([]byte, error)

	// Recall is Get for a value that does not change unless somebody amends it: still says so of the value that is found,
	// nil where there is none. An engine that has to ask another machine for it may return it from memory until then. The
	// bytes are not the caller's, and do not change.
	Recall(ctx context.Context, key string, still func(value []byte) bool) ([]byte, error)

	// Update replaces the value of key by what change makes of it. No other change of the key comes between the value
	// that change is given and the value that it returns.
	Update(ctx context.Context, key string, change Change) error

	// Amend is Update of a value that may be recalled: once it returns nil, no Recall, in whatever process, returns what was
	// before.
	Amend(ctx context.Context, key string, change Change) error

	// Epoch returns a number that is another one once something has been amended: whoever finds it as it was before, a
	// Recall would find as it was then. It may be another one more often.
	Epoch() uint64

	// Scan calls visit for each key that begins with prefix and comes behind after, in ascending byte order; no key comes
	// before "". It stops at the first error of visit and returns it as it is. The value may be read, not written, and only until visit returns; visit must not call the
	// store.
	Scan(ctx context.Context, prefix, after string, visit func(key string, value []byte) error) error

	// DeletePrefix deletes each key that begins with prefix. That there is none is no error.
	DeletePrefix(ctx context.Context, prefix string) error

	// Close waits for the operations under way and releases what the store holds. Whatever has not begun by then returns
	// ErrClosed. Closing twice is no error.
	Close() error

	// String returns what Open was given.
	String() string
}

// Change maps the present value of a key (nil: there is none) to the next (nil: delete the key). An error leaves no trace,
// and Update returns it as it is. Returning the present value unchanged writes nothing. A Change may be called more than
// once, by an engine that tries again; it must neither write to old nor keep it, and must not call the store.
type Change func(old []byte) (next []byte, err error)

const (
	tempSpec   = "temp"
	filePrefix = "file:"
	etcdPrefix = "etcd://"
)

// Open opens the store that spec names, as the flag --store does:
//
//   - temp is a file in the temporary folder that nobody else sees. It is gone when the store is closed or the process
//     ends, however that ends.
//   - file:PATH is a file that is made when it does not exist. An Update that returned nil outlives a crash of the process
//     and of the machine. One process at a time can have it open.
//
// A store that several processes share, etcd://…, is opened by package etcd in the folder below.
func Open(spec string) (Store, error) {
	if spec == tempSpec {
		return openTemp()
	}
	if path, ok := strings.CutPrefix(spec, filePrefix); ok {
		return openFile(path)
	}
	if strings.HasPrefix(spec, etcdPrefix) {
		return nil, fmt.Errorf("%w: package store does not open %s…: use package store/etcd", ErrSpec, etcdPrefix)
	}
	return nil, fmt.Errorf("%w %q: use temp, file:PATH or etcd://HOST:PORT", ErrSpec, spec)
}
