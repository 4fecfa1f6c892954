package serve

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// sent returns a connection on which a text was sent.
func sent(t *testing.T, url, text string) net.Conn {
	t.Helper()
	conn := commandtest.Dial(t, url)
	_, err := io.WriteString(conn, text)
	commandtest.NoError(t, err)
	return conn
}

func readContinue(t *testing.T, conn net.Conn) {
	t.Helper()
	line := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.ReadFull(conn, line); err != nil || !strings.HasPrefix(string(line), "HTTP/1.1 100 ") {
		t.Fatalf("%q, error %v", line, err)
	}
}

// exchange sends the text of a request, and returns the first answer and its body.
func exchange(t testing.TB, conn net.Conn, request string) (answer *http.Response, body string) {
	t.Helper()
	_, _ = io.WriteString(conn, request) // the server may close the connection early
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	commandtest.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	commandtest.NoError(t, err)
	return answer, string(text)
}

// lastRequest makes the server close the connection.
const (
	lastRequest = "GET /verification-requests/vr_error_429 HTTP/1.1\r\n" + head + "Connection: close\r\n\r\n"
	lastStatus  = http.StatusTooManyRequests
)

// attack sends a text and lastRequest. It returns the statuses of the answers to the text, and the header and body of the last.
func attack(t testing.TB, url, text string) (statuses []int, header http.Header, body string) {
	t.Helper()
	conn := commandtest.Dial(t, url)
	_, _ = io.WriteString(conn, text+lastRequest) // the server may close the connection early
	for answers := bufio.NewReader(conn); ; {
		answer, err := http.ReadResponse(answers, nil)
		if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
			t.Fatalf("the server neither answers nor ends the connection after %q", text[:min(len(text), 200)])
		}
		if err != nil || answer.StatusCode == lastStatus {
			return statuses, header, body
		}
		read, _ := io.ReadAll(answer.Body)
		statuses, header, body = append(statuses, answer.StatusCode), answer.Header, string(read)
	}
}

const (
	head     = "Host: x\r\nAuthorization: Bearer svc_sk_test_a\r\n"
	putHead  = "PUT /tenant-properties/tp_default HTTP/1.1\r\n" + head + "Content-Type: application/json\r\n"
	getHead  = "GET /verification-requests/vr_error_403 HTTP/1.1\r\n" + head
	smuggled = "GET /verification-requests/vr_error_451 HTTP/1.1\r\n" + head + "\r\n"
)

