package etcd

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func nothing(string) string { return "" }

func TestAStoreInEtcdIsNamedByItsMembersAndAPrefix(t *testing.T) {
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
		if want.set == nil {
			want.set = map[string]string{}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(target{})); diff != "" {
			t.Errorf("%s: %s", spec, diff)
		}
	}
}

func TestASettingOfTheEnvironmentCountsWhereTheNameHasNone(t *testing.T) {
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

func TestAMistakeInAStoresNameSaysTheMendAndNoSecret(t *testing.T) {
	t.Parallel()
	for spec, says := range map[string]string{
		"etcd://":                             "is not HOST:PORT: use etcd://HOST:2379",
		"etcd://a":                            `"a" is not HOST:PORT`,
		"etcd://a:1,":                         `"" is not HOST:PORT`,
		"etcd://:2379":                        `":2379" is not HOST:PORT`,
		"etcd://a:":                           `"a:" is not HOST:PORT`,
		"etcd://u:sesame@a:1":                 "UNDERSTUDY_ETCD_PASSWORD",
		"etcd://a:1?usr=u":                    `the setting "usr" is unknown, or there twice: the settings are ca, cert, key, password, tls, user`,
		"etcd://a:1?user=u&user=v&password=p": `the setting "user" is unknown, or there twice`,
		"etcd://a:1?user=u&password=ses%ame":  "write %, & and + in a value as %25, %26 and %2B",
		"etcd://a:1?tls=sesame":               "the setting tls is true or false",
		"etcd://a:1?password=sesame":          "a user and a password go together",
		"etcd://a:1?user=u":                   "a user and a password go together",
		"etcd://a:1?cert=/c.pem":              "set cert and key to files",
	} {
		_, err := parse(spec, nothing)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", spec, err, says)
		} else if strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "ses%ame") {
			t.Errorf("%s: the error repeats the secret: %v", spec, err)
		}
	}
}

func TestAStoreIsShownWithoutItsSettings(t *testing.T) {
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
