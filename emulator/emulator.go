// Package emulator is Understudy for Go programs: an [http.Handler] that serves the emulated API, and the control plane
// under /_understudy/.
package emulator

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console"
	"github.com/understudy-sandbox/understudy/emulator/internal/control"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/manual"
	"github.com/understudy-sandbox/understudy/emulator/internal/metrics"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
	"github.com/understudy-sandbox/understudy/emulator/internal/sender"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// Emulator is a running stand-in for the verification service. It is safe for concurrent use.
type Emulator struct {
	config    config
	worlds    *world.Worlds
	sender    *sender.Sender
	journal   *journal.Journal
	unmatched *journal.Journal // see [Emulator.Unmatched]
	surface   *surface.Surface
	limits    *limits.Limits
	control   http.Handler

	metrics  *metrics.Metrics
	failures prometheus.Counter // internal errors
	reloads  metrics.Reloads

	stopping context.Context // see [Emulator.Shutdown]
	stop     context.CancelFunc
	watcher  *scenarios.Watcher // of the scenario folders; nil when there is none
	sweeping sync.WaitGroup
}

// New returns an emulator. Without options it stores its worlds in a temporary store, has seed 1, the machine's clock,
// the key prefix svc, a journal of 1,000 requests a world, no rate limit and no log. Its error for invalid scenario
// files is a [scenarios.Problems].
func New(options ...Option) (*Emulator, error) {
	c := newConfig(options)
	if err := c.check(); err != nil {
		return nil, err
	}
	watcher := scenarios.NewWatcher(c.scenarios...)
	catalogue, err := watcher.Files().Load()
	if err != nil {
		return nil, err
	}
	worlds := world.Config{Seed: c.seed, Clock: c.clock, Limit: c.limit, TTL: c.ttl, Population: c.population, MaskKeys: c.maskKeys, Settings: c.settings, Targets: c.webhooks.targets()}
	if worlds.Webhooks, err = worlds.Targets.Subscriptions(c.webhooks.URLs); err != nil {
		return nil, err
	}
	if err := worlds.Targets.CheckFiles(catalogue, len(worlds.Webhooks)); err != nil {
		return nil, err
	}
	if c.store == nil {
		if c.store, err = store.Open("temp"); err != nil {
			return nil, err
		}
	}
	m := metrics.New(c.version, c.log)
	c.store = m.Store(c.store)
	e := &Emulator{
		config: c, metrics: m, reloads: m.Reloads(), limits: limits.New(),
		failures: m.Count("understudy_failures_total", "Internal errors, such as errors of the store; the log has the cause."),
	}
	e.stopping, e.stop = context.WithCancel(context.Background())
	e.unmatched = journal.New(journal.Config{Size: c.journal, Budget: e.limits.Scaled(unmatchedBytes)})
	journalConfig := journal.Config{Size: c.journal, Unmatched: e.unmatched, Budget: e.limits.Scaled(journal.DefaultBudget), Evicted: func(bytes int64) {
		c.log.Warn("all journals together take too much memory: the entries of the least recently used worlds are dropped; a smaller --journal-size gives each world its share",
			"bytes", bytes, "size", c.journal)
	}}
	if c.store.Shared() {
		journalConfig.Store, journalConfig.Prefix = c.store, registry.JournalPrefix
		journalConfig.Current, journalConfig.RecordKey = registry.Generation, registry.RecordKey
	}
	e.journal = journal.New(journalConfig)
	worlds.Store, worlds.Journal, worlds.Catalogue = c.store, e.journal, catalogue
	e.worlds = world.New(worlds)
	e.sender = sender.New(sender.Config{
		Worlds: e.worlds, Journal: e.journal, TokenHeader: cmp.Or(c.webhooks.TokenHeader, sender.TokenHeader), Transport: c.webhooks.Transport,
		Log: c.log, Failed: e.failures.Inc,
	})
	e.surface = surface.New(surface.Config{
		Worlds: e.worlds, Journal: e.journal, Unmatched: e.unmatched, Keys: surface.Keys{Prefix: c.keyPrefix}, Limits: e.limits, Strict: c.strict, Extended: c.extended, Log: c.log,
		Stopping: e.stopping, Observe: m.Requests(journal.NamesOf(surface.Operations(c.extended))...).Add, Failed: e.failures.Inc,
	})
	e.control = e.controlPlane(nil)
	e.showMetrics()
	logProblems(c.log, catalogue.Warnings())
	if len(c.scenarios) > 0 {
		e.watcher = watcher
		e.watcher.Start(e.reload)
	}
	if c.ttl > 0 {
		e.sweeping.Go(e.sweep)
	}
	return e, nil
}

