package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd"
)

const defaultAddr = "127.0.0.1:8080"

func serveCommand() *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Usage: "serve the emulated API",
		Description: `Examples:

   understudy serve                                          worlds in a temporary store, the machine's clock
   understudy serve --addr :9090 --store file:understudy.db  another port; every acknowledged write is on disk
   understudy serve --clock 2025-01-15T09:00:00Z --seed 7    the same answers, to the byte, in every run
   understudy serve --scenarios ./scenarios                  magic values of your own; a saved file counts at once
   understudy serve --rate-limit 10/s                        a client that is too fast meets 429
   understudy serve --tls-auto                               https, for a client that insists on it
   understudy serve --addr :8080 --control-addr 127.0.0.1:8081  only this machine steers what all may use
   UNDERSTUDY_ADDR=:9090 understudy serve                    a flag by its environment variable`,
		Flags:        serveFlags(),
		OnUsageError: onUsageError,
		Action:       serve,
	}
}

func serveFlags() []cli.Flag {
	flags := []*cli.StringFlag{
		{Category: "Listening", Name: "addr", Value: defaultAddr, Usage: "listen on `HOST:PORT`; on every interface without a host"},
		{Category: "Listening", Name: "key-prefix", Value: "svc", Usage: "take API keys that begin with `PREFIX` and _sk_test_"},
		{Category: "Worlds", Name: "store", Value: "temp", Usage: "keep worlds in `STORE`: temp, gone at exit; file:PATH, every acknowledged write durable; etcd://HOST:PORT[,…][/PREFIX], shared with other replicas"},
		{Category: "Worlds", Name: "seed", Value: "1", Usage: "draw the synthetic data of new worlds from the number `N`"},
		{Category: "Worlds", Name: "clock", Value: "real", Usage: "start new worlds on `CLOCK`: real, or frozen at an RFC 3339 instant"},
		{Category: "Worlds", Name: "rate-limit", Value: "off", Usage: "serve a world `N/TIME` requests on its clock, such as 10/s, and answer 429 above"},
		{Category: "Worlds", Name: "world-ttl", Value: "off", Usage: "forget a world that was not used for `TIME`, such as 48h"},
		{Category: "Worlds", Name: "journal-size", Value: "1000", Usage: "keep the last `N` requests of each world in its journal; 0 keeps none"},
		{Category: "Logging", Name: "log-format", Value: "text", Usage: "log to standard error as `FORMAT`: text or json"},
		{Category: "Logging", Name: "log-level", Value: "info", Usage: "log from `LEVEL`: debug (every answer), info (answers that need explaining), warn or error"},
	}
	var all []cli.Flag
	for _, flag := range flags {
		flag.Sources = fromEnvironment(flag.Name)
		all = append(all, flag)
	}
	all = append(all, &cli.BoolFlag{
		Category: "Worlds", Name: "strict", Sources: fromEnvironment("strict"),
		Usage: "answer 400 to what is only diagnosed otherwise: unknown names, a number that could be somebody's, one that no scenario names",
	})
	all = append(all, scenariosFlag("Worlds", "add the scenario files in `FOLDER`, which are re-read when they change; repeatable"))
	all = append(all, controlFlags()...)
	return append(all, tlsFlags(
		"serve TLS with the certificate in `FILE` (PEM, intermediates behind it)",
		"the private key of --tls-cert in `FILE` (PEM)",
		"serve TLS with certificates of an authority made at start; clients fetch its certificate from /_understudy/ca.pem",
	)...)
}

// serve serves until ctx ends, then lets the requests under way finish and closes the store.
func serve(ctx context.Context, c *cli.Command) error {
	settings, err := readSettings(c)
	if err != nil {
		return err
	}
	worlds, err := openStore(ctx, settings.store, settings.log)
	if errors.Is(err, store.ErrSpec) {
		return fmt.Errorf("--store: %w", err)
	}
	if err != nil {
		return failure{err}
	}
	settings.store = worlds.String() // without what is secret
	e, err := emulator.New(append(settings.options, emulator.WithStore(worlds))...)
	if err != nil {
		return failure{errors.Join(told(err), worlds.Close())}
	}
	if err := errors.Join(listenAndServe(ctx, settings, e), e.Close()); err != nil {
		return failure{err}
	}
	settings.log.Info("stopped")
	return nil
}

// openStore opens the store that the flag --store names, whatever its engine.
func openStore(ctx context.Context, spec string, log *slog.Logger) (store.Store, error) {
	if etcd.Names(spec) {
		return etcd.Open(ctx, spec, os.Getenv, etcd.WithLogger(log))
	}
	return store.Open(spec)
}

// listenAndServe serves the emulated API, and the control plane with it or on an address of its own.
func listenAndServe(ctx context.Context, settings settings, e *emulator.Emulator) error {
	go e.Warm()
	parts := []*part{{flag: "addr", addr: settings.addr, handler: e}}
	if settings.controlAddr != "" {
		parts = append(parts, &part{flag: "control-addr", addr: settings.controlAddr})
	}
	if err := listen(parts); err != nil {
		return err
	}
	if len(parts) > 1 {
		parts[0].handler, parts[1].handler = e.Surface(), e.ControlBeside(parts[0].listener.Addr(), settings.tls != nil)
	}
	said := []any{"url", parts[0].url(settings), "store", settings.store,
		"clock", settings.clock.String(), "seed", settings.seed, "scenarios", e.Scenarios()}
	if len(parts) > 1 {
		said = append(said, "control", parts[1].url(settings))
	}
	collectPatiently()
	settings.log.Info("listening", said...)
	return servePartsUntil(ctx, parts, func(handler http.Handler) *http.Server {
		server := newServer(handler, settings)
		server.RegisterOnShutdown(e.Hurry)
		return server
	})
}
