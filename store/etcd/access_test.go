package etcd_test

import (
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

func environment(set map[string]string) func(string) string {
	return func(name string) string { return set[name] }
}

// A user needs permission for the keys below the store's prefix only.
func TestOpenUser(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	allow := cluster.RequireUser(t, "/sandbox/")
	url := "etcd://" + cluster.Endpoints()

	s := open(t, url+"/sandbox?user=understudy&password=sesame")
	storetest.Put(t, s, "a", []byte("1"))
	storetest.Increment(t, s, "a")
	storetest.WantValue(t, s, "a", []byte("2"))
	if err := errors.Join(s.Ready(t.Context()), store.DeletePrefix(t.Context(), s, "a")); err != nil {
		t.Error(err)
	}
	for _, rights := range []string{"r", "w", "", "rw"} {
		allow(rights)
		err := s.Ready(t.Context())
		if want := "permission denied: let the user read and write all keys below the prefix"; rights == "rw" && err != nil ||
			rights != "rw" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("with the rights %q Ready returns %v", rights, err)
		}
	}
	storetest.WantKeys(t, s, "")
	if s.String() != url+"/sandbox" {
		t.Errorf("String returned %s", s)
	}

	variables := environment(map[string]string{"UNDERSTUDY_ETCD_USER": "understudy", "UNDERSTUDY_ETCD_PASSWORD": "sesame"})
	byEnvironment, err := etcd.Open(t.Context(), url+"/sandbox", variables)
	if err != nil {
		t.Fatal(err)
	}
	if err := byEnvironment.Close(); err != nil {
		t.Error(err)
	}

	for name, tt := range map[string]struct{ spec, want string }{
		"wrong password": {"/sandbox?user=understudy&password=open-sesame",
			"authentication failed, invalid user ID or password: check the user and the password"},
		"no user":        {"/sandbox", "user name is empty: etcd requires a user: set UNDERSTUDY_ETCD_USER and UNDERSTUDY_ETCD_PASSWORD"},
		"another prefix": {"/other?user=understudy&password=sesame", "permission denied: let the user read and write all keys below the prefix"},
	} {
		_, err := etcd.Open(t.Context(), url+tt.spec, environment(nil))
		wantRefusal(t, name, err, cluster.Endpoints(), tt.want)
		if err != nil && strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: the error has the password: %v", name, err)
		}
	}
}

// wantRefusal checks that an error of Open names the store and contains want, the cause and the advice.
func wantRefusal(t *testing.T, name string, err error, endpoints, want string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), "store etcd://"+endpoints+"/") || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %s", name, err, want)
	}
}

func TestOpenUnreachable(t *testing.T) {
	t.Parallel()
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		for {
			c, err := other.Accept()
			if err != nil {
				return // the listener is closed
			}
			go func() {
				defer c.Close()
				_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
				_, _ = io.Copy(io.Discard, c) // until the client has read it
			}()
		}
	}()
	const refused = "connect: connection refused: check that etcd runs there, and the port"
	for name, tt := range map[string]struct{ endpoints, query, want string }{
		"nothing listens":         {"127.0.0.1:1", "", refused}, // a reserved port
		"nothing listens on two":  {"127.0.0.1:1,127.0.0.1:2", "?user=u&password=p", refused},
		"another program":         {other.Addr().String(), "", "check that etcd listens there for clients; if it has TLS, set tls=true, or ca"},
		"another program, by TLS": {other.Addr().String(), "?tls=true", "if etcd has no TLS there, omit tls, ca, cert and key"},
	} {
		_, err := etcd.Open(t.Context(), "etcd://"+tt.endpoints+"/x"+tt.query, environment(nil))
		wantRefusal(t, name, err, tt.endpoints, tt.want)
	}
}

// Open skips a member that is down: a follower, because an election takes time.
func TestOpenMemberDown(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 3)
	leader := cluster.Leader(t)
	follower := cluster.Members[0]
	if follower == leader {
		follower = cluster.Members[1]
	}
	follower.Kill()
	storetest.WantValue(t, open(t, "etcd://"+follower.Endpoint+","+leader.Endpoint), "a", nil)
}

func TestOpenTLS(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.RunTLS(t)
	settings := url.Values{"ca": {cluster.CertFile}, "cert": {cluster.CertFile}, "key": {cluster.KeyFile}}
	spec := "etcd://" + cluster.Endpoints() + "/tls"
	s := open(t, spec+"?"+settings.Encode())
	storetest.Put(t, s, "a", []byte("1"))
	storetest.WantValue(t, s, "a", []byte("1"))

	other := etcdtest.RunTLS(t)
	const refused = "set cert and key to a certificate that etcd accepts"
	for name, tt := range map[string]struct {
		settings url.Values
		want     string
	}{
		"no client certificate":        {url.Values{"ca": {cluster.CertFile}}, refused},
		"unknown authority":            {url.Values{"cert": {cluster.CertFile}, "key": {cluster.KeyFile}}, "x509: certificate signed by unknown authority: set ca to a file"},
		"another client's certificate": {url.Values{"ca": {cluster.CertFile}, "cert": {other.CertFile}, "key": {other.KeyFile}}, refused},
		"no TLS":                       {url.Values{"tls": {"false"}}, "if it has TLS, set tls=true, or ca"},
		"missing file":                 {url.Values{"ca": {cluster.CertFile + "x"}}, "the setting ca: open "},
		"file without a certificate":   {url.Values{"ca": {cluster.KeyFile}}, "has no certificate (PEM)"},
		"key of another certificate":   {url.Values{"cert": {cluster.CertFile}, "key": {other.KeyFile}}, "the setting cert and the setting key: tls: private key does not match"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := etcd.Open(t.Context(), spec+"?"+tt.settings.Encode(), environment(nil))
			wantRefusal(t, name, err, cluster.Endpoints(), tt.want)
		})
	}
}

func TestOpenSpec(t *testing.T) {
	t.Parallel()
	if _, err := etcd.Open(t.Context(), "etcd://here", environment(nil)); !errors.Is(err, store.ErrSpec) {
		t.Error(err)
	}
}

// Open refuses the data of an older release.
func TestOpenFormat(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	if _, err := cluster.Client(t).Put(t.Context(), "/older/format", "2"); err != nil {
		t.Fatal(err)
	}
	_, err := etcd.Open(t.Context(), "etcd://"+cluster.Endpoints()+"/older", environment(nil))
	if err == nil || !strings.Contains(err.Error(), `has format "2", this Understudy reads "3": use the release that created it`) {
		t.Error(err)
	}
}
