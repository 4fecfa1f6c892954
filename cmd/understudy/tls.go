package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/authority"
)

// tlsFlags say whether and how TLS is served. The health check has them too, to know how to ask: each names what its
// flags are for.
func tlsFlags(cert, key, auto string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Category: "Listening", Name: "tls-cert", Sources: fromEnvironment("tls-cert"), Usage: cert},
		&cli.StringFlag{Category: "Listening", Name: "tls-key", Sources: fromEnvironment("tls-key"), Usage: key},
		&cli.BoolFlag{Category: "Listening", Name: "tls-auto", Sources: fromEnvironment("tls-auto"), Usage: auto},
	}
}

// servesTLS reports whether the flags ask for TLS.
func servesTLS(c *cli.Command) bool {
	return c.String("tls-cert") != "" || c.String("tls-key") != "" || c.Bool("tls-auto")
}

// scheme is that of the URLs of a server.
func scheme(secure bool) string {
	if secure {
		return "https"
	}
	return "http"
}

// readTLS returns how to serve TLS, nil for not at all, and the certificate (PEM) of an authority that was made for it. Its
// error is a failure when the flags are right, and the files are not.
func readTLS(c *cli.Command) (secure *tls.Config, authorityPEM []byte, err error) {
	cert, key, auto := c.String("tls-cert"), c.String("tls-key"), c.Bool("tls-auto")
	switch {
	case !servesTLS(c):
		return nil, nil, nil
	case auto && cert+key != "":
		return nil, nil, errors.New("--tls-auto makes its own certificates: leave it out, or --tls-cert and --tls-key")
	case auto:
		made, err := authority.New(time.Now())
		if err != nil {
			return nil, nil, failure{err}
		}
		return made.TLS(), made.PEM(), nil
	case cert == "" || key == "":
		return nil, nil, errors.New("--tls-cert and --tls-key need each other")
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, nil, failure{fmt.Errorf("--tls-cert %s with --tls-key %s: %w", cert, key, err)}
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}, nil, nil
}
