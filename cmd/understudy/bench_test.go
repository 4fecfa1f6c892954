package main

import (
	"bufio"
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
	panic(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	})))
}

const readCompleted = "GET /verification-requests/vr_completed HTTP/1.1\r\nHost: localhost\r\n" +
	"Authorization: Bearer svc_sk_test_bench\r\nAccept: application/json; version=2019-10-15\r\n\r\n"

// BenchmarkReadCompleted reads a completed verification request with 26 paystubs over 32 connections, from the emulator
// and, in turns, from a bare net/http server that has the same bytes. of-bare is the ratio of their throughputs.
func BenchmarkReadCompleted(b *testing.B) {
	_, stderr := process(b, "serve", "--addr", "127.0.0.1:0")
	emulated := address(b, stderr)
	file := filepath.Join(b.TempDir(), "body")
	if err := os.WriteFile(file, bodyOf(b, emulated), 0o600); err != nil {
		b.Fatal(err)
	}
	_, stderr = self(b, asBareServer+"="+file)
	bare := address(b, stderr)
	const requests = 20_000
	var emulatedTook, bareTook time.Duration
	rounds := 0
	for b.Loop() {
		bareTook += drive(b, bare, requests)
		emulatedTook += drive(b, emulated, requests)
		rounds++
	}
	b.ReportMetric(float64(bareTook)/float64(emulatedTook), "of-bare")
	b.ReportMetric(float64(rounds*requests)/emulatedTook.Seconds(), "requests/s")
	b.ReportMetric(float64(rounds*requests)/bareTook.Seconds(), "bare-requests/s")
	b.ReportMetric(0, "ns/op")
}

// address returns where a server says that it listens.
func address(b *testing.B, stderr *stream) string {
	b.Helper()
	return strings.TrimPrefix(stderr.find(b, listening), "http://")
}

func bodyOf(b *testing.B, addr string) []byte {
	b.Helper()
	client, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	body, err := exchange(client, bufio.NewReader(client))
	if err != nil {
		b.Fatal(err)
	}
	return body
}

// drive sends a number of requests over 32 connections and returns how long they took.
func drive(b *testing.B, addr string, requests int) time.Duration {
	b.Helper()
	const connections = 32
	var clients sync.WaitGroup
	began := time.Now()
	for range connections {
		clients.Go(func() {
			client, err := net.Dial("tcp", addr)
			if err != nil {
				b.Error(err)
				return
			}
			defer client.Close()
			answers := bufio.NewReaderSize(client, 32<<10)
			for range requests / connections {
				if _, err := exchange(client, answers); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	clients.Wait()
	return time.Since(began)
}

// exchange sends the request and reads its answer with as little effort as can be.
func exchange(client io.Writer, answers *bufio.Reader) (body []byte, err error) {
	if _, err := io.WriteString(client, readCompleted); err != nil {
		return nil, err
	}
	status, err := answers.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(string(status), "HTTP/1.1 200") {
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

// BenchmarkStart runs the program as it is released and measures the time from exec to the first 200, the memory that
// is resident then, and the size of the binary.
func BenchmarkStart(b *testing.B) {
	binary := build(b)
	var took []time.Duration
	var resident int
	for b.Loop() {
		began := time.Now()
		stderr := newStream()
		c := exec.Command(binary, "serve", "--addr", "127.0.0.1:0")
		c.Stderr = stderr
		if err := c.Start(); err != nil {
			b.Fatal(err)
		}
		bodyOf(b, address(b, stderr))
		took = append(took, time.Since(began))
		resident = residentKiB(b, c.Process.Pid)
		if err := c.Process.Kill(); err != nil {
			b.Fatal(err)
		}
		_ = c.Wait() // it was killed
	}
	info, err := os.Stat(binary)
	if err != nil {
		b.Fatal(err)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-to-first-200")
	b.ReportMetric(float64(resident)/1024, "MiB-resident")
	b.ReportMetric(float64(info.Size())/(1<<20), "MiB-binary")
	b.ReportMetric(0, "ns/op")
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

func residentKiB(b *testing.B, pid int) int {
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
			return kib
		}
	}
	b.Fatal("no VmRSS in /proc")
	return 0
}
