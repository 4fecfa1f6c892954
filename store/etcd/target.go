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
	"strings"
)

// scheme begins what names a store in etcd.
const scheme = "etcd://"

// defaultPrefix begins the keys of a store whose name has no path.
const defaultPrefix = "/understudy"

// settings are what a store's name says in its query, each with the variable of the environment that is taken in its place.
var settings = map[string]string{
	"user":     "UNDERSTUDY_ETCD_USER",
	"password": "UNDERSTUDY_ETCD_PASSWORD",
	"tls":      "UNDERSTUDY_ETCD_TLS",
	"ca":       "UNDERSTUDY_ETCD_CA",
	"cert":     "UNDERSTUDY_ETCD_CERT",
	"key":      "UNDERSTUDY_ETCD_KEY",
}

// target is where a store is, and how it is reached.
type target struct {
	endpoints []string // HOST:PORT
	prefix    string   // of all its keys; begins with a slash, and ends with none
	set       map[string]string
}

// parse reads a store's name: etcd://HOST:PORT[,HOST:PORT…][/PREFIX][?SETTING=VALUE&…]. No error repeats a setting's value.
func parse(spec string, environment func(name string) string) (t target, err error) {
	rest := strings.TrimPrefix(spec, scheme)
	rest, query, _ := strings.Cut(rest, "?")
	hosts, path, _ := strings.Cut(rest, "/")
	if strings.Contains(hosts, "@") {
		return t, errors.New("the user and the password do not stand before the host: set UNDERSTUDY_ETCD_USER and UNDERSTUDY_ETCD_PASSWORD, or ?user=…&password=…")
	}
	for _, endpoint := range strings.Split(hosts, ",") {
		host, port, err := net.SplitHostPort(endpoint)
		if err != nil || host == "" || port == "" {
			return t, fmt.Errorf("%q is not HOST:PORT: use %sHOST:2379, or several, as in %[2]sHOST:2379,HOST:2379/PREFIX", endpoint, scheme)
		}
		t.endpoints = append(t.endpoints, endpoint)
	}
	if t.prefix = "/" + strings.Trim(path, "/"); t.prefix == "/" {
		t.prefix = defaultPrefix
	}
	t.set, err = readSettings(query, environment)
	return t, err
}

func readSettings(query string, environment func(name string) string) (map[string]string, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("what stands behind the ? is not SETTING=VALUE&SETTING=VALUE: write %, & and + in a value as %25, %26 and %2B")
	}
	set := make(map[string]string)
	for name, given := range values {
		if _, known := settings[name]; !known || len(given) > 1 {
			return nil, fmt.Errorf("the setting %q is unknown, or there twice: the settings are %s", name,
				strings.Join(slices.Sorted(maps.Keys(settings)), ", "))
		}
		set[name] = given[0]
	}
	for name, variable := range settings {
		if value := environment(variable); value != "" && set[name] == "" {
			set[name] = value
		}
	}
	switch set["tls"] {
	case "", "true", "false":
	default:
		return nil, errors.New("the setting tls is true or false")
	}
	if (set["user"] == "") != (set["password"] == "") {
		return nil, errors.New("a user and a password go together: set both, or none")
	}
	if (set["cert"] == "") != (set["key"] == "") {
		return nil, errors.New("a client's certificate and its key go together: set cert and key to files (PEM), or none")
	}
	return set, nil
}

// String names the store as it was named, without its settings: some are secret.
func (t target) String() string {
	return scheme + strings.Join(t.endpoints, ",") + t.prefix
}

// unusable says of the error of a store that is not opened where that is, and how to mend it.
func (t target) unusable(err error) error {
	return fmt.Errorf("store %s cannot be used: %w: %s", t, err, mend(err, t.secured()))
}

// secured reports whether the connection is.
func (t target) secured() bool {
	return t.set["tls"] != "false" && t.set["tls"]+t.set["ca"]+t.set["cert"] != ""
}

// tls returns how the connection is secured, nil when it is not.
func (t target) tls() (*tls.Config, error) {
	if !t.secured() {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if file := t.set["ca"]; file != "" {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("the setting ca: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("the setting ca: %s has no certificate (PEM)", file)
		}
	}
	if file := t.set["cert"]; file != "" {
		pair, err := tls.LoadX509KeyPair(file, t.set["key"])
		if err != nil {
			return nil, fmt.Errorf("the settings cert and key: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
