package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// Every command initializes every package, so a table that only one of them needs is made when it is needed. Allocations are compared,
// in bytes, because time depends on the machine.
func TestStart(t *testing.T) {
	t.Parallel()
	const each, ours = 32 << 10, 80 << 10 // of a package; of all packages of this module together
	needed := map[string]string{          // packages of libraries that allocate more whatever we do
		"github.com/brianvoe/gofakeit/v7/data":                                   "people of the built-in scenarios",
		"github.com/prometheus/client_golang/prometheus":                         "metrics",
		"github.com/prometheus/procfs":                                           "metrics",
		"go.etcd.io/etcd/api/v3/etcdserverpb":                                    "--store etcd://",
		"google.golang.org/genproto/googleapis/api/annotations":                  "--store etcd://",
		"google.golang.org/protobuf/reflect/protodesc":                           "--store etcd://",
		"google.golang.org/protobuf/types/descriptorpb":                          "--store etcd://",
		"github.com/yuin/goldmark/extension":                                     "the served docs",
		"github.com/yuin/goldmark/parser":                                        "the served docs",
		"github.com/yuin/goldmark/util":                                          "the served docs",
		"google.golang.org/grpc":                                                 "--store etcd://",
		"github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-openapiv2/options": "--store etcd://",
	}
	version := exec.CommandContext(t.Context(), build(t), "version")
	version.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	version.Stderr = &trace
	commandtest.NoError(t, version.Run())
	inits := regexp.MustCompile(`(?m)^init (\S+) .* (\d+) bytes, \d+ allocs$`).FindAllStringSubmatch(trace.String(), -1)
	if len(inits) < 50 {
		t.Fatalf("the trace names %d packages:\n%s", len(inits), trace.String())
	}
	sum := 0
	for _, init := range inits {
		bytes, err := strconv.Atoi(init[2])
		commandtest.NoError(t, err)
		if init[1] == "main" || strings.Contains(init[1], "understudy-sandbox") {
			sum += bytes
		}
		if bytes > each && needed[init[1]] == "" {
			t.Errorf("%s allocates %d bytes before main, more than %d: make it when it is needed", init[1], bytes, each)
		}
	}
	if sum > ours {
		t.Errorf("the packages of this module allocate %d bytes before main, more than %d", sum, ours)
	}
}
