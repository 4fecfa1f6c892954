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
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// asBareServer names a file. The test binary then answers every request with its bytes, by net/http alone: the reference of
// the benchmarks.
const asBareServer = "TEST_AS_BARE_SERVER"

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

// build builds the program as the Dockerfile does.
func build(t testing.TB) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "understudy")
	c := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X main.release=v0.0.0-test -X main.commit=3f2a -X main.date=2026-11-22T16:53:58Z", "-o", binary, ".")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// emulated starts the released program.
func emulated(b *testing.B, args ...string) commandtest.Server {
	b.Helper()
	return commandtest.Launch(b, exec.CommandContext(b.Context(), build(b), commandtest.ServeArgs(args...)...))
}

// measured is the result of a load: the latencies, the whole time, and the server's CPU time.
type measured struct {
	each      []time.Duration
	took, cpu time.Duration
}

func (m *measured) add(other measured) {
	m.each = append(m.each, other.each...)
	m.took += other.took
	m.cpu += other.cpu
}

func (m *measured) percentile(p int) float64 {
	slices.Sort(m.each)
	return float64(m.each[(len(m.each)-1)*p/100])
}

// cpuEach returns the microseconds of CPU per request.
func (m *measured) cpuEach() float64 { return float64(m.cpu.Microseconds()) / float64(len(m.each)) }

// crowd is the number of parallel clients in most runs, each with its own connection.
const crowd = 32

// drive sends requests with parallel clients. text returns the text of request n.
func drive(s commandtest.Server, b *testing.B, clients, requests int, text func(n int) string) (m measured) {
	b.Helper()
	var mu sync.Mutex
	var sending sync.WaitGroup
	cpu, began := cpuOf(s, b), time.Now()
	for client := range clients {
		sending.Go(func() {
			each, err := send(s, client, clients, requests, text)
			mu.Lock()
			defer mu.Unlock()
			if m.each = append(m.each, each...); err != nil {
				b.Error(err)
			}
		})
	}
	sending.Wait()
	if b.Failed() {
		b.FailNow()
	}
	m.took, m.cpu = time.Since(began), cpuOf(s, b)-cpu
	return m
}

// send sends one client's share of the requests over one connection.
func send(s commandtest.Server, number, clients, requests int, text func(n int) string) (each []time.Duration, err error) {
	client, err := net.Dial("tcp", s.Host())
	if err != nil {
		return nil, err
	}
	defer client.Close()
	answers := bufio.NewReaderSize(client, 32<<10)
	for n := number; n < requests; n += clients {
		sent := time.Now()
		if _, err := ask(client, answers, text(n)); err != nil {
			return each, err
		}
		each = append(each, time.Since(sent))
	}
	return each, nil
}

// ask sends a request and reads its answer with minimal CPU.
func ask(client io.Writer, answers *bufio.Reader, text string) (body []byte, err error) {
	if _, err := io.WriteString(client, text); err != nil {
		return nil, err
	}
	length, line := 0, []byte(nil)
	for first := true; first || len(line) > 2; first = false {
		if line, err = answers.ReadSlice('\n'); err != nil {
			return nil, err
		}
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 20")) {
			return nil, fmt.Errorf("answered %s", line)
		}
		if digits, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(digits))); err != nil {
				return nil, err
			}
		}
	}
	body = make([]byte, length)
	_, err = io.ReadFull(answers, body)
	return body, err
}

// compare drives an emulator and a bare server with the same bytes in turns, and reports the ratios.
func measure(b *testing.B, requests int, text func(n int) string) {
	b.Helper()
	one := emulated(b)
	client := commandtest.Dial(b, one.URL)
	body, err := ask(client, bufio.NewReader(client), text(0))
	commandtest.NoError(b, err)
	other := commandtest.Launch(b, commandtest.Self(b, asBareServer+"="+commandtest.NewFile(b, "body", body)))
	drive(one, b, crowd, requests, text) // warm up
	drive(other, b, crowd, requests, text)
	var m, reference measured
	for b.Loop() {
		reference.add(drive(other, b, crowd, requests, text))
		m.add(drive(one, b, crowd, requests, text))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(m.each))/m.took.Seconds(), "requests/s")
	b.ReportMetric(m.cpuEach(), "cpu-us")
	b.ReportMetric(reference.took.Seconds()/m.took.Seconds(), "throughput-of-reference")
	b.ReportMetric(m.cpu.Seconds()/reference.cpu.Seconds(), "cpu-of-reference")
	b.ReportMetric(m.percentile(50)/reference.percentile(50), "p50-of-reference")
	b.ReportMetric(m.percentile(99)/reference.percentile(99), "p99-of-reference")
}

// cpuOf returns the CPU time of a server on all cores.
func cpuOf(s commandtest.Server, b *testing.B) time.Duration {
	b.Helper()
	_, after, _ := strings.Cut(string(commandtest.ReadFile(b, fmt.Sprintf("/proc/%d/stat", s.Process.Process.Pid))), ") ")
	var user, system int
	_, err := fmt.Sscan(strings.Join(strings.Fields(after)[11:13], " "), &user, &system)
	commandtest.NoError(b, err)
	return time.Duration(user+system) * 10 * time.Millisecond
}
