package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// sendAll is the client in Go: net/http. See shell.sh for the cases.
func sendAll(cases io.Reader, out io.Writer, url string) {
	for {
		var name, method, path, reuse string
		if _, err := fmt.Fscanln(cases, &name, &method, &path, &reuse); err != nil {
			return
		}
		client := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{}}
		if reuse == "yes" {
			send(client, name, "GET", url+read+"vr_completed")
		}
		status, err := send(client, name, method, url+path)
		fmt.Fprintln(out, name, describe(status, err))
	}
}

// send sends a request and reads its answer.
func send(client *http.Client, name, method, url string) (status int, err error) {
	var body io.Reader
	if method != "GET" {
		body = strings.NewReader(`{"cancellation_reason":"other"}`)
	}
	r, err := http.NewRequest(method, url, body)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer svc_sk_test_Go-"+name)
	r.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	var value any
	return answer.StatusCode, json.NewDecoder(answer.Body).Decode(&value)
}

// describe returns the name by which a program would compare an error.
func describe(status int, err error) string {
	for name, target := range map[string]error{
		"syscall.ECONNRESET": syscall.ECONNRESET, "io.EOF": io.EOF, "io.ErrUnexpectedEOF": io.ErrUnexpectedEOF, "context.DeadlineExceeded": context.DeadlineExceeded,
	} {
		if errors.Is(err, target) {
			return name
		}
	}
	switch {
	case err == nil:
		return fmt.Sprint(status)
	case strings.Contains(err.Error(), "malformed HTTP"):
		return "malformed HTTP response"
	}
	return err.Error()
}
