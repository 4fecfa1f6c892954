package main

import (
	"context"
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
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "addr", Value: defaultAddr, Usage: "`HOST:PORT` that it listens on; without a host, or with 0.0.0.0, this machine", Sources: fromEnvironment("addr")},
			&cli.DurationFlag{Name: "timeout", Value: 2 * time.Second, Usage: "wait `TIME` for its answer", Sources: fromEnvironment("timeout")},
		},
		OnUsageError: onUsageError,
		Action:       healthcheck,
	}
}

func healthcheck(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	url, err := readyURL(c.String("addr"))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Duration("timeout"))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return failure{fmt.Errorf("not ready: %w", err)}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return failure{fmt.Errorf("not ready: %s answers %s", url, response.Status)}
	}
	return nil
}

// readyURL returns where the emulator that listens on addr says whether it is ready.
func readyURL(addr string) (string, error) {
	host, port, err := splitAddr(addr)
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port) + control.Prefix + "v1/ready", nil
}
