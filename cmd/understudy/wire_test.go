package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// exchangeRaw sends a request as it is written and returns the first answer, its body, and what there is to read behind.
func exchangeRaw(t *testing.T, url, request string) (answer *http.Response, body string, rest io.Reader) {
	t.Helper()
	client, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	if _, err := io.WriteString(client, request); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(client)
	answer, err = http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text), answers
}

// The client announces a body and waits for leave to send it. It must not wait when the answer is known without.
func TestARefusalDoesNotWaitForABodyThatIsNotSent(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	const head = "PUT /tenant-properties/tp_default HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
	for name, tt := range map[string]struct {
		header string
		status int
	}{
		"a bad key":              {"Authorization: Bearer nothing\r\nContent-Length: 10\r\n", 401},
		"a wrong content type":   {"Authorization: Bearer svc_sk_test_a\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n", 400},
		"an announced 5 MB body": {"Authorization: Bearer svc_sk_test_a\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\n", 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Were the server to ask for the body, the first answer would be 100 Continue, which ReadResponse returns.
			if r, body, _ := exchangeRaw(t, s.url, head+tt.header+"\r\n"); r.StatusCode != tt.status {
				t.Errorf("answered %s %s", r.Status, body)
			}
		})
	}
}

func TestAClientThatSendsFarTooMuchHearsWhy(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	const size = 8 << 20
	request := fmt.Sprintf("PUT /tenant-properties/tp_default HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer svc_sk_test_a\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", size) + strings.Repeat("x", size)
	r, body, _ := exchangeRaw(t, s.url, request)
	if r.StatusCode != http.StatusBadRequest || !strings.Contains(body, "Invalid field values provided") || !strings.Contains(r.Header.Get("Understudy-Diagnosis"), "larger than") {
		t.Errorf("answered %s %s", r.Status, body)
	}
}

func TestTheServerItselfIsNoOperation(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, method := range []string{"OPTIONS", "GET"} {
		r, body, _ := exchangeRaw(t, s.url, method+" * HTTP/1.1\r\nHost: x\r\n\r\n")
		if r.StatusCode != http.StatusNotFound || body != `{"error":{"message":"Not Found"}}` {
			t.Errorf("%s *: %s %s", method, r.Status, body)
		}
	}
}

func TestTwoLengthsAreNoWayToSmuggleARequest(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	smuggled := "GET /verification-requests/vr_error_451 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer svc_sk_test_a\r\n\r\n"
	for name, lengths := range map[string]string{
		"both headers":      fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n", len(smuggled)+5),
		"two lengths":       "Content-Length: 2\r\nContent-Length: 20\r\n",
		"an odd encoding":   "Transfer-Encoding: chunked, identity\r\n",
		"a spaced encoding": "Transfer-Encoding : chunked\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, behind := exchangeRaw(t, s.url, "PUT /tenant-properties/tp_default HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer svc_sk_test_a\r\n"+
				"Content-Type: application/json\r\nConnection: close\r\n"+lengths+"\r\n0\r\n\r\n"+smuggled)
			if rest, _ := io.ReadAll(behind); strings.Contains(string(rest), "451") {
				t.Errorf("the smuggled request is answered: %s", rest)
			}
		})
	}
}

func TestNeitherKeysNorNumbersAreStored(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "understudy.db")
	s := startServer(t, "--store", "file:"+file, "--log-level", "debug")
	c := apitest.New(t, s.url, "svc_sk_test_very_private")
	for _, ssn := range []string{"666-12-3456", "666123456"} {
		r := c.Post("/credentials/session", `{"type":"assets","use_case":"auto","permissible_purpose":"employment",
			"target":{"first_name":"Ada","last_name":"Example","social_security_number":"`+ssn+`"}}`)
		if r.Status != http.StatusCreated {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
	}
	s.stop()
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(stored), `"last_four":"3456"`) {
		t.Error("the sessions are not in the file; this test looks in the wrong place")
	}
	for _, secret := range []string{"666-12-3456", "666123456", "very_private"} {
		if strings.Contains(string(stored), secret) || strings.Contains(s.stderr.String(), secret) {
			t.Errorf("%s is in the store or the log", secret)
		}
	}
}

// The bar for determinism: two processes with the same seed and a frozen clock, and two keys.
func TestTwoProcessesAnswerWithTheSameBytes(t *testing.T) {
	t.Parallel()
	answers := func(key, store string) string {
		_, stderr := process(t, "serve", "--addr", "127.0.0.1:0", "--clock", "2025-01-15T09:00:00Z", "--seed", "7", "--store", store)
		c := apitest.New(t, stderr.find(t, listening), key)
		var said strings.Builder
		for _, path := range []string{"vr_completed", "vr_lifecycle", "vr_lifecycle", "vr_lifecycle?income_analytics=true", "vr_employment", "vr_nothing"} {
			r := c.Get("/verification-requests/" + path)
			fmt.Fprintf(&said, "%d %s %s\n", r.Status, r.Header.Get("Date"), r.Body)
		}
		return said.String()
	}
	one := answers("svc_sk_test_one", "temp")
	other := answers("svc_sk_test_other", "file:"+filepath.Join(t.TempDir(), "understudy.db"))
	if one != other {
		t.Errorf("one process answers\n%s\nand the other\n%s", one, other)
	}
}
