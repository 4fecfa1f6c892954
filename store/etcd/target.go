package etcd

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const (
	scheme        = "etcd://"
	defaultPrefix = "/understudy"
)

// settings are those of a store's name, each with the environment variable that may stand in its place.
var settings = map[string]string{
	"user": "UNDERSTUDY_ETCD_USER", "password": "UNDERSTUDY_ETCD_PASSWORD",
	"tls": "UNDERSTUDY_ETCD_TLS", "ca": "UNDERSTUDY_ETCD_CA", "cert": "UNDERSTUDY_ETCD_CERT", "key": "UNDERSTUDY_ETCD_KEY",
}

// target is where a store is, and how it is reached.
type target struct {
	endpoints []string          // HOST:PORT
	prefix    string            // of all its keys; begins with a slash, and ends with none
	set       map[string]string // settings
	variables map[string]string // that settings were taken from
}

// parse reads a store's name: etcd://HOST:PORT[,HOST:PORT…][/PREFIX][?SETTING=VALUE&…]. No error repeats a setting's value.
func parse(spec string, environment func(name string) string) (t target, err error) {
	rest, query, _ := strings.Cut(strings.TrimPrefix(spec, scheme), "?")
	hosts, path, _ := strings.Cut(rest, "/")
	if strings.Contains(hosts, "@") {
		return t, errors.New("the user and the password do not stand before the host: set UNDERSTUDY_ETCD_USER and UNDERSTUDY_ETCD_PASSWORD, or ?user=…&password=…")
	}
	for endpoint := range strings.SplitSeq(hosts, ",") {
		if err := checkEndpoint(endpoint, t.endpoints); err != nil {
			return t, err
		}
		t.endpoints = append(t.endpoints, endpoint)
	}
	for part := range strings.SplitSeq(path, "/") { // else the keys of one store could be among those of another
		if part == "data" || part == "format" {
			return t, fmt.Errorf("the prefix /%s has the part %s, by which a store calls its own keys: it may have none of data, format", path, part)
		}
	}
	if t.prefix = "/" + strings.Trim(path, "/"); t.prefix == "/" {
		t.prefix = defaultPrefix
	}
	return t, t.readSettings(query, environment)
}

func checkEndpoint(endpoint string, others []string) error {
	host, port, err := net.SplitHostPort(endpoint)
	switch number, wrong := strconv.ParseUint(port, 10, 16); {
	case strings.ContainsFunc(endpoint, unicode.IsSpace):
		return fmt.Errorf("%q has a space in it: write HOST:PORT,HOST:PORT without any", endpoint)
	case err != nil || host == "" || port == "":
		return fmt.Errorf("%q is not HOST:PORT: use %sHOST:2379, or several, as in %[2]sHOST:2379,HOST:2379/PREFIX", endpoint, scheme)
	case wrong != nil || number == 0:
		return fmt.Errorf("%q has no port from 1 to 65535: etcd's is 2379, most often", endpoint)
	case slices.Contains(others, endpoint):
		return fmt.Errorf("%q is there twice: name each member of etcd once", endpoint)
	}
	return nil
}

// readSettings reads the query of a store's name, and what it lacks from the environment.
func (t *target) readSettings(query string, environment func(name string) string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("what stands behind the ? is not SETTING=VALUE&SETTING=VALUE: write %, & and + in a value as %25, %26 and %2B")
	}
	t.set, t.variables = make(map[string]string), make(map[string]string)
	for name, given := range values {
		if settings[name] == "" || len(given) > 1 {
			return fmt.Errorf("the setting %q is unknown, or there twice: the settings are %s", name,
				strings.Join(slices.Sorted(maps.Keys(settings)), ", "))
		}
		t.set[name] = given[0]
	}
	for name, variable := range settings {
		if value := environment(variable); value != "" && t.set[name] == "" {
			t.set[name], t.variables[name] = value, variable
		}
	}
	if !slices.Contains([]string{"", "true", "false"}, t.set["tls"]) {
		return fmt.Errorf("%s is neither true nor false: make it one of them, or leave it out", t.called("tls"))
	}
	for _, pair := range []struct{ one, other, why string }{
		{"user", "password", "a user and a password go together"},
		{"password", "user", "a user and a password go together"},
		{"cert", "key", "a client's certificate and its key, files (PEM), go together"},
		{"key", "cert", "a client's certificate and its key, files (PEM), go together"},
	} {
		if t.set[pair.one] != "" && t.set[pair.other] == "" {
			return fmt.Errorf("%s, and there is %s alone: set %s or %s too", pair.why, t.called(pair.one), pair.other, settings[pair.other])
		}
	}
	return nil
}

// called names a setting as it was made.
func (t target) called(name string) string {
	if variable := t.variables[name]; variable != "" {
		return "the variable " + variable
	}
	return "the setting " + name
}

// String names the store without its settings: some are secret.
func (t target) String() string { return scheme + strings.Join(t.endpoints, ",") + t.prefix }

// unusable says of the error of a store that is not opened where that is, and how to mend it.
func (t target) unusable(err error) error {
	return fmt.Errorf("store %s cannot be used: %w: %s", t, err, mend(err))
}

// tls returns how the connection is secured, nil when it is not.
func (t target) tls() (*tls.Config, error) {
	if t.set["tls"] == "false" || t.set["tls"]+t.set["ca"]+t.set["cert"] == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if file := t.set["ca"]; file != "" {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.called("ca"), err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: %s has no certificate (PEM)", t.called("ca"), file)
		}
	}
	if file := t.set["cert"]; file != "" {
		pair, err := tls.LoadX509KeyPair(file, t.set["key"])
		if err != nil {
			return nil, fmt.Errorf("%s and %s: %w", t.called("cert"), t.called("key"), err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
