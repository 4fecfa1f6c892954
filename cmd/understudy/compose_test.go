package main

import (
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/understudy-sandbox/understudy/store/etcd"
)

// composition is compose.yaml.
type composition struct {
	Services map[string]service
	Configs  map[string]struct{ Content string }
	Volumes  map[string]struct{}
}

type service struct {
	Profiles    []string
	Build       any // a folder, or a Dockerfile
	Environment map[string]string
	Volumes     []string
	Healthcheck struct{ Test []string }
	DependsOn   any `yaml:"depends_on"`
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

func TestCompose(t *testing.T) {
	t.Parallel()
	var c composition
	noError(t, yaml.Unmarshal(readFile(t, "../../compose.yaml"), &c))
	t.Run("one emulator starts unless replicas are asked for", func(t *testing.T) {
		for name, s := range c.Services {
			if asked := slices.Equal(s.Profiles, []string{"replicas"}); asked == (name == "understudy") {
				t.Errorf("%s has the profiles %v", name, s.Profiles)
			}
		}
	})
	t.Run("health checks are the image's", func(t *testing.T) {
		for _, name := range append(c.withPrefix("replica"), "understudy") {
			if got := c.Services[name].Healthcheck.Test; !slices.Equal(got, []string{"CMD", "/understudy", "healthcheck"}) {
				t.Errorf("%s: %v", name, got)
			}
		}
	})
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
	if out, err := exec.Command(need(t, "haproxy"), "-c", "-f", newFile(t, "haproxy.cfg", text)).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
