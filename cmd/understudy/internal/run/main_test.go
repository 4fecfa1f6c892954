package run

import (
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/client"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/serve"
)

func TestMain(m *testing.M) {
	commandtest.Room(m, func() []*cli.Command {
		return append(client.Commands(), Command(), serve.Command())
	})
}
