package serve

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

func TestOneWrite(t *testing.T) {
	t.Run("answers of every size are whole and in order", answersOfEverySize)
	t.Run("full buffer waits for the rest unless the answer is a stream", fullBufferIsHeld)
	t.Run("a connection can be closed for writing alone", closedForWriting)
}

// serveInOneWrite serves a handler as serve does, and returns its address.
func serveInOneWrite(t *testing.T, handler http.HandlerFunc) (addr string) {
	t.Helper()
	server := httptest.NewUnstartedServer(oneWrite(handler))
	server.Listener = &listener{Listener: server.Listener}
	server.Config.ConnContext = withConn
	server.Start()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func bodyOf(size int) []byte { return bytes.Repeat([]byte("0123456789abcde\n"), size/16+1)[:size] }

// One of the sizes fills the buffer exactly, headers included. The client pipelines the requests.
func answersOfEverySize(t *testing.T) {
	t.Parallel()
	addr := serveInOneWrite(t, func(w http.ResponseWriter, r *http.Request) {
		size, _ := strconv.Atoi(r.URL.RawQuery)
		w.Header().Set("Content-Length", strconv.Itoa(size))
		w.Write(bodyOf(size))
	})
	client := commandtest.Dial(t, addr)
	sizes := []int{0, 1, 2048, 11_000, 64 << 10, 1 << 20}
	for size := bufferSize - 300; size < bufferSize+10; size++ {
		sizes = append(sizes, size, bufferSize+size)
	}
	go func() {
		for _, size := range sizes {
			fmt.Fprintf(client, "GET /?%d HTTP/1.1\r\nHost: x\r\n\r\n", size)
		}
	}()
	from := bufio.NewReader(client)
	for _, size := range sizes {
		answer, err := http.ReadResponse(from, nil)
		commandtest.NoError(t, err)
		if got, err := io.ReadAll(answer.Body); err != nil || !bytes.Equal(got, bodyOf(size)) {
			t.Errorf("a body of %d bytes arrives as %d others: %v", size, len(got), err)
		}
	}
}

func fullBufferIsHeld(t *testing.T) {
	t.Parallel()
	for _, length := range []string{"8000", ""} {
		held := make(chan int, 1)
		addr := serveInOneWrite(t, func(w http.ResponseWriter, r *http.Request) {
			if length != "" {
				w.Header().Set("Content-Length", length)
			}
			w.Write(bodyOf(bufferSize))
			held <- len(r.Context().Value(connKey{}).(*conn).held)
			w.Write(bodyOf(8000 - bufferSize))
		})
		answer, err := http.Get("http://" + addr)
		commandtest.NoError(t, err)
		defer answer.Body.Close()
		if body, err := io.ReadAll(answer.Body); err != nil || len(body) != 8000 {
			t.Errorf("%d bytes, %v", len(body), err)
		}
		want := 0
		if length != "" {
			want = bufferSize
		}
		if got := <-held; got != want {
			t.Errorf("Content-Length %q: %d bytes are held, want %d", length, got, want)
		}
	}
}

// A client that continues to send gets the whole answer before the connection is closed.
func closedForWriting(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	commandtest.NoError(t, err)
	defer l.Close()
	client := commandtest.Dial(t, l.Addr().String())
	c, err := (&listener{Listener: l}).Accept()
	commandtest.NoError(t, err)
	defer c.Close()
	if _, ok := c.(interface{ NetConn() net.Conn }).NetConn().(*net.TCPConn); !ok { // connection faults need it
		t.Errorf("the underlying connection is not TCP")
	}
	fmt.Fprint(c, "enough")
	commandtest.NoError(t, c.(interface{ CloseWrite() error }).CloseWrite()) // as net/http does
	if got, err := io.ReadAll(client); err != nil || string(got) != "enough" {
		t.Errorf("the client has %q, %v", got, err)
	}
	fmt.Fprint(client, "more")
	if got, err := io.ReadAtLeast(c, make([]byte, 4), 4); err != nil {
		t.Errorf("%d bytes arrive after CloseWrite: %v", got, err)
	}
}
