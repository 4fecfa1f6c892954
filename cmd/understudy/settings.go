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

// settings is what the flags of serve say.
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
	_, _, addrErr := splitAddr("addr", c.String("addr"))
	controlErr := checkControl(c)
	seed, seedErr := parseSeed(c.String("seed"))
	clock, clockErr := parseClock(c.String("clock"))
	limit, limitErr := parseLimit(c.String("rate-limit"))
	ttl, ttlErr := parseTTL(c.String("world-ttl"))
	prefix, prefixErr := parsePrefix(c.String("key-prefix"))
	log, logErr := newLog(c.Root().ErrWriter, c.String("log-format"), c.String("log-level"))
	requests, journalErr := parseJournalSize(c.String("journal-size"))
	secure, authority, tlsErr := readTLS(c)
	wrong := errors.Join(addrErr, controlErr, seedErr, clockErr, limitErr, ttlErr, prefixErr, journalErr, logErr, noArguments(c))
	if failed := (failure{}); wrong != nil && errors.As(tlsErr, &failed) {
		tlsErr = failed.Unwrap() // what comes of it is that the command was used wrongly
	}
	return settings{
		addr:        c.String("addr"),
		controlAddr: c.String("control-addr"),
		store:       c.String("store"),
		seed:        seed,
		clock:       clock,
		log:         log,
		tls:         secure,
		options: []emulator.Option{
			emulator.WithSeed(seed),
			emulator.WithClock(clock),
			emulator.WithRateLimit(limit),
			emulator.WithWorldTTL(ttl),
			emulator.WithKeyPrefix(prefix),
			emulator.WithJournalSize(requests),
			emulator.WithStrict(c.Bool("strict")),
			emulator.WithLogger(log),
			emulator.WithVersion(version()),
			emulator.WithCertificateAuthority(authority),
			emulator.WithScenarios(c.StringSlice("scenarios")...),
			emulator.WithControlToken(c.String("control-token")),
			emulator.WithControlHosts(c.StringSlice("control-host")...),
		},
	}, errors.Join(wrong, tlsErr)
}

// splitAddr reads the address that a flag has.
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
	instant, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return emulator.Clock{}, fmt.Errorf("--clock %q is neither real nor an RFC 3339 instant such as 2025-01-15T09:00:00Z", text)
	}
	clock, err := clockAt(instant)
	if err != nil {
		return clock, fmt.Errorf("--clock %q: %w", text, err)
	}
	return clock, nil
}

// clockAt returns the clock that stands at an instant.
func clockAt(instant time.Time) (emulator.Clock, error) {
	clock := emulator.FrozenAt(instant)
	if err := clock.Check(); err != nil || instant.IsZero() {
		return emulator.Clock{}, errors.New("choose a year from 1970 to 9990")
	}
	return clock, nil
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

func parsePrefix(text string) (string, error) {
	if err := emulator.CheckKeyPrefix(text); err != nil {
		return "", fmt.Errorf("--key-prefix: %w", err)
	}
	return text, nil
}

func parseJournalSize(text string) (int, error) {
	requests, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("--journal-size %q is not a whole number of requests; 0 keeps none", text)
	}
	if err := emulator.CheckJournalSize(requests); err != nil {
		return 0, fmt.Errorf("--journal-size: %w", err)
	}
	return requests, nil
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
