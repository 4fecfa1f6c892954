// Package limits bounds what the clients of a server can make it hold, all of them together: request bodies in memory,
// snapshots in temporary files, and open streams. A client that finds no room is refused with Retry-After.
package limits

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// The limits of a server.
const (
	maxBodies    = 16 << 20 // bytes of all bodies that are read
	maxDecoded   = 24 << 20 // bytes that all bodies may take decoded
	maxSnapshots = 4        // snapshots that are taken or restored
	MaxStreams   = 256      // open streams of events

	// MaxSnapshot is the largest snapshot that is restored, in bytes.
	MaxSnapshot = 256 << 20
)

// smallBody is what each body may have in bytes beside all others: a connection takes as much. So clients that send large
// bodies and never end them cannot keep out the usual small ones.
const smallBody = 4 << 10

// decodedSize is the memory of a decoded body for each of its bytes, at most: a JSON object of many small members.
const decodedSize = 16

// snapshotWait is how long a snapshot waits for its turn.
const snapshotWait = 10 * time.Second

// Limits are the limits of one server. They are safe for concurrent use.
type Limits struct {
	bodies, decoded, snapshots, streams *semaphore.Weighted
}

// New returns the limits of a server that holds nothing. It removes the files that killed processes have left.
func New() *Limits {
	removeStale()
	return &Limits{
		bodies: semaphore.NewWeighted(maxBodies), decoded: semaphore.NewWeighted(maxDecoded),
		snapshots: semaphore.NewWeighted(maxSnapshots), streams: semaphore.NewWeighted(MaxStreams),
	}
}

// Stream takes the place of a stream. It is refused with status 503 while there is none.
func (l *Limits) Stream() (release func(), refusal *api.Error) {
	if !l.streams.TryAcquire(1) {
		return nil, busy("The server has as many open streams as it can serve: close one, or try again later")
	}
	return func() { l.streams.Release(1) }, nil
}

// snapshot waits for the place of a snapshot. Its error is an [*api.Error] with status 503 while there is none.
func (l *Limits) snapshot(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, snapshotWait)
	defer cancel()
	if l.snapshots.Acquire(waiting, 1) != nil {
		return busy("The server is busy with other snapshots: try again later")
	}
	return nil
}

// busy returns the refusal, with status 503, of a client that is to try again.
func busy(message string) *api.Error {
	refusal := api.Because(http.StatusServiceUnavailable, message)
	refusal.SetHeader("Retry-After", "1")
	return refusal
}
