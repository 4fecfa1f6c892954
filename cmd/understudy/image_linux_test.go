package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// image is the last stage of the Dockerfile.
type image struct {
	entrypoint, command, healthcheck []string
	uid, gid                         uint32
	env                              []string
}

func readDockerfile(t *testing.T) (i image) {
	t.Helper()
	_, last, ok := strings.Cut(string(commandtest.ReadFile(t, "../../Dockerfile")), "\nFROM scratch\n")
	if !ok {
		t.Fatal("the last stage is not FROM scratch")
	}
	for line := range strings.Lines(last) {
		instruction, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch instruction {
		case "ENTRYPOINT":
			i.entrypoint = commandtest.Decoded[[]string](t, rest) // the exec form: the image has no shell
		case "CMD":
			i.command = commandtest.Decoded[[]string](t, rest)
		case "HEALTHCHECK":
			_, list, _ := strings.Cut(rest, "CMD ")
			i.healthcheck = commandtest.Decoded[[]string](t, list)
		case "ENV":
			i.env = append(i.env, strings.Fields(rest)...)
		case "USER":
			_, err := fmt.Sscanf(rest, "%d:%d", &i.uid, &i.gid)
			commandtest.NoError(t, err)
		}
	}
	return i
}

func wantStatic(t *testing.T, binary string) {
	t.Helper()
	f, err := elf.Open(binary)
	commandtest.NoError(t, err)
	defer f.Close()
	if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("the binary needs %v, %v", libraries, err)
	}
	for _, segment := range f.Progs {
		if segment.Type == elf.PT_INTERP {
			t.Error("the binary needs a dynamic linker")
		}
	}
}

// The image is an empty root with the static binary and two folders that any user can write: for temporary files and for a
// volume. The test makes such a root, and runs the commands of the Dockerfile in it.
func TestImage(t *testing.T) {
	t.Parallel()
	binary := build(t)
	wantStatic(t, binary)
	if out, err := exec.Command(binary, "version").CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "understudy v0.0.0-test\ncommit     3f2a\ndate       2026-11-22T16:53:58Z\n") {
		t.Errorf("the version of a release: %v %s", err, out)
	}
	if os.Getuid() != 0 {
		commandtest.SkipOrFail(t, "only root can change the root directory")
	}
	i := readDockerfile(t)
	if i.uid == 0 || i.gid == 0 {
		t.Errorf("the image runs as %d:%d", i.uid, i.gid)
	}
	const warning = "only what shares its network reaches a loopback address: listen on :8080 with --addr"
	for name, tt := range map[string]struct {
		store, addr string
		warns       bool
	}{
		"a temporary store":  {"temp", ":0", false},
		"a volume":           {"file:/data/understudy.db", ":0", false},
		"a loopback address": {"temp", "127.0.0.1:0", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := emptyRoot(t, binary)
			s := commandtest.Launch(t, i.container(root, slices.Concat(i.entrypoint, i.command, []string{"--addr", tt.addr}), "UNDERSTUDY_STORE="+tt.store))
			_, port, err := net.SplitHostPort(s.Host())
			commandtest.NoError(t, err)
			commandtest.Server{URL: "http://127.0.0.1:" + port}.WantServing(t)
			if out, err := i.container(root, i.healthcheck).CombinedOutput(); err != nil {
				t.Errorf("the health check: %v %s", err, out)
			}
			if log := s.Stderr.String(); strings.Contains(log, warning) != tt.warns || strings.Contains(log, "level=WARN") != tt.warns {
				t.Errorf("serve --addr %s logs\n%s", tt.addr, log)
			}
			s.Kill()
			if out, err := i.container(root, i.healthcheck).CombinedOutput(); err == nil {
				t.Errorf("the health check passes without a server: %s", out)
			}
		})
	}
}

// emptyRoot returns the root of a container of the image, with the engine's /dev/shm.
func emptyRoot(t *testing.T, binary string) string {
	t.Helper()
	root := t.TempDir()
	commandtest.NoError(t, errors.Join(os.Chmod(root, 0o755), os.Link(binary, filepath.Join(root, "understudy"))))
	for _, name := range []string{"tmp", "data", "dev/shm"} {
		folder := filepath.Join(root, name)
		commandtest.NoError(t, errors.Join(os.MkdirAll(folder, 0o755), os.Chmod(folder, 0o777|os.ModeSticky)))
	}
	return root
}

// container returns a command in the root as the image's user and the main process, with the environment of the image and env.
func (i image) container(root string, command []string, env ...string) *exec.Cmd {
	c := exec.Command(command[0], command[1:]...)
	c.Dir = "/"
	c.Env = append(slices.Clone(i.env), env...)
	c.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Cloneflags: syscall.CLONE_NEWPID, Credential: &syscall.Credential{Uid: i.uid, Gid: i.gid}}
	return c
}
