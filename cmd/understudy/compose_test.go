package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/understudy-sandbox/understudy/store/etcd"
)

// composition is what compose.yaml says.
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

func readComposition(t *testing.T) (c composition) {
	t.Helper()
	text, err := os.ReadFile("../../compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&c); err != nil {
		t.Fatal(err)
	}
	return c
}

// called returns the names of the services that begin so, in order.
func (c composition) called(prefix string) (names []string) {
	for name := range c.Services {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestComposeStartsOneEmulatorUnlessReplicasAreAskedFor(t *testing.T) {
	t.Parallel()
	for name, s := range readComposition(t).Services {
		if asked := slices.Equal(s.Profiles, []string{"replicas"}); asked == (name == "understudy") {
			t.Errorf("%s has the profiles %v", name, s.Profiles)
		}
	}
}

// Replicas answer as one emulator only when they are given the same.
func TestTheReplicasOfComposeAreTheSameOnAllMembers(t *testing.T) {
	t.Parallel()
	c := readComposition(t)
	replicas := c.called("replica")
	if len(replicas) != 3 {
		t.Fatalf("the replicas are %v", replicas)
	}
	for _, name := range replicas {
		if !reflect.DeepEqual(c.Services[name], c.Services[replicas[0]]) {
			t.Errorf("%s is not as %s is", name, replicas[0])
		}
	}
	var members []string
	for _, name := range c.called("etcd") {
		members = append(members, name+":2379")
	}
	store := c.Services[replicas[0]].Environment["UNDERSTUDY_STORE"]
	if want := "etcd://" + strings.Join(members, ",") + "/understudy"; store != want || !etcd.Names(store) {
		t.Errorf("the store is %s, want %s", store, want)
	}
}

func TestTheMembersOfComposeKeepThemselvesSmallAndFindEachOther(t *testing.T) {
	t.Parallel()
	c := readComposition(t)
	members := c.called("etcd")
	if len(members) != 3 {
		t.Fatalf("the members are %v", members)
	}
	for _, name := range members {
		s := c.Services[name]
		built, _ := s.Build.(map[string]any)
		if dockerfile, _ := built["dockerfile_inline"].(string); !strings.HasPrefix(dockerfile, "FROM debian:trixie-slim\n") || !strings.HasSuffix(dockerfile, "\nCMD [\"etcd\"]\n") {
			t.Errorf("%s is built of %q, which is not Debian's etcd 3.5", name, dockerfile)
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
			t.Errorf("%s keeps its data in %v", name, s.Volumes)
		}
	}
}

func TestTheHealthChecksOfComposeAreTheImages(t *testing.T) {
	t.Parallel()
	c := readComposition(t)
	for _, name := range append(c.called("replica"), "understudy") {
		if got := c.Services[name].Healthcheck.Test; !slices.Equal(got, []string{"CMD", "/understudy", "healthcheck"}) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTheProxyOfComposeSendsToEveryReplicaThatIsReady(t *testing.T) {
	t.Parallel()
	c := readComposition(t)
	text := c.Configs["proxy"].Content
	var servers []string
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "server" {
			servers = append(servers, words[1])
			if words[2] != words[1]+":8080" {
				t.Errorf("%s is at %s", words[1], words[2])
			}
		}
	}
	if replicas := c.called("replica"); !slices.Equal(servers, replicas) {
		t.Errorf("it sends to %v, and the replicas are %v", servers, replicas)
	}
	if !strings.Contains(text, "option httpchk GET /_understudy/v1/ready\n") {
		t.Error("it does not ask whether they are ready")
	}
	program, err := exec.LookPath("haproxy")
	if err != nil {
		t.Skip("haproxy is not installed: install Debian's haproxy to have it read its configuration")
	}
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, "-c", "-f", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
