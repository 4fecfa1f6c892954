package etcd

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// settings are what a store's name says in its query, each with the variable of the environment that is taken in its place.
var settings = map[string]string{
	"user":     "UNDERSTUDY_ETCD_USER",
	"password": "UNDERSTUDY_ETCD_PASSWORD",
	"tls":      "UNDERSTUDY_ETCD_TLS",
	"ca":       "UNDERSTUDY_ETCD_CA",
	"cert":     "UNDERSTUDY_ETCD_CERT",
	"key":      "UNDERSTUDY_ETCD_KEY",
}

// readSettings returns the settings, and of those that the environment has the variables. No error repeats a value.
func readSettings(query string, environment func(name string) string) (set, variables map[string]string, err error) {
	if set, err = readQuery(query); err != nil {
		return nil, nil, err
	}
	for name, variable := range settings {
		if value := environment(variable); value != "" && set[name] == "" {
			if variables == nil {
				variables = make(map[string]string)
			}
			set[name], variables[name] = value, variable
		}
	}
	return set, variables, checkSettings(set, variables)
}

func readQuery(query string) (map[string]string, error) {
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
	return set, nil
}

// together are settings of which none is without the other.
var together = []struct{ one, other, what string }{
	{"user", "password", "a user and a password go together"},
	{"cert", "key", "a client's certificate and its key, files (PEM), go together"},
}

func checkSettings(set, variables map[string]string) error {
	switch set["tls"] {
	case "", "true", "false":
	default:
		return fmt.Errorf("%s is neither true nor false: make it one of them, or leave it out", called("tls", variables))
	}
	for _, pair := range together {
		there, missing := pair.one, pair.other
		if set[there] == "" {
			there, missing = missing, there
		}
		if set[there] != "" && set[missing] == "" {
			return fmt.Errorf("%s, and there is %s alone: set %s or %s too", pair.what, called(there, variables), missing, settings[missing])
		}
	}
	return nil
}

// called names a setting as it was made.
func called(name string, variables map[string]string) string {
	if variable, ok := variables[name]; ok {
		return "the variable " + variable
	}
	return "the setting " + name
}
