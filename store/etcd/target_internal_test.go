package etcd

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func nothing(string) string { return "" }

func TestParse(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]target{
		"etcd://a:2379":                  {endpoints: []string{"a:2379"}, prefix: "/understudy"},
		"etcd://a:2379/":                 {endpoints: []string{"a:2379"}, prefix: "/understudy"},
		"etcd://a:2379,b:1,[::1]:2/x/y/": {endpoints: []string{"a:2379", "b:1", "[::1]:2"}, prefix: "/x/y"},
		"etcd://a:1?user=u&password=p%26q": {endpoints: []string{"a:1"}, prefix: "/understudy",
			settings: map[string]string{"user": "u", "password": "p&q"}},
		"etcd://a:1/x?tls=true&ca=/ca.pem&cert=/c.pem&key=/k.pem": {endpoints: []string{"a:1"}, prefix: "/x",
			settings: map[string]string{"tls": "true", "ca": "/ca.pem", "cert": "/c.pem", "key": "/k.pem"}},
	} {
		got, err := parse(spec, nothing)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(target{}), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(target{}, "sources")); diff != "" {
			t.Errorf("%s: %s", spec, diff)
		}
	}
}

func TestParseEnvironment(t *testing.T) {
	t.Parallel()
	environment := map[string]string{"UNDERSTUDY_ETCD_USER": "u", "UNDERSTUDY_ETCD_PASSWORD": "p", "UNDERSTUDY_ETCD_TLS": "true"}
	got, err := parse("etcd://a:1?password=other", func(name string) string { return environment[name] })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"user": "u", "password": "other", "tls": "true"}, got.settings); diff != "" {
		t.Error(diff)
	}
}

func TestParseRefusal(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"etcd://":                             `"" is not HOST:PORT, with a port from 1 to 65535 and no space: use etcd://HOST:2379`,
		"etcd://a":                            `"a" is not HOST:PORT`,
		"etcd://a:1,":                         `"" is not HOST:PORT`,
		"etcd://:2379":                        `":2379" is not HOST:PORT`,
		"etcd://a:":                           `"a:" is not HOST:PORT`,
		"etcd://u:sesame@a:1":                 "UNDERSTUDY_ETCD_PASSWORD",
		"etcd://a:1?usr=u":                    `the setting "usr" is unknown or given twice: the settings are ca, cert, key, password, tls, user`,
		"etcd://a:1?user=u&user=v&password=p": `the setting "user" is unknown or given twice`,
		"etcd://a:1?user=u&password=ses%ame":  "write %, & and + in a value as %25, %26 and %2B",
		"etcd://a:1?tls=sesame":               "the setting tls is neither true nor false",
		"etcd://a:1?password=sesame":          "the setting password is set without user: set user or UNDERSTUDY_ETCD_USER too",
		"etcd://a:1?user=u":                   "the setting user is set without password: set password or UNDERSTUDY_ETCD_PASSWORD too",
		"etcd://a:1?cert=/c.pem":              "the setting cert is set without key: set key or UNDERSTUDY_ETCD_KEY too",
		"etcd://a:1, b:1":                     `" b:1" is not HOST:PORT`,
		"etcd://a:99999":                      `"a:99999" is not HOST:PORT, with a port from 1 to 65535`,
		"etcd://a:0":                          `"a:0" is not HOST:PORT, with a port from 1 to 65535`,
		"etcd://a:client":                     `"a:client" is not HOST:PORT, with a port from 1 to 65535`,
		"etcd://a:1,,b:1":                     `"" is not HOST:PORT`,
		"etcd://a:1,b:1,a:1":                  `"a:1" is given twice: name each member of etcd once`,
		"etcd://a:1/a/data/world":             "the prefix /a/data/world contains data, a name that the store uses for its own keys: choose a prefix without data and format",
		"etcd://a:1/format":                   "the prefix /format contains format",
	} {
		_, err := parse(spec, nothing)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		} else if strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "ses%ame") {
			t.Errorf("%s: the error repeats the secret: %v", spec, err)
		}
	}
}

// An error names the variable, not the setting.
func TestParseRefusalOfVariable(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{
		"UNDERSTUDY_ETCD_TLS":      "the variable UNDERSTUDY_ETCD_TLS is neither true nor false",
		"UNDERSTUDY_ETCD_PASSWORD": "the variable UNDERSTUDY_ETCD_PASSWORD is set without user: set user or UNDERSTUDY_ETCD_USER too",
		"UNDERSTUDY_ETCD_KEY":      "the variable UNDERSTUDY_ETCD_KEY is set without cert: set cert or UNDERSTUDY_ETCD_CERT too",
	} {
		_, err := parse("etcd://a:1", func(name string) string { return map[string]string{variable: "1"}[name] })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", variable, err, want)
		}
	}
	got, err := parse("etcd://a:1", func(name string) string {
		return map[string]string{"UNDERSTUDY_ETCD_CA": "/not/there"}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := got.tls(); err == nil || !strings.Contains(err.Error(), "the variable UNDERSTUDY_ETCD_CA: open /not/there") {
		t.Error(err)
	}
}

func TestTargetString(t *testing.T) {
	t.Parallel()
	got, err := parse("etcd://a:1,b:2/x?user=u&password=sesame", nothing)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != "etcd://a:1,b:2/x" {
		t.Error(got)
	}
}

// String returns a spec of the same members and prefix.
func FuzzParse(f *testing.F) {
	for _, spec := range []string{
		"etcd://a:1", "etcd://a:1,b:2/x/y?user=u&password=p", "etcd://[::1]:2379?tls=true", "etcd://u@a:1", "etcd://a:1?%", "etcd://,/?=&",
	} {
		f.Add(spec)
	}
	f.Fuzz(func(t *testing.T, rest string) {
		spec := scheme + strings.TrimPrefix(rest, scheme)
		got, err := parse(spec, nothing)
		if err != nil {
			return
		}
		if !strings.HasPrefix(got.prefix, "/") || strings.HasSuffix(got.prefix, "/") || len(got.endpoints) == 0 {
			t.Errorf("%q is %v", spec, got)
		}
		second, err := parse(got.String(), nothing)
		if err != nil || second.prefix != got.prefix || !slices.Equal(second.endpoints, got.endpoints) {
			t.Errorf("%q as a string is %q, which parses as %v, %v", spec, got, second, err)
		}
	})
}
