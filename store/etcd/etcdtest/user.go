package etcdtest

import (
	"errors"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// RequireUser turns on authentication. The user understudy, with the password sesame, may read and write the keys with a
// prefix until allow changes its rights: "r", "w", "rw" or "".
func (c *Cluster) RequireUser(t testing.TB, prefix string) (allow func(rights string)) {
	t.Helper()
	client, ctx := c.Client(t), t.Context()
	const role = "worlds"
	end := clientv3.GetPrefixRangeEnd(prefix)
	kinds := map[string]clientv3.PermissionType{
		"r": clientv3.PermissionType(clientv3.PermRead), "w": clientv3.PermissionType(clientv3.PermWrite), "rw": clientv3.PermissionType(clientv3.PermReadWrite),
	}
	granted := ""
	allow = func(rights string) {
		t.Helper()
		var revoked, given error
		if granted != "" {
			_, revoked = client.RoleRevokePermission(ctx, role, prefix, end)
		}
		if granted = rights; rights != "" {
			_, given = client.RoleGrantPermission(ctx, role, prefix, end, kinds[rights])
		}
		if err := errors.Join(revoked, given); err != nil {
			t.Fatal(err)
		}
	}
	_, added := client.RoleAdd(ctx, role)
	if added != nil {
		t.Fatal(added)
	}
	allow("rw")
	for _, user := range []struct{ name, password, role string }{{"root", "root-sesame", "root"}, {"understudy", "sesame", role}} {
		_, added := client.UserAdd(ctx, user.name, user.password)
		_, granted := client.UserGrantRole(ctx, user.name, user.role)
		if err := errors.Join(added, granted); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.AuthEnable(ctx); err != nil {
		t.Fatal(err)
	}
	root, err := clientv3.New(clientv3.Config{
		Endpoints: strings.Split(c.Endpoints(), ","), Username: "root", Password: "root-sesame", Logger: zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	client = root
	return allow
}
