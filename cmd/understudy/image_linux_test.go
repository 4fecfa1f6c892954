package main

import (
	"debug/elf"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// image is what the Dockerfile's last stage says.
type image struct {
	entrypoint, command, healthcheck []string
	uid, gid                         uint32
	env                              []string
}

func readDockerfile(t *testing.T) (i image) {
	t.Helper()
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, last, ok := strings.Cut(string(text), "\nFROM scratch\n")
	if !ok {
		t.Fatal("the image is not made from scratch")
	}
	for line := range strings.Lines(last) {
		instruction, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch instruction {
		case "ENTRYPOINT":
			i.entrypoint = words(t, rest)
		case "CMD":
			i.command = words(t, rest)
		case "HEALTHCHECK":
			_, list, _ := strings.Cut(rest, "CMD ")
			i.healthcheck = words(t, list)
		case "ENV":
			i.env = append(i.env, rest)
		case "USER":
			user, group, _ := strings.Cut(rest, ":")
			i.uid, i.gid = number(t, user), number(t, group)
		}
	}
	return i
}

func words(t *testing.T, list string) (w []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(list), &w); err != nil {
		t.Fatalf("%s is not the exec form, the only one that an image without a shell knows: %v", list, err)
	}
	return w
}

func number(t *testing.T, text string) uint32 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(n)
}

func TestTheReleasedBinaryIsStatic(t *testing.T) {
	t.Parallel()
	f, err := elf.Open(build(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("the binary needs %v, %v", libraries, err)
	}
	for _, segment := range f.Progs {
		if segment.Type == elf.PT_INTERP {
			t.Error("the binary asks for a dynamic linker")
		}
	}
}

// The image is an empty root with the binary, a folder for temporary files and one for a volume, and a user that may
// write these two. The test makes such a root, and runs in it what the Dockerfile says.
func TestTheImageServesAndIsHealthy(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("only root may change the root directory, and CI must")
		}
		t.Skip("only root may change the root directory")
	}
	i := readDockerfile(t)
	if i.uid == 0 || i.gid == 0 {
		t.Errorf("the image runs as %d:%d", i.uid, i.gid)
	}
	root := emptyRoot(t, i)
	for name, store := range map[string]string{"a temporary store": "temp", "a volume": "file:/data/understudy.db"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := append(i.env, "UNDERSTUDY_ADDR=:"+freePort(t), "UNDERSTUDY_STORE="+store)
			server := i.container(t, root, env, append(i.entrypoint, i.command...))
			stderr := newStream()
			server.Stderr = stderr
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.Process.Kill() })
			_, port, err := net.SplitHostPort(strings.TrimPrefix(stderr.find(t, listening), "http://"))
			if err != nil {
				t.Fatal(err)
			}
			if r := apitest.New(t, "http://127.0.0.1:"+port, key).Get("/verification-requests/vr_completed"); r.Status != http.StatusOK {
				t.Errorf("answered %d", r.Status)
			}
			if out, err := i.container(t, root, env, i.healthcheck).CombinedOutput(); err != nil {
				t.Errorf("the health check: %v %s", err, out)
			}
			if err := server.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := server.Wait(); err != nil {
				t.Errorf("the end: %v\n%s", err, stderr)
			}
			if out, err := i.container(t, root, env, i.healthcheck).CombinedOutput(); err == nil {
				t.Errorf("the health check of a server that has stopped is fine: %s", out)
			}
		})
	}
}

func emptyRoot(t *testing.T, i image) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(build(t), filepath.Join(root, "understudy")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tmp", "data"} {
		folder := filepath.Join(root, name)
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(folder, int(i.uid), int(i.gid)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// container is a command in the root, as the image's user, with no environment but env.
func (i image) container(t *testing.T, root string, env, command []string) *exec.Cmd {
	t.Helper()
	c := exec.Command(command[0], command[1:]...)
	c.Dir = "/"
	c.Env = env
	c.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: i.uid, Gid: i.gid}}
	return c
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
