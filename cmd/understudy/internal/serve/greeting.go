package serve

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator"
)

// greet prints how to use the server, for people at a terminal who can see its log.
func greet(c *cli.Command, settings Settings, e *emulator.Emulator, apiURL, controlURL string) {
	to, seen := c.Root().ErrWriter, settings.log.Enabled(context.Background(), slog.LevelInfo) && c.String("log-format") == "text"
	if c.Name != "serve" || !seen || !command.IsTerminal(to) {
		return
	}
	trust := ""
	if settings.Authority != nil {
		trust = "--insecure " // its authority is as young as the server
	}
	key := e.Key("me")
	fmt.Fprintf(to, `
  API      %s
  Console  %s/_understudy/
  Key      %s, or %s of your choice
  Try      curl %s-H 'Authorization: Bearer %s' %s/verification-requests/vr_completed

`, apiURL, controlURL, key, e.Key("NAME"), trust, key, apiURL)
}
