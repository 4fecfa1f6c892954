package serve

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// memoryLimit is the memory from which the garbage collector runs as often as it must. Without it the heap would grow to twice
// what journals, uploads and answers take at most.
const memoryLimit = 144 << 20

// ballast is allocated and never written, so it costs no physical memory. With it the garbage collector runs at some 20 MiB
// of heap; for the small heap alone it would take a quarter of the CPU of a read.
const ballast = 16 << 20

// limitMemory sets the memory limit of the Go runtime, which the budgets of an emulator follow: in a small container three
// quarters of its memory. The variables of the runtime take precedence. The caller keeps the ballast alive.
func limitMemory(files fs.FS) (unwritten []byte) {
	limit, contained := int64(memoryLimit), containerMemory(files)
	switch {
	case os.Getenv("GOMEMLIMIT") != "":
	case contained/4*3 < limit:
		debug.SetMemoryLimit(contained / 4 * 3)
	case os.Getenv("GOGC") == "":
		debug.SetMemoryLimit(limit)
		unwritten = make([]byte, ballast)
	}
	return unwritten
}

// containerMemory returns the memory that the control groups of the process may take, of version 1 or 2, without bound where
// there is no limit. In a container the root of their folder is its own.
func containerMemory(files fs.FS) int64 {
	least := int64(math.MaxInt64)
	groups, _ := fs.ReadFile(files, "proc/self/cgroup") // there are none on other systems
	for line := range strings.Lines(string(groups)) {
		_, group, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, _ := strings.Cut(group, ":")
		folder, name := "sys/fs/cgroup", "memory.max"
		if controllers == "memory" {
			folder, name = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if controllers != "" {
			continue
		}
		for ; ; group = path.Dir(group) { // a group has the limits of those around it, too
			text, _ := fs.ReadFile(files, path.Join(folder, group, name))
			if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
				least = min(least, limit)
			}
			if group == "/" || group == "." {
				break
			}
		}
	}
	return least
}
