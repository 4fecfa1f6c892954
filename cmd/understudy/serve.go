package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd"
)

const defaultAddr = "127.0.0.1:8080"

// schemes begin the address of a server, by whether it serves TLS.
var schemes = map[bool]string{false: "http://", true: "https://"}

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
		Flags:  serveFlags(),
		Action: serve,
	}
}

func serveFlags() []cli.Flag {
	const listening, worlds, control, logging = "Listening", "Worlds", "Control plane", "Logging"
	return []cli.Flag{
		text(listening, "addr", defaultAddr, "listen on `HOST:PORT`; on every interface without a host"),
		text(listening, "key-prefix", "svc", "take API keys that begin with `PREFIX` and _sk_test_"),
		text(worlds, "store", "temp", "keep worlds in `STORE`: temp, gone at exit; file:PATH, every acknowledged write durable; etcd://HOST:PORT[,…][/PREFIX], shared with other replicas"),
		text(worlds, "seed", "1", "draw the synthetic data of new worlds from the number `N`"),
		text(worlds, "clock", "real", "start new worlds on `CLOCK`: real, or frozen at an RFC 3339 instant"),
		text(worlds, "rate-limit", "off", "serve a world `N/TIME` requests on its clock, such as 10/s, and answer 429 above"),
		text(worlds, "world-ttl", "off", "forget a world that was not used for `TIME`, such as 48h"),
		text(worlds, "journal-size", "1000", "keep the last `N` requests of each world in its journal; 0 keeps none"),
		text(logging, "log-format", "text", "log to standard error as `FORMAT`: text or json"),
		text(logging, "log-level", "info", "log from `LEVEL`: debug (every answer), info (answers that need explaining), warn or error"),
		toggle(worlds, "strict", "answer 400 to what is only diagnosed otherwise: unknown names, a number that could be somebody's, one that no scenario names"),
		texts(worlds, "scenarios", "add the scenario files in `FOLDER`, which are re-read when they change; repeatable"),
		text(control, "control-addr", "", "serve the control plane on `HOST:PORT`, and not on that of --addr"),
		text(control, "control-token", "", "serve the control plane to those who send `TOKEN`; the variable keeps it out of the list of processes"),
		texts(control, "control-host", "let the control plane be reached by `NAME` on a loopback address, beside localhost; repeatable"),
		text(listening, "tls-cert", "", "serve TLS with the certificate in `FILE` (PEM, intermediates behind it)"),
		text(listening, "tls-key", "", "the private key of --tls-cert in `FILE` (PEM)"),
		toggle(listening, "tls-auto", "serve TLS with certificates of an authority made at start; clients fetch its certificate from /_understudy/ca.pem"),
	}
}

// serve serves until ctx ends, then lets the requests under way finish and closes the store.
func serve(ctx context.Context, c *cli.Command) error {
	settings, err := readSettings(c)
	if err != nil {
		return err
	}
	worlds, err := openStore(ctx, settings.store)
	if errors.Is(err, store.ErrSpec) {
		return fmt.Errorf("--store: %w", err)
	}
	if err != nil {
		return failure{err}
	}
	settings.store = worlds.String() // without what is secret
	e, err := emulator.New(append(settings.options, emulator.WithStore(worlds))...)
	if err != nil {
		return failure{errors.Join(withCount(err), worlds.Close())}
	}
	if err := errors.Join(listenAndServe(ctx, settings, e), e.Close()); err != nil {
		return failure{err}
	}
	settings.log.Info("stopped")
	return nil
}

func openStore(ctx context.Context, spec string) (store.Store, error) {
	if etcd.Names(spec) {
		return etcd.Open(ctx, spec, os.Getenv)
	}
	return store.Open(spec)
}

// ballast is the size of memory that is allocated and never touched, so that the machine never provides it. With it, garbage
// is collected once there are some 20 MiB; the small heap alone would be collected at a quarter of the CPU of a read.
const ballast = 16 << 20

// listenAndServe serves the emulated API, and the control plane with it or on an address of its own.
func listenAndServe(ctx context.Context, settings settings, e *emulator.Emulator) error {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		defer runtime.KeepAlive(make([]byte, ballast))
	}
	listener, err := listen("addr", settings.addr)
	if err != nil {
		return err
	}
	scheme := schemes[settings.tls != nil]
	attrs := []any{"url", scheme + listener.Addr().String(), "store", settings.store,
		"clock", settings.clock.String(), "seed", settings.seed, "scenarios", e.Scenarios()}
	listeners, handlers := []net.Listener{listener}, []http.Handler{e}
	if settings.controlAddr != "" {
		control, err := listen("control-addr", settings.controlAddr)
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		attrs = append(attrs, "control", scheme+control.Addr().String())
		listeners = append(listeners, control)
		handlers = []http.Handler{e.Surface(), e.Control(listener.Addr(), settings.tls != nil)}
	}
	settings.log.Info("listening", attrs...)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error)
	for i, handler := range handlers {
		server := newServer(handler, settings)
		server.RegisterOnShutdown(e.Shutdown)
		go func() {
			defer stop() // a server that fails ends the other
			ended <- serveUntil(ctx, server, listeners[i])
		}()
	}
	for range handlers {
		err = errors.Join(err, <-ended)
	}
	return err
}

func healthcheckCommand() *cli.Command {
	return &cli.Command{
		Name:  "healthcheck",
		Usage: "exit 0 when a running emulator is ready, 1 when it is not",
		Description: `For containers, which have no curl:

   HEALTHCHECK CMD ["/understudy", "healthcheck"]`,
		Flags: []cli.Flag{
			text("Listening", "tls-cert", "", "ask by https, as serve --tls-cert `FILE` does"),
			text("Listening", "tls-key", "", "the same for --tls-key `FILE`"),
			toggle("Listening", "tls-auto", "ask by https, as serve --tls-auto does"),
			text("Listening", "addr", defaultAddr, "ask the one that listens on `HOST:PORT`; without a host, or with 0.0.0.0, on this machine"),
			text("Listening", "control-addr", "", "ask the control plane on `HOST:PORT`, as serve --control-addr has it"),
			&cli.DurationFlag{Name: "timeout", Value: 2 * time.Second, Sources: variable("timeout"), Usage: "wait `TIME` for its answer"},
		},
		Action: healthcheck,
	}
}

func healthcheck(ctx context.Context, c *cli.Command) error {
	flag := "addr"
	if c.String("control-addr") != "" {
		flag = "control-addr"
	}
	host, port, err := splitAddr(flag, c.String(flag))
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	url := schemes[servesTLS(c)] + net.JoinHostPort(host, port) + emulator.ControlPrefix + "v1/ready"
	ctx, cancel := context.WithTimeout(ctx, c.Duration("timeout"))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	// It asks a process of its own container, whose certificate may be for other names.
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	response, err := client.Do(request)
	if err != nil {
		return failure{fmt.Errorf("not ready: %w", err)}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return failure{fmt.Errorf("not ready: %s answers %s", url, response.Status)}
	}
	return nil
}