// The server closes the connection after a request whose end is ambiguous. 451 would be the answer to a smuggled request.
func TestRequestSmuggling(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t)
	const quay, chunked = `{"name":"Quay"}`, "Transfer-Encoding: chunked\r\n\r\n"
	for name, tt := range map[string]struct {
		text string
		want string // the statuses
	}{
		"two requests are two answers":      {getHead + "\r\n" + smuggled, "[403 451]"},
		"a length and its body":             {putHead + "Content-Length: 15\r\n\r\n" + quay + smuggled, "[200 451]"},
		"chunks":                            {putHead + chunked + "f\r\n" + quay + "\r\n0\r\n\r\n" + smuggled, "[200]"},
		"the same length twice is one":      {putHead + "Content-Length: 15\r\nContent-Length: 15\r\n\r\n" + quay + smuggled, "[200 451]"},
		"a length with chunks":              {putHead + "Content-Length: 3\r\n" + chunked + "f\r\n" + quay + "\r\n0\r\n\r\n" + smuggled, "[200]"},
		"chunks with a length behind them":  {putHead + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nf\r\n" + quay + "\r\n0\r\n\r\n" + smuggled, "[200]"},
		"a length with chunks of a GET":     {getHead + "Content-Length: 5\r\n" + chunked + "0\r\n\r\n" + smuggled, "[403]"},
		"two lengths with chunks":           {putHead + "Content-Length: 15\r\nContent-Length: 2\r\n" + chunked + "f\r\n" + quay + "\r\n0\r\n\r\n" + smuggled, "[400]"},
		"a length of the control plane":     {"POST /_understudy/v1/reset HTTP/1.1\r\n" + head + "Content-Length: 3\r\n" + chunked + "0\r\n\r\n" + smuggled, "[200]"},
		"a length of an unknown path":       {"POST /nothing HTTP/1.1\r\n" + head + "Content-Length: 3\r\n" + chunked + "0\r\n\r\n" + smuggled, "[404]"},
		"a length with chunks of HTTP/1.0":  {strings.Replace(putHead, "1.1", "1.0", 1) + "Connection: keep-alive\r\nContent-Length: 15\r\n" + chunked + quay + smuggled, "[200]"},
		"no length with chunks of HTTP/1.0": {strings.Replace(getHead, "1.1", "1.0", 1) + "Connection: keep-alive\r\nContent-Length: 0\r\n" + chunked + "0\r\n\r\n" + smuggled, "[403 400]"},
		"the identity of a length":          {putHead + "Content-Length: 15\r\nTransfer-Encoding: identity\r\n\r\n" + quay + smuggled, "[501]"},
		"an encoding without a name":        {putHead + "Content-Length: 15\r\nTransfer-Encoding:\r\n\r\n" + quay + smuggled, "[501]"},
		"chunks of chunks":                  {putHead + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n" + smuggled, "[501]"},
		"chunks in two lines":               {putHead + "Transfer-Encoding: chunked\r\n" + chunked + "0\r\n\r\n" + smuggled, "[501]"},
		"an encoding in quotes":             {putHead + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n" + smuggled, "[501]"},
		"an encoding behind a tab":          {putHead + "Content-Length: 3\r\nTransfer-Encoding:\tchunked\r\n\r\nf\r\n" + quay + "\r\n0\r\n\r\n" + smuggled, "[200]"},
		"an encoding with a vertical tab":   {putHead + "Content-Length: 15\r\nTransfer-Encoding: \x0bchunked\r\n\r\n" + quay + smuggled, "[400]"},
		"two lengths":                       {putHead + "Content-Length: 15\r\nContent-Length: 2\r\n\r\n" + quay + smuggled, "[400]"},
		"a list of lengths":                 {putHead + "Content-Length: 15, 2\r\n\r\n" + quay + smuggled, "[400]"},
		"a signed length":                   {putHead + "Content-Length: +15\r\n\r\n" + quay + smuggled, "[400]"},
		"a negative length":                 {putHead + "Content-Length: -1\r\n\r\n" + smuggled, "[400]"},
		"a length in another base":          {putHead + "Content-Length: 0xf\r\n\r\n" + quay + smuggled, "[400]"},
		"an immense length":                 {putHead + "Content-Length: 99999999999999999999\r\n\r\n" + smuggled, "[400]"},
		"an invalid chunk size":             {putHead + chunked + "zz\r\n" + quay + "\r\n0\r\n\r\n" + smuggled, "[400]"},
		"a negative chunk size":             {putHead + chunked + "-1\r\n" + quay + "\r\n0\r\n\r\n" + smuggled, "[400]"},
		"an immense chunk size":             {putHead + chunked + "fffffffffffffffff\r\n" + smuggled, "[400]"},
		"a chunk without its end":           {putHead + chunked + "f\r\n" + quay + "0\r\n\r\n" + smuggled, "[400]"},
		"an immense chunk extension":        {putHead + chunked + "f;a=" + strings.Repeat("x", 32<<10) + "\r\n" + quay + "\r\n0\r\n\r\n" + smuggled, "[400]"},
		"many small chunks with extensions": {putHead + chunked + strings.Repeat("1;a="+strings.Repeat("x", 2000)+"\r\nx\r\n", 100) + "0\r\n\r\n" + smuggled, "[400]"},
		"chunks in another encoding":        {putHead + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + smuggled, "[501]"},
		"a blank behind the encoding":       {putHead + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + smuggled, "[400]"},
		"two encodings":                     {putHead + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + smuggled, "[501]"},
		"chunks of HTTP/1.0 are no body":    {strings.Replace(putHead, "1.1", "1.0", 1) + "Connection: keep-alive\r\n" + chunked + "f\r\n" + quay + "\r\n0\r\n\r\n" + smuggled, "[400 400]"},
		"a folded header":                   {putHead + "X-Folded: a\r\n Content-Length: 15\r\n\r\n" + smuggled, "[400 451]"},
		"a folded length":                   {putHead + "Content-Length:\r\n 15\r\n\r\n" + quay + smuggled, "[200 451]"},
		"a header without name":             {getHead + ": x\r\n\r\n" + smuggled, "[400]"},
		"a name with a blank behind it":     {getHead + "Content-Length : 5\r\n\r\n" + smuggled, "[400]"},
		"a header without colon":            {getHead + "nothing\r\n\r\n" + smuggled, "[400]"},
		"a bare CR in a value":              {getHead + "X: a\rContent-Length: 500\r\n\r\n" + smuggled, "[400]"},
		"a NUL in a value":                  {getHead + "X: a\x00b\r\n\r\n" + smuggled, "[400]"},
		"a NUL in a name":                   {getHead + "X\x00: a\r\n\r\n" + smuggled, "[400]"},
		"a bare LF ends only a line":        {getHead + "X: a\nY: b\r\n\r\n" + smuggled, "[403 451]"},
		"two hosts":                         {getHead + "Host: y\r\n\r\n" + smuggled, "[400]"},
		"no host":                           {strings.Replace(getHead, "Host: x\r\n", "", 1) + "\r\n" + smuggled, "[400]"},
		"an invalid host":                   {strings.Replace(getHead, "Host: x", "Host: x/../y z", 1) + "\r\n" + smuggled, "[400]"},
		"an invalid version":                {strings.Replace(getHead, "HTTP/1.1", "HTTP/1.10", 1) + "\r\n" + smuggled, "[400]"},
		"HTTP/2 without asking":             {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + smuggled, "[404]"},
		"a method with a blank":             {strings.Replace(getHead, "GET", "GE T", 1) + "\r\n" + smuggled, "[400]"},
		"no HTTP at all":                    {"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n" + smuggled, "[400]"},
		"an unannounced body of a GET":      {getHead + "\r\n" + quay + "\r\n\r\n" + smuggled, "[403 400]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if statuses, _, body := attack(t, s.URL, tt.text); fmt.Sprint(statuses) != tt.want {
				t.Errorf("answered %d, want %s: %s", statuses, tt.want, body)
			}
			s.WantServing(t)
		})
	}
}

