package etcdtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Files are those (PEM) by which a client is let in to a cluster with TLS.
type Files struct {
	CA, Cert, Key string
}

// RunTLS starts a cluster of one member that takes clients with a certificate of its own authority only.
func RunTLS(t testing.TB) (*Cluster, Files) {
	t.Helper()
	a := newAuthority(t)
	folder := t.TempDir()
	files := Files{CA: filepath.Join(folder, "ca.pem")}
	a.write(t, files.CA, "CERTIFICATE", a.certificate.Raw)
	files.Cert, files.Key = a.issue(t, folder, "client")
	cert, key := a.issue(t, folder, "server")
	pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(a.certificate)
	return run(t, 1, "https", &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}},
		"--cert-file", cert, "--key-file", key, "--trusted-ca-file", files.CA, "--client-cert-auth"), files
}

// authority signs certificates for a test.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) authority {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	key := newKey(t)
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(signed)
	if err != nil {
		t.Fatal(err)
	}
	return authority{certificate, key}
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// issue writes a certificate for loopback, and its key, to files.
func (a authority) issue(t testing.TB, folder, name string) (cert, key string) {
	t.Helper()
	private := newKey(t)
	signed, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: a.certificate.NotBefore, NotAfter: a.certificate.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}, a.certificate, private.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(folder, name+".pem"), filepath.Join(folder, name+"-key.pem")
	a.write(t, cert, "CERTIFICATE", signed)
	a.write(t, key, "PRIVATE KEY", der)
	return cert, key
}

func (a authority) write(t testing.TB, file, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}
