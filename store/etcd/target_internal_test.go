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
			set: map[string]string{"user": "u", "password": "p&q"}},
		"etcd://a:1/x?tls=true&ca=/ca.pem&cert=/c.pem&key=/k.pem": {endpoints: []string{"a:1"}, prefix: "/x",
			set: map[string]string{"tls": "true", "ca": "/ca.pem", "cert": "/c.pem", "key": "/k.pem"}},
	} {
		got, err := parse(spec, nothing)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(target{}), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(target{}, "called")); diff != "" {
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
	if diff := cmp.Diff(map[string]string{"user": "u", "password": "other", "tls": "true"}, got.set); diff != "" {
		t.Error(diff)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for spec, says := range map[string]string{
		"etcd://":                             `"" is not HOST:PORT, with a port from 1 to 65535 and no space: use etcd://HOST:2379`,
		"etcd://a":                            `"a" is not HOST:PORT`,
		"etcd://a:1,":                         `"" is not HOST:PORT`,
		"etcd://:2379":                        `":2379" is not HOST:PORT`,
		"etcd://a:":                           `"a:" is not HOST:PORT`,
		"etcd://u:sesame@a:1":                 "UNDERSTUDY_ETCD_PASSWORD",
		"etcd://a:1?usr=u":                    `the setting "usr" is unknown, or there twice: the settings are ca, cert, key, password, tls, user`,
		"etcd://a:1?user=u&user=v&password=p": `the setting "user" is unknown, or there twice`,
		"etcd://a:1?user=u&password=ses%ame":  "write %, & and + in a value as %25, %26 and %2B",
		"etcd://a:1?tls=sesame":               "the setting tls is neither true nor false",
		"etcd://a:1?password=sesame":          "there is the setting password and no user, which go together: set user or UNDERSTUDY_ETCD_USER too",
		"etcd://a:1?user=u":                   "there is the setting user and no password, which go together: set password or UNDERSTUDY_ETCD_PASSWORD too",
		"etcd://a:1?cert=/c.pem":              "there is the setting cert and no key, which go together: set key or UNDERSTUDY_ETCD_KEY too",
		"etcd://a:1, b:1":                     `" b:1" is not HOST:PORT`,
		"etcd://a:99999":                      `"a:99999" is not HOST:PORT, with a port from 1 to 65535`,
		"etcd://a:0":                          `"a:0" is not HOST:PORT, with a port from 1 to 65535`,
		"etcd://a:client":                     `"a:client" is not HOST:PORT, with a port from 1 to 65535`,
		"etcd://a:1,,b:1":                     `"" is not HOST:PORT`,
		"etcd://a:1,b:1,a:1":                  `"a:1" is there twice: name each member of etcd once`,
		"etcd://a:1/a/data/world":             "the prefix /a/data/world has the part data, by which a store calls its own keys: it may have none of data, format",
		"etcd://a:1/format":                   "the prefix /format has the part format",
	} {
		_, err := parse(spec, nothing)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", spec, err, says)
		} else if strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "ses%ame") {
			t.Errorf("%s: the error repeats the secret: %v", spec, err)
		}
	}
}

// What is wrong is named by where it stands.
func TestParseRefusesEnvironment(t *testing.T) {
	t.Parallel()
	for variable, says := range map[string]string{
		"UNDERSTUDY_ETCD_TLS":      "the variable UNDERSTUDY_ETCD_TLS is neither true nor false",
		"UNDERSTUDY_ETCD_PASSWORD": "there is the variable UNDERSTUDY_ETCD_PASSWORD and no user, which go together: set user or UNDERSTUDY_ETCD_USER too",
		"UNDERSTUDY_ETCD_KEY":      "there is the variable UNDERSTUDY_ETCD_KEY and no cert, which go together: set cert or UNDERSTUDY_ETCD_CERT too",
	} {
		_, err := parse("etcd://a:1", func(name string) string { return map[string]string{variable: "1"}[name] })
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", variable, err, says)
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

// What is parsed is shown as a name of the same members and prefix.
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
		again, err := parse(got.String(), nothing)
		if err != nil || again.prefix != got.prefix || !slices.Equal(again.endpoints, got.endpoints) {
			t.Errorf("%q is shown as %q, which is %v, %v", spec, got, again, err)
		}
	})
}
