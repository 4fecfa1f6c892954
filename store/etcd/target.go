package etcd

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// scheme begins what names a store in etcd.
const scheme = "etcd://"

// defaultPrefix begins the keys of a store whose name has no path.
const defaultPrefix = "/understudy"

// target is where a store is, and how it is reached.
type target struct {
	endpoints []string // HOST:PORT
	prefix    string   // of all its keys; begins with a slash, and ends with none
	set       map[string]string
	variables map[string]string // that settings were taken from
}

// parse reads a store's name: etcd://HOST:PORT[,HOST:PORT…][/PREFIX][?SETTING=VALUE&…]. No error repeats a setting's value.
func parse(spec string, environment func(name string) string) (t target, err error) {
	rest := strings.TrimPrefix(spec, scheme)
	rest, query, _ := strings.Cut(rest, "?")
	hosts, path, _ := strings.Cut(rest, "/")
	if strings.Contains(hosts, "@") {
		return t, errors.New("the user and the password do not stand before the host: set UNDERSTUDY_ETCD_USER and UNDERSTUDY_ETCD_PASSWORD, or ?user=…&password=…")
	}
	if t.endpoints, err = readEndpoints(hosts); err != nil {
		return t, err
	}
	if t.prefix, err = readPrefix(path); err != nil {
		return t, err
	}
	t.set, t.variables, err = readSettings(query, environment)
	return t, err
}

// readEndpoints reads HOST:PORT[,HOST:PORT…].
func readEndpoints(text string) (endpoints []string, err error) {
	for endpoint := range strings.SplitSeq(text, ",") {
		host, port, err := net.SplitHostPort(endpoint)
		switch number, wrong := strconv.ParseUint(port, 10, 16); {
		case strings.ContainsFunc(endpoint, unicode.IsSpace):
			return nil, fmt.Errorf("%q has a space in it: write HOST:PORT,HOST:PORT without any", endpoint)
		case err != nil || host == "" || port == "":
			return nil, fmt.Errorf("%q is not HOST:PORT: use %sHOST:2379, or several, as in %[2]sHOST:2379,HOST:2379/PREFIX", endpoint, scheme)
		case wrong != nil || number == 0:
			return nil, fmt.Errorf("%q has no port from 1 to 65535: etcd's is 2379, most often", endpoint)
		case slices.Contains(endpoints, endpoint):
			return nil, fmt.Errorf("%q is there twice: name each member of etcd once", endpoint)
		}
		endpoints = append(endpoints, endpoint)
	}
	return endpoints, nil
}

// ours are the names below a prefix under which a store keeps what it has.
var ours = []string{"data", "format", "group", "wrote"}

// readPrefix reads the path of a store's name. What has one of our names in it would be among the keys of another store.
func readPrefix(path string) (string, error) {
	for name := range strings.SplitSeq(path, "/") {
		if slices.Contains(ours, name) {
			return "", fmt.Errorf("the prefix /%s has the part %s, by which a store calls its own keys: it may have none of %s",
				path, name, strings.Join(ours, ", "))
		}
	}
	if prefix := "/" + strings.Trim(path, "/"); prefix != "/" {
		return prefix, nil
	}
	return defaultPrefix, nil
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
			return nil, fmt.Errorf("%s: %w", called("ca", t.variables), err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: %s has no certificate (PEM)", called("ca", t.variables), file)
		}
	}
	if file := t.set["cert"]; file != "" {
		pair, err := tls.LoadX509KeyPair(file, t.set["key"])
		if err != nil {
			return nil, fmt.Errorf("%s and %s: %w", called("cert", t.variables), called("key", t.variables), err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
