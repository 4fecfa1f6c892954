package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
)

// Bounds of the time that a call waits for the end of a trial, and the end of the input for a trial that was stopped.
const (
	maxWait  = 30 * time.Second
	lastWait = 10 * time.Second
)

// trial is a command that is tried in the background.
type trial struct {
	command []string
	began   time.Time
	ended   chan struct{}
	code    int // once ended is closed

	mu  sync.Mutex
	out bytes.Buffer
}

// Write takes the output of the command line.
func (t *trial) Write(part []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.out.Write(part)
}

// wait waits for the end, and reports whether it came.
func (t *trial) wait(ctx context.Context, limit time.Duration) bool {
	if t == nil {
		return true
	}
	select {
	case <-t.ended:
	case <-time.After(limit):
	case <-ctx.Done():
	}
	select {
	case <-t.ended: // at the same time, maybe
		return true
	default:
		return false
	}
}

// try starts a trial, if the call has a command, and returns what is known of the latest one.
func (s *server) try(ctx context.Context, row tool, given map[string]string, words json.RawMessage) result {
	wait, err := time.ParseDuration(given["wait"])
	if err != nil || wait < 0 || wait > maxWait {
		return failed(fmt.Errorf("trial: wait %q is not a time from 0s to %s, such as 5s", given["wait"], maxWait))
	}
	if given["command"] != "" {
		if err := s.start(ctx, row, given, words); err != nil {
			return failed(err)
		}
	}
	if s.trial == nil {
		return failed(fmt.Errorf("trial: there is none yet: start one with command, as in %s", row.example))
	}
	ended := s.trial.wait(ctx, wait)
	s.trial.mu.Lock()
	text := s.trial.out.String()
	s.trial.mu.Unlock()
	if !ended {
		text = fmt.Sprintf("the trial of %s runs since %s: read it again by a call without command\n%s",
			strings.Join(s.trial.command, " "), time.Since(s.trial.began).Round(time.Second), text)
		return result{[]content{{"text", shortened(text, false)}}, false}
	}
	text = cmp.Or(text, "the trial has ended")
	return result{[]content{{"text", shortened(text, false)}}, s.trial.code > command.ExitFailed}
}

// start starts a trial in the background.
func (s *server) start(ctx context.Context, row tool, given map[string]string, words json.RawMessage) error {
	if s.trial != nil && !s.trial.wait(ctx, 0) {
		return errors.New("trial: one still runs: read it by a call without command, and start the next one when it has ended")
	}
	t := &trial{began: time.Now(), ended: make(chan struct{})}
	if json.Unmarshal(words, &t.command) != nil || len(t.command) == 0 {
		return fmt.Errorf("trial: command is a list of words, as in %s", row.example)
	}
	s.trial = t
	go func() {
		defer close(t.ended)
		t.code = s.run(ctx, t, slices.Concat(s.fill(row.line, given), t.command))
	}()
	return nil
}
