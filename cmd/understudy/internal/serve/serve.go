// Package serve has the command that serves the emulated API: flags go in and become the settings of an emulator, its listeners and
// its log; out goes a server that ends with its context. Command run serves in the same way, by [Emulate].
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd"
)

func Command() *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Usage: "serve the emulated API",
		Description: `It needs no configuration, and serves until it is interrupted. Examples:

   understudy serve                                          a temporary store, the machine's clock
   understudy serve --addr :9090 --store file:understudy.db  another port; acknowledged writes are on disk
   understudy serve --addr 127.0.0.1:0 --url-file url        a free port; the file has the URL once it is ready
   understudy serve --addr 127.0.0.1:0 --url-file - --exit-with-stdin
                                                             for a program that starts it and holds both pipes
   understudy serve --clock 2025-01-15T09:00:00Z --seed 7    every run gives the same answers, to the byte
   understudy serve --scenarios ./scenarios                  your own magic values; edits apply at once
   understudy serve --rate-limit 10/s                        429 for a client that is too fast
   understudy serve --tls-auto                               https, for a client that requires it
   understudy serve --addr :8080 --control-addr 127.0.0.1:8081
                                                             all may use the API, only this machine the control plane
   UNDERSTUDY_ADDR=:9090 understudy serve                    a flag as an environment variable`,
		Flags:  Flags(),
		Action: serve,
	}
}

func Flags() []cli.Flag {
	const listening, worlds, control, logging = command.AddressCategory, command.WorldsCategory, command.ControlCategory, command.LoggingCategory
	return []cli.Flag{
		command.Text(listening, "addr", command.DefaultAddr, "listen on `HOST:PORT`; without a host, on every interface; with port 0, on a free port"),
		command.Text(listening, "url-file", "", "write the base URL to `FILE` once requests are served, and the URL of --control-addr into a second line; it is removed at exit; - is standard output"),
		command.Toggle(listening, "exit-with-stdin", "exit when standard input is closed: hold its pipe, and the emulator ends when your process does"),
		&cli.DurationFlag{Category: listening, Name: "shutdown-timeout", Value: 8 * time.Second, Sources: command.Sources(listening, "shutdown-timeout"),
			Usage: "when stopping, wait for the requests under way for `TIME` at most, then cut them and exit 1"},
		command.Text(listening, "key-prefix", "svc", "accept API keys that begin with `PREFIX` and _sk_test_"),
		command.Text(worlds, "store", "temp", "store worlds in `STORE`: temp, deleted at exit; file:PATH, every acknowledged write durable; etcd://HOST:PORT[,…][/PREFIX], shared with other replicas"),
		command.Text(worlds, "seed", "1", "derive the synthetic data of new worlds from the number `N`"),
		command.Text(worlds, "clock", "real", "start new worlds on `CLOCK`: real, or an RFC 3339 instant at which they are frozen"),
		command.Text(worlds, "population", "plain", "draw the people of numbers that no scenario names from a `POPULATION`: plain, full-time salaries; mix, measured against published statistics; or a file"),
		command.Toggle(worlds, "mask-keys", "name no world after its key; else what follows _test_ names it, where that does not look random"),
		command.Text(worlds, "rate-limit", "off", "allow each world `N/TIME` requests on its clock, such as 10/s; answer 429 above"),
		command.Text(worlds, "world-ttl", "off", "delete a world that was not used for `TIME`, such as 48h"),
		command.Text(worlds, "journal-size", "1000", "keep the last `N` requests of each world in its journal; 0 turns it off"),
		command.Text(logging, "log-format", "text", "log to standard error as `FORMAT`: text or json"),
		command.Text(logging, "log-level", "info", "log from `LEVEL`: debug (every request), info (requests with a diagnosis), warn or error"),
		command.Word(worlds, "strict", "off", "all", "reject with 400 what is otherwise only diagnosed, of the meanings `[=WORD,…]`: "+api.StrictUsage()+", all (as --strict alone) or off"),
		command.Toggle(worlds, "extended", "serve what clients use beyond the specification: create and list verification requests, report, reverify, companies, and every operation in each version; see openapi --surface --extended"),
		command.Word(worlds, "grease", "off", "on", "change what no client may rely on in answers: unknown keys, another order, other ids and messages; values also puts unknown words where an enumeration may grow"),
		command.Text(worlds, "session-flow", "auto", "let the token of a credentials session be used by `WHO`: auto, the emulator at once, or manual, the client's user"),
		command.Text(worlds, "account", "", "let clients do what the account in `FILE`, or in {...}, may (YAML or JSON): types, use_cases, permissible_purposes, reseller"),
		command.Texts(worlds, "scenarios", "add the scenario files in `FOLDER` and reload them when they change; repeatable"),
		command.Texts(worlds, "webhook", "send the events of every world to `URL`; repeatable"),
		command.Text(worlds, "webhook-token-header", "X-Webhook-Token", "send the token of webhooks in the header `NAME`"),
		command.Texts(worlds, "webhook-host", "let webhooks go to the host name or address `NAME`, beside loopback, private addresses and names without a dot; repeatable"),
		command.Toggle(worlds, "no-webhooks", "send no webhooks, and refuse to subscribe any"),
		command.Texts(listening, "cors-origin", "let pages of the origin `URL`, such as http://localhost:3000, call the emulated API from a browser; repeatable"),
		command.Text(control, "control-addr", "", "serve the control plane on `HOST:PORT` instead of --addr"),
		command.Text(control, "control-token", "", "require `TOKEN` on the control plane; its variable hides it from the process list"),
		command.Texts(control, "control-host", "allow the host name `NAME` for a control plane without a token, beside addresses and names without a dot; --tls-auto certifies it, too; repeatable"),
		command.Text(listening, "tls-cert", "", "serve TLS with the certificate in `FILE` (PEM, followed by its intermediates)"),
		command.Text(listening, "tls-key", "", "read the private key of --tls-cert from `FILE` (PEM)"),
		command.Toggle(listening, "tls-auto", "serve TLS with certificates for private names, of an authority that is made at start; clients fetch its certificate from /_understudy/ca.pem"),
	}
}

