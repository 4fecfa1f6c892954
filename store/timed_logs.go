package store

import (
	"context"
	"time"
)

// timedLogs is a timed store that is a [Logs].
type timedLogs struct {
	timed
	logs Logs // the store that is timed
}

func (t *timedLogs) AppendLogs(ctx context.Context, id string, batches []Batch) (begun []string, err error) {
	before := time.Since(t.began)
	begun, err = t.logs.AppendLogs(ctx, id, batches)
	t.times.Append(time.Since(t.began) - before)
	return begun, err
}

func (t *timedLogs) ReadLog(ctx context.Context, log string, behind uint64, visit func(last uint64, value []byte) error) (LogHead, error) {
	before := time.Since(t.began)
	head, err := t.logs.ReadLog(ctx, log, behind, visit)
	t.times.Read(time.Since(t.began) - before)
	return head, err
}

func (t *timedLogs) Settle(ctx context.Context) error {
	before := time.Since(t.began)
	err := t.logs.Settle(ctx)
	t.times.Settle(time.Since(t.began) - before)
	return err
}

func (t *timedLogs) ClearLog(ctx context.Context, log string) error { return t.logs.ClearLog(ctx, log) }

func (t *timedLogs) ReplaceLog(ctx context.Context, log string, head LogHead, batches []Batch) error {
	return t.logs.ReplaceLog(ctx, log, head, batches)
}

func (t *timedLogs) Watch(ctx context.Context, key string) (<-chan struct{}, error) {
	return t.logs.Watch(ctx, key)
}

func (t *timedLogs) WatchLog(ctx context.Context, log string) (<-chan struct{}, error) {
	return t.logs.WatchLog(ctx, log)
}

func (t *timedLogs) OnSettle(settle func(context.Context) error) { t.logs.OnSettle(settle) }
