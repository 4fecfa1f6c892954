package store

import "context"

// timedLogs is a timed store that is a [Logs].
type timedLogs struct {
	timed
	logs Logs // the store that is timed
}

func (t *timedLogs) AppendLogs(ctx context.Context, id string, batches []Batch) (begun []string, err error) {
	defer t.tell(t.times.Append, t.now())
	return t.logs.AppendLogs(ctx, id, batches)
}

func (t *timedLogs) ReadLog(ctx context.Context, log string, behind uint64, visit func(last uint64, value []byte) error) (LogHead, error) {
	defer t.tell(t.times.Read, t.now())
	return t.logs.ReadLog(ctx, log, behind, visit)
}

func (t *timedLogs) Settle(ctx context.Context) error {
	defer t.tell(t.times.Settle, t.now())
	return t.logs.Settle(ctx)
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
