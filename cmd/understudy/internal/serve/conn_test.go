package serve

import (
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// A client that continues to send gets the whole answer before the connection is closed.
func TestCloseWrite(t *testing.T) {
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
