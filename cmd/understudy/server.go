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

// grace is how long requests under way may take when the server is told to stop.
const grace = 10 * time.Second

// newServer returns a server that speaks HTTP/1.1 only: over HTTP/2 a fault on the connection would be one of a stream.
func newServer(handler http.Handler, settings settings) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:                      oneWrite(handler),
		Protocols:                    protocols,
		TLSConfig:                    settings.tls.Clone(), // each server adds to its own
		DisableGeneralOptionsHandler: true,                 // OPTIONS * is answered as every other path that is none
		ReadHeaderTimeout:            10 * time.Second,
		ReadTimeout:                  30 * time.Second,
		WriteTimeout:                 time.Minute, // to be served, and to take the answer
		IdleTimeout:                  2 * time.Minute,
		MaxHeaderBytes:               64 << 10,
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

// listen listens on the address that a flag gives.
func listen(flag, addr string) (net.Listener, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another with --%s", addr, err, flag)
	}
	return listener, nil
}
