package serve

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// connect opens a number of connections to a server and sends nothing.
func connect(t *testing.T, url string, number int) (conns []net.Conn, closeAll func()) {
	t.Helper()
	for range number {
		conns = append(conns, commandtest.Dial(t, url))
	}
	return conns, func() {
		for _, conn := range conns {
			_ = conn.Close()
		}
	}
}

func descriptors(s commandtest.Server, t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.Process.Process.Pid))
	commandtest.NoError(t, err)
	return len(open)
}

// wantDescriptors waits until a server has at most a number of descriptors: it closes ended connections a moment later.
func wantDescriptors(s commandtest.Server, t *testing.T, most int) {
	t.Helper()
	for patience := time.Now().Add(commandtest.AttackPatience); descriptors(s, t) > most; s.WantServing(t) {
		if time.Now().After(patience) {
			t.Fatalf("the server has %d descriptors, want %d", descriptors(s, t), most)
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
	if commandtest.Thorough() {
		number = 10_000
	}
	var limit syscall.Rlimit
	commandtest.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	const others = 500 // descriptors of this process and the server for other purposes
	if limit.Max < uint64(number+others) {
		commandtest.SkipOrFail(t, "a process may have %d descriptors open here, and %d are needed: raise the hard limit (ulimit -Hn)", limit.Max, number+others)
	}
	limit.Cur = limit.Max
	commandtest.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	s := commandtest.StartProcess(t)
	pid := s.Process.Process.Pid
	s.WantServing(t)
	before, memory := descriptors(s, t), commandtest.ProcessStatus(t, pid, "VmRSS")
	first := commandtest.Dial(t, s.URL)
	commandtest.NoError(t, first.SetDeadline(time.Time{}))
	wantAnswer(t, first) // its idle timeout is longer than the header timeout of connections that have sent nothing
	_, closeAll := connect(t, s.URL, number-1)
	s.WantServing(t)
	each := (commandtest.ProcessStatus(t, pid, "VmRSS") - memory) * 1024 / number
	t.Logf("%d idle connections: %d bytes each", number, each)
	if number == 10_000 && each > 32<<10 { // with fewer, the server's own memory counts too much
		t.Errorf("a connection costs %d bytes", each)
	}
	wantAnswer(t, first)
	closeAll()
	wantDescriptors(s, t, before+10)
	s.End(t)
}

// A server without free descriptors accepts no connection, serves the open ones, and recovers when some are closed.
func TestDescriptorLimit(t *testing.T) {
	t.Parallel()
	const most = 64
	binary, err := os.Executable()
	commandtest.NoError(t, err)
	c := exec.CommandContext(t.Context(), "sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, most), binary}, commandtest.ServeArgs()...)...)
	c.Env = append(os.Environ(), commandtest.AsUnderstudy+"=1")
	s := commandtest.Launch(t, c)
	open := s.API(t).Via(&http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}})
	update := func() {
		commandtest.WantStatus(t, open.Put("/tenant-properties/tp_default", `{"name":"Quay"}`), http.StatusOK)
	}
	update()
	before := descriptors(s, t)
	conns, closeAll := connect(t, s.URL, 2*most) // the kernel accepts them, the server does not
	s.Stderr.Find(t, `(too many open files)`)
	update()
	last := conns[len(conns)-1]
	fmt.Fprintf(last, "%s\r\n", getHead)
	commandtest.NoError(t, last.SetReadDeadline(time.Now().Add(soon)))
	if n, err := last.Read(make([]byte, 100)); err == nil {
		t.Errorf("the last connection is served, %d bytes", n)
	}
	closeAll()
	wantDescriptors(s, t, before+10)
	update()
	s.End(t)
}
