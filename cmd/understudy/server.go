package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/gather"
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
		Handler:                      handler,
		Protocols:                    protocols,
		TLSConfig:                    settings.tls.Clone(), // each server adds to its own
		DisableGeneralOptionsHandler: true,                 // OPTIONS * is answered as every other path that is none
		ReadHeaderTimeout:            headerTimeout,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               headerLimit,
		ConnContext:                  gather.Context,
		ErrorLog:                     slog.NewLogLogger(settings.log.Handler(), slog.LevelWarn),
	}
}

// serveUntil serves on a listener until ctx ends and the requests under way are answered, for as long as grace lasts.
func serveUntil(ctx context.Context, server *http.Server, listener net.Listener) error {
	ended := make(chan error, 1)
	go func() { ended <- serveOn(listener, server) }()
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

func serveOn(listener net.Listener, server *http.Server) error {
	if server.TLSConfig == nil {
		return server.Serve(gather.Listener(listener))
	}
	return server.ServeTLS(listener, "", "") // the configuration has the certificates
}
