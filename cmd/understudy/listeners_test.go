package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

func TestControlAddrAndToken(t *testing.T) {
	t.Parallel()
	const token = "correct-horse"
	s := startServer(t, "--control-addr", "127.0.0.1:0", "--control-token", token, "--log-level", "debug")
	plane := s.stderr.find(t, `msg=listening .* control=(\S+)`)
	control := apitest.New(t, plane, key)
	withToken := control.With("Understudy-Control-Token", token)
	for name, tt := range map[string]struct {
		client *apitest.Client
		path   string
		want   int
	}{
		"the API": {s.api(t), "/verification-requests/vr_completed", http.StatusOK},
		"the control plane on the address of the API": {s.api(t), "/_understudy/v1/health", http.StatusNotFound},
		"the API on the address of the control plane": {control, "/verification-requests/vr_completed", http.StatusNotFound},
		"without the token":                           {control, "/_understudy/v1/clock", http.StatusUnauthorized},
		"with the token":                              {withToken, "/_understudy/v1/clock", http.StatusOK},
	} {
		if r := tt.client.Get(tt.path); r.Status != tt.want {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	understudy(t, "healthcheck", "--control-addr", strings.TrimPrefix(plane, "http://")).want(t, exitOK)
	understudy(t, "healthcheck", "--addr", s.host()).want(t, exitFailed, "answers 404 Not Found: Not Found: the control plane is not served here: its address is that of --control-addr")
	if code := s.stop(); code != exitOK || strings.Contains(s.stderr.String(), token) {
		t.Errorf("exit code %d, log:\n%s", code, s.stderr)
	}
}

func TestWarningWithoutToken(t *testing.T) {
	t.Parallel()
	const warning = `level=WARN msg="the control plane has no token, and everybody who reaches its address can reset worlds: set --control-token`
	for args, warns := range map[string]bool{
		"--addr :0":                                     true,
		"--addr 0.0.0.0:0":                              true,
		"--addr 127.0.0.1:0 --control-addr :0":          true,
		"--addr :0 --control-token x":                   false,
		"--addr :0 --control-addr 127.0.0.1:0":          false,
		"--addr 127.0.0.1:0":                            false,
		"--addr localhost:0 --control-addr 127.1.2.3:0": false,
	} {
		if log := startServer(t, strings.Fields(args)...).stderr.String(); strings.Contains(log, warning) != warns {
			t.Errorf("serve %s logs\n%s", args, log)
		}
	}
}

// Both addresses use TLS, and the console shows the address of the API.
func TestControlAddrWithTLS(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--control-addr", "127.0.0.1:0", "--tls-auto")
	control := s.stderr.find(t, ` control=(\S+)`)
	trusting := client(authorityOf(t, control), strings.TrimPrefix(control, "https://"))
	wantStatus(t, apitest.New(t, control, key).Via(trusting).Get("/_understudy/v1/clock"), http.StatusOK)
	_, page, err := send(trusting, newRequest(key, "GET", control+"/_understudy/", ""))
	noError(t, err)
	if want := "curl &#39;" + s.url + "/verification-requests/vr_completed&#39;"; !strings.Contains(string(page), want) {
		t.Errorf("no %s in the console: %s", want, page)
	}
}

// client returns a client that trusts certificates and reaches one address by every name.
func client(trusted []byte, addr string) *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(trusted)
	return &http.Client{Transport: &http.Transport{
		ForceAttemptHTTP2: true,
		TLSClientConfig:   &tls.Config{RootCAs: roots},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		},
	}}
}

func TestTLSAuto(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--tls-auto")
	addr := s.host()
	_, port, err := net.SplitHostPort(addr)
	noError(t, err)
	authority := authorityOf(t, s.url)
	for _, name := range []string{"127.0.0.1", "localhost", "understudy", "verification.example"} {
		c := apitest.New(t, "https://"+net.JoinHostPort(name, port), "svc_sk_test_a").Via(client(authority, addr))
		if r := c.Get("/verification-requests/vr_completed"); r.Status != http.StatusOK {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	if _, err := client(nil, addr).Get("https://localhost:" + port); err == nil {
		t.Error("a client without the authority is served")
	}
	understudy(t, "healthcheck", "--tls-auto", "--addr", addr).want(t, exitOK)
	understudy(t, "healthcheck", "--addr", addr).want(t, exitFailed, "answers 400 Bad Request: if it serves https, add --tls-auto")
	understudy(t, "worlds", "--url", "http://"+addr).want(t, exitFailed, "it answers 400 Bad Request and may serve https: ")
	understudy(t, "worlds", "--url", "https://"+addr).want(t, exitFailed, "the certificate of https://"+addr+" is not trusted: ", "set SSL_CERT_FILE to ")
}

// authorityOf fetches the authority's certificate without trusting one.
func authorityOf(t *testing.T, url string) []byte {
	t.Helper()
	trusting := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	response, err := trusting.Get(url + "/_understudy/ca.pem")
	noError(t, err)
	defer response.Body.Close()
	certificate, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/x-pem-file" {
		t.Fatalf("%s %v %v", response.Status, response.Header, err)
	}
	return certificate
}

func TestTLSCertificate(t *testing.T) {
	t.Parallel()
	other := httptest.NewTLSServer(nil) // its client trusts its certificate, which is for 127.0.0.1
	t.Cleanup(other.Close)
	own := other.TLS.Certificates[0]
	pkcs8, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	noError(t, err)
	certFile := newFile(t, "cert.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]}))
	keyFile := newFile(t, "key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}))
	s := startServer(t, "--tls-cert", certFile, "--tls-key", keyFile)
	c := s.api(t).Via(other.Client())
	wantStatus(t, c.Get("/verification-requests/vr_completed"), http.StatusOK)
	wantStatus(t, c.Get("/_understudy/ca.pem"), http.StatusNotFound)
	understudy(t, "healthcheck", "--tls-cert", certFile, "--addr", s.host()).want(t, exitOK)
}

// A bad flag decides the exit code, also beside a failure.
func TestTLSCertificateMissing(t *testing.T) {
	t.Parallel()
	got := understudy(t, "serve", "--tls-cert", "c.pem", "--tls-key", "k.pem", "--seed", "one")
	if got.code != exitUsage || !strings.Contains(got.stderr, `--seed "one"`) || !strings.Contains(got.stderr, "--tls-cert c.pem") {
		t.Errorf("%+v", got)
	}
}
