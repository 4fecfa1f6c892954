package etcd_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

func environment(set map[string]string) func(string) string {
	return func(name string) string { return set[name] }
}

// A user needs what is below the store's prefix, and nothing else of the cluster.
func TestOpenUser(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	client := cluster.Client(t)
	for _, done := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := client.UserAdd(ctx, "root", "root-sesame"); return err },
		func(ctx context.Context) error { _, err := client.UserGrantRole(ctx, "root", "root"); return err },
		func(ctx context.Context) error { _, err := client.RoleAdd(ctx, "worlds"); return err },
		func(ctx context.Context) error {
			_, err := client.RoleGrantPermission(ctx, "worlds", "/sandbox/", clientv3.GetPrefixRangeEnd("/sandbox/"), clientv3.PermissionType(clientv3.PermReadWrite))
			return err
		},
		func(ctx context.Context) error { _, err := client.UserAdd(ctx, "understudy", "sesame"); return err },
		func(ctx context.Context) error {
			_, err := client.UserGrantRole(ctx, "understudy", "worlds")
			return err
		},
		func(ctx context.Context) error { _, err := client.AuthEnable(ctx); return err },
	} {
		if err := done(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	at := "etcd://" + cluster.Endpoints()

	s := open(t, at+"/sandbox?user=understudy&password=sesame")
	storetest.Put(t, s, "a", []byte("1"))
	storetest.Increment(t, s, "a")
	storetest.WantValue(t, s, "a", []byte("2"))
	if err := errors.Join(s.Ready(t.Context()), store.DeletePrefix(t.Context(), s, "a")); err != nil {
		t.Error(err)
	}
	if s.String() != at+"/sandbox" {
		t.Errorf("the store is shown as %s", s)
	}

	variables := environment(map[string]string{"UNDERSTUDY_ETCD_USER": "understudy", "UNDERSTUDY_ETCD_PASSWORD": "sesame"})
	byEnvironment, err := etcd.Open(t.Context(), at+"/sandbox", variables)
	if err != nil {
		t.Fatal(err)
	}
	if err := byEnvironment.Close(); err != nil {
		t.Error(err)
	}

	for name, tt := range map[string]struct{ spec, says string }{
		"another password": {"/sandbox?user=understudy&password=open-sesame",
			"authentication failed, invalid user ID or password: see that the user and the password are those that etcd has"},
		"nobody":         {"/sandbox", "user name is empty: etcd lets in users only: set UNDERSTUDY_ETCD_USER and UNDERSTUDY_ETCD_PASSWORD"},
		"another prefix": {"/other?user=understudy&password=sesame", "permission denied: let the user read and write the prefix"},
	} {
		_, err := etcd.Open(t.Context(), at+tt.spec, environment(nil))
		wantRefusal(t, name, err, cluster.Endpoints(), tt.says)
		if err != nil && strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: the error tells the password: %v", name, err)
		}
	}
}

// wantRefusal wants the error of a store that is not opened to say where it is, what is wrong and how to mend it.
func wantRefusal(t *testing.T, name string, err error, at, says string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), "store etcd://"+at+"/") || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, want %s", name, err, says)
	}
}

// A store that cannot be opened is one clear line that names the cause and the mend, as soon as it is known.
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
				return // the test is over
			}
			go func() {
				defer c.Close()
				_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
				_, _ = io.Copy(io.Discard, c) // until the client has read it
			}()
		}
	}()
	const refused = "connect: connection refused: see that etcd runs there, and that the port is right"
	for name, tt := range map[string]struct{ at, set, says string }{
		"nobody listens":             {"127.0.0.1:1", "", refused}, // no test is given such a port
		"none of two":                {"127.0.0.1:1,127.0.0.1:2", "?user=u&password=p", refused},
		"another program":            {other.Addr().String(), "", "see that etcd listens there for clients; if it has TLS, set tls=true, or ca"},
		"another program, where TLS": {other.Addr().String(), "?tls=true", "if etcd has no TLS there, leave out tls, ca, cert and key"},
	} {
		_, err := etcd.Open(t.Context(), "etcd://"+tt.at+"/x"+tt.set, environment(nil))
		wantRefusal(t, name, err, tt.at, tt.says)
	}
}

// A member that is away is passed over. It is no leader: an election would take its time.
func TestOpenMemberAway(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 3)
	leader := cluster.Leader(t)
	away := cluster.Members[0]
	if away == leader {
		away = cluster.Members[1]
	}
	away.Kill()
	storetest.WantValue(t, open(t, "etcd://"+away.Endpoint+","+leader.Endpoint), "a", nil)
}

func TestOpenTLS(t *testing.T) {
	t.Parallel()
	cluster, files := etcdtest.RunTLS(t)
	set := url.Values{"ca": {files.CA}, "cert": {files.Cert}, "key": {files.Key}}
	at := "etcd://" + cluster.Endpoints() + "/tls"
	s := open(t, at+"?"+set.Encode())
	storetest.Put(t, s, "a", []byte("1"))
	storetest.WantValue(t, s, "a", []byte("1"))

	_, other := etcdtest.RunTLS(t)
	const ofClient = "set cert and key to a certificate that etcd takes"
	for name, tt := range map[string]struct {
		set  url.Values
		says string
	}{
		"no certificate of the client's":   {url.Values{"ca": {files.CA}}, ofClient},
		"an authority that is not known":   {url.Values{"cert": {files.Cert}, "key": {files.Key}}, "x509: certificate signed by unknown authority: set ca to a file"},
		"a certificate of somebody else's": {url.Values{"ca": {files.CA}, "cert": {other.Cert}, "key": {other.Key}}, ofClient},
		"no TLS":                           {url.Values{"tls": {"false"}}, "if it has TLS, set tls=true, or ca"},
		"a file that is not there":         {url.Values{"ca": {files.CA + "x"}}, "the setting ca: open "},
		"a file without a certificate":     {url.Values{"ca": {files.Key}}, "has no certificate (PEM)"},
		"a key of another certificate":     {url.Values{"cert": {files.Cert}, "key": {other.Key}}, "the setting cert and the setting key: tls: private key does not match"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := etcd.Open(t.Context(), at+"?"+tt.set.Encode(), environment(nil))
			wantRefusal(t, name, err, cluster.Endpoints(), tt.says)
		})
	}
}

func TestOpenRefusesSpec(t *testing.T) {
	t.Parallel()
	if _, err := etcd.Open(t.Context(), "etcd://here", environment(nil)); !errors.Is(err, store.ErrSpec) {
		t.Error(err)
	}
}

// What an older Understudy keeps there is left alone.
func TestOpenRefusesFormat(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	if _, err := cluster.Client(t).Put(t.Context(), "/older/format", "1"); err != nil {
		t.Fatal(err)
	}
	_, err := etcd.Open(t.Context(), "etcd://"+cluster.Endpoints()+"/older", environment(nil))
	if err == nil || !strings.Contains(err.Error(), `has format "1", this Understudy knows "2"`) {
		t.Error(err)
	}
}
