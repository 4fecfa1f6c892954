package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/coverage"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// trial runs a command once as it is, and again for each part that the contract allows the service to play: a command goes in, and a
// verdict on each part comes out.
type trial struct {
	emulator *emulator.Emulator
	observer *observer
	coverage *coverage.Coverage // nil: not wanted
	command  []string
	env      []string
	jobs     int
	limit    time.Duration // of an attempt
	patience time.Duration // of a client: an answer that comes later is too late
	progress func(done, all int)
}

// attempt is one run of the command in a world of its own.
type attempt struct {
	part    part
	world   *emulator.World
	code    int                      // the exit code
	stopped bool                     // it had not ended at the limit
	output  string                   // the end of it
	entries []*emulator.JournalEntry // the oldest first
	whole   map[string]bool          // request ids of the answers that left whole
	events  bool                     // webhooks were sent
	held    holdings                 // of the service at the end
}

// callsOf returns the requests of an operation, by its name.
func (a attempt) callsOf(operation string) (calls []*emulator.JournalEntry) {
	for _, e := range a.entries {
		if e.Operation == operation {
			calls = append(calls, e)
		}
	}
	return calls
}

// resources returns the ids of a kind of resource that the command asked for.
func (a attempt) resources(kind string) (ids []string) {
	for _, op := range api.Operations() {
		if op.Resource != kind {
			continue
		}
		for _, e := range a.callsOf(op.Name) {
			if id, _ := coverage.IDIn(op, e.Path); id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// sessions reports whether the command creates sessions that the emulator finishes.
func (a attempt) sessions() bool {
	created := func(e *emulator.JournalEntry) bool { return e.Status == http.StatusCreated }
	return slices.ContainsFunc(a.callsOf("createCredentialsSession"), created) && a.held.sessions > a.held.waiting
}

// baseline runs the command as it is. Its error is for a command that cannot be tried; the attempt has its output.
func (t *trial) baseline(ctx context.Context) (attempt, error) {
	a, err := t.attempt(ctx, part{name: "baseline"}, "baseline")
	why := ""
	switch {
	case err != nil:
		return a, err
	case a.stopped:
		why = fmt.Sprintf("had not ended after %s: give it less to do, or more time with --limit", t.limit)
	case a.code != 0:
		why = fmt.Sprintf("failed with exit code %d: correct it first", a.code)
	case len(a.entries) == 0:
		why = "called no operation: have it use UNDERSTUDY_URL and UNDERSTUDY_KEY from its environment"
	default:
		return a, nil
	}
	return a, command.Failed(errors.New("a trial begins with the command as it is, and it " + why))
}

// play runs the command for each group of parts, several at the same time, and returns the attempts in the order of the groups. It
// also returns how many parts were left out, because an earlier one of their group has shown the same.
func (t *trial) play(ctx context.Context, baseline attempt, groups []group) (attempts []attempt, same int, err error) {
	byGroup := make([][]attempt, len(groups))
	var mu sync.Mutex
	done := 0
	running, ctx := errgroup.WithContext(ctx)
	running.SetLimit(t.jobs)
	for i, parts := range groups {
		running.Go(func() error {
			for n, p := range parts {
				if n > 0 && byGroup[i][0].enough(baseline) {
					break
				}
				a, err := t.attempt(ctx, p, fmt.Sprintf("%d_%d", i+1, n+1))
				if err != nil {
					return err
				}
				byGroup[i] = append(byGroup[i], a)
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			t.progress(done, len(groups))
			return nil
		})
	}
	if err := running.Wait(); err != nil {
		return nil, 0, err
	}
	for i, parts := range groups {
		same += len(parts) - len(byGroup[i])
	}
	return slices.Concat(byGroup...), same, nil
}

// enough reports whether the first part of a group has shown what the others would: it changed the only call of its operation, or the
// command survives all of them together.
func (a attempt) enough(baseline attempt) bool {
	if a.part.together {
		v, _ := verdictOf(a, baseline)
		return v == survives
	}
	return len(a.callsOf(a.part.on)) < 2
}

// attempt runs the command in a new world, of a name, in which the service plays a part.
func (t *trial) attempt(ctx context.Context, p part, world string) (a attempt, err error) {
	key := t.emulator.Key("trial_" + world)
	a = attempt{part: p}
	if a.world, err = t.emulator.World(key); err != nil {
		return a, err
	}
	w := &watch{coverage: t.coverage}
	if p.created != nil {
		w.created = func(id string) error {
			session, err := a.world.CredentialsSession(ctx, id)
			if err != nil {
				return err
			}
			return p.created(ctx, a.world, session)
		}
	}
	if p.prepare != nil {
		if err := p.prepare(ctx, a.world); err != nil {
			return a, fmt.Errorf("play %q: %w", p.name, err)
		}
	}
	t.observer.watch(key, w)
	if err := t.run(ctx, key, &a); err != nil {
		return a, err
	}
	if a.whole, err = w.seen(); err != nil {
		return a, fmt.Errorf("play %q: %w", p.name, err)
	}
	if a.entries, _, err = a.world.JournalEntries(ctx); err != nil {
		return a, err
	}
	for _, err := range a.world.Deliveries(ctx, "") {
		if err != nil {
			return a, err
		}
		a.events = true
		break
	}
	a.held, err = holdingsOf(ctx, a.world)
	return a, err
}

// run runs the command with a key, and ends it and its children at the limit.
func (t *trial) run(ctx context.Context, key string, a *attempt) error {
	folder, err := os.MkdirTemp("", "understudy-trial-")
	if err != nil {
		return command.Failed(err)
	}
	defer os.RemoveAll(folder)
	child := exec.Command(t.command[0], t.command[1:]...)
	child.Env = slices.Concat(t.env, []string{"UNDERSTUDY_KEY=" + key, "UNDERSTUDY_TRIAL=" + a.part.name, "UNDERSTUDY_TRIAL_DIR=" + folder})
	output := &tail{}
	child.Stdout, child.Stderr = output, output
	child.WaitDelay = time.Second // for children that hold the output
	runtime.LockOSThread()        // the command ends with the thread that starts it
	defer runtime.UnlockOSThread()
	kill := setGroup(child)
	if err := child.Start(); err != nil {
		return notStarted(child, err)
	}
	defer kill() // children that it left
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	limit := time.NewTimer(t.limit)
	defer limit.Stop()
	select {
	case <-ended:
	case <-limit.C:
		a.stopped = true
		kill()
		<-ended
	case <-ctx.Done():
		kill()
		<-ended
		return context.Cause(ctx)
	}
	a.output = output.String()
	if end := (command.Ended{}); errors.As(commandEnd(child.ProcessState, nil), &end) {
		a.code = end.Code
	}
	return nil
}

// tail is the end of an output.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// maxOutput is how much of the output of an attempt is kept, in bytes.
const maxOutput = 16 << 10

func (t *tail) Write(part []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(part)
	t.text.Next(max(0, t.text.Len()-maxOutput))
	return len(part), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(t.text.String(), "?")
}

// read reports whether the command found a verification request in a state.
func (a attempt) read(state api.State) bool {
	return slices.ContainsFunc(a.callsOf("getVerificationRequest"), func(e *emulator.JournalEntry) bool {
		body := e.Response() // of which the journal may have the beginning only
		return body != nil && strings.Contains(body.Excerpt(maxOutput), `"state":"`+string(state)+`"`)
	})
}
