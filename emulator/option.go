package emulator

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
	"github.com/understudy-sandbox/understudy/emulator/internal/control"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// Option configures an emulator: see [New].
type Option func(*config)

type config struct {
	store     store.Store
	seed      uint64
	clock     clock.Clock
	limit     Limit
	ttl       time.Duration
	keyPrefix string
	log       *slog.Logger
	version   string
	authority []byte
	scenarios []string
	journal   int
	strict    []string
	strictErr error
	maskKeys  bool
	extended  bool
	settings  scenarios.Settings
	webhooks  Webhooks

	population   *fixtures.Population
	controlToken string
	controlHosts []string
}

func newConfig(options []Option) config {
	c := config{seed: 1, keyPrefix: "svc", log: slog.New(slog.DiscardHandler), journal: journal.DefaultSize}
	for _, option := range options {
		option(&c)
	}
	return c
}

// Check returns the error of [New] for the invalid values of options.
func Check(options ...Option) error { return newConfig(options).check() }

// check returns an error for the invalid values of options.
func (c config) check() error {
	return errors.Join(c.clock.Check(), c.limit.Check(), surface.CheckKeyPrefix(c.keyPrefix), checkJournalSize(c.journal),
		checkControlToken(c.controlToken), world.CheckTTL(c.ttl), c.strictErr, c.settings.Check(), c.webhooks.check())
}

// Clock is the clock of new worlds; see [WithClock].
type Clock = clock.Clock

// Limit is a rate limit of requests; see [WithRateLimit].
type Limit = scenarios.Limit

// FrozenAt returns the clock of worlds that start frozen at an instant.
func FrozenAt(instant time.Time) Clock { return clock.FrozenAt(instant) }

// ParseLimit reads a limit such as 10/s, 600/m or 5/10s.
func ParseLimit(text string) (Limit, error) { return scenarios.ParseLimit(text) }

// WithStore sets the store of the worlds. [Emulator.Close] closes it; after an error of [New] the caller does. Default: a
// temporary one.
func WithStore(s store.Store) Option { return func(c *config) { c.store = s } }

// WithSeed sets the seed of the synthetic data of new worlds. Default: 1.
func WithSeed(seed uint64) Option { return func(c *config) { c.seed = seed } }

// WithClock sets the clock of new worlds. Default: the machine's, running.
func WithClock(clock Clock) Option { return func(c *config) { c.clock = clock } }

// WithRateLimit limits the requests of each world. Default: no limit.
func WithRateLimit(limit Limit) Option { return func(c *config) { c.limit = limit } }

// WithWorldTTL deletes worlds that were idle for 1s or more of real time, up to 20 % late.
// Default, and 0: never.
func WithWorldTTL(ttl time.Duration) Option { return func(c *config) { c.ttl = ttl } }

// WithKeyPrefix sets the first part of API keys: 1 to 32 letters, digits, _ and -. Default: svc.
func WithKeyPrefix(prefix string) Option { return func(c *config) { c.keyPrefix = prefix } }

// WithLogger sets the log of diagnosed answers and internal errors. Default, and nil: none.
func WithLogger(log *slog.Logger) Option {
	return func(c *config) { c.log = cmp.Or(log, slog.New(slog.DiscardHandler)) }
}

// WithCertificateAuthority sets a certificate (PEM) that the control plane serves for clients to trust. Default: none.
func WithCertificateAuthority(pem []byte) Option { return func(c *config) { c.authority = pem } }

// WithScenarios adds the scenario files of folders and their subfolders to the built-in ones; a file with the same name
// replaces a built-in one. Changes in the folders take effect at once; invalid ones are logged and have no effect.
// Default: none.
func WithScenarios(folders ...string) Option {
	return func(c *config) { c.scenarios = append(c.scenarios, folders...) }
}

// WithVersion sets the version that the control plane shows. Default: none.
func WithVersion(version string) Option { return func(c *config) { c.version = version } }

// WithStrict answers 400 to what is otherwise only diagnosed, by its meanings: spec (what the specification requires of every caller),
// version, ssn, age, reseller, or all, or off. Default, and without a meaning: off.
func WithStrict(meanings ...string) Option {
	return func(c *config) { c.strict, c.strictErr = api.ParseStrict(strings.Join(meanings, ",")) }
}

