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

// assemble connects a number of times to a server and sends nothing.
func assemble(t *testing.T, url string, number int) (conns []net.Conn, leave func()) {
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

// figure returns a number of a process that /proc knows, such as VmRSS in KiB.
func figure(t testing.TB, pid int, name string) (n int) {
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

// wantDescriptors waits until a server has no more descriptors than it may: connections that end are closed soon after.
func (s server) wantDescriptors(t *testing.T, most int) {
	t.Helper()
	for patience := time.Now().Add(attackPatience); s.descriptors(t) > most; s.wantServing(t) {
		if time.Now().After(patience) {
			t.Fatalf("the server has %d descriptors still, not %d", s.descriptors(t), most)
		}
	}
}

// wantAnswer sends a request on a connection, which must be served.
func wantAnswer(t *testing.T, conn net.Conn) {
	t.Helper()
	if answer, _ := exchange(t, conn, getHead+"\r\n"); answer.StatusCode != http.StatusForbidden {
		t.Errorf("it is answered %s", answer.Status)
	}
}

// Idle connections cost a goroutine and a buffer each, nothing of a core, and go when their clients do.
func TestIdleConnections(t *testing.T) {
	number := 500
	if thorough() {
		number = 10_000
	}
	var limit syscall.Rlimit
	noError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	const others = 500 // what this process and the server have open beside
	if limit.Max < uint64(number+others) {
		t.Skipf("a process may have %d descriptors open here, and %d are needed: raise the hard limit (ulimit -Hn)", limit.Max, number+others)
	}
	limit.Cur = limit.Max
	noError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	s := startProcess(t)
	pid := s.process.Process.Pid
	s.wantServing(t)
	before, memory := s.descriptors(t), figure(t, pid, "VmRSS")
	first := dial(t, s.url)
	noError(t, first.SetDeadline(time.Time{}))
	wantAnswer(t, first) // and may wait for longer from there on than those who never ask, however slow these come
	_, leave := assemble(t, s.url, number-1)
	began := time.Now()
	s.wantServing(t)
	took, each := time.Since(began), (figure(t, pid, "VmRSS")-memory)*1024/number
	t.Logf("%d idle connections: the next request takes %s, %d bytes each", number, took, each)
	if took > 5*time.Second || number == 10_000 && each > 32<<10 { // of fewer it is mostly what the server needs anyway
		t.Errorf("the next request takes %s, a connection %d bytes", took, each)
	}
	wantAnswer(t, first)
	leave()
	s.wantDescriptors(t, before+10)
	s.end(t)
}

// Without descriptors nobody new is let in. Those who are in are served, and when some go, the next come.
func TestDescriptorLimit(t *testing.T) {
	t.Parallel()
	const most = 64
	binary, err := os.Executable()
	noError(t, err)
	c := exec.CommandContext(t.Context(), "sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, most), binary}, serveArgs()...)...)
	c.Env = append(os.Environ(), asUnderstudy+"=1")
	s := launch(t, c)
	inside := s.api(t).Via(&http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}})
	update := func() {
		wantStatus(t, inside.Put("/tenant-properties/tp_default", `{"name":"Quay"}`), http.StatusOK)
	}
	update()
	before := s.descriptors(t)
	conns, leave := assemble(t, s.url, 2*most) // the kernel takes them, the server not
	s.stderr.find(t, `(too many open files)`)
	update()
	last := conns[len(conns)-1]
	fmt.Fprintf(last, "%s\r\n", getHead)
	noError(t, last.SetReadDeadline(time.Now().Add(soon)))
	if n, err := last.Read(make([]byte, 100)); err == nil {
		t.Errorf("the last one is served, %d bytes", n)
	}
	leave()
	s.wantDescriptors(t, before+10)
	update()
	s.end(t)
}
