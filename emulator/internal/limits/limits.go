// Package limits bounds what the clients of a server can make it hold, all of them together and each of them: request bodies
// and answers in memory, snapshots in temporary files, and open streams. A client that finds no room is refused with
// Retry-After.
package limits

import (
	"context"
	"math"
	"net/http"
	"runtime/debug"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// The limits of a server. Those in bytes are smaller when the process may take less than fullMemory.
const (
	maxBodies    = 16 << 20  // bytes of all bodies that are read
	maxDecoded   = 24 << 20  // bytes that all bodies may take decoded
	maxAnswers   = 48 << 20  // bytes of all large answers
	maxAnswer    = 112 << 20 // bytes of one that is rendered alone
	maxSnapshots = 4         // snapshots that are taken or restored
	maxFiles     = 32        // temporary files of snapshots
	MaxStreams   = 256       // open streams of events

	// MaxSnapshot is the largest snapshot that is restored, in bytes.
	MaxSnapshot = 256 << 20

	fullMemory = 144 << 20
)

// smallBody is what each body may have in bytes beside all others: a connection takes as much. So clients that send large
// bodies and never end them cannot keep out the usual small ones.
const smallBody = 4 << 10

// decodedSize is the memory of a decoded body for each of its bytes, at most: a JSON object of many small members.
const decodedSize = 16

// How long an answer and a snapshot wait for their turn.
const (
	answerWait   = 5 * time.Second
	snapshotWait = 10 * time.Second
)

// Limits are the limits of one server. They are safe for concurrent use.
type Limits struct {
	memory                             int64 // that the process may take
	maxDecoded                         int64
	bodies, decoded                    *semaphore.Weighted
	answers, snapshots, files, streams *pool
}

// New returns the limits of a server that holds nothing, for the memory limit of the Go runtime. It removes the files that
// killed processes have left.
func New() *Limits {
	removeStale()
	l := &Limits{memory: debug.SetMemoryLimit(-1)}
	l.maxDecoded = l.Scaled(maxDecoded)
	l.bodies, l.decoded = semaphore.NewWeighted(l.Scaled(maxBodies)), semaphore.NewWeighted(l.maxDecoded)
	pooled := func(size int64, wait time.Duration, status int, what string) *pool {
		return &pool{size: size, wait: wait, status: status, what: what, shares: make(map[string]*share)}
	}
	const unavailable = http.StatusServiceUnavailable
	l.answers = pooled(l.Scaled(maxAnswers), answerWait, http.StatusTooManyRequests, " has as many large answers under way as fit into its memory: try again later")
	l.snapshots = pooled(maxSnapshots, snapshotWait, unavailable, " is busy with other snapshots: try again later")
	l.files = pooled(maxFiles, snapshotWait, unavailable, " has as many snapshots under way as it may: try again later")
	l.streams = pooled(MaxStreams, 0, unavailable, " has as many open streams as it can serve: close one, or try again later")
	return l
}

// Scaled returns the part of a budget of bytes that the memory of the process allows.
func (l *Limits) Scaled(budget int64) int64 {
	return int64(float64(budget) * math.Min(1, float64(l.memory)/fullMemory))
}

// Stream takes the place of a stream. It is refused with status 503 while there is none.
func (l *Limits) Stream(of Owner) (release func(), refusal *api.Error) {
	taken, refusal := l.streams.take(context.Background(), 1, of)
	return taken.release, refusal
}