// WithExtended also serves operations that the specification does not show: create a verification request, list, report, reverify
// and companies, and each operation in every version. Default: not.
func WithExtended() Option { return func(c *config) { c.extended = true } }

// WithPopulation draws the people of social security numbers that no scenario names from a population: see
// [scenarios.LoadPopulation]. Default: nil, and all of them have a full-time salary.
func WithPopulation(p *fixtures.Population) Option {
	return func(c *config) { c.population = p }
}

// WithMaskedKeys names no world after its key. Default: a world has the name that follows _test_ in its key, where that reads as one.
func WithMaskedKeys() Option { return func(c *config) { c.maskKeys = true } }

// WithGrease changes what no client may rely on in the answers of new and present worlds, unless a world has settings of its
// own. Default: off.
func WithGrease(grease scenarios.Grease) Option {
	return func(c *config) { c.settings.Grease = grease }
}

// WithSessionFlow sets who uses the token of a credentials session, unless a world has settings of its own. Default: auto, the
// emulator at once.
func WithSessionFlow(flow scenarios.SessionFlow) Option {
	return func(c *config) { c.settings.SessionFlow = flow }
}

// WithAccount sets what the client's account may do, unless a world has settings of its own. Default, and nil: everything.
func WithAccount(account *scenarios.Account) Option {
	return func(c *config) { c.settings.Account = account }
}

// Webhooks says which webhooks worlds have from their beginning, and where webhooks may be sent: see [WithWebhooks].
type Webhooks struct {
	URLs        []string // each world is subscribed to all events at these, also after a reset
	TokenHeader string   // of deliveries; "": X-Webhook-Token
	Hosts       []string // names and addresses that are allowed beside loopback, private addresses and names without a dot
	Off         bool     // nothing is sent

	// Transport carries deliveries, such as to receivers of the same process that listen on no port. Default, and nil: the network,
	// where each address is checked again when it is dialled.
	Transport http.RoundTripper
}

// check returns an error for a URL to which no webhook may be sent, and for an invalid header.
func (w Webhooks) check() error {
	if strings.Trim(w.TokenHeader, headerLetters) != "" {
		return fmt.Errorf("the header %q of webhooks is not a name of letters, digits and -, such as X-Webhook-Token", w.TokenHeader)
	}
	_, err := w.targets().Subscriptions(w.URLs)
	return err
}

const headerLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"

func (w Webhooks) targets() delivery.Targets { return delivery.Targets{Off: w.Off, Hosts: w.Hosts} }

// WithWebhooks sets the webhooks of new worlds, and where webhooks may be sent. Default: none of new worlds.
func WithWebhooks(w Webhooks) Option { return func(c *config) { c.webhooks = w } }

// WithJournalSize sets how many requests the journal of each world has; 0 turns it off. Default: 1000.
func WithJournalSize(requests int) Option { return func(c *config) { c.journal = requests } }

// The control plane's paths begin with ControlPrefix. ControlTokenHeader carries the token of [WithControlToken].
const (
	ControlPrefix      = control.Prefix
	ControlTokenHeader = control.TokenHeader
)

// WithControlToken sets a token of visible ASCII characters that calls of the control plane need, except for its
// health, its documents and its certificate. Default, and "": none.
func WithControlToken(token string) Option { return func(c *config) { c.controlToken = token } }

// WithControlHosts allows host names by which the control plane is reached, beside addresses and names without a dot. Other
// names are refused: a web page may have a name that resolves to the emulator's address. With [WithControlToken] all names
// are allowed, because no web page has the token. Default: none.
func WithControlHosts(names ...string) Option {
	return func(c *config) { c.controlHosts = append(c.controlHosts, names...) }
}

func checkJournalSize(requests int) error {
	if requests < 0 || requests > 1_000_000 {
		return fmt.Errorf("the journal size %d is not a number from 0 (off) to 1000000", requests)
	}
	return nil
}

// checkControlToken returns an error for an invalid token. The message does not contain it.
func checkControlToken(text string) error {
	invisible := func(c rune) bool { return c < '!' || c > '~' } // not allowed in a header
	if strings.ContainsFunc(text, invisible) {
		return errors.New("the control token may have visible ASCII characters only, and no spaces")
	}
	return nil
}
