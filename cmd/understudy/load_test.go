package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// asBareServer names the file whose bytes the test binary serves in answer to everything, with net/http and nothing
// else: what the emulator is measured against.
const asBareServer = "UNDERSTUDY_TEST_BARE"

func serveBare(file string) {
	body, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(os.Stderr, "msg=listening url=http://%s \n", listener.Addr())
	panic(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusCreated)
		}
		w.Write(body)
	})))
}

// target is a server in a process of its own.
type target struct {
	process *exec.Cmd
	address string
}

// emulated starts the program as it is released.
func emulated(b *testing.B, args ...string) target {
	b.Helper()
	return launch(b, exec.CommandContext(b.Context(), build(b), append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...))
}

// bare starts a bare server of a body.
func bare(b *testing.B, body []byte) target {
	b.Helper()
	file := filepath.Join(b.TempDir(), "body")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		b.Fatal(err)
	}
	return launch(b, self(b, asBareServer+"="+file))
}

// launch starts a server and waits until it listens.
func launch(b *testing.B, c *exec.Cmd) target {
	b.Helper()
	return target{c, strings.TrimPrefix(begin(b, c).find(b, listening), "http://")}
}

// measured is what a number of requests took.
type measured struct {
	requests int
	took     time.Duration
	cpu      time.Duration // of the server
	each     []time.Duration
}

func (m *measured) add(other measured) {
	m.requests += other.requests
	m.took += other.took
	m.cpu += other.cpu
	m.each = append(m.each, other.each...)
}

func (m *measured) percentile(p int) float64 {
	slices.Sort(m.each)
	return float64(m.each[(len(m.each)-1)*p/100])
}

// crowd is how many clients send at once in most runs, each over a connection of its own.
const crowd = 32

// drive has clients send requests, the texts of which are made by their number.
func (s target) drive(b *testing.B, clients, requests int, text func(n int) string) (m measured) {
	b.Helper()
	var mu sync.Mutex
	var failure error
	var sending sync.WaitGroup
	cpu, began := cpuOf(b, s.process.Process.Pid), time.Now()
	for client := range clients {
		sending.Go(func() {
			each, err := s.send(client, clients, requests, text)
			mu.Lock()
			defer mu.Unlock()
			m.each = append(m.each, each...)
			failure = cmp.Or(failure, err)
		})
	}
	sending.Wait()
	if failure != nil {
		b.Fatal(failure)
	}
	m.requests, m.took, m.cpu = len(m.each), time.Since(began), cpuOf(b, s.process.Process.Pid)-cpu
	return m
}

// send sends one client's share of the requests over one connection.
func (s target) send(number, clients, requests int, text func(n int) string) (each []time.Duration, err error) {
	client, err := net.Dial("tcp", s.address)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	answers := bufio.NewReaderSize(client, 32<<10)
	for n := number; n < requests; n += clients {
		sent := time.Now()
		if _, err := exchange(client, answers, text(n)); err != nil {
			return each, err
		}
		each = append(each, time.Since(sent))
	}
	return each, nil
}

// ask sends one request and returns the body of its answer.
func (s target) ask(b *testing.B, text string) []byte {
	b.Helper()
	client, err := net.Dial("tcp", s.address)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	body, err := exchange(client, bufio.NewReader(client), text)
	if err != nil {
		b.Fatal(err)
	}
	return body
}

// exchange sends a request and reads its answer with as little effort as can be.
func exchange(client io.Writer, answers *bufio.Reader, text string) (body []byte, err error) {
	if _, err := io.WriteString(client, text); err != nil {
		return nil, err
	}
	status, err := answers.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(string(status), "HTTP/1.1 20") {
		return nil, fmt.Errorf("answered %s", status)
	}
	length := 0
	for {
		line, err := answers.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if len(line) == 2 {
			break
		}
		if digits, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
			if length, err = strconv.Atoi(strings.TrimSpace(digits)); err != nil {
				return nil, err
			}
		}
	}
	body = make([]byte, length)
	_, err = io.ReadFull(answers, body)
	return body, err
}

// request writes a request of a world.
func request(key, method, path, version, body string) string {
	text := method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer svc_sk_test_" + key +
		"\r\nAccept: application/json; version=" + version + "\r\n"
	if body != "" {
		text += "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
	}
	return text + "\r\n" + body
}

// compare drives two servers by turns, and reports what the first does for each that the second does.
func compare(b *testing.B, one, other target, requests int, text func(n int) string) {
	b.Helper()
	one.drive(b, crowd, requests, text) // until caches are warm
	other.drive(b, crowd, requests, text)
	var m, reference measured
	for b.Loop() {
		reference.add(other.drive(b, crowd, requests, text))
		m.add(one.drive(b, crowd, requests, text))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(m.requests)/m.took.Seconds(), "requests/s")
	b.ReportMetric(float64(m.cpu.Microseconds())/float64(m.requests), "cpu-us")
	b.ReportMetric(reference.took.Seconds()/m.took.Seconds(), "throughput-of-reference")
	b.ReportMetric(m.cpu.Seconds()/reference.cpu.Seconds(), "cpu-of-reference")
	b.ReportMetric(m.percentile(50)/reference.percentile(50), "p50-of-reference")
	b.ReportMetric(m.percentile(99)/reference.percentile(99), "p99-of-reference")
}

// build builds the program as the Dockerfile does.
func build(t testing.TB) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "understudy")
	c := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, ".")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// cpuOf returns the time that a process has had of all cores.
func cpuOf(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skipf("the time of a process is read from /proc: %v", err)
	}
	const tick = 10 * time.Millisecond
	_, after, _ := strings.Cut(string(stat), ") ")
	var ticks time.Duration
	for _, field := range strings.Fields(after)[11:13] { // in user mode, and in the kernel
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		ticks += time.Duration(n)
	}
	return ticks * tick
}

// residentMiB returns how much memory a process has.
func residentMiB(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skipf("resident memory is read from /proc: %v", err)
	}
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.Atoi(strings.Fields(text)[0])
			if err != nil {
				b.Fatal(err)
			}
			return float64(kib) / 1024
		}
	}
	b.Fatal("no VmRSS in /proc")
	return 0
}
