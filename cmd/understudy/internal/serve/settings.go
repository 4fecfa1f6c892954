package serve

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Settings are the flags of serve, parsed.
type Settings struct {
	controlAddr string // "": the control plane shares addr
	store       string
	seed        uint64
	clock       emulator.Clock
	log         *slog.Logger
	tls         *tls.Config   // nil: no TLS
	Authority   []byte        // certificate (PEM) of --tls-auto; nil without
	origins     []string      // of the pages that may call the emulated API
	drain       *drain        // nil: the server stops at once
	grace       time.Duration // for the requests under way when the server stops

	options []emulator.Option // all but the store
}

// readSettings parses the flags of serve. Its error names every bad one.
func readSettings(c *cli.Command) (Settings, error) {
	s := Settings{controlAddr: c.String("control-addr"), store: c.String("store"), grace: c.Duration("shutdown-timeout")}
	_, _, addrErr := command.SplitAddr(c, "addr")
	var graceErr, controlErr, seedErr, clockErr, logErr error
	if s.grace < 0 {
		graceErr = fmt.Errorf("%s %s is below 0: give a time such as 8s", command.Given(c, "shutdown-timeout"), s.grace)
	}
	if s.controlAddr != "" {
		_, _, controlErr = command.SplitAddr(c, "control-addr")
	}
	s.seed, seedErr = command.ParseSeed(c)
	s.clock, clockErr = parseClock(c)
	s.log, logErr = newLog(c)
	limit, limitErr := parseLimit(c)
	ttl, ttlErr := parseTTL(c)
	requests, journalErr := parseJournalSize(c)
	population, populationErr := command.ParsePopulation(c)
	grease, flow := scenarios.Grease(c.String("grease")), scenarios.SessionFlow(c.String("session-flow"))
	greaseErr := command.Named(c, "grease", scenarios.Settings{Grease: grease}.Check())
	flowErr := command.Named(c, "session-flow", scenarios.Settings{SessionFlow: flow}.Check())
	account, accountErr := readAccount(c)
	hooks, hooksErr := readWebhooks(c)
	_, strictErr := api.ParseStrict(c.String("strict"))
	var originsErr, tlsErr error
	s.origins, originsErr = parseOrigins(c)
	s.tls, s.Authority, tlsErr = readTLS(c)
	s.options = []emulator.Option{
		emulator.WithSeed(s.seed),
		emulator.WithClock(s.clock),
		emulator.WithPopulation(population),
		emulator.WithRateLimit(limit),
		emulator.WithWorldTTL(ttl),
		emulator.WithKeyPrefix(c.String("key-prefix")),
		emulator.WithJournalSize(requests),
		emulator.WithGrease(grease),
		emulator.WithSessionFlow(flow),
		emulator.WithAccount(account),
		emulator.WithWebhooks(hooks),
		emulator.WithStrict(c.String("strict")),
		emulator.WithLogger(s.log),
		emulator.WithVersion(c.Root().Version),
		emulator.WithCertificateAuthority(s.Authority),
		emulator.WithScenarios(c.StringSlice("scenarios")...),
		emulator.WithControlToken(c.String("control-token")),
		emulator.WithControlHosts(c.StringSlice("control-host")...),
	}
	if c.Bool("extended") {
		s.options = append(s.options, emulator.WithExtended())
	}
	if c.Bool("mask-keys") {
		s.options = append(s.options, emulator.WithMaskedKeys())
	}
	err := errors.Join(addrErr, controlErr, graceErr, checkToken(c), checkHosts(c, "control-host", "understudy.test"), seedErr, clockErr, populationErr, limitErr, ttlErr,
		command.Named(c, "key-prefix", emulator.Check(emulator.WithKeyPrefix(c.String("key-prefix")))), journalErr, logErr, greaseErr, flowErr, accountErr, hooksErr, originsErr, command.Named(c, "strict", strictErr))
	if err != nil {
		tlsErr = command.Blamed(tlsErr) // a bad flag decides the exit code
	}
	return s, errors.Join(err, tlsErr)
}

// readWebhooks reads the flags of webhooks.
func readWebhooks(c *cli.Command) (emulator.Webhooks, error) {
	w := emulator.Webhooks{
		URLs: c.StringSlice("webhook"), TokenHeader: c.String("webhook-token-header"), Hosts: c.StringSlice("webhook-host"), Off: c.Bool("no-webhooks"),
	}
	if w.Off && len(w.URLs) > 0 {
		return w, fmt.Errorf("%s sends none: leave it out, or %s", command.Given(c, "no-webhooks"), command.Given(c, "webhook"))
	}
	return w, cmp.Or(
		checkHosts(c, "webhook-host", "hooks.test"),
		command.Named(c, "webhook-token-header", emulator.Check(emulator.WithWebhooks(emulator.Webhooks{TokenHeader: w.TokenHeader}))),
		command.Named(c, "webhook", emulator.Check(emulator.WithWebhooks(w))),
	)
}