// controlPlane returns the control plane and the console. apart is the address of the emulated API on another listener,
// nil on the same one.
func (e *Emulator) controlPlane(apart *console.API) http.Handler {
	c := control.Config{
		Worlds: e.worlds, Journal: e.journal, Unmatched: e.unmatched, Limits: e.limits, Version: e.config.version, KeyPrefix: e.config.keyPrefix, Extended: e.config.extended, Authority: e.config.authority,
		Guard:    control.Guard{Token: e.config.controlToken, Hosts: e.config.controlHosts},
		Stopping: e.stopping, Authenticate: e.surface.Keys.Authenticate, Resolve: e.surface.Resolve, Metrics: e.metrics,
		Fail: e.logControlFailure, Refused: e.logControlRefusal,
	}
	c.Docs = manual.New(e.config.version, console.Asset)
	c.Console = console.New(console.Config{Config: c, API: apart, Key: e.Key, Do: e.surface.Do, Send: e.surface.Send})
	return e.surface.Recover(control.New(c))
}

// ofControlPlane reports whether the control plane answers a request: GET / says where it is.
func ofControlPlane(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path+"/", control.Prefix) || r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead)
}

// ServeHTTP serves the emulated API and the control plane.
func (e *Emulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if ofControlPlane(r) {
		e.control.ServeHTTP(w, r)
		return
	}
	e.surface.ServeHTTP(w, r)
}

// Surface returns the handler of the emulated API alone, for a listener without the control plane.
func (e *Emulator) Surface() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ofControlPlane(r) {
			e.surface.Refuse(w, r, api.NewError(http.StatusNotFound, "the control plane is not served here: its address is that of --control-addr"))
			return
		}
		e.surface.ServeHTTP(w, r)
	})
}

// Control returns the handler of the control plane alone, for a listener of its own. Its console points clients to the
// emulated API on the address of another listener, which serves TLS where secure is set; nil is an unknown address. For an
// unspecified host, such as that of [::]:8080, it shows the host by which a browser reaches the console.
func (e *Emulator) Control(api net.Addr, secure bool) http.Handler {
	if api == nil {
		return e.controlPlane(&console.API{})
	}
	return e.controlPlane(&console.API{Addr: api.String(), TLS: secure})
}

// Key returns the sandbox key of a name: svc_sk_test_me for me, unless [WithKeyPrefix] says otherwise.
func (e *Emulator) Key(name string) string { return e.config.keyPrefix + "_sk_test_" + name }

// World returns the world of an API key such as svc_sk_test_me. It returns an error for a key that opens no world.
func (e *Emulator) World(key string) (*World, error) {
	_, err := e.surface.Keys.Authenticate([]string{"Bearer " + key})
	if failure := (*api.Error)(nil); errors.As(err, &failure) {
		return nil, errors.New("no world has this API key: " + failure.Diagnosis)
	}
	if err != nil {
		return nil, err
	}
	return e.worlds.ByKey(key), nil
}

// WorldByID returns the world with an id from [WorldStatus] or the header Understudy-World. It is not made by use: its
// methods return an [*api.Error] while there is no such world.
func (e *Emulator) WorldByID(id string) *World { return e.worlds.ByID(id) }

// Worlds goes through the worlds in the order of their ids. It ends with the first error.
func (e *Emulator) Worlds(ctx context.Context) iter.Seq2[WorldStatus, error] {
	return e.worlds.All(ctx)
}

// unmatchedBytes limits the journal of unmatched requests, in bytes.
const unmatchedBytes = 4 << 20

// Unmatched returns the requests that a filter selects, the latest first, of those that were refused before they reached a
// world: by their path, their method or their key. They have no bodies. Since is by the machine's clock.
func (e *Emulator) Unmatched(ctx context.Context, filter JournalFilter) ([]*JournalEntry, error) {
	return query.Select(ctx, e.unmatched, journal.Ref{}, filter)
}

// Diagnosed sums up what was diagnosed in all worlds and answered nevertheless, the most frequent first, with the meaning of
// [WithStrict] that rejects it, such as: 14 answers asked for no version: --strict=version.
func (e *Emulator) Diagnosed() []string { return e.surface.Diagnosed() }

// Resolve returns the answer that a request would get in a world now, and its reasons. Nothing changes, and nothing is
// recorded in the journal. With an Authorization header the request is answered as by the API, in the world of its key. Its
// URL needs no host:
// http.NewRequest("GET", "/verification-requests/vr_flaky", nil).
func (e *Emulator) Resolve(ctx context.Context, w *World, r *http.Request) (Resolution, error) {
	r = r.Clone(ctx)
	if r.Body == nil {
		r.Body = http.NoBody
	}
	return e.surface.Resolve(r, w)
}

// Scenarios returns the number of scenarios of all worlds.
func (e *Emulator) Scenarios() int { return len(e.worlds.Config().Catalogue.Names()) }

// Shutdown ends all delays and streams, so that a server that shuts down need not wait for them.
func (e *Emulator) Shutdown() {
	e.stop()
	e.sender.Shutdown()
}

