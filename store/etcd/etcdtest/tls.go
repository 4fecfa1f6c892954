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

// RunTLS starts a cluster of one member that accepts only clients with a certificate of its authority. One certificate
// serves as that of the authority, the member and the client.
func RunTLS(t testing.TB) *Cluster {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	address := newAddress()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{address},
	}
	signed, errSign := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	private, errKey := x509.MarshalPKCS8PrivateKey(key)
	c := &Cluster{CertFile: filepath.Join(t.TempDir(), "cert.pem"), KeyFile: filepath.Join(t.TempDir(), "key.pem")}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	pair, errPair := tls.X509KeyPair(certPEM, keyPEM)
	errFiles := errors.Join(os.WriteFile(c.CertFile, certPEM, 0o600), os.WriteFile(c.KeyFile, keyPEM, 0o600))
	if err := errors.Join(errSign, errKey, errPair, errFiles); err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(pair.Leaf)
	c.tls = &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}
	c.start(t, 1, address, "https", "--cert-file", c.CertFile, "--key-file", c.KeyFile, "--trusted-ca-file", c.CertFile, "--client-cert-auth")
	return c
}
