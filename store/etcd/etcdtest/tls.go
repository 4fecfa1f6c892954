package etcdtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
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

// RunTLS starts a cluster of one member that takes clients with a certificate of its own authority only. The authority's
// certificate is also that of the member and of the client.
func RunTLS(t testing.TB) (*Cluster, Files) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	address := newAddress()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{address},
	}
	signed, errSign := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	private, errKey := x509.MarshalPKCS8PrivateKey(key)
	cert, certKey := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	pair, errPair := tls.X509KeyPair(certPEM, keyPEM)
	if err := errors.Join(errSign, errKey, errPair, os.WriteFile(cert, certPEM, 0o600), os.WriteFile(certKey, keyPEM, 0o600)); err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(pair.Leaf)
	return run(t, 1, address, "https", &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}},
		"--cert-file", cert, "--key-file", certKey, "--trusted-ca-file", cert, "--client-cert-auth"), Files{cert, cert, certKey}
}
