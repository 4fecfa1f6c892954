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
)

const (
	scheme        = "etcd://"
	defaultPrefix = "/understudy"
)

// settings are the settings of a spec. Each may be given by the variable named after it instead.
var settings = []string{"ca", "cert", "key", "password", "tls", "user"}

func variable(setting string) string { return "UNDERSTUDY_ETCD_" + strings.ToUpper(setting) }

// target is a parsed spec: the cluster, the key prefix and the settings of the connection.
type target struct {
	endpoints []string          // HOST:PORT
	prefix    string            // begins with a slash and does not end with one
	settings  map[string]string // values by setting
	sources   map[string]string // how messages name a setting: as a setting or as a variable
}

// parse parses etcd://HOST:PORT[,HOST:PORT…][/PREFIX][?SETTING=VALUE&…]. Its errors do not contain values of settings.
func parse(spec string, environment func(name string) string) (t target, err error) {
	rest, query, _ := strings.Cut(strings.TrimPrefix(spec, scheme), "?")
	hosts, path, _ := strings.Cut(rest, "/")
	if strings.Contains(hosts, "@") {
		return t, errors.New("a user before the host is not supported: set UNDERSTUDY_ETCD_USER and UNDERSTUDY_ETCD_PASSWORD, or ?user=…&password=…")
	}
	for endpoint := range strings.SplitSeq(hosts, ",") {
		host, port, err := net.SplitHostPort(endpoint)
		number, errPort := strconv.ParseUint(port, 10, 16)
		if err != nil || errPort != nil || host == "" || number == 0 || strings.ContainsFunc(endpoint, unicode.IsSpace) {
			return t, fmt.Errorf("%q is not HOST:PORT, with a port from 1 to 65535 and no space: use %sHOST:2379, or several, as in %[2]sHOST:2379,HOST:2379/PREFIX", endpoint, scheme)
		}
		if slices.Contains(t.endpoints, endpoint) {
			return t, fmt.Errorf("%q is given twice: name each member of etcd once", endpoint)
		}
		t.endpoints = append(t.endpoints, endpoint)
	}
	for part := range strings.SplitSeq(path, "/") { // the stores of two prefixes must not share keys
		if part == "data" || part == "format" {
			return t, fmt.Errorf("the prefix /%s contains %s, a name that the store uses for its own keys: choose a prefix without data and format", path, part)
		}
	}
	if t.prefix = "/" + strings.Trim(path, "/"); t.prefix == "/" {
		t.prefix = defaultPrefix
	}
	return t, t.readSettings(query, environment)
}

// readSettings reads the settings from the query of a spec, and the others from the environment.
func (t *target) readSettings(query string, environment func(name string) string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("the text after ? is not SETTING=VALUE&SETTING=VALUE: write %, & and + in a value as %25, %26 and %2B")
	}
	t.settings, t.sources = make(map[string]string), make(map[string]string)
	for name, given := range values {
		if !slices.Contains(settings, name) || len(given) > 1 {
			return fmt.Errorf("the setting %q is unknown or given twice: the settings are %s", name, strings.Join(settings, ", "))
		}
		t.settings[name], t.sources[name] = given[0], "the setting "+name
	}
	for _, name := range settings {
		if value := environment(variable(name)); value != "" && t.settings[name] == "" {
			t.settings[name], t.sources[name] = value, "the variable "+variable(name)
		}
	}
	if !slices.Contains([]string{"", "true", "false"}, t.settings["tls"]) {
		return fmt.Errorf("%s is neither true nor false: use one of them, or omit it", t.sources["tls"])
	}
	for _, pair := range [][2]string{{"user", "password"}, {"password", "user"}, {"cert", "key"}, {"key", "cert"}} {
		if t.settings[pair[0]] != "" && t.settings[pair[1]] == "" {
			return fmt.Errorf("%s is set without %s: set %[2]s or %s too", t.sources[pair[0]], pair[1], variable(pair[1]))
		}
	}
	return nil
}

// String returns the spec without its settings, because some are secret.
func (t target) String() string { return scheme + strings.Join(t.endpoints, ",") + t.prefix }

// tls returns the TLS configuration, nil without TLS.
func (t target) tls() (*tls.Config, error) {
	if t.settings["tls"] == "false" || t.settings["tls"]+t.settings["ca"]+t.settings["cert"] == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if file := t.settings["ca"]; file != "" {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.sources["ca"], err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: %s has no certificate (PEM)", t.sources["ca"], file)
		}
	}
	if file := t.settings["cert"]; file != "" {
		pair, err := tls.LoadX509KeyPair(file, t.settings["key"])
		if err != nil {
			return nil, fmt.Errorf("%s and %s: %w", t.sources["cert"], t.sources["key"], err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
