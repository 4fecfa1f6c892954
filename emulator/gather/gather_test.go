package gather_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/gather"
)

// counted is a listener whose connections count what is written to them, and fail when they are told to.
type counted struct {
	net.Listener
	writes atomic.Int64
	broken atomic.Bool
	closed chan struct{} // when a connection is
}

func (l *counted) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &countedConn{c, l}, err
}

type countedConn struct {
	net.Conn
	of *counted
}

func (c *countedConn) Write(p []byte) (int, error) {
	c.of.writes.Add(1)
	if c.of.broken.Load() {
		return 0, errors.New("broken")
	}
	return c.Conn.Write(p)
}

func (c *countedConn) Close() error {
	select {
	case c.of.closed <- struct{}{}:
	default:
	}
	return c.Conn.Close()
}

// serve serves bodies of as many bytes as the query says.
func serve(t *testing.T, secure bool) (*counted, *httptest.Server) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size, _ := strconv.Atoi(r.URL.RawQuery)
		w.Header().Set("Content-Length", strconv.Itoa(size))
		gather.Write(w, r, bodyOf(size))
	}))
	below := &counted{Listener: server.Listener, closed: make(chan struct{}, 1)}
	server.Listener = gather.Listener(below)
	server.Config.ConnContext = gather.Context
	if secure {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return below, server
}

func bodyOf(size int) []byte { return bytes.Repeat([]byte("0123456789abcde\n"), size/16+1)[:size] }

func TestAWholeAnswerIsOneWrite(t *testing.T) {
	t.Parallel()
	below, server := serve(t, false)
	for _, size := range []int{0, 1, 2048, 2049, 3900, 4095, 4096, 4097, 8192, 11_000, 64 << 10} {
		before := below.writes.Load()
		if got := get(t, server, size); !bytes.Equal(got, bodyOf(size)) {
			t.Errorf("a body of %d bytes came as %d others", size, len(got))
		}
		if writes := below.writes.Load() - before; writes != 1 {
			t.Errorf("a body of %d bytes took %d writes", size, writes)
		}
	}
}

func TestALongOneComesWhole(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		_, server := serve(t, secure)
		for _, size := range []int{64<<10 + 1, 1 << 20, 5000} {
			if got := get(t, server, size); !bytes.Equal(got, bodyOf(size)) {
				t.Errorf("TLS %v: a body of %d bytes came as %d others", secure, size, len(got))
			}
		}
	}
}

func get(t *testing.T, server *httptest.Server, size int) []byte {
	t.Helper()
	answer, err := server.Client().Get(server.URL + "?" + strconv.Itoa(size))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// Requests sent at once are answered one behind the other.
func TestPipelinedAnswersKeepTheirOrder(t *testing.T) {
	t.Parallel()
	_, server := serve(t, false)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sizes := []int{10_000, 3, 5_000, 70_000, 2_100, 0, 4_096}
	for _, size := range sizes {
		fmt.Fprintf(conn, "GET /?%d HTTP/1.1\r\nHost: localhost\r\n\r\n", size)
	}
	from := bufio.NewReader(conn)
	for _, size := range sizes {
		answer, err := http.ReadResponse(from, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(answer.Body); err != nil || !bytes.Equal(got, bodyOf(size)) {
			t.Errorf("a body of %d bytes came as %d others: %v", size, len(got), err)
		}
	}
}

// Behind a part of an answer no other may come.
func TestAFailedWriteEndsTheConnection(t *testing.T) {
	t.Parallel()
	below, server := serve(t, false)
	get(t, server, 1)
	below.broken.Store(true)
	if answer, err := server.Client().Get(server.URL + "?5000"); err == nil {
		answer.Body.Close()
		t.Errorf("an answer that could not be written has status %d", answer.StatusCode)
	}
	<-below.closed
}

// accept returns both ends of a connection that can gather.
func accept(t *testing.T) (client, c net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l = gather.Listener(l)
	defer l.Close()
	client, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	c, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return client, c
}

// Faults on the connection need what is below.
func TestTheConnectionBelowIsKnown(t *testing.T) {
	t.Parallel()
	_, c := accept(t)
	below, ok := c.(interface{ NetConn() net.Conn })
	if !ok {
		t.Fatalf("%T does not know the connection below", c)
	}
	if _, ok := below.NetConn().(*net.TCPConn); !ok {
		t.Errorf("%T is below", below.NetConn())
	}
}

// A client that sends on has an answer whole, and its end, before the connection is closed on what it sent.
func TestAClientHearsTheEndOfAnAnswerWhileItsConnectionIsOpen(t *testing.T) {
	t.Parallel()
	client, c := accept(t)
	if _, err := io.WriteString(c, "enough"); err != nil {
		t.Fatal(err)
	}
	half, ok := c.(interface{ CloseWrite() error }) // net/http asks for it so
	if !ok {
		t.Fatalf("%T cannot end what it sends alone", c)
	}
	if err := half.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(client); err != nil || string(got) != "enough" {
		t.Errorf("the client has %q, %v", got, err)
	}
	if _, err := io.WriteString(client, "more"); err != nil {
		t.Error(err)
	}
	if got, err := io.ReadAtLeast(c, make([]byte, 4), 4); err != nil {
		t.Errorf("of what it sends on %d bytes come: %v", got, err)
	}
}
