package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
)

// The linker sets these for a release: -ldflags "-X main.release=v1.2.3 -X main.commit=… -X main.date=…".
var release, commit, date string

// buildInfo describes this program.
type buildInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`   // "": unknown
	Modified bool   `json:"modified"` // built from a working tree that differs from the commit
	Date     string `json:"date"`     // of the commit, RFC 3339; "": unknown
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func thisBuild() buildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return newBuild(release, commit, date, info)
}

// newBuild prefers the linker's values, which only a release has, to those of the Go tool: go install stamps the module's
// version, and go build stamps the commit when it runs in a clone.
func newBuild(release, commit, date string, info *debug.BuildInfo) buildInfo {
	b := buildInfo{
		Version: cmp.Or(release, info.Main.Version, "(devel)"), Commit: commit, Date: date,
		Go: cmp.Or(info.GoVersion, runtime.Version()), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = cmp.Or(commit, setting.Value)
		case "vcs.time":
			b.Date = cmp.Or(date, setting.Value)
		case "vcs.modified":
			b.Modified = release == "" && setting.Value == "true"
		}
	}
	return b
}

func (b buildInfo) String() string {
	commit := cmp.Or(b.Commit, "unknown")
	if b.Modified {
		commit += ", modified"
	}
	return fmt.Sprintf("understudy %s\ncommit     %s\ndate       %s\ngo         %s\nplatform   %s\n",
		b.Version, commit, cmp.Or(b.Date, "unknown"), b.Go, b.Platform)
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version, the commit and its date",
		Description: `Examples:

   understudy version
   understudy version --json | jq -r .commit`,
		Flags:  []cli.Flag{command.JSONFlag("")},
		Action: printVersion,
	}
}

func printVersion(_ context.Context, c *cli.Command) error {
	if !c.Bool("json") {
		return command.Write(c, thisBuild().String())
	}
	line, err := json.Marshal(thisBuild())
	if err != nil {
		return command.Failed(err)
	}
	return command.Write(c, string(line)+"\n")
}
