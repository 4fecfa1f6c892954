package serve

import (
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/client"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

func TestMain(m *testing.M) {
	commandtest.Room(m, func() []*cli.Command {
		return append(client.Commands(), Command(), StoreCommand())
	})
}