// Close ends the background work and closes the store. No request may be under way.
func (e *Emulator) Close() error {
	e.stop()
	e.sender.Close()
	e.sweeping.Wait()
	if e.watcher != nil {
		e.watcher.Close()
	}
	return e.worlds.Close()
}

// sweepsPerTTL is the number of sweeps within the TTL of worlds.
const sweepsPerTTL = 10

// sweep deletes unused worlds until the emulator shuts down.
func (e *Emulator) sweep() {
	clock := e.worlds.Config().Clock
	for clock.Wait(e.stopping, e.config.ttl/sweepsPerTTL) == nil {
		deleted, err := e.worlds.Sweep(e.stopping)
		if len(deleted) > 0 {
			e.config.log.Info("unused worlds deleted", "worlds", len(deleted))
		}
		if err != nil && e.stopping.Err() == nil {
			e.failures.Inc()
			e.config.log.Error("unused worlds not deleted", "cause", err)
		}
	}
}

// logControlFailure logs an internal error. A client that left is not an error.
func (e *Emulator) logControlFailure(r *http.Request, cause error) {
	level := slog.LevelDebug
	if !errors.Is(cause, context.Canceled) {
		level = slog.LevelError
		e.failures.Inc()
	}
	e.config.log.Log(r.Context(), level, "failed", "path", api.Excerpt(r.URL.Path), "cause", cause)
}

// logControlRefusal logs a refused call.
func (e *Emulator) logControlRefusal(r *http.Request, cause error) {
	e.config.log.InfoContext(r.Context(), "refused", "method", api.Excerpt(r.Method), "path", api.Excerpt(r.URL.Path), "from", r.RemoteAddr, "cause", cause)
}

// reload makes requests use the changed scenario files. While one of them is invalid, they use the last valid ones.
func (e *Emulator) reload(files scenarios.Files) {
	catalogue, err := files.Load()
	if err == nil {
		worlds := e.worlds.Config()
		err = worlds.Targets.CheckFiles(catalogue, len(worlds.Webhooks))
	}
	e.reloads.Add(err == nil)
	if err != nil {
		var problems scenarios.Problems
		errors.As(err, &problems) // reading scenario files has no other errors
		e.worlds.Refuse(problems)
		logProblems(e.config.log, problems)
		e.config.log.Error("scenarios not reloaded: the last valid ones stay in use", "scenarios", e.Scenarios())
		return
	}
	e.worlds.SetCatalogue(catalogue)
	e.config.log.Info("scenarios reloaded", "scenarios", len(catalogue.Names()), "files", files.Len())
	logProblems(e.config.log, catalogue.Warnings())
}

// logProblems logs each problem, as a warning or an error.
func logProblems(log *slog.Logger, problems scenarios.Problems) {
	for _, p := range problems {
		level := slog.LevelError
		if p.Warning {
			level = slog.LevelWarn
		}
		log.Log(context.Background(), level, "scenario file", "at", p.At.String(), "problem", p.What, "line", p.Line)
	}
}

// showMetrics adds the metrics that are read from the worlds and the journal.
func (e *Emulator) showMetrics() {
	m := e.metrics
	m.Gauge("understudy_worlds", "Worlds in the store.", nil, e.countWorlds)
	m.Counter("understudy_worlds_created_total", "Worlds created by this process.", nil, e.worlds.Created)
	m.Counter("understudy_worlds_forgotten_total", "Worlds deleted by this process, on request or because they were unused.", nil, e.worlds.Deleted)
	m.Gauge("understudy_clock_skew_seconds", "How far worlds are ahead of this machine's clock, because another replica, or an earlier process, had a later one.",
		nil, func() float64 { return e.worlds.Skew().Seconds() })
	m.Gauge("understudy_scenarios", "Scenarios of all worlds.", nil, func() float64 { return float64(e.Scenarios()) })
	m.Gauge("understudy_journal_bytes", "Approximate memory of the journals of all worlds, in bytes.", nil, func() float64 { return float64(e.journal.Bytes()) })
	for result, attempts := range map[string]func() uint64{"taken": e.sender.Taken.Load, "failed": e.sender.Refused.Load} {
		m.Counter("understudy_webhook_attempts_total", "Attempts to deliver webhooks, by result.", prometheus.Labels{"result": result}, attempts)
	}
	for reason, dropped := range map[string]func() uint64{
		"size":   func() uint64 { overrun, _ := e.journal.Dropped(); return overrun },
		"memory": func() uint64 { _, evicted := e.journal.Dropped(); return evicted },
	} {
		m.Counter("understudy_journal_dropped_total", "Requests dropped from journals in memory, because the journal was full (size) or all journals were too large (memory).",
			prometheus.Labels{"reason": reason}, dropped)
	}
}

// countWorlds returns the number of worlds, NaN when the store does not answer in time for a scrape.
func (e *Emulator) countWorlds() float64 {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	worlds, err := e.worlds.Count(ctx)
	if err != nil {
		return math.NaN()
	}
	return float64(worlds)
}
