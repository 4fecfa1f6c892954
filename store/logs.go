package store

import (
	"context"
	"errors"
)

// ErrTooLarge is wrapped by the error of an append that no engine of its kind will ever take.
var ErrTooLarge = errors.New("more than the store takes at once")

// LogError is wrapped by the error of an append that one of its logs does not take, now or later: without that one it may
// be made again, with the same id.
type LogError struct {
	Log string
	Err error
}

func (e *LogError) Error() string { return "the log " + e.Log + " takes nothing: " + e.Err.Error() }

func (e *LogError) Unwrap() error { return e.Err }

// Logs is a [Store] that several processes have open, each of which adds to logs that all of them read. A log is named by
// the prefix of the keys that it takes: [Store.DeletePrefix] of that deletes it. Its entries are numbered from 1, in one
// order for everybody and without gaps; what they say is the caller's.
type Logs interface {
	Store

	// AppendLogs adds to the ends of logs, to all or to none, and returns those of them that had been nothing before. No
	// log may be there twice, and 40 logs and 1 MiB are taken at once. After an error it may be called again with the same
	// id: what the first call has written, although it could not tell, is not written again. An id is for one append alone,
	// and a process makes one append after the other.
	AppendLogs(ctx context.Context, id string, batches []Batch) (begun []string, err error)

	// ReadLog calls visit for each batch that has entries behind a number, in order, as they all were at one time. The value
	// may be read, not written, and only until visit returns.
	ReadLog(ctx context.Context, log string, behind uint64, visit func(last uint64, value []byte) error) (LogHead, error)

	// ClearLog forgets the entries of a log. Those that come next are numbered on, and those before are not missed.
	ClearLog(ctx context.Context, log string) error

	// ReplaceLog makes a log consist of other batches, whose last entry has the number of head. What the log had comes
	// behind them.
	ReplaceLog(ctx context.Context, log string, head LogHead, batches []Batch) error

	// Watch returns a channel that is sent to, at most once until it is received from, when a key has changed since Watch
	// was called. It is closed when ctx ends, and when changes may have been missed.
	Watch(ctx context.Context, key string) (<-chan struct{}, error)

	// WatchLog is Watch for what is done to a log, that it is deleted included.
	WatchLog(ctx context.Context, log string) (<-chan struct{}, error)

	// Settle returns once each process on the store has carried out what it was given to do by OnSettle, or is not there any
	// more.
	Settle(ctx context.Context) error

	// OnSettle sets what is to be done when somebody settles: to write what was gathered. nil: nothing.
	OnSettle(settle func(context.Context) error)
}

// Batch is some entries of a log, which are written as one value and deleted as one.
type Batch struct {
	Log     string
	Entries uint64 // how many; not 0
	Value   []byte
	Keep    uint64 // how many of the log's last entries are of use from now on; 0: all
}

// LogHead is how far a log has come. The zero value is that of one to which nothing was added.
type LogHead struct {
	Last uint64 // the number of its last entry
	Base uint64 // up to where no entry is missed; it wraps around below 0, for entries that had no number here
}