// readAccount reads --account, a file or a text in braces; nil without one.
func readAccount(c *cli.Command) (*scenarios.Account, error) {
	file := c.String("account")
	if file == "" {
		return nil, nil
	}
	text := []byte(file)
	if strings.HasPrefix(file, "{") {
		file = "account"
	} else if read, err := os.ReadFile(file); err != nil {
		return nil, command.Misused(c, "account", "cannot be read: %w: name a file, or write the account as {types: [employment]}", err)
	} else {
		text = read
	}
	account := new(scenarios.Account)
	if problems := scenarios.Decode(file, text, account); problems.Errors() > 0 {
		return nil, command.Named(c, "account", problems)
	}
	return account, nil
}

func checkToken(c *cli.Command) error {
	token := c.String("control-token")
	if c.IsSet("control-token") && token == "" {
		return errors.New("--control-token is empty: leave it out, or give one")
	}
	return command.Named(c, "control-token", emulator.Check(emulator.WithControlToken(token)))
}

// checkHosts returns an error for a value of a flag that is neither a host name nor an address.
func checkHosts(c *cli.Command, flag, example string) error {
	for _, name := range c.StringSlice(flag) {
		if !isHost(name) {
			return fmt.Errorf("%s %q is not a host name or address, such as %s: leave scheme and port away", command.Given(c, flag), name, example)
		}
	}
	return nil
}

func hostName() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$`)
}

func isHost(text string) bool { return net.ParseIP(text) != nil || hostName().MatchString(text) }

func parseClock(c *cli.Command) (emulator.Clock, error) {
	if c.String("clock") == "real" {
		return emulator.Clock{}, nil
	}
	at, err := command.ParseInstant(c, "clock", "neither real nor")
	return emulator.FrozenAt(at), err
}

func parseLimit(c *cli.Command) (emulator.Limit, error) {
	text := c.String("rate-limit")
	if text == "off" {
		return emulator.Limit{}, nil
	}
	limit, err := emulator.ParseLimit(text)
	if err != nil {
		return limit, fmt.Errorf("%s %w, or off", command.Given(c, "rate-limit"), err)
	}
	return limit, nil
}

func parseTTL(c *cli.Command) (time.Duration, error) {
	text := c.String("world-ttl")
	if text == "off" {
		return 0, nil
	}
	ttl, err := scenarios.ParseSpan(text)
	if err != nil || ttl < time.Second {
		return 0, command.Misused(c, "world-ttl", "is neither off nor a duration of 1s or more, such as 90m or 2d")
	}
	return ttl, nil
}

func parseJournalSize(c *cli.Command) (int, error) {
	requests, err := strconv.Atoi(c.String("journal-size"))
	if err != nil {
		return 0, command.Misused(c, "journal-size", "is not a whole number of requests; 0 turns the journal off")
	}
	return requests, command.Named(c, "journal-size", emulator.Check(emulator.WithJournalSize(requests)))
}

func newLog(c *cli.Command) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.String("log-level"))); err != nil {
		return nil, command.Misused(c, "log-level", "is not one of debug, info, warn, error")
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration {
			a.Value = slog.StringValue(a.Value.Duration().String()) // with its unit, in JSON too
		}
		return a
	}}
	var to io.Writer = c.Root().ErrWriter
	switch c.String("log-format") {
	case "text":
		return slog.New(slog.NewTextHandler(to, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(to, options)), nil
	}
	return nil, command.Misused(c, "log-format", "is neither text nor json")
}

// readTLS returns the TLS configuration, nil without TLS, and for --tls-auto the certificate (PEM) of the authority. Its
// error is a failure when the flags are right and the files are not.
func readTLS(c *cli.Command) (config *tls.Config, authorityPEM []byte, err error) {
	cert, key, auto := c.String("tls-cert"), c.String("tls-key"), c.Bool("tls-auto")
	certName, keyName := command.Given(c, "tls-cert"), command.Given(c, "tls-key")
	switch {
	case !command.ServesTLS(c):
		return nil, nil, nil
	case auto && cert+key != "":
		return nil, nil, fmt.Errorf("%s makes its own certificates: leave it out, or %s and %s", command.Given(c, "tls-auto"), certName, keyName)
	case auto:
		if config, authorityPEM, err = tlsAuto(time.Now(), hostsOf(c)); err != nil {
			err = command.Failed(err)
		}
		return config, authorityPEM, err
	case key == "":
		return nil, nil, fmt.Errorf("%s is given without %s: give both, or neither", certName, keyName)
	case cert == "":
		return nil, nil, fmt.Errorf("%s is given without %s: give both, or neither", keyName, certName)
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, nil, command.Failed(fmt.Errorf("%s %s and %s %s cannot be used: %w: name a certificate and its key in PEM", certName, cert, keyName, key, err))
	}
	config = newTLS()
	config.Certificates = []tls.Certificate{pair}
	return config, nil, nil
}

// hostsOf returns the host names and addresses that the flags have.
func hostsOf(c *cli.Command) []string {
	hosts := slices.Clone(c.StringSlice("control-host"))
	for _, flag := range []string{"addr", "control-addr"} {
		host, _, _ := net.SplitHostPort(c.String(flag))
		hosts = append(hosts, host)
	}
	return slices.DeleteFunc(hosts, func(host string) bool { return !isHost(host) })
}
