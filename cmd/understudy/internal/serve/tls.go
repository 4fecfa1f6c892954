package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// newTLS returns a configuration without certificates. Its suites of TLS 1.2 are those with authenticated encryption; TLS 1.3
// has no others.
func newTLS() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, CipherSuites: []uint16{
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
		tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
		tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
	}}
}

// The names that an authority of tlsAuto may certify: these domains, which nobody can register, and the names in them; and
// the addresses of these networks, which lead to this machine or stay within a site.
var (
	privateDomains  = []string{"localhost", "understudy", "internal", "local", "test", "example"}
	privateNetworks = []string{"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "::1/128", "fc00::/7", "fe80::/10"}
)

// newAuthority returns the template of an authority for private names and for hosts, each a name or an address. Its
// constraints (RFC 5280, 4.2.1.10) bind every client that trusts it, also if its key is lost.
func newAuthority(now time.Time, hosts []string) *x509.Certificate {
	authority := &x509.Certificate{
		Subject:                     pkix.Name{CommonName: "Understudy, made at start, for tests only"},
		NotBefore:                   now.Add(-24 * time.Hour), // clocks of containers differ
		NotAfter:                    now.Add(365 * 24 * time.Hour),
		IsCA:                        true,
		BasicConstraintsValid:       true,
		MaxPathLenZero:              true,
		KeyUsage:                    x509.KeyUsageCertSign,
		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         privateDomains,
	}
	networks := privateNetworks
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip == nil {
			authority.PermittedDNSDomains = append(authority.PermittedDNSDomains, host)
		} else if ip.To4() != nil {
			networks = append(networks, ip.String()+"/32")
		} else {
			networks = append(networks, ip.String()+"/128")
		}
	}
	for _, network := range networks {
		_, permitted, _ := net.ParseCIDR(network) // valid
		authority.PermittedIPRanges = append(authority.PermittedIPRanges, permitted)
	}
	return authority
}

// tlsAuto returns a TLS configuration that issues a certificate for the name or address that the client connects to, if it
// is private or one of hosts, and the certificate (PEM) of the issuing authority, for clients to trust. The authority lives
// as long as the process, and is valid for a year.
func tlsAuto(now time.Time, hosts []string) (config *tls.Config, authorityPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader) // for the authority and all that it issues
	if err != nil {
		return nil, nil, fmt.Errorf("certificate authority: %w", err)
	}
	template := newAuthority(now, hosts)
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, nil, fmt.Errorf("certificate authority: %w", err)
	}
	authority, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, fmt.Errorf("certificate authority: %w", err)
	}
	always := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			always = append(always, ip)
		}
	}
	config = newTLS()
	config.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		return issue(hello, authority, key, always)
	}
	return config, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

// issue returns a certificate for localhost, for some addresses, and for what the client connects to. An address is the one
// that the connection arrived at; where a container's port is published, the client has another.
func issue(hello *tls.ClientHelloInfo, authority *x509.Certificate, key *ecdsa.PrivateKey, always []net.IP) (*tls.Certificate, error) {
	leaf := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "Understudy"},
		NotBefore:   authority.NotBefore,
		NotAfter:    authority.NotAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost"},
		IPAddresses: slices.Clone(always),
	}
	host := hello.ServerName
	if host == "" { // the client connected to an address; a few send it as a name
		host = hello.Conn.LocalAddr().(*net.TCPAddr).IP.String()
	}
	if ip := net.ParseIP(host); ip != nil {
		leaf.IPAddresses = append(leaf.IPAddresses, ip)
	} else {
		leaf.DNSNames = append(leaf.DNSNames, host)
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, authority, key.Public(), key)
	if err != nil {
		return nil, err
	}
	if leaf, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(authority)
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: trusted}); err != nil {
		return nil, fmt.Errorf("--tls-auto certifies private names and addresses only, not %s: allow it with --control-host", api.Quote(host))
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
