package surface_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
)

// A request outside any world has one line a minute, with the number of those that had none. The clock is that of a bubble.
func TestUnmatchedLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testUnmatchedLog)
}

func testUnmatchedLog(t *testing.T) {
	var log bytes.Buffer
	s := surface.New(surface.Config{
		Unmatched: journal.New(journal.Config{}), Log: slog.New(slog.NewTextHandler(&log, nil)), Stopping: t.Context(),
		Observe: func(string, int, time.Duration) {},
	})
	began := time.Now()
	for _, tt := range []struct {
		what, request string
		after         time.Duration
		unlogged      int
		due           bool
	}{
		{"the first", "/a", 0, 0, true},
		{"the same", "/a", time.Second, 0, false},
		{"another", "/b", 2 * time.Second, 0, true},
		{"the same, within the minute", "/a", time.Minute - 1, 0, false},
		{"after a minute", "/a", time.Minute, 2, true},
		{"within the next minute", "/a", 90 * time.Second, 0, false},
		{"after that", "/a", time.Hour, 1, true},
		{"another, that never came again", "/b", time.Hour, 0, true},
	} {
		<-time.After(time.Until(began.Add(tt.after)))
		log.Reset()
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", tt.request, nil))
		unlogged := 0
		if _, after, found := strings.Cut(log.String(), " unlogged="); found {
			fmt.Sscan(after, &unlogged)
		}
		if due := log.Len() > 0; unlogged != tt.unlogged || due != tt.due {
			t.Errorf("%s: %d, %v", tt.what, unlogged, due)
		}
	}
}
