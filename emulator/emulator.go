// Package emulator is Understudy as a Go value: an [http.Handler] that answers as the verification service does, and the
// control plane beside it under /_understudy/.
package emulator

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/console"
	"github.com/understudy-sandbox/understudy/emulator/control"
	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios/watch"
	"github.com/understudy-sandbox/understudy/store"
)

// Emulator is a running stand-in for the verification service. It is safe for concurrent use.
type Emulator struct {
	worlds   *world.Worlds
	keys     keys
	journal  *journal.Journal
	strict   bool
	figures  figures
	log      *slog.Logger
	router   *httprouter.Router
	resolver *httprouter.Router // see [Emulator.resolve]
	config   config
	control  http.Handler
	hurried  context.Context // see [Emulator.Hurry]
	hurry    context.CancelFunc
	watcher  *watch.Watcher // of the scenario folders; nil when there is none
	sweeping sweeping
	evicted  sync.Once // see [Emulator.noticeEviction]
}

// New makes an emulator. Without options it keeps its worlds in a temporary store, draws from seed 1, runs with the
// machine's clock, takes keys that begin with svc, keeps the last 1,000 requests of each in its journal, limits nothing
// and logs nothing. An option with a value that cannot be is an error; when it is the scenario files that are wrong, a
// [scenarios.Problems] of all of them.
func New(options ...Option) (*Emulator, error) {
	c := config{seed: 1, keyPrefix: "svc", log: slog.New(slog.DiscardHandler), journal: journal.DefaultSize}
	for _, option := range options {
		option(&c)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	watcher := watch.New(c.scenarios...)
	catalogue, err := watcher.Files().Load()
	if err != nil {
		return nil, err
	}
	if c.store == nil {
		if c.store, err = store.Open("temp"); err != nil {
			return nil, err
		}
	}
	figures := newFigures(c)
	worlds := world.New(world.Config{
		Store: figures.metrics.Store(c.store), Catalogue: catalogue, Seed: c.seed, Clock: c.clock, Limit: c.limit, TTL: c.ttl,
		Journals: sharesJournals(c.store),
	})
	e := &Emulator{
		worlds: worlds, keys: keys{prefix: c.keyPrefix}, journal: newJournal(c, worlds), strict: c.strict, log: c.log,
		figures: figures,
	}
	e.hurried, e.hurry = context.WithCancel(context.Background())
	e.router, e.resolver, e.config = e.routes(e.handle), e.routes(e.handleDry), c
	e.control = e.recovering(e.steering(c, nil))
	e.showFigures()
	logCatalogue(e.log, catalogue)
	if len(c.scenarios) > 0 {
		e.watcher = watcher
		e.watcher.Start(e.reload)
	}
	e.startSweeping()
	return e, nil
}

// ServeHTTP answers one request, to the emulated API or to the control plane.
func (e *Emulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, control.Prefix) {
		e.control.ServeHTTP(w, r)
		return
	}
	e.serveSurface(w, r)
}

// Surface returns the handler of the emulated API alone, for a listener that is not to serve the control plane.
func (e *Emulator) Surface() http.Handler { return http.HandlerFunc(e.serveSurface) }

// Control returns the handler of the control plane alone, for a listener of its own. Its console does not know where the
// emulated API is: see [Emulator.ControlBeside].
func (e *Emulator) Control() http.Handler { return e.recovering(e.steering(e.config, &console.API{})) }

// ControlBeside returns the handler of the control plane alone, whose console points clients to the emulated API on the
// address of another listener. In the place of an address that is not specified, such as that of [::]:8080, stands the
// host by which a browser reaches the console.
func (e *Emulator) ControlBeside(api net.Addr, secure bool) http.Handler {
	return e.recovering(e.steering(e.config, &console.API{Addr: api.String(), TLS: secure}))
}

func (e *Emulator) serveSurface(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, control.Prefix):
		e.newCall(w, r, nil, nil).refuse(api.NewError(http.StatusNotFound, "the control plane is not served here: its address is that of --control-addr"))
	case r.URL.Path == "*":
		e.pathUnknown(w, r)
	default:
		e.router.ServeHTTP(w, withSentPath(r))
	}
}

// withSentPath has the router see the path as it was sent, so that an escaped slash stays part of an id.
func withSentPath(r *http.Request) *http.Request {
	if r.URL.RawPath == "" && !strings.Contains(r.URL.Path, "%") {
		return r // there is nothing to unescape
	}
	sent, url := *r, *r.URL
	url.Path, url.RawPath = r.URL.EscapedPath(), ""
	sent.URL = &url
	return &sent
}

// Scenarios returns how many scenarios are loaded.
func (e *Emulator) Scenarios() int { return e.worlds.Config().Catalogue.Len() }

// Check returns what is wrong with the store's own order, where it can tell: it is for the end of a test.
func (e *Emulator) Check(ctx context.Context) error {
	if checker, ok := store.As[store.Checker](e.worlds.Config().Store); ok {
		return checker.Check(ctx)
	}
	return nil
}

// Close ends the watching of scenario folders, writes what is gathered of the journal, and closes the store. No request may
// be under way.
func (e *Emulator) Close() error {
	e.sweeping.end()
	var err error
	if e.watcher != nil {
		err = e.watcher.Close()
	}
	return errors.Join(err, e.closeJournal(), e.worlds.Close())
}
