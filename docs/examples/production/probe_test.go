package production

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

// probe is a test that may fail: it stands for a *testing.T, and has a client and a world of its own.
type probe struct {
	name     string
	defaults bool // leaves the settings of the world as they are
	cleanups []func()
	failed   bool
	log      strings.Builder // its log and its failures

	ctx     context.Context
	server  *emulatortest.Server
	world   *emulatortest.World
	worldID string // worlds of one seed have the same tokens
	client  *client
	waited  []time.Duration
	sent    int
}

// stopped ends a probe.
type stopped struct{}

func (p *probe) Helper()          {}
func (p *probe) Name() string     { return p.name }
func (p *probe) Cleanup(f func()) { p.cleanups = append(p.cleanups, f) }
func (p *probe) Failed() bool     { return p.failed }

func (p *probe) Logf(format string, args ...any) { fmt.Fprintf(&p.log, format+"\n", args...) }

func (p *probe) Errorf(format string, args ...any) {
	p.failed = true
	p.Logf(format, args...)
}

func (p *probe) Fatalf(format string, args ...any) {
	p.Errorf(format, args...)
	panic(stopped{})
}

// run runs a test with a client of some habits, in a world of its own.
func (p *probe) run(h habits, test func(*probe)) {
	defer func() {
		for _, cleanup := range slices.Backward(p.cleanups) {
			cleanup()
		}
	}()
	defer func() {
		if cause := recover(); cause != nil && cause != any(stopped{}) {
			p.Errorf("panic: %v", cause)
		}
	}()
	p.world = p.server.World(p)
	p.client = &client{
		base: p.server.URL, key: p.server.Key(p), http: &http.Client{Transport: p},
		now: p.world.Now, wait: p.wait, person: p.consent,
		request: func(session string) string { return p.world.CredentialsSession(session).VerificationRequestID },
		habits:  h,
	}
	test(p)
}

// set gives the world a setting, written as in scenario files.
func (p *probe) set(setting string) {
	if !p.defaults {
		p.world.PutScenario("setting", "name: setting\ntitle: A setting of the world\nmagic: {api_key: \"*\"}\n"+setting)
	}
}

// impatient shortens the timeout of a call, if there is one.
func (p *probe) impatient() { p.client.timeout = min(p.client.timeout, 10*time.Millisecond) }

// consent uses the token of a session on the page for people.
func (p *probe) consent(token string) {
	page := p.server.URL + "/_understudy/flow?" + url.Values{"token": {token}, "world": {p.worldID}}.Encode()
	answer, err := http.PostForm(page, url.Values{"outcome": {"success"}})
	if err != nil {
		p.Fatalf("consent: %v", err)
	}
	answer.Body.Close()
}

// What no right client reaches in one test. It stops one that would go on for ever.
const (
	mostCalls = 200
	mostTime  = 7 * 24 * time.Hour
)

// wait lets time pass in the world.
func (p *probe) wait(d time.Duration) {
	if d <= 0 {
		return
	}
	p.waited = append(p.waited, d)
	p.world.Advance(d)
	if p.world.Now().Sub(emulatortest.Epoch) > mostTime {
		p.Fatalf("it waits without end")
	}
}

// RoundTrip sends a request of the client.
func (p *probe) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.sent++; p.sent > mostCalls {
		p.Fatalf("it sends calls without end")
	}
	answer, err := transport.RoundTrip(r)
	if err == nil {
		p.worldID = answer.Header.Get("Understudy-World")
	}
	return answer, err
}

// transport keeps enough connections for all bugs at once.
var transport = &http.Transport{MaxIdleConnsPerHost: 16}

func (p *probe) verify(number string) (int64, error) { return p.client.verify(p.ctx, number) }
func (p *probe) income(id string) (int64, error)     { return p.client.income(p.ctx, id) }

// completes fails the test unless the client has found an income.
func (p *probe) completes(_ int64, err error) {
	if err != nil {
		p.Errorf("no income: %v", err)
	}
}

// wants fails the test unless the client has found this income.
func (p *probe) wants(cents int64) func(int64, error) {
	return func(is int64, err error) {
		if p.completes(is, err); err == nil && is != cents {
			p.Errorf("the income is %d cents, not %d", is, cents)
		}
	}
}

// fails fails the test unless the client ends with this error.
func (p *probe) fails(with error) func(int64, error) {
	return func(is int64, err error) {
		if !errors.Is(err, with) {
			p.Errorf("it ends with %d cents and the error %v, not with %v", is, err, with)
		}
	}
}

// calls fails the test unless the client has called an operation exactly that often.
func (p *probe) calls(operation string, exactly int) {
	p.world.Verify(emulator.Expectation{Operation: operation, Times: emulator.Times{Exactly: &exactly}})
}
