package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	headerTimeout = 10 * time.Second // to send the headers of a request
	readTimeout   = 30 * time.Second // to send all of it
	writeTimeout  = 60 * time.Second // to be served, and take the answer
	idleTimeout   = 2 * time.Minute  // between two requests on a connection
	headerLimit   = 64 << 10         // bytes
	grace         = 10 * time.Second // for requests under way when the server is told to stop
)

// newServer returns a server that speaks HTTP/1.1 only: over HTTP/2 a fault on the connection would be one of a stream.
func newServer(handler http.Handler, settings settings) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:                      oneWrite(handler),
		Protocols:                    protocols,
		TLSConfig:                    settings.tls.Clone(), // each server adds to its own
		DisableGeneralOptionsHandler: true,                 // OPTIONS * is answered as every other path that is none
		ReadHeaderTimeout:            headerTimeout,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               headerLimit,
		ConnContext:                  withConn,
		ErrorLog:                     slog.NewLogLogger(settings.log.Handler(), slog.LevelWarn),
	}
}

// serveUntil serves on a listener until ctx ends and the requests under way are answered, for as long as grace lasts.
func serveUntil(ctx context.Context, server *http.Server, listener net.Listener) error {
	ended := make(chan error, 1)
	go func() {
		if server.TLSConfig == nil {
			ended <- server.Serve(oneWriteListener{listener})
		} else {
			ended <- server.ServeTLS(listener, "", "") // the configuration has the certificates
		}
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := server.Shutdown(patience); err != nil {
		return errors.Join(fmt.Errorf("requests were still under way %s after the signal: %w", grace, err), server.Close())
	}
	return nil
}

// serveAll serves until ctx ends or one of the servers fails, and lets the requests under way be answered.
func serveAll(ctx context.Context, servers []*http.Server, listeners []net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, len(servers))
	for i, server := range servers {
		go func() {
			defer stop()
			ended <- serveUntil(ctx, server, listeners[i])
		}()
	}
	var errs []error
	for range servers {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}

// listen listens on the address that a flag gives.
func listen(flag, addr string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another with --%s", addr, err, flag)
	}
	return listener, nil
}
