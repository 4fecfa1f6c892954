package main

import (
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

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// settings are the flags of serve, parsed.
type settings struct {
	addr        string
	controlAddr string // "": the control plane shares addr
	store       string
	seed        uint64
	clock       emulator.Clock
	log         *slog.Logger
	tls         *tls.Config   // nil: no TLS
	authority   []byte        // certificate (PEM) of --tls-auto; nil without
	drain       *drain        // nil: the server stops at once
	grace       time.Duration // for the requests under way when the server stops

	options []emulator.Option // all but the store
}

// readSettings parses the flags of serve. Its error names every bad one.
func readSettings(c *cli.Command) (settings, error) {
	s := settings{addr: c.String("addr"), controlAddr: c.String("control-addr"), store: c.String("store"), grace: c.Duration("shutdown-timeout")}
	_, _, addrErr := splitAddr(c, "addr")
	var graceErr, controlErr, seedErr, clockErr, logErr error
	if s.grace < 0 {
		graceErr = fmt.Errorf("%s %s is below 0: give a time such as 8s", given(c, "shutdown-timeout"), s.grace)
	}
	if s.controlAddr != "" {
		_, _, controlErr = splitAddr(c, "control-addr")
	}
	s.seed, seedErr = parseSeed(c)
	s.clock, clockErr = parseClock(c)
	s.log, logErr = newLog(c)
	limit, limitErr := parseLimit(c)
	ttl, ttlErr := parseTTL(c)
	requests, journalErr := parseJournalSize(c)
	population, populationErr := c.String("population"), error(nil)
	if population != "plain" && population != "mix" {
		populationErr = misused(c, "population", "is neither plain nor mix")
	}
	grease, greaseErr := parseWord[scenarios.Grease](c, "grease")
	flow, flowErr := parseWord[scenarios.SessionFlow](c, "session-flow")
	account, accountErr := readAccount(c)
	_, strictErr := api.ParseStrict(c.String("strict"))
	var tlsErr error
	s.tls, s.authority, tlsErr = readTLS(c)
	s.options = []emulator.Option{
		emulator.WithSeed(s.seed),
		emulator.WithClock(s.clock),
		emulator.WithMix(population == "mix"),
		emulator.WithRateLimit(limit),
		emulator.WithWorldTTL(ttl),
		emulator.WithKeyPrefix(c.String("key-prefix")),
		emulator.WithJournalSize(requests),
		emulator.WithGrease(grease),
		emulator.WithSessionFlow(flow),
		emulator.WithAccount(account),
		emulator.WithStrict(c.String("strict")),
		emulator.WithLogger(s.log),
		emulator.WithVersion(thisBuild().Version),
		emulator.WithCertificateAuthority(s.authority),
		emulator.WithScenarios(c.StringSlice("scenarios")...),
		emulator.WithControlToken(c.String("control-token")),
		emulator.WithControlHosts(c.StringSlice("control-host")...),
	}
	err := errors.Join(addrErr, controlErr, graceErr, checkToken(c), checkHosts(c), seedErr, clockErr, populationErr, limitErr, ttlErr,
		named(c, "key-prefix", emulator.CheckKeyPrefix(c.String("key-prefix"))), journalErr, logErr, greaseErr, flowErr, accountErr, named(c, "strict", strictErr))
	if failed := (failure{}); err != nil && errors.As(tlsErr, &failed) {
		tlsErr = failed.error // a bad flag decides the exit code
	}
	return s, errors.Join(err, tlsErr)
}

// parseWord parses a flag that is a word of an enumeration.
func parseWord[E interface {
	~string
	Values() []E
}](c *cli.Command, flag string) (E, error) {
	value := E(c.String(flag))
	if words := value.Values(); !slices.Contains(words, value) {
		var all []string
		for _, w := range words {
			all = append(all, string(w))
		}
		return value, misused(c, flag, "is not one of %s", strings.Join(all, ", "))
	}
	return value, nil
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
		return nil, named(c, "account", err)
	} else {
		text = read
	}
	account := new(scenarios.Account)
	if problems := scenarios.Decode(file, text, account); problems.Errors() > 0 {
		return nil, named(c, "account", problems)
	}
	return account, nil
}

func checkToken(c *cli.Command) error {
	token := c.String("control-token")
	if c.IsSet("control-token") && token == "" {
		return errors.New("--control-token is empty: leave it out, or give one")
	}
	return named(c, "control-token", emulator.CheckControlToken(token))
}

