package journal

import (
	"context"
	"log/slog"
	"time"
)

// toldLogs is of how many logs that take nothing it is told.
const toldLogs = 100

// trouble tells the log that the journal is not written, once when that begins and once when it is over. It is of who
// writes.
type trouble struct {
	log      *slog.Logger
	began    time.Time           // while nothing can be written; else zero
	before   uint64              // how many entries had been dropped then
	dropped  uint64              // how many of them are told
	dropping bool                // that some are is told
	refused  map[string]struct{} // logs of which it is told
}

func newTrouble(log *slog.Logger) trouble {
	return trouble{log: log, refused: make(map[string]struct{})}
}

// tell tells what has come of a try to write.
func (t *trouble) tell(ctx context.Context, err error, now Writes) {
	switch {
	case err != nil && ctx.Err() != nil:
		return // nobody waits for it any more: another one tries
	case err != nil && t.began.IsZero():
		t.began, t.before = time.Now(), t.dropped
		t.log.Warn("the journal cannot be written: requests are gathered until it can", "cause", err, "gathered", now.Gathered)
	case err == nil && !t.began.IsZero():
		t.log.Info("the journal is written again", "after", time.Since(t.began).Round(time.Millisecond), "dropped", now.Dropped-t.before)
		t.began = time.Time{}
	}
	more := now.Dropped - t.dropped
	if more > 0 && !t.dropping {
		t.log.Warn("requests are missing in journals: the store could not take them, or not as fast as they came", "dropped", more, "gathered", now.Gathered)
	}
	t.dropped, t.dropping = now.Dropped, more > 0 || t.dropping && err != nil
}

// refuses tells that a log takes nothing, whose entries are dropped.
func (t *trouble) refuses(log string, err error, entries int) {
	t.dropped += uint64(entries)
	if _, told := t.refused[log]; told || len(t.refused) == toldLogs {
		return
	}
	t.refused[log] = struct{}{}
	t.log.Warn("the journal of a world takes nothing: its requests are dropped", "cause", err)
}
