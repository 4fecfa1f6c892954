package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
)

// part is a handler that is served on an address.
type part struct {
	flag     string // that names the address
	addr     string
	handler  http.Handler
	listener net.Listener
}

// listen has all parts listen, or none.
func listen(parts []*part) error {
	for i, p := range parts {
		var err error
		if p.listener, err = net.Listen("tcp", p.addr); err != nil {
			for _, other := range parts[:i] {
				other.listener.Close()
			}
			return fmt.Errorf("cannot listen on %s: %w; choose another with --%s", p.addr, err, p.flag)
		}
	}
	return nil
}

// url is where a part that listens is reached.
func (p *part) url(settings settings) string {
	return scheme(settings.tls != nil) + "://" + p.listener.Addr().String()
}

// servePartsUntil serves all parts until ctx ends or one of them fails, and lets the requests under way be answered.
func servePartsUntil(ctx context.Context, parts []*part, newServer func(http.Handler) *http.Server) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, len(parts))
	for _, p := range parts {
		go func() {
			defer stop()
			ended <- serveUntil(ctx, newServer(p.handler), p.listener)
		}()
	}
	var errs []error
	for range parts {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}
