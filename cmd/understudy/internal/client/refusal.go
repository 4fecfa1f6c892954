package client

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
)

// refusal is an error answer of the control plane.
type refusal struct {
	status  int
	message string
	body    []byte
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the emulator answers %d: %s", r.status, r.message)
}

// advise adds what a user of the command line can do about a refusal, whose message is for HTTP clients.
func (r *refusal) advise(c *cli.Command, path string) error {
	switch {
	case strings.HasPrefix(r.message, "The control plane has a token") && c.String("control-token") == "":
		return fmt.Errorf("the emulator requires a control token: give it with --control-token or %s", string(command.VariableOf("control-token")))
	case strings.HasPrefix(r.message, "The control plane has a token"):
		return fmt.Errorf("the emulator has another control token: correct %s", command.Given(c, "control-token"))
	case strings.HasPrefix(r.message, "There is no world") && strings.HasPrefix(path, "worlds/"): // an argument names it
		return fmt.Errorf("%w: see understudy worlds list", r)
	case strings.HasPrefix(r.message, "There is no world"):
		return fmt.Errorf("%w: correct %s: see understudy worlds list", r, command.Given(c, "world"))
	case strings.HasPrefix(r.message, "Not Found"): // by the API, not by the control plane
		return fmt.Errorf("%w: correct %s", r, command.Given(c, "url"))
	case r.status == http.StatusUnauthorized:
		return fmt.Errorf("%s is refused: %s", command.Given(c, "key"), strings.TrimPrefix(r.message, "Authorization is missing, invalid or expired: "))
	case strings.HasPrefix(r.message, "Forbidden: "):
		return fmt.Errorf("%s is refused: %s", command.Given(c, "key"), strings.TrimPrefix(r.message, "Forbidden: "))
	}
	return r
}

// bodyProblem matches the beginning of the message about a body, and says where in it the problem is.
func bodyProblem() *regexp.Regexp {
	return regexp.MustCompile(`^(?:The body is invalid|The body cannot be read): (?:body:\d+:\d+: |"(?:/\w+)*/(\w+)")?`)
}

// errPlain returns the error of a server without TLS at a URL of https.
func errPlain(base, flag string) error {
	return fmt.Errorf("%s serves http, not https: correct %s: http%s", base, flag, strings.TrimPrefix(base, "https"))
}
