package main

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	stamped := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "3f2a"}, {Key: "vcs.time", Value: "2026-11-22T16:53:58Z"}, {Key: "vcs.modified", Value: modified}}
	}
	for name, tt := range map[string]struct {
		release, commit, date string
		module                string
		settings              []debug.BuildSetting
		want                  string // the first three lines
	}{
		"release":                          {"v1.2.3", "abcd", "2026-12-01T00:00:00Z", "v1.2.3", stamped("true"), "understudy v1.2.3\ncommit     abcd\ndate       2026-12-01T00:00:00Z\n"},
		"go install":                       {module: "v1.2.3", want: "understudy v1.2.3\ncommit     unknown\ndate       unknown\n"},
		"go build in a clone":              {module: "v0.0.0-20261122165358-3f2a", settings: stamped("false"), want: "understudy v0.0.0-20261122165358-3f2a\ncommit     3f2a\ndate       2026-11-22T16:53:58Z\n"},
		"go build of a changed clone":      {module: "(devel)", settings: stamped("true"), want: "understudy (devel)\ncommit     3f2a, modified\ndate       2026-11-22T16:53:58Z\n"},
		"build without build information":  {want: "understudy (devel)\ncommit     unknown\ndate       unknown\n"},
		"image build with a release alone": {release: "smoke", want: "understudy smoke\ncommit     unknown\ndate       unknown\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			info := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: tt.module}, Settings: tt.settings}
			b := newBuild(tt.release, tt.commit, tt.date, info)
			b.Platform = "linux/amd64"
			if want := tt.want + "go         go1.26.8\nplatform   linux/amd64\n"; b.String() != want {
				t.Errorf("prints\n%swant\n%s", b, want)
			}
		})
	}
}
