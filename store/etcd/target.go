package etcd

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"google.golang.org/grpc/status"
)

const (
	scheme        = "etcd://"
	defaultPrefix = "/understudy"
)

// settings are those of a store's name. The variable of the environment that may stand in place of one is named after it.
var settings = []string{"ca", "cert", "key", "password", "tls", "user"}

func variable(setting string) string { return "UNDERSTUDY_ETCD_" + strings.ToUpper(setting) }

// target is where a store is, and how it is reached.
type target struct {
	endpoints []string          // HOST:PORT
	prefix    string            // of all its keys; begins with a slash, and ends with none
	set       map[string]string // settings
	called    map[string]string // how messages name each of them: by where it was set
}

// parse reads a store's name: etcd://HOST:PORT[,HOST:PORT…][/PREFIX][?SETTING=VALUE&…]. No error repeats a setting's value.
func parse(spec string, environment func(name string) string) (t target, err error) {
	rest, query, _ := strings.Cut(strings.TrimPrefix(spec, scheme), "?")
	hosts, path, _ := strings.Cut(rest, "/")
	if strings.Contains(hosts, "@") {
		return t, errors.New("the user and the password do not stand before the host: set UNDERSTUDY_ETCD_USER and UNDERSTUDY_ETCD_PASSWORD, or ?user=…&password=…")
	}
	for endpoint := range strings.SplitSeq(hosts, ",") {
		host, port, err := net.SplitHostPort(endpoint)
		number, errPort := strconv.ParseUint(port, 10, 16)
		if err != nil || errPort != nil || host == "" || number == 0 || strings.ContainsFunc(endpoint, unicode.IsSpace) {
			return t, fmt.Errorf("%q is not HOST:PORT, with a port from 1 to 65535 and no space: use %sHOST:2379, or several, as in %[2]sHOST:2379,HOST:2379/PREFIX", endpoint, scheme)
		}
		if slices.Contains(t.endpoints, endpoint) {
			return t, fmt.Errorf("%q is there twice: name each member of etcd once", endpoint)
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

// readSettings reads the query of a store's name, and what it lacks from the environment.
func (t *target) readSettings(query string, environment func(name string) string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("what stands behind the ? is not SETTING=VALUE&SETTING=VALUE: write %, & and + in a value as %25, %26 and %2B")
	}
	t.set, t.called = make(map[string]string), make(map[string]string)
	for name, given := range values {
		if !slices.Contains(settings, name) || len(given) > 1 {
			return fmt.Errorf("the setting %q is unknown, or there twice: the settings are %s", name, strings.Join(settings, ", "))
		}
		t.set[name], t.called[name] = given[0], "the setting "+name
	}
	for _, name := range settings {
		if value := environment(variable(name)); value != "" && t.set[name] == "" {
			t.set[name], t.called[name] = value, "the variable "+variable(name)
		}
	}
	if !slices.Contains([]string{"", "true", "false"}, t.set["tls"]) {
		return fmt.Errorf("%s is neither true nor false: make it one of them, or leave it out", t.called["tls"])
	}
	for _, pair := range [][2]string{{"user", "password"}, {"password", "user"}, {"cert", "key"}, {"key", "cert"}} {
		if t.set[pair[0]] != "" && t.set[pair[1]] == "" {
			return fmt.Errorf("there is %s and no %s, which go together: set %[2]s or %s too", t.called[pair[0]], pair[1], variable(pair[1]))
		}
	}
	return nil
}

// String names the store without its settings: some are secret.
func (t target) String() string { return scheme + strings.Join(t.endpoints, ",") + t.prefix }

// unusable says of the error of a store that is not opened where that is, and how to mend it.
func (t target) unusable(err error) error {
	text := status.Convert(err).Message()
	if _, cause, ok := strings.Cut(text, `desc = "`); ok { // within gRPC's words
		text = strings.TrimPrefix(strings.TrimSuffix(cause, `"`), "transport: ")
	}
	return fmt.Errorf("store %s cannot be used: %s: %s", t, text, mend(err))
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
			return nil, fmt.Errorf("%s: %w", t.called["ca"], err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: %s has no certificate (PEM)", t.called["ca"], file)
		}
	}
	if file := t.set["cert"]; file != "" {
		pair, err := tls.LoadX509KeyPair(file, t.set["key"])
		if err != nil {
			return nil, fmt.Errorf("%s and %s: %w", t.called["cert"], t.called["key"], err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
