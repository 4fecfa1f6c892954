package emulator

import (
	"net/http"
	"sync/atomic"
	"time"
)

// dates writes instants as the header Date has them, and keeps what it wrote last: most requests ask for the same second.
// It is safe for concurrent use.
type dates struct{ last atomic.Pointer[date] }

// date is a second, and how it is written.
type date struct {
	second int64 // in Unix time
	text   string
}

func (d *dates) text(instant time.Time) string {
	second := instant.Unix()
	if last := d.last.Load(); last != nil && last.second == second {
		return last.text
	}
	text := instant.UTC().Format(http.TimeFormat)
	d.last.Store(&date{second, text})
	return text
}