// errInputClosed is the cause of the end of a context whose input has ended.
var errInputClosed = errors.New("standard input is closed")

// withInput returns a context that ends with ctx, or with an input. It discards the input.
func withInput(ctx context.Context, input io.Reader) context.Context {
	ctx, end := context.WithCancelCause(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, input) // an input that cannot be read has ended, too
		end(errInputClosed)
	}()
	return ctx
}

// serve serves until ctx ends, and a replica until it has drained.
func serve(ctx context.Context, c *cli.Command) error {
	if c.Bool("exit-with-stdin") {
		ctx = withInput(ctx, c.Root().Reader)
	}
	return Emulate(ctx, c, nil, func(ctx context.Context, settings Settings, _ *emulator.Emulator, _ string) error {
		settings.drain.wait(ctx)
		return nil
	})
}

// Emulate serves as the flags of serve say while work runs, then waits for the requests under way and closes the store. Work
// gets the base URL when requests are served, and a context that ends with ctx or when a server fails. The emulator is served
// within the handler that around returns, unless that is nil.
func Emulate(ctx context.Context, c *cli.Command, around func(http.Handler) http.Handler, work func(ctx context.Context, settings Settings, e *emulator.Emulator, baseURL string) error) error {
	settings, err := readSettings(c)
	if err != nil {
		return err
	}
	warnOfVariables(c, settings)
	defer runtime.KeepAlive(limitMemory(os.DirFS("/")))
	worlds, err := openStore(ctx, settings.store)
	if err != nil && c.IsSet("store") {
		err = command.Named(c, "store", err)
	}
	if errors.Is(err, store.ErrSpec) {
		return err
	}
	if err != nil {
		return command.Failed(err)
	}
	settings.store = worlds.String() // without secrets
	if worlds.Shared() {
		settings.grace = max(settings.grace-drainTime, 0)
		settings.drain = &drain{over: func() <-chan time.Time {
			settings.log.Info("draining", "for", drainTime)
			return time.After(drainTime)
		}}
	}
	e, err := emulator.New(append(settings.options, emulator.WithStore(worlds))...)
	if err != nil {
		return command.Failed(errors.Join(command.WithCount(c, err), worlds.Close()))
	}
	handler := http.Handler(e)
	if around != nil {
		handler = around(e)
	}
	err = listenAndServe(ctx, c, settings, e, handler, func(ctx context.Context, baseURL string) error { return work(ctx, settings, e, baseURL) })
	if err := errors.Join(err, e.Close()); err != nil {
		return command.Failed(err)
	}
	settings.log.Info("stopped")
	return nil
}

