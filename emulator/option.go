package emulator

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/control"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// Option sets one thing about an emulator that is made by [New].
type Option func(*config)

type config struct {
	store     store.Store
	seed      uint64
	clock     world.Clock
	limit     Limit
	ttl       time.Duration
	keyPrefix string
	log       *slog.Logger
	version   string
	authority []byte
	scenarios []string
	journal   int
	strict    bool

	controlToken string
	controlHosts []string
}

// check returns an error when an option has a value that cannot be.
func (c config) check() error {
	return errors.Join(c.clock.Check(), c.limit.Check(), CheckKeyPrefix(c.keyPrefix), CheckJournalSize(c.journal),
		CheckControlToken(c.controlToken), world.CheckTTL(c.ttl))
}

// Clock is what worlds take their time from; see [WithClock].
type Clock = world.Clock

// Limit is how often a world serves requests; see [WithRateLimit].
type Limit = scenarios.Limit

// FrozenAt returns the clock of worlds that start frozen at an instant.
func FrozenAt(instant time.Time) Clock { return world.FrozenAt(instant) }

// ParseLimit reads a limit such as 10/s, 600/m or 5/10s.
func ParseLimit(text string) (Limit, error) { return scenarios.ParseLimit(text) }

// WithStore keeps the worlds in a store, which [Emulator.Close] closes; after an error of [New] it is still the
// caller's. Default: a temporary one.
func WithStore(s store.Store) Option { return func(c *config) { c.store = s } }

// WithSeed draws the synthetic data of new worlds from a seed. Default: 1.
func WithSeed(seed uint64) Option { return func(c *config) { c.seed = seed } }

// WithClock sets the clock of new worlds. Default: the machine's, running.
func WithClock(clock Clock) Option { return func(c *config) { c.clock = clock } }

// WithRateLimit limits the requests of each world. Default: no limit.
func WithRateLimit(limit Limit) Option { return func(c *config) { c.limit = limit } }

// WithWorldTTL forgets a world that was not used for a span of real time, at the latest a fifth of it later; 1s is the
// least. Default, and 0: never.
func WithWorldTTL(ttl time.Duration) Option { return func(c *config) { c.ttl = ttl } }

// WithKeyPrefix sets the first part of API keys: 1 to 32 letters, digits, _ and -. Default: svc.
func WithKeyPrefix(prefix string) Option { return func(c *config) { c.keyPrefix = prefix } }

// WithLogger sets where answers that need explaining, and failures of the emulator's own, are logged. Default, and nil:
// nowhere.
func WithLogger(log *slog.Logger) Option {
	return func(c *config) { c.log = cmp.Or(log, slog.New(slog.DiscardHandler)) }
}

// WithCertificateAuthority has the control plane hand out a certificate (PEM) that clients may trust. Default: none.
func WithCertificateAuthority(pem []byte) Option { return func(c *config) { c.authority = pem } }

// WithScenarios adds the scenario files of folders, and of the folders in them, to the built-in ones; a file of the same
// name replaces a built-in one. The folders are re-read when something changes in them: a change that is not right is
// logged, and all stays as it was. Default: none.
func WithScenarios(folders ...string) Option {
	return func(c *config) { c.scenarios = append(c.scenarios, folders...) }
}

// WithVersion sets the version that the control plane tells. Default: none.
func WithVersion(version string) Option { return func(c *config) { c.version = version } }

// WithStrict answers 400 to what is only diagnosed otherwise, as far as the spec requires it of every caller, and to a
// social security number that no scenario names. Default: not.
func WithStrict(strict bool) Option { return func(c *config) { c.strict = strict } }

// WithJournalSize sets how many requests are kept a world; 0 keeps none. Default: 1000.
func WithJournalSize(requests int) Option { return func(c *config) { c.journal = requests } }

// The control plane's paths begin with ControlPrefix. ControlTokenHeader carries the token of [WithControlToken].
const (
	ControlPrefix      = control.Prefix
	ControlTokenHeader = control.TokenHeader
)

// WithControlToken has the control plane serve only calls that carry a token of visible ASCII characters, but for its
// health, its documents and its certificate. Default, and "": no token.
func WithControlToken(token string) Option { return func(c *config) { c.controlToken = token } }

// WithControlHosts allows names by which the control plane may be reached on a loopback address, where it otherwise takes
// localhost and loopback addresses only, lest a web page reach it by a name that leads there. Default: none.
func WithControlHosts(names ...string) Option {
	return func(c *config) { c.controlHosts = append(c.controlHosts, names...) }
}

// CheckJournalSize returns an error for a number of requests that no journal keeps.
func CheckJournalSize(requests int) error {
	if requests < 0 || requests > 1_000_000 {
		return fmt.Errorf("the journal size %d is not a number from 0 (off) to 1000000", requests)
	}
	return nil
}

// CheckControlToken returns an error for a text that cannot be sent as a token. It does not repeat it.
func CheckControlToken(text string) error {
	invisible := func(c rune) bool { return c < '!' || c > '~' } // may not be in a header
	if strings.ContainsFunc(text, invisible) {
		return errors.New("the control token may have visible ASCII characters only, and no spaces")
	}
	return nil
}

// CheckKeyPrefix returns an error for a text that API keys cannot begin with.
func CheckKeyPrefix(text string) error { return surface.CheckKeyPrefix(text) }
