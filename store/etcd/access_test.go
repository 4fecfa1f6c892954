package etcd_test

import (
	"context"
	"errors"
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
func TestAUserWhoMayUseThePrefixUsesTheStore(t *testing.T) {
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
	if err := s.Amend(t.Context(), "a", storetest.Increment); err != nil {
		t.Error(err)
	}
	storetest.WantValue(t, s, "a", []byte("2"))
	if err := s.DeletePrefix(t.Context(), "a"); err != nil {
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

	for name, spec := range map[string]string{
		"another password": at + "/sandbox?user=understudy&password=open-sesame",
		"nobody":           at + "/sandbox",
		"another prefix":   at + "/other?user=understudy&password=sesame",
	} {
		_, err := etcd.Open(t.Context(), spec, environment(nil))
		if err == nil || strings.Contains(err.Error(), "sesame") || !strings.Contains(err.Error(), cluster.Endpoints()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAStoreIsReachedByTLSWithACertificateOfItsOwn(t *testing.T) {
	t.Parallel()
	cluster, files := etcdtest.RunTLS(t)
	set := url.Values{"ca": {files.CA}, "cert": {files.Cert}, "key": {files.Key}}
	at := "etcd://" + cluster.Endpoints() + "/tls"
	s := open(t, at+"?"+set.Encode())
	storetest.Put(t, s, "a", []byte("1"))
	storetest.WantValue(t, s, "a", []byte("1"))

	_, other := etcdtest.RunTLS(t)
	for name, set := range map[string]url.Values{
		"no certificate of the client's":   {"ca": {files.CA}},
		"an authority that is not known":   {"cert": {files.Cert}, "key": {files.Key}},
		"a certificate of somebody else's": {"ca": {files.CA}, "cert": {other.Cert}, "key": {other.Key}},
		"no TLS":                           {"tls": {"false"}},
		"a file that is not there":         {"ca": {files.CA + "x"}},
		"a file without a certificate":     {"ca": {files.Key}},
		"a key of another certificate":     {"cert": {files.Cert}, "key": {other.Key}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := etcd.Open(t.Context(), at+"?"+set.Encode(), environment(nil))
			if err == nil || !strings.Contains(err.Error(), cluster.Endpoints()) {
				t.Errorf("it is opened, or the error does not say which: %v", err)
			}
		})
	}
}

func TestANameThatIsNoStoresIsAnErrorOfItsOwn(t *testing.T) {
	t.Parallel()
	if _, err := etcd.Open(t.Context(), "etcd://here", environment(nil)); !errors.Is(err, store.ErrSpec) {
		t.Error(err)
	}
}

// What another program, or a later Understudy, keeps there is left alone.
func TestAStoreOfAnotherFormatIsNotOpened(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	if _, err := cluster.Client(t).Put(t.Context(), "/later/format", "9"); err != nil {
		t.Fatal(err)
	}
	_, err := etcd.Open(t.Context(), "etcd://"+cluster.Endpoints()+"/later", environment(nil))
	if err == nil || !strings.Contains(err.Error(), `has format "9", this Understudy knows "1"`) {
		t.Error(err)
	}
}