func TestHeaderSize(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t)
	for name, text := range map[string]string{
		"a little more":           getHead + "X: " + strings.Repeat("x", 70<<10) + "\r\n\r\n",
		"one that is 1 MiB":       getHead + "X: " + strings.Repeat("x", 1<<20) + "\r\n\r\n",
		"20,000 of them":          getHead + strings.Repeat("X: y\r\n", 20_000) + "\r\n",
		"a name that is 1 MiB":    getHead + strings.Repeat("x", 1<<20) + ": y\r\n\r\n",
		"a request line of 1 MiB": "GET /" + strings.Repeat("x", 1<<20) + " HTTP/1.1\r\n" + head + "\r\n",
		"a fold that is 1 MiB":    getHead + "X: y\r\n" + strings.Repeat(" x\r\n", 1<<18) + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The answer may be lost when the client sends much more than the server reads.
			lost := len(text) > 100<<10
			if statuses, _, body := attack(t, s.URL, text); fmt.Sprint(statuses) != "[431]" && !(lost && len(statuses) == 0) {
				t.Errorf("answered %d %s", statuses, body)
			}
			s.WantServing(t)
		})
	}
}

// The server never decompresses a body.
func TestCompressedBody(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t)
	var bomb bytes.Buffer
	packer := gzip.NewWriter(&bomb)
	_, err := packer.Write(make([]byte, 64<<20))
	commandtest.NoError(t, errors.Join(err, packer.Close()))
	c := s.API(t).With("Content-Encoding", "gzip")
	for target, why := range map[string]string{
		"POST /credentials/session": "Content-Encoding is not supported", "PUT /tenant-properties/tp_default": "Content-Encoding is not supported",
		"PUT /_understudy/v1/snapshot": "", "PUT /_understudy/v1/scenarios/mine": "",
	} {
		method, path, _ := strings.Cut(target, " ")
		if r := c.Send(method, path, bomb.Bytes()); r.Status != http.StatusBadRequest || !strings.Contains(r.Header.Get("Understudy-Diagnosis"), why) {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
	if r := s.API(t).With("Accept-Encoding", "gzip").Get("/verification-requests/vr_large"); r.Status != http.StatusOK || r.Header.Get("Content-Encoding") != "" {
		t.Errorf("an answer is packed: %s", r.Header)
	}
	s.WantServing(t)
}

// A client that sends Expect: 100-continue gets a refusal at once when the server does not need the body.
func TestExpectContinue(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t)
	for name, tt := range map[string]struct {
		text   string
		status int
	}{
		"a bad key":              {strings.Replace(putHead, "svc_sk_test_a", "nothing", 1) + "Content-Length: 10\r\n", 401},
		"a wrong content type":   {strings.Replace(putHead, "application/json", "text/plain", 1) + "Content-Length: 10\r\n", 400},
		"an announced 5 MB body": {putHead + "Content-Length: 5000000\r\n", 400},
		"another version":        {putHead + "Accept: application/json; version=2001-01-01\r\nContent-Length: 10\r\n", 406},
		"a rule by id":           {strings.Replace(putHead, "tp_default", "tp_error_451", 1) + "Content-Length: 10\r\n", 451},
		"a rule by id comes before a wrong content type": {
			strings.Replace(strings.Replace(putHead, "tp_default", "tp_error_429", 1), "application/json", "text/plain", 1) + "Content-Length: 10\r\n", 429},
	} {
		if r, body := exchange(t, commandtest.Dial(t, s.URL), tt.text+"Expect: 100-continue\r\n\r\n"); r.StatusCode != tt.status {
			t.Errorf("%s: answered %s %s", name, r.Status, body)
		}
	}
	conn := sent(t, s.URL, putHead+"Content-Length: 15\r\nExpect: 100-continue\r\n\r\n")
	readContinue(t, conn)
	if r, body := exchange(t, conn, `{"name":"Quay"}`); r.StatusCode != 200 || !strings.Contains(body, `"name":"Quay"`) {
		t.Errorf("a body that is needed: answered %s %s", r.Status, body)
	}
}

func TestBodySize(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	r, body := exchange(t, commandtest.Dial(t, commandtest.StartServer(t).URL), fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", putHead, size, strings.Repeat("x", size)))
	if r.StatusCode != http.StatusBadRequest || !strings.Contains(body, "Invalid field values provided") || !strings.Contains(r.Header.Get("Understudy-Diagnosis"), "larger than") {
		t.Errorf("answered %s %s", r.Status, body)
	}
}

func TestAsteriskTarget(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t)
	for _, method := range []string{"OPTIONS", "GET"} {
		r, body := exchange(t, commandtest.Dial(t, s.URL), method+" * HTTP/1.1\r\nHost: x\r\n\r\n")
		if r.StatusCode != http.StatusNotFound || body != `{"error":{"message":"Not Found"}}` {
			t.Errorf("%s *: %s %s", method, r.Status, body)
		}
	}
}
