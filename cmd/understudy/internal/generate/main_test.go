package generate

import (
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/serve"
)

func TestMain(m *testing.M) {
	commandtest.Room(m, func() []*cli.Command {
		return []*cli.Command{Scenarios(), Command(), Book("v0.0.0"), serve.Command()}
	})
}
