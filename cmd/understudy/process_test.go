package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

func TestARequestUnderWayIsAnsweredWhenTheServerStops(t *testing.T) {
	t.Parallel()
	c, stderr := process(t, "serve", "--addr", "127.0.0.1:0")
	addr := strings.TrimPrefix(stderr.find(t, listening), "http://")
	client, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	const body = `{"name":"Quay"}`
	fmt.Fprintf(client, "PUT /tenant-properties/tp_default HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer svc_sk_test_a\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", addr, len(body))
	answers := bufio.NewReader(client)
	if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("the server does not wait for the body: %q, %v", line, err)
	}
	if _, err := answers.ReadString('\n'); err != nil {
		t.Fatal(err)
	}

	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for refused := false; !refused; { // until nobody new is let in
		other, err := net.Dial("tcp", addr)
		if refused = err != nil; !refused {
			other.Close()
		}
	}
	fmt.Fprint(client, body)
	response, err := http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(answer), `"name":"Quay"`) {
		t.Errorf("%s %s, %v", response.Status, answer, err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("the end: %v\n%s", err, stderr)
	}
}

func cancel(url, key string) (status int, err error) {
	request, err := http.NewRequest(http.MethodPut, url+"/verification-requests/vr_processing/cancel", strings.NewReader(`{"cancellation_reason":"other"}`))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

func stateOf(t *testing.T, url, key string) api.State {
	t.Helper()
	var v api.VerificationRequest
	apitest.New(t, url, key).Get("/verification-requests/vr_processing?fields=state").JSON(&v)
	return v.State
}

func TestASecondProcessOnTheSameFileFailsAtOnce(t *testing.T) {
	t.Parallel()
	file := "file:" + filepath.Join(t.TempDir(), "understudy.db")
	startServer(t, "--store", file)
	got := understudy(t, "serve", "--addr", "127.0.0.1:0", "--store", file)
	if got.code != exitFailed || !strings.Contains(got.stderr, "in use by another process") {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
}

func TestAFileStoreKeepsItsWorldsOverARestart(t *testing.T) {
	t.Parallel()
	file := "file:" + filepath.Join(t.TempDir(), "understudy.db")
	first := startServer(t, "--store", file)
	if status, err := cancel(first.url, key); err != nil || status != http.StatusOK {
		t.Fatal(status, err)
	}
	if code := first.stop(); code != exitOK {
		t.Fatalf("exit code %d: %s", code, first.stderr)
	}
	second := startServer(t, "--store", file)
	if state := stateOf(t, second.url, key); state != api.StateCanceled {
		t.Errorf("after a restart the request is %s", state)
	}
	if status, err := cancel(second.url, key); err != nil || status != http.StatusBadRequest {
		t.Errorf("a second cancel after a restart: %d, %v", status, err)
	}
}
