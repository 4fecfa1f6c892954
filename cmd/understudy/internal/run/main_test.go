package run

import (
	"io"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/client"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/serve"
)

func TestMain(m *testing.M) {
	commandtest.Main(m, func(stdout, stderr io.Writer) *cli.Command {
		return command.Tree(stdout, stderr, &cli.Command{Name: "understudy", Commands: append(client.Commands(), Command(), serve.Command())})
	})
}
