package serve

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// clientOf returns a client that trusts certificates and reaches one address by every name.
func clientOf(trusted []byte, addr string) *http.Client {
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
	s := commandtest.StartServer(t, "--tls-auto", "--control-host", "sandbox.corp.com", "--control-host", "203.0.113.7")
	addr := s.Host()
	_, port, err := net.SplitHostPort(addr)
	commandtest.NoError(t, err)
	authority := authorityOf(t, s.URL)
	for name, certified := range map[string]bool{
		"127.0.0.1": true, "localhost": true, "app.localhost": true, "understudy": true, "Understudy": true, "verification.example": true, "host.docker.internal": true,
		"understudy.team.svc.cluster.local": true, "sandbox.corp.com": true, "api.sandbox.corp.com": true,
		"bank.com": false, "corp.com": false, "localhost.bank.com": false, "notlocalhost": false, "com": false,
	} {
		c := apitest.New(t, "https://"+net.JoinHostPort(name, port), "svc_sk_test_a")
		trusting := clientOf(authority, addr)
		if !certified {
			if _, err := trusting.Get("https://" + net.JoinHostPort(name, port)); err == nil || !strings.Contains(err.Error(), "internal error") {
				t.Errorf("%s: %v", name, err)
			}
			s.Stderr.Find(t, "(--tls-auto certifies private names and addresses only, not .*"+name+".*: allow it with --control-host)")
			continue
		}
		if r := c.Via(trusting).Get("/verification-requests/vr_completed"); r.Status != http.StatusOK {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	if _, err := clientOf(nil, addr).Get("https://localhost:" + port); err == nil {
		t.Error("a client without the authority is served")
	}
	commandtest.Understudy(t, "healthcheck", "--tls-auto", "--addr", addr).Want(t, command.ExitOK)
	commandtest.Understudy(t, "healthcheck", "--addr", addr).Want(t, command.ExitFailed, "answers 400 Bad Request: if it serves https, add --tls-auto")
	commandtest.Understudy(t, "worlds", "--url", "http://"+addr).Want(t, command.ExitFailed, "it answers 400 Bad Request and may serve https: ")
	commandtest.Understudy(t, "worlds", "--url", "https://"+addr).Want(t, command.ExitFailed, "the certificate of https://"+addr+" is not trusted: ", " with --ca; ")
}

// A client refuses what the authority may not certify, even when its key has signed it.
func TestTLSAutoConstraints(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	commandtest.NoError(t, err)
	authority := newAuthority(time.Now(), []string{"sandbox.corp.com", "203.0.113.7", "2001:db8::7"})
	der, err := x509.CreateCertificate(rand.Reader, authority, authority, key.Public(), key)
	commandtest.NoError(t, err)
	authority, err = x509.ParseCertificate(der)
	commandtest.NoError(t, err)
	if !authority.PermittedDNSDomainsCritical || !authority.MaxPathLenZero {
		t.Error("the constraints are not critical")
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(authority)
	for host, permitted := range map[string]bool{
		"localhost": true, "understudy": true, "a.internal": true, "a.local": true, "a.test": true, "a.example": true, "sandbox.corp.com": true,
		"bank.com": false, "corp.com": false, "com": false, "example.com": false,
		"127.0.0.1": true, "127.9.9.9": true, "10.1.2.3": true, "172.31.0.1": true, "192.168.0.1": true, "169.254.0.1": true, "::1": true, "fd00::1": true, "fe80::1": true,
		"203.0.113.7": true, "2001:db8::7": true, "203.0.113.8": false, "8.8.8.8": false, "172.32.0.1": false, "2001:db8::8": false, "::2": false,
	} {
		leaf := &x509.Certificate{NotBefore: authority.NotBefore, NotAfter: authority.NotAfter}
		if ip := net.ParseIP(host); ip != nil {
			leaf.IPAddresses = []net.IP{ip}
		} else {
			leaf.DNSNames = []string{host}
		}
		der, err := x509.CreateCertificate(rand.Reader, leaf, authority, key.Public(), key)
		commandtest.NoError(t, err)
		leaf, err = x509.ParseCertificate(der)
		commandtest.NoError(t, err)
		if _, err := leaf.Verify(x509.VerifyOptions{Roots: trusted, DNSName: host}); (err == nil) != permitted {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// A published port of a container is reached at an address that the container does not have.
func TestTLSAutoPublishedPort(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t, "--tls-auto", "--addr", "127.1.2.3:0", "--control-host", "203.0.113.7")
	authority := authorityOf(t, s.URL)
	for _, host := range []string{"127.0.0.1", "[::1]", "127.1.2.3", "203.0.113.7"} {
		if _, err := clientOf(authority, s.Host()).Get("https://" + host + "/_understudy/v1/health"); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// PHP sends an address as a name, which RFC 6066 does not allow.
func TestTLSAutoAddressAsName(t *testing.T) {
	t.Parallel()
	config, _, err := tlsAuto(time.Now(), nil)
	commandtest.NoError(t, err)
	certificate, err := config.GetCertificate(&tls.ClientHelloInfo{ServerName: "127.9.9.9"})
	commandtest.NoError(t, err)
	leaf, err := x509.ParseCertificate(certificate.Certificate[0])
	commandtest.NoError(t, err)
	commandtest.NoError(t, leaf.VerifyHostname("127.9.9.9"))
}

// TLS 1.2 with CBC is refused, with both kinds of certificates.
func TestTLSSuites(t *testing.T) {
	t.Parallel()
	certFile, keyFile, _ := newCertificate(t)
	for name, s := range map[string]commandtest.Server{"auto": commandtest.StartServer(t, "--tls-auto"), "own": commandtest.StartServer(t, "--tls-cert", certFile, "--tls-key", keyFile)} {
		for _, suite := range append(tls.CipherSuites(), tls.InsecureCipherSuites()...) {
			if !slices.Contains(suite.SupportedVersions, tls.VersionTLS12) {
				continue
			}
			c, err := tls.Dial("tcp", s.Host(), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite.ID}})
			if err != nil {
				continue
			}
			commandtest.NoError(t, c.Close())
			if !strings.Contains(suite.Name, "_GCM_") && !strings.Contains(suite.Name, "_POLY1305_") {
				t.Errorf("%s accepts %s", name, suite.Name)
			}
		}
		c, err := tls.Dial("tcp", s.Host(), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12})
		commandtest.NoError(t, err)
		commandtest.NoError(t, c.Close())
		if _, err := tls.Dial("tcp", s.Host(), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}); err == nil {
			t.Errorf("%s accepts TLS 1.1", name)
		}
	}
}

// authorityOf fetches the authority's certificate without trusting one.
func authorityOf(t *testing.T, url string) []byte {
	t.Helper()
	trusting := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	response, err := trusting.Get(url + "/_understudy/ca.pem")
	commandtest.NoError(t, err)
	defer response.Body.Close()
	certificate, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/x-pem-file" {
		t.Fatalf("%s %v %v", response.Status, response.Header, err)
	}
	return certificate
}

// newCertificate returns the files of a certificate for 127.0.0.1 and of its key, and a client that trusts it.
func newCertificate(t *testing.T) (certFile, keyFile string, trusting *http.Client) {
	t.Helper()
	other := httptest.NewTLSServer(nil)
	t.Cleanup(other.Close)
	own := other.TLS.Certificates[0]
	pkcs8, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	commandtest.NoError(t, err)
	certFile = commandtest.NewFile(t, "cert.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]}))
	keyFile = commandtest.NewFile(t, "key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}))
	return certFile, keyFile, other.Client()
}

func TestTLSCertificate(t *testing.T) {
	t.Parallel()
	certFile, keyFile, trusting := newCertificate(t)
	s := commandtest.StartServer(t, "--tls-cert", certFile, "--tls-key", keyFile)
	c := s.API(t).Via(trusting)
	commandtest.WantStatus(t, c.Get("/verification-requests/vr_completed"), http.StatusOK)
	commandtest.WantStatus(t, c.Get("/_understudy/ca.pem"), http.StatusNotFound)
	commandtest.Understudy(t, "healthcheck", "--tls-cert", certFile, "--addr", s.Host()).Want(t, command.ExitOK)
}

// A bad flag decides the exit code, also beside a failure.
func TestTLSCertificateMissing(t *testing.T) {
	t.Parallel()
	got := commandtest.Understudy(t, "serve", "--tls-cert", "c.pem", "--tls-key", "k.pem", "--seed", "one")
	if got.Code != command.ExitUsage || !strings.Contains(got.Stderr, `--seed "one"`) || !strings.Contains(got.Stderr, "--tls-cert c.pem") {
		t.Errorf("%+v", got)
	}
}

// Client commands read the certificate of --tls-auto from --ca.
func TestAuthority(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t, "--tls-auto")
	_, certificate, err := tlsAuto(time.Now(), nil)
	commandtest.NoError(t, err)
	other := commandtest.NewFile(t, "other.pem", certificate)
	commandtest.Understudy(t, "clock", "--url", s.URL, "--key", commandtest.Key, "--ca", commandtest.NewFile(t, "ca.pem", authorityOf(t, s.URL))).Want(t, command.ExitOK)
	commandtest.Understudy(t, "clock", "--url", s.URL, "--key", commandtest.Key, "--ca", other).Want(t, command.ExitFailed, "is not trusted: ")
	commandtest.Understudy(t, "clock", "--url", s.URL, "--key", commandtest.Key, "--ca", commandtest.NewFile(t, "notes.txt", "x")).Want(t, command.ExitFailed, "notes.txt\" has no certificate (PEM)\n")
	commandtest.Understudy(t, "clock", "--url", s.URL, "--key", commandtest.Key, "--ca", other+".none").Want(t, command.ExitFailed, "--ca: open ")
}
