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
	scheme := "http"
	if servesTLS(c) {
		scheme = "https"
	}
	url := scheme + "://" + net.JoinHostPort(host, port) + control.Prefix + "v1/ready"
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
