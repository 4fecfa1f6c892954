package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// assemble connects a number of times to a server and sends nothing.
func assemble(t *testing.T, url string, number int) (conns []net.Conn, leave func()) {
	t.Helper()
	leave = func() {
		for _, conn := range conns {
			_ = conn.Close()
		}
	}
	t.Cleanup(leave)
	for range number {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatalf("after %d connections: %v", len(conns), err)
		}
		conns = append(conns, conn)
	}
	return conns, leave
}

// figure returns a number of a process that /proc knows, such as VmRSS in KiB.
func figure(t *testing.T, pid int, name string) (n int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(text, []byte("\n"+name+":"))
	if _, err := fmt.Sscan(string(rest), &n); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func descriptors(t *testing.T, pid int) int {
	t.Helper()
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}

// wantDescriptors waits until a process has no more descriptors than it may: connections that end are closed soon after.
func wantDescriptors(t *testing.T, url string, pid, most int) {
	t.Helper()
	for patience := time.Now().Add(attackPatience); descriptors(t, pid) > most; wantServing(t, url) {
		if time.Now().After(patience) {
			t.Fatalf("the server has %d descriptors still, not %d", descriptors(t, pid), most)
		}
	}
}

// end stops a server in a process of its own, which must be fine with that.
func end(t *testing.T, c *exec.Cmd, stderr *stream) {
	t.Helper()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("the end: %v\n%s", err, stderr)
	}
}

// wantAnswer sends a request on a connection, which must be served.
func wantAnswer(t *testing.T, conn net.Conn) {
	t.Helper()
	if _, err := fmt.Fprintf(conn, "%s\r\n", getHead); err != nil {
		t.Error(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("the one that waited longest is not served: %v", err)
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusForbidden {
		t.Errorf("it is answered %s, %v", answer.Status, err)
	}
}

// Idle connections cost a goroutine and a buffer each, nothing of a core, and go when their clients do.
func TestTenThousandIdleConnectionsKeepNobodyWaiting(t *testing.T) {
	number := 10_000
	if testing.Short() || os.Getenv("CI") != "true" {
		number = 500
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	const others = 500 // what this process and the server have open beside
	if limit.Max < uint64(number+others) {
		t.Skipf("a process may have %d descriptors open here, and %d are needed: raise the hard limit (ulimit -Hn)", limit.Max, number+others)
	}
	limit.Cur = limit.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	c, stderr := process(t, "serve", "--addr", "127.0.0.1:0")
	url, pid := stderr.find(t, listening), c.Process.Pid
	wantServing(t, url)
	before, memory := descriptors(t, pid), figure(t, pid, "VmRSS")
	first, _ := assemble(t, url, 1)
	wantAnswer(t, first[0]) // and may wait for longer from there on than those who never ask, however slow these come
	_, leave := assemble(t, url, number-1)
	began := time.Now()
	wantServing(t, url)
	took, each := time.Since(began), (figure(t, pid, "VmRSS")-memory)*1024/number
	t.Logf("%d idle connections: the next request takes %s, %d bytes each", number, took, each)
	if took > 5*time.Second || number == 10_000 && each > 32<<10 { // of fewer it is mostly what the server needs anyway
		t.Errorf("the next request takes %s, a connection %d bytes", took, each)
	}
	wantAnswer(t, first[0])
	leave()
	wantDescriptors(t, url, pid, before+10)
	end(t, c, stderr)
}

// Without descriptors nobody new is let in. Those who are in are served, and when some go, the next come.
func TestAServerWithoutDescriptorsRefusesAndRecovers(t *testing.T) {
	t.Parallel()
	const most = 64
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, most), binary, "serve", "--addr", "127.0.0.1:0")
	c.Env = append(os.Environ(), asUnderstudy+"=1")
	stderr := begin(t, c)
	url := stderr.find(t, listening)
	inside := apitest.New(t, url, key).Via(&http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}})
	update := func() {
		if r := inside.Put("/tenant-properties/tp_default", `{"name":"Quay"}`); r.Status != http.StatusOK {
			t.Errorf("who is in is answered %d %s", r.Status, r.Body)
		}
	}
	update()
	before := descriptors(t, c.Process.Pid)
	conns, leave := assemble(t, url, 2*most) // the kernel takes them, the server not
	stderr.find(t, `(too many open files)`)
	update()
	last := conns[len(conns)-1]
	fmt.Fprintf(last, "%s\r\n", getHead)
	if err := last.SetReadDeadline(time.Now().Add(soon)); err != nil {
		t.Fatal(err)
	}
	if n, err := last.Read(make([]byte, 100)); err == nil {
		t.Errorf("the last one is served, %d bytes", n)
	}
	leave()
	wantDescriptors(t, url, c.Process.Pid, before+10)
	update()
	end(t, c, stderr)
}
