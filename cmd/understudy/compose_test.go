package main

import (
	"maps"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/store/etcd"
)

// composition is a file of Docker Compose.
type composition struct {
	Services map[string]service
	Configs  map[string]struct{ Content string }
	Volumes  map[string]struct{}
}

type service struct {
	Build       any // a folder, or a Dockerfile
	Environment map[string]string
	Volumes     []string
}

// withPrefix returns the sorted names of the services that begin with a prefix.
func (c composition) withPrefix(prefix string) (names []string) {
	for name := range c.Services {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// readComposition reads a file of the top folder.
func readComposition(t *testing.T, name string) (c composition) {
	t.Helper()
	commandtest.NoError(t, yaml.Unmarshal(commandtest.ReadFile(t, "../../"+name), &c))
	return c
}

// testComposition is compose.yaml. Any release of Docker Compose 2 reads it: its parts are those of the first.
type testComposition struct {
	Services struct {
		Understudy struct {
			Build          string
			Ports, Volumes []string
			Environment    map[string]string
		}
		App any
	}
	Volumes map[string]struct{}
}

// compose.yaml is for tests. What is commented in it can be used, and lets worlds outlive runs.
func TestCompose(t *testing.T) {
	t.Parallel()
	text := commandtest.ReadFile(t, "../../compose.yaml")
	var plain, all testComposition
	commandtest.NoError(t, yaml.UnmarshalWithOptions(text, &plain, yaml.Strict()))
	s := plain.Services.Understudy
	if want := []string{"127.0.0.1:${UNDERSTUDY_PORT:-8080}:8080"}; !slices.Equal(s.Ports, want) {
		t.Errorf("the ports are %q, want %q", s.Ports, want)
	}
	if want := map[string]string{"UNDERSTUDY_CLOCK": "2025-01-15T09:00:00Z"}; !maps.Equal(s.Environment, want) || len(s.Volumes)+len(plain.Volumes) > 0 {
		t.Errorf("the settings are %q, want %q; the volumes are %q", s.Environment, want, s.Volumes)
	}
	option := regexp.MustCompile(`(?m)^( *)# ( *\w+:( .*)?|- .*)$`)
	commandtest.NoError(t, yaml.UnmarshalWithOptions(option.ReplaceAll(text, []byte("$1$2")), &all, yaml.Strict()))
	s = all.Services.Understudy
	volume, folder, _ := strings.Cut(s.Volumes[0], ":")
	if _, ok := all.Volumes[volume]; !ok || !strings.HasPrefix(s.Environment["UNDERSTUDY_STORE"], "file:"+folder+"/") || all.Services.App == nil {
		t.Errorf("the store %s is not in the volume %s", s.Environment["UNDERSTUDY_STORE"], s.Volumes)
	}
	if _, folder, _ := strings.Cut(s.Volumes[1], ":"); folder != s.Environment["UNDERSTUDY_SCENARIOS"]+":ro" {
		t.Errorf("the scenarios %s are not in the volume %s", s.Environment["UNDERSTUDY_SCENARIOS"], s.Volumes)
	}
}

func TestComposeReplicas(t *testing.T) {
	t.Parallel()
	c := readComposition(t, "compose.replicas.yaml")
	t.Run("replicas are the same on all members", c.wantReplicas)
	t.Run("members stay small and find each other", c.wantMembers)
	t.Run("the proxy sends to every replica that is ready", c.wantProxy)
}

// Replicas answer alike only with the same settings.
func (c composition) wantReplicas(t *testing.T) {
	replicas := c.withPrefix("replica")
	if len(replicas) != 3 {
		t.Fatalf("the replicas are %v", replicas)
	}
	for _, name := range replicas {
		if !reflect.DeepEqual(c.Services[name], c.Services[replicas[0]]) {
			t.Errorf("%s differs from %s", name, replicas[0])
		}
	}
	store, members := c.Services[replicas[0]].Environment["UNDERSTUDY_STORE"], strings.Join(c.withPrefix("etcd"), ":2379,")
	if want := "etcd://" + members + ":2379/understudy"; store != want || !etcd.IsSpec(store) {
		t.Errorf("the store is %s, want %s", store, want)
	}
}

func (c composition) wantMembers(t *testing.T) {
	members := c.withPrefix("etcd")
	if len(members) != 3 {
		t.Fatalf("the members are %v", members)
	}
	for _, name := range members {
		s := c.Services[name]
		built, _ := s.Build.(map[string]any)
		if dockerfile, _ := built["dockerfile_inline"].(string); !strings.HasPrefix(dockerfile, "FROM debian:trixie-slim\n") || !strings.HasSuffix(dockerfile, "\nCMD [\"etcd\"]\n") {
			t.Errorf("%s is built from %q, want Debian's etcd 3.5", name, dockerfile)
		}
		for variable, want := range map[string]string{
			"ETCD_NAME":                        name,
			"ETCD_ADVERTISE_CLIENT_URLS":       "http://" + name + ":2379",
			"ETCD_INITIAL_ADVERTISE_PEER_URLS": "http://" + name + ":2380",
			"ETCD_AUTO_COMPACTION_MODE":        "periodic",
			"ETCD_AUTO_COMPACTION_RETENTION":   "1m",
			"ETCD_QUOTA_BACKEND_BYTES":         "4294967296",
		} {
			if got := s.Environment[variable]; got != want {
				t.Errorf("%s has %s=%s, want %s", name, variable, got, want)
			}
		}
		if !strings.Contains(s.Environment["ETCD_INITIAL_CLUSTER"], name+"=http://"+name+":2380") {
			t.Errorf("%s is not of the cluster %s", name, s.Environment["ETCD_INITIAL_CLUSTER"])
		}
		if _, ok := c.Volumes[name]; !ok || !slices.Equal(s.Volumes, []string{name + ":" + s.Environment["ETCD_DATA_DIR"]}) {
			t.Errorf("the data of %s are in %v", name, s.Volumes)
		}
	}
}

func (c composition) wantProxy(t *testing.T) {
	text := c.Configs["proxy"].Content
	var want []string
	for _, replica := range c.withPrefix("replica") {
		want = append(want, "server "+replica+" "+replica+":8080")
	}
	var servers []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "server ") {
			servers = append(servers, line)
		}
	}
	if !slices.Equal(servers, want) {
		t.Errorf("the proxy sends to %q, want %q", servers, want)
	}
	if !strings.Contains(text, "option httpchk GET /_understudy/v1/ready\n") {
		t.Error("the proxy has no readiness check")
	}
	if out, err := exec.Command(commandtest.Need(t, "haproxy"), "-c", "-f", commandtest.NewFile(t, "haproxy.cfg", text)).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
