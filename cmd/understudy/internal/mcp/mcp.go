// Package mcp has the command that gives a coding agent tools, by the Model Context Protocol on standard input and output: a line of
// JSON-RPC comes in, a command line of understudy runs for it, and what that prints goes out, cut to what an agent can read.
package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/client"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Command returns the command. Its tools run command lines of a new root.
func Command(version string, root func(stdout, stderr io.Writer) *cli.Command) *cli.Command {
	return &cli.Command{
		Name:  "mcp",
		Usage: "give a coding agent tools, over standard input and output (Model Context Protocol)",
		Description: `The tools act in the world of --key, or of the key that a call gives. Each answer has at most 2 KB.

` + described() + `
Examples, the second as an agent's settings have it:

   understudy mcp --key svc_sk_test_me
   {"command": "understudy", "args": ["mcp", "--key", "svc_sk_test_me"]}`,
		Flags: client.Flags(),
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := client.Check(c); err != nil {
				return err
			}
			s := &server{version: version, root: root, flags: givenFlags(c), to: json.NewEncoder(c.Root().Writer)}
			s.to.SetEscapeHTML(false)
			lines, end := context.WithCancel(context.Background()) // ctx would make this command the parent of theirs
			defer context.AfterFunc(ctx, end)()
			err := s.serve(lines, c.Root().Reader)
			end()
			s.trial.wait(context.Background(), lastWait)
			return err
		},
	}
}

// described returns the tools and an example of each, for help.
func described() string {
	var out strings.Builder
	for _, t := range tools {
		fmt.Fprintf(&out, "   %-9s %s\n             %s\n", t.name, t.short, t.example)
	}
	return out.String()
}

// givenFlags returns the flags of the command line that name the emulator and the world. Variables reach the tools by themselves.
func givenFlags(c *cli.Command) (given []string) {
	for _, flag := range client.Flags() {
		if name := flag.Names()[0]; c.IsSet(name) && command.Given(c, name) == "--"+name {
			given = append(given, "--"+name+"="+c.String(name))
		}
	}
	return given
}

type server struct {
	version string
	root    func(stdout, stderr io.Writer) *cli.Command
	flags   []string // that name the emulator and the world
	to      *json.Encoder
	trial   *trial // the latest; nil: none
}

// message is a request of JSON-RPC, or a notification, which has no id.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type answer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // null: not known
	Result  any             `json:"result,omitempty"`
	Error   *refusal        `json:"error,omitempty"`
}

type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Codes of JSON-RPC.
const (
	notJSON       = -32700
	notRequest    = -32600
	unknownMethod = -32601
	badParams     = -32602
)

func (r *refusal) Error() string { return r.Message }

// maxLine bounds a message, in bytes.
const maxLine = 1 << 20

// serve answers the messages of an input, one after another, to its end or that of ctx.
func (s *server) serve(ctx context.Context, from io.Reader) error {
	lines, ended := make(chan []byte), make(chan error, 1)
	go func() {
		scanner := bufio.NewScanner(from)
		scanner.Buffer(nil, maxLine)
		for scanner.Scan() {
			select {
			case lines <- slices.Clone(scanner.Bytes()):
			case <-ctx.Done():
				return
			}
		}
		ended <- scanner.Err()
	}()
	for {
		select {
		case line := <-lines:
			if err := s.handle(ctx, line); err != nil {
				return command.Failed(err)
			}
		case err := <-ended:
			if err != nil {
				err = command.Failed(fmt.Errorf("read a message: %w: a message has at most %d bytes", err, maxLine))
			}
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// handle answers a message, unless it is a notification.
func (s *server) handle(ctx context.Context, line []byte) error {
	if len(strings.TrimSpace(string(line))) == 0 {
		return nil
	}
	var m message
	switch err := json.Unmarshal(line, &m); {
	case !json.Valid(line):
		return s.refuse(nil, &refusal{notJSON, "the line is not one JSON value"})
	case err != nil || m.Version != "2.0" || m.Method == "":
		return s.refuse(m.ID, &refusal{notRequest, `a message is one object with "jsonrpc": "2.0", "id" and "method"`})
	case m.ID == nil:
		return nil
	}
	result, err := s.call(ctx, m)
	if err != nil {
		return s.refuse(m.ID, err)
	}
	return s.to.Encode(answer{Version: "2.0", ID: m.ID, Result: result})
}

func (s *server) refuse(id json.RawMessage, why *refusal) error {
	return s.to.Encode(answer{Version: "2.0", ID: id, Error: why})
}

// versions are those of the protocol that are served, the newest first.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// call returns the result of a request.
func (s *server) call(ctx context.Context, m message) (any, *refusal) {
	var params struct {
		ProtocolVersion string                     `json:"protocolVersion"`
		Name            string                     `json:"name"`
		Arguments       map[string]json.RawMessage `json:"arguments"`
	}
	if m.Params != nil && json.Unmarshal(m.Params, &params) != nil {
		return nil, &refusal{badParams, "the params of " + m.Method + " are an object, and so are its arguments"}
	}
	switch m.Method {
	case "initialize":
		version := params.ProtocolVersion
		if !slices.Contains(versions, version) {
			version = versions[0]
		}
		return map[string]any{
			"protocolVersion": version, "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo":   map[string]string{"name": "understudy", "version": s.version},
			"instructions": "These tools work with a local emulator of the verification API. The command understudy skill prints how to use it.",
		}, nil
	case "ping":
		return map[string]any{}, nil
	case "tools/list":
		return map[string]any{"tools": tools}, nil
	case "tools/call":
		at := slices.IndexFunc(tools, func(t tool) bool { return t.name == params.Name })
		if at < 0 {
			return nil, &refusal{badParams, fmt.Sprintf("there is no tool %q%s", params.Name, api.DidYouMean(params.Name, toolNames(), ": tools/list has them"))}
		}
		return s.use(ctx, tools[at], params.Arguments), nil
	}
	methods := []string{"initialize", "ping", "tools/list", "tools/call"}
	return nil, &refusal{unknownMethod, fmt.Sprintf("there is no method %q%s", m.Method, api.DidYouMean(m.Method, methods, ": there are "+strings.Join(methods, ", ")))}
}