// warnOfVariables logs the environment variables that probably do not do what the user wants.
func warnOfVariables(c *cli.Command, settings Settings) {
	for _, warning := range command.UnknownVariables(c.Root(), os.Environ()) {
		settings.log.Warn(warning)
	}
	token := command.VariableOf("control-token")
	if value, ok := os.LookupEnv(string(token)); ok && value == "" && c.String("control-token") == "" {
		settings.log.Warn(string(token) + " is empty: the control plane requires no token")
	}
}

func openStore(ctx context.Context, spec string) (store.Store, error) {
	if etcd.IsSpec(spec) {
		return etcd.Open(ctx, spec, os.Getenv)
	}
	return store.Open(spec)
}

// listenAndServe serves the emulated API while work runs, and the control plane with it or on its own address.
func listenAndServe(ctx context.Context, c *cli.Command, settings Settings, e *emulator.Emulator, all http.Handler, work func(ctx context.Context, baseURL string) error) error {
	listener, err := listen(c, "addr")
	if err != nil {
		return err
	}
	scheme := command.Schemes[settings.tls != nil]
	attrs := []any{"url", scheme + listener.Addr().String(), "store", settings.store,
		"clock", settings.clock.String(), "seed", settings.seed, "scenarios", e.Scenarios()}
	listeners, handlers := []net.Listener{listener}, []http.Handler{all}
	if settings.controlAddr != "" {
		control, err := listen(c, "control-addr")
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		attrs = append(attrs, "control", scheme+control.Addr().String())
		listeners = append(listeners, control)
		handlers = []http.Handler{e.Surface(), e.Control(listener.Addr(), settings.tls != nil)}
	}
	handlers[0] = crossOrigin(settings.origins, handlers[0])
	// Process 1 is the main process of a container, whose published ports decide who reaches it.
	container := c.Name == "serve" && os.Getpid() == 1
	if steered := listeners[len(listeners)-1].Addr(); c.String("control-token") == "" && !container && !steered.(*net.TCPAddr).IP.IsLoopback() {
		settings.log.Warn("the control plane has no token, and everybody who reaches its address can reset worlds: set --control-token, or choose a loopback address with --control-addr",
			"addr", steered.String())
	}
	if addr := listener.Addr(); container && addr.(*net.TCPAddr).IP.IsLoopback() {
		settings.log.Warn("this is a container, and only what shares its network reaches a loopback address: listen on :8080 with "+command.Given(c, "addr"), "addr", addr.String())
	}
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	serving, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	ended := make(chan error)
	for i, handler := range handlers {
		server := newServer(handler, settings)
		server.RegisterOnShutdown(e.Shutdown)
		go func() {
			err := serveUntil(serving, server, listeners[i], settings.grace)
			cancel() // a server that fails ends the work
			ended <- err
		}()
	}
	var urls []string
	for _, listener := range listeners {
		urls = append(urls, scheme+reachable(listener.Addr()))
	}
	file, err := writeURLFile(c, urls)
	if err == nil {
		settings.log.Info("listening", attrs...)
		greet(c, settings, e, urls[0], urls[len(urls)-1])
		err = work(working, urls[0])
		file.remove()
	}
	stop(context.Cause(working))
	for range handlers {
		err = errors.Join(err, <-ended)
	}
	return err
}

// reachable returns the address at which clients on this machine reach a listener, which may listen on every interface.
func reachable(listener net.Addr) string {
	host, port, err := net.SplitHostPort(listener.String())
	if err != nil {
		return listener.String()
	}
	return net.JoinHostPort(command.Loopback(host), port)
}

// listen listens on the address of a flag.
func listen(c *cli.Command, flag string) (net.Listener, error) {
	addr := c.String(flag)
	listener, err := net.Listen("tcp", addr)
	if operation := (*net.OpError)(nil); errors.As(err, &operation) {
		err = operation.Err // its text repeats the address
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w: choose another address with %s", addr, err, command.Given(c, flag))
	}
	return listener, nil
}
