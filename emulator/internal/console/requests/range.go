package requests

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
)

// slowest is the order of requests by how long their answers took, in ?sort=.
const slowest = "slowest"

// ranges are the spans of the machine's time that one click chooses.
var ranges = []struct{ name, value string }{{"5 min", "5m"}, {"1 h", "1h"}}

// zoned completes an instant of a form, which has no zone and may have no seconds, to one of the machine's clock in UTC.
func zoned(name, text string) string {
	if at, err := words.ReadInstant(text); err == nil && (name == "from" || name == "to") {
		return at.Format(time.RFC3339Nano)
	}
	return text
}

// time makes the chips of spans and of the order, and counts the selected requests over the span that is shown.
func (l *requestList) time(x *frame.Exchange, filter query.Filter) {
	from, to := x.Value("from"), x.Value("to")
	page := func(changes ...string) string { return x.Here("journal") + recorded.Filters(x, changes...) }
	l.Ranges = []frame.Chip{{Name: "All", Tip: "Since the world began or was last reset", Link: page("from", "", "to", ""), Current: from == "" && to == ""}}
	if l.Outside {
		l.Ranges[0].Tip = "Since the server began"
	}
	for _, r := range ranges {
		l.Ranges = append(l.Ranges, frame.Chip{Name: r.name, Link: page("from", r.value, "to", ""), Current: from == r.value && to == ""})
	}
	order := frame.Chip{Name: "Slowest first", Link: page("sort", slowest), Current: x.Value("sort") == slowest}
	if order.Current {
		order.Link = page("sort", "")
	}
	l.Ranges = append(l.Ranges, order)

	since, until := filter.From, filter.To
	if until.IsZero() {
		until = x.Worlds.Config().Clock.Wall()
	}
	if n := len(l.wanted); n > 0 && since.IsZero() {
		since = l.wanted[n-1].Wall
	}
	if !filter.From.IsZero() || !filter.To.IsZero() {
		l.From, l.To = since.UTC().Format(words.Datetime), until.UTC().Format(words.Datetime)
	}
	l.Spark = recorded.SparkOf(l.wanted, since, until)
	for i := range l.Spark.Bars {
		bar := &l.Spark.Bars[i]
		bar.Link = page("from", bar.From.UTC().Format(time.RFC3339Nano), "to", bar.To.UTC().Format(time.RFC3339Nano))
	}
	l.ErrorsAt = page("status", recorded.ErrorsFilter)
}
