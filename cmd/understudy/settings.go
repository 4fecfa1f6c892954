package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator"
)

type settings struct {
	addr        string
	controlAddr string // "": that of addr
	store       string
	seed        uint64
	clock       emulator.Clock
	log         *slog.Logger
	tls         *tls.Config // nil: none

	options []emulator.Option // all but the store
}

// readSettings reads the flags, and reports all that are wrong.
func readSettings(c *cli.Command) (settings, error) {
	s := settings{addr: c.String("addr"), controlAddr: c.String("control-addr"), store: c.String("store")}
	_, _, addrErr := splitAddr("addr", s.addr)
	var controlErr, seedErr, clockErr, logErr error
	if s.controlAddr != "" {
		_, _, controlErr = splitAddr("control-addr", s.controlAddr)
	}
	s.seed, seedErr = parseSeed(c.String("seed"))
	s.clock, clockErr = parseClock(c.String("clock"))
	s.log, logErr = newLog(c.Root().ErrWriter, c.String("log-format"), c.String("log-level"))
	limit, limitErr := parseLimit(c.String("rate-limit"))
	ttl, ttlErr := parseTTL(c.String("world-ttl"))
	requests, journalErr := parseJournalSize(c.String("journal-size"))
	secure, authority, tlsErr := readTLS(c)
	s.tls = secure
	s.options = []emulator.Option{
		emulator.WithSeed(s.seed),
		emulator.WithClock(s.clock),
		emulator.WithRateLimit(limit),
		emulator.WithWorldTTL(ttl),
		emulator.WithKeyPrefix(c.String("key-prefix")),
		emulator.WithJournalSize(requests),
		emulator.WithStrict(c.Bool("strict")),
		emulator.WithLogger(s.log),
		emulator.WithVersion(version()),
		emulator.WithCertificateAuthority(authority),
		emulator.WithScenarios(c.StringSlice("scenarios")...),
		emulator.WithControlToken(c.String("control-token")),
		emulator.WithControlHosts(c.StringSlice("control-host")...),
	}
	err := errors.Join(addrErr, controlErr, checkToken(c), seedErr, clockErr, limitErr, ttlErr,
		named("--key-prefix", emulator.CheckKeyPrefix(c.String("key-prefix"))), journalErr, logErr)
	if failed := (failure{}); err != nil && errors.As(tlsErr, &failed) {
		tlsErr = failed.error // the exit code is that of the flags
	}
	return s, errors.Join(err, tlsErr)
}

func named(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}

func checkToken(c *cli.Command) error {
	token := c.String("control-token")
	if c.IsSet("control-token") && token == "" {
		return errors.New("--control-token, or UNDERSTUDY_CONTROL_TOKEN, is empty: leave it out, or give one")
	}
	return named("--control-token", emulator.CheckControlToken(token))
}

func splitAddr(flag, text string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(text)
	if _, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil {
		return "", "", fmt.Errorf("--%s %q is not HOST:PORT, such as %s or :8080", flag, text, defaultAddr)
	}
	return host, port, nil
}

func parseSeed(text string) (uint64, error) {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("--seed %q is not a whole number from 0 to %d", text, uint64(1<<64-1))
	}
	return seed, nil
}

func parseClock(text string) (emulator.Clock, error) {
	if text == "real" {
		return emulator.Clock{}, nil
	}
	at, err := parseInstant("clock", text, "neither real nor")
	return emulator.FrozenAt(at), err
}

// parseInstant parses the instant of a world's clock that a flag has. An error says that it is not one, or neither.
func parseInstant(flag, text, isNot string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fmt.Errorf("--%s %q is %s an RFC 3339 instant such as %s", flag, text, isNot, generatedAt)
	}
	if emulator.FrozenAt(at).Check() != nil || at.IsZero() {
		return at, fmt.Errorf("--%s %q: choose a year from 1970 to 9990", flag, text)
	}
	return at.UTC(), nil
}

func parseLimit(text string) (emulator.Limit, error) {
	if text == "off" {
		return emulator.Limit{}, nil
	}
	limit, err := emulator.ParseLimit(text)
	if err != nil {
		return limit, fmt.Errorf("--rate-limit %w, or off", err)
	}
	return limit, nil
}

func parseTTL(text string) (time.Duration, error) {
	if text == "off" {
		return 0, nil
	}
	ttl, err := time.ParseDuration(text)
	if err != nil || ttl < time.Second {
		return 0, fmt.Errorf("--world-ttl %q is neither off nor a span of 1s or more, such as 90m or 48h", text)
	}
	return ttl, nil
}

func parseJournalSize(text string) (int, error) {
	requests, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("--journal-size %q is not a whole number of requests; 0 keeps none", text)
	}
	return requests, named("--journal-size", emulator.CheckJournalSize(requests))
}

func newLog(to io.Writer, format, level string) (*slog.Logger, error) {
	var from slog.Level
	if err := from.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("--log-level %q is not one of debug, info, warn, error", level)
	}
	options := &slog.HandlerOptions{Level: from, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration {
			a.Value = slog.StringValue(a.Value.Duration().String()) // with its unit, in JSON too
		}
		return a
	}}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(to, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(to, options)), nil
	}
	return nil, fmt.Errorf("--log-format %q is neither text nor json", format)
}

func servesTLS(c *cli.Command) bool {
	return c.String("tls-cert") != "" || c.String("tls-key") != "" || c.Bool("tls-auto")
}

// readTLS returns how to serve TLS, nil for not at all, and the certificate (PEM) of an authority that was made for it. Its
// error is a failure when the flags are right, and the files are not.
func readTLS(c *cli.Command) (config *tls.Config, authorityPEM []byte, err error) {
	cert, key, auto := c.String("tls-cert"), c.String("tls-key"), c.Bool("tls-auto")
	switch {
	case !servesTLS(c):
		return nil, nil, nil
	case auto && cert+key != "":
		return nil, nil, errors.New("--tls-auto makes its own certificates: leave it out, or --tls-cert and --tls-key")
	case auto:
		if config, authorityPEM, err = tlsAuto(time.Now()); err != nil {
			err = failure{err}
		}
		return config, authorityPEM, err
	case cert == "" || key == "":
		return nil, nil, errors.New("--tls-cert and --tls-key need each other")
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, nil, failure{fmt.Errorf("--tls-cert %s with --tls-key %s: %w", cert, key, err)}
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}, nil, nil
}
