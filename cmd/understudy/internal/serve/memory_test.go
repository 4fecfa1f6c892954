package serve

import (
	"math"
	"testing"
	"testing/fstest"
)

// The memory of a container is the least limit of its control groups, of either version.
func TestContainerMemory(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no control groups": {nil, math.MaxInt64},
		"version 2":         {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "67108864\n"}, 64 << 20},
		"version 2, no limit": {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"},
			math.MaxInt64},
		"version 2, the group around it": {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n",
			"sys/fs/cgroup/a/memory.max": "1000\n"}, 1000},
		"version 1": {map[string]string{"proc/self/cgroup": "5:cpu:/x\n4:memory:/a\n0::/\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "2000\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 2000},
		"version 1, in a container": {map[string]string{"proc/self/cgroup": "4:memory:/outside/a\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "3000\n"},
			3000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{}
			for path, text := range tt.files {
				files[path] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := containerMemory(files); got != tt.want {
				t.Errorf("it is %d, want %d", got, tt.want)
			}
		})
	}
}
