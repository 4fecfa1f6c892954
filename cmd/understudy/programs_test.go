package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// TestPrograms shows which programs that tests use are missing, and which tests are skipped without them. go test hides the
// skips of a package that passes, so this list is printed by
//
//	go test -v -run Programs ./cmd/understudy
//
// Where CI=true a missing program fails the test.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, program := range []struct {
		names   []string // one of them is enough
		debian  string   // the package to install
		skipped string
	}{
		{[]string{"etcd"}, "etcd-server", "tests of the etcd store, of several replicas and of the shared journal"},
		{[]string{"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome"}, "chromium-headless-shell", "tests of the console in a browser"},
		{[]string{"bash"}, "bash", "the tour of README.md"},
		{[]string{"curl"}, "curl", "the tour of README.md and the command lines that scenarios show prints"},
		{[]string{"grep"}, "grep", "the tour of README.md"},
		{[]string{"haproxy"}, "haproxy", "the check of the load balancer's configuration, and the rolling restart behind it"},
	} {
		t.Run(program.names[0], func(t *testing.T) {
			for _, name := range program.names {
				if _, err := exec.LookPath(name); err == nil {
					return
				}
			}
			commandtest.SkipOrFail(t, "%s is not installed, and these tests are skipped: %s (apt-get install %s)", program.names[0], program.skipped, program.debian)
		})
	}
	t.Run("root", func(t *testing.T) {
		if os.Getuid() != 0 {
			commandtest.SkipOrFail(t, "the user is not root, and these tests are skipped: the image in its own root directory, and files of other owners")
		}
	})
}