func checkHosts(c *cli.Command) error {
	for _, name := range c.StringSlice("control-host") {
		if !isHost(name) {
			return fmt.Errorf("%s %q is not a host name or address, such as understudy.test: leave scheme and port away", given(c, "control-host"), name)
		}
	}
	return nil
}

func hostName() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$`)
}

func isHost(text string) bool { return net.ParseIP(text) != nil || hostName().MatchString(text) }

func splitAddr(c *cli.Command, flag string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(c.String(flag))
	if _, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil {
		return "", "", misused(c, flag, "is not HOST:PORT, such as %s or :8080", defaultAddr)
	}
	return host, port, nil
}

func parseSeed(c *cli.Command) (uint64, error) {
	seed, err := strconv.ParseUint(c.String("seed"), 10, 64)
	if err != nil {
		return 0, misused(c, "seed", "is not a whole number from 0 to %d", uint64(1<<64-1))
	}
	return seed, nil
}

func parseClock(c *cli.Command) (emulator.Clock, error) {
	if c.String("clock") == "real" {
		return emulator.Clock{}, nil
	}
	at, err := parseInstant(c, "clock", "neither real nor")
	return emulator.FrozenAt(at), err
}

// parseInstant parses a flag that is the instant of a world's clock. Its error says that the value "is not" one, or is
// "neither" something else nor one.
func parseInstant(c *cli.Command, flag, isNot string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, c.String(flag))
	if err != nil {
		return at, misused(c, flag, "is %s an RFC 3339 instant such as %s", isNot, generatedAt)
	}
	if emulator.FrozenAt(at).Check() != nil || at.IsZero() {
		return at, misused(c, flag, "is out of range: choose a year from 1970 to 9990")
	}
	return at.UTC(), nil
}

func parseLimit(c *cli.Command) (emulator.Limit, error) {
	text := c.String("rate-limit")
	if text == "off" {
		return emulator.Limit{}, nil
	}
	limit, err := emulator.ParseLimit(text)
	if err != nil {
		return limit, fmt.Errorf("%s %w, or off", given(c, "rate-limit"), err)
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
		return 0, misused(c, "world-ttl", "is neither off nor a duration of 1s or more, such as 90m or 2d")
	}
	return ttl, nil
}

func parseJournalSize(c *cli.Command) (int, error) {
	requests, err := strconv.Atoi(c.String("journal-size"))
	if err != nil {
		return 0, misused(c, "journal-size", "is not a whole number of requests; 0 turns the journal off")
	}
	return requests, named(c, "journal-size", emulator.CheckJournalSize(requests))
}

func newLog(c *cli.Command) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.String("log-level"))); err != nil {
		return nil, misused(c, "log-level", "is not one of debug, info, warn, error")
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
	return nil, misused(c, "log-format", "is neither text nor json")
}

func servesTLS(c *cli.Command) bool {
	return c.String("tls-cert") != "" || c.String("tls-key") != "" || c.Bool("tls-auto")
}

// readTLS returns the TLS configuration, nil without TLS, and for --tls-auto the certificate (PEM) of the authority. Its
// error is a failure when the flags are right and the files are not.
func readTLS(c *cli.Command) (config *tls.Config, authorityPEM []byte, err error) {
	cert, key, auto := c.String("tls-cert"), c.String("tls-key"), c.Bool("tls-auto")
	certName, keyName := given(c, "tls-cert"), given(c, "tls-key")
	switch {
	case !servesTLS(c):
		return nil, nil, nil
	case auto && cert+key != "":
		return nil, nil, fmt.Errorf("%s makes its own certificates: leave it out, or %s and %s", given(c, "tls-auto"), certName, keyName)
	case auto:
		if config, authorityPEM, err = tlsAuto(time.Now(), hostsOf(c)); err != nil {
			err = failure{err}
		}
		return config, authorityPEM, err
	case key == "":
		return nil, nil, fmt.Errorf("%s is given without %s: give both, or neither", certName, keyName)
	case cert == "":
		return nil, nil, fmt.Errorf("%s is given without %s: give both, or neither", keyName, certName)
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, nil, failure{fmt.Errorf("%s %s and %s %s cannot be used: %w", certName, cert, keyName, key, err)}
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
