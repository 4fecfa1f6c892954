package command

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/urfave/cli/v3"
)

const DefaultAddr = "127.0.0.1:8080"

// Schemes maps whether a server uses TLS to the scheme of its URL.
var Schemes = map[bool]string{false: "http://", true: "https://"}

// KeyBeginning begins every API key, unless --key-prefix sets another.
const KeyBeginning = "svc_sk_test_"

// GeneratedAt is the default instant of generated documents. It is fixed, so the documents never change.
const GeneratedAt = "2025-01-15T09:00:00Z"

// Loopback returns the host of an address to listen on, 127.0.0.1 for every interface.
func Loopback(host string) string {
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return "127.0.0.1"
	}
	return host
}

func SplitAddr(c *cli.Command, flag string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(c.String(flag))
	if _, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil {
		return "", "", Misused(c, flag, "is not HOST:PORT, such as %s or :8080", DefaultAddr)
	}
	return host, port, nil
}

func ParseSeed(c *cli.Command) (uint64, error) {
	seed, err := strconv.ParseUint(c.String("seed"), 10, 64)
	if err != nil {
		return 0, Misused(c, "seed", "is not a whole number from 0 to %d", uint64(1<<64-1))
	}
	return seed, nil
}

// ParsePopulation reads --population: nil for plain people.
func ParsePopulation(c *cli.Command) (*fixtures.Population, error) {
	p, err := scenarios.LoadPopulation(c.String("population"))
	return p, Named(c, "population", err)
}

// ParseInstant parses a flag that is the instant of a world's clock. Its error says that the value "is not" one, or is
// "neither" something else nor one.
func ParseInstant(c *cli.Command, flag, isNot string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, c.String(flag))
	if err != nil {
		return at, Misused(c, flag, "is %s an RFC 3339 instant such as %s", isNot, GeneratedAt)
	}
	if emulator.FrozenAt(at).Check() != nil || at.IsZero() {
		return at, Misused(c, flag, "is out of range: choose a year from 1970 to 9990")
	}
	return at.UTC(), nil
}

func ServesTLS(c *cli.Command) bool {
	return c.String("tls-cert") != "" || c.String("tls-key") != "" || c.Bool("tls-auto")
}

// WithCount puts a line with their number before the problems of the files of --scenarios.
func WithCount(c *cli.Command, err error) error {
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return fmt.Errorf("the scenario files of %s have %s\n%w", Given(c, "scenarios"), problems.Count(), err)
	}
	return err
}

func ReadScenarios(c *cli.Command, path string) (scenarios.Files, error) {
	if path == "-" {
		data, err := ReadInput(c, path)
		return scenarios.Files{}.With("standard input", data), err
	}
	return scenarios.Read(path), nil
}

// NewTransport returns the transport of a call. It trusts the authority of --ca beside those of the system.
func NewTransport(c *cli.Command) (http.RoundTripper, error) {
	file := c.String("ca")
	if file == "" {
		return http.DefaultTransport, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, Failed(Named(c, "ca", err))
	}
	trusted, err := x509.SystemCertPool()
	if err != nil {
		return nil, Failed(err)
	}
	if !trusted.AppendCertsFromPEM(pem) {
		return nil, Failed(Misused(c, "ca", "has no certificate (PEM)"))
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: trusted}
	return transport, nil
}
