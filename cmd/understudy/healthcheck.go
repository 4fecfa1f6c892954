package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/control"
)

func healthcheckCommand() *cli.Command {
	return &cli.Command{
		Name:  "healthcheck",
		Usage: "exit 0 when a running emulator is ready, 1 when it is not",
		Description: `For containers, which have no curl:

   HEALTHCHECK CMD ["/understudy", "healthcheck"]`,
		Flags: append(tlsFlags("ask by https, as serve --tls-cert `FILE` does", "the same for --tls-key `FILE`", "ask by https, as serve --tls-auto does"),
			&cli.StringFlag{
				Category: "Listening", Name: "addr", Value: defaultAddr, Sources: fromEnvironment("addr"),
				Usage: "ask the one that listens on `HOST:PORT`; without a host, or with 0.0.0.0, on this machine",
			},
			&cli.StringFlag{
				Category: "Listening", Name: "control-addr", Sources: fromEnvironment("control-addr"),
				Usage: "ask the control plane on `HOST:PORT`, as serve --control-addr has it",
			},
			&cli.DurationFlag{
				Name: "timeout", Value: 2 * time.Second, Sources: fromEnvironment("timeout"),
				Usage: "wait `TIME` for its answer",
			},
		),
		OnUsageError: onUsageError,
		Action:       healthcheck,
	}
}

func healthcheck(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	flag := "addr"
	if c.String("control-addr") != "" {
		flag = "control-addr"
	}
	url, err := readyURL(flag, c.String(flag), servesTLS(c))
	if err != nil {
		return err
	}
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

// readyURL returns where the emulator whose control plane is on an address, given by a flag, says whether it is ready.
func readyURL(flag, addr string, secure bool) (string, error) {
	host, port, err := splitAddr(flag, addr)
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return scheme(secure) + "://" + net.JoinHostPort(host, port) + control.Prefix + "v1/ready", nil
}
