package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// connect opens a number of connections to a server and sends nothing.
func connect(t *testing.T, url string, number int) (conns []net.Conn, closeAll func()) {
	t.Helper()
	for range number {
		conns = append(conns, dial(t, url))
	}
	return conns, func() {
		for _, conn := range conns {
			_ = conn.Close()
		}
	}
}

// processStatus returns a number in /proc/PID/status, such as VmRSS in KiB.
func processStatus(t testing.TB, pid int, name string) (n int) {
	t.Helper()
	_, rest, _ := bytes.Cut(readFile(t, fmt.Sprintf("/proc/%d/status", pid)), []byte("\n"+name+":"))
	_, err := fmt.Sscan(string(rest), &n)
	noError(t, err)
	return n
}

func (s server) descriptors(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.process.Process.Pid))
	noError(t, err)
	return len(open)
}

// wantDescriptors waits until a server has at most a number of descriptors: it closes ended connections a moment later.
func (s server) wantDescriptors(t *testing.T, most int) {
	t.Helper()
	for patience := time.Now().Add(attackPatience); s.descriptors(t) > most; s.wantServing(t) {
		if time.Now().After(patience) {
			t.Fatalf("the server has %d descriptors, want %d", s.descriptors(t), most)
		}
	}
}

// wantAnswer wants a request on a connection to be served.
func wantAnswer(t *testing.T, conn net.Conn) {
	t.Helper()
	if answer, _ := exchange(t, conn, getHead+"\r\n"); answer.StatusCode != http.StatusForbidden {
		t.Errorf("answered %s", answer.Status)
	}
}

// Idle connections hold up no request, cost little memory, and are closed when their clients close them. 10,000 with CI=true,
// else 500.
func TestIdleConnections(t *testing.T) {
	number := 500
	if thorough() {
		number = 10_000
	}
	var limit syscall.Rlimit
	noError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	const others = 500 // descriptors of this process and the server for other purposes
	if limit.Max < uint64(number+others) {
		skipOrFail(t, "a process may have %d descriptors open here, and %d are needed: raise the hard limit (ulimit -Hn)", limit.Max, number+others)
	}
	limit.Cur = limit.Max
	noError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	s := startProcess(t)
	pid := s.process.Process.Pid
	s.wantServing(t)
	before, memory := s.descriptors(t), processStatus(t, pid, "VmRSS")
	first := dial(t, s.url)
	noError(t, first.SetDeadline(time.Time{}))
	wantAnswer(t, first) // its idle timeout is longer than the header timeout of connections that have sent nothing
	_, closeAll := connect(t, s.url, number-1)
	s.wantServing(t)
	each := (processStatus(t, pid, "VmRSS") - memory) * 1024 / number
	t.Logf("%d idle connections: %d bytes each", number, each)
	if number == 10_000 && each > 32<<10 { // with fewer, the server's own memory counts too much
		t.Errorf("a connection costs %d bytes", each)
	}
	wantAnswer(t, first)
	closeAll()
	s.wantDescriptors(t, before+10)
	s.end(t)
}

// A server without free descriptors accepts no connection, serves the open ones, and recovers when some are closed.
func TestDescriptorLimit(t *testing.T) {
	t.Parallel()
	const most = 64
	binary, err := os.Executable()
	noError(t, err)
	c := exec.CommandContext(t.Context(), "sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, most), binary}, serveArgs()...)...)
	c.Env = append(os.Environ(), asUnderstudy+"=1")
	s := launch(t, c)
	open := s.api(t).Via(&http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}})
	update := func() {
		wantStatus(t, open.Put("/tenant-properties/tp_default", `{"name":"Quay"}`), http.StatusOK)
	}
	update()
	before := s.descriptors(t)
	conns, closeAll := connect(t, s.url, 2*most) // the kernel accepts them, the server does not
	s.stderr.find(t, `(too many open files)`)
	update()
	last := conns[len(conns)-1]
	fmt.Fprintf(last, "%s\r\n", getHead)
	noError(t, last.SetReadDeadline(time.Now().Add(soon)))
	if n, err := last.Read(make([]byte, 100)); err == nil {
		t.Errorf("the last connection is served, %d bytes", n)
	}
	closeAll()
	s.wantDescriptors(t, before+10)
	update()
	s.end(t)
}
