package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// toolAnswer is what an agent gets for a message.
type toolAnswer struct {
	ID     any
	Result json.RawMessage
	Error  struct {
		Code    int
		Message string
	}
}

// agent sends messages to understudy mcp, and returns its answers.
func agent(t *testing.T, args []string, messages ...string) (answers []toolAnswer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	tree := root(&out, &errs)
	tree.Reader = strings.NewReader(strings.Join(messages, "\n"))
	if code := command.Run(ctx, tree, append([]string{"understudy", "mcp"}, args...)); code != command.ExitOK || errs.String() != "" {
		t.Errorf("exit code %d: %s", code, &errs)
	}
	for line := range strings.Lines(out.String()) {
		answers = append(answers, commandtest.Decoded[toolAnswer](t, line))
	}
	return answers
}

// use calls a tool on an emulator, and returns the text of its answer.
func use(t *testing.T, s commandtest.Steered, name, arguments string) (text string, failed bool) {
	t.Helper()
	call := fmt.Sprintf(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)
	answers := agent(t, []string{"--url", s.URL, "--key", commandtest.Key}, call)
	if len(answers) != 1 || answers[0].ID != "a" || answers[0].Error.Message != "" {
		t.Fatalf("%s %s: %+v", name, arguments, answers)
	}
	result := commandtest.Decoded[struct {
		Content []struct{ Type, Text string }
		IsError bool
	}](t, []byte(answers[0].Result))
	if len(result.Content) != 1 || result.Content[0].Type != "text" || len(result.Content[0].Text) > 2048 {
		t.Fatalf("%s %s: %s", name, arguments, answers[0].Result)
	}
	return result.Content[0].Text, result.IsError
}

// Each tool does what its description and the help show as its example.
func TestMCPExamples(t *testing.T) {
	s := commandtest.Steer(t)
	t.Chdir(t.TempDir())
	commandtest.NoError(t, os.WriteFile("smoke.sh", []byte("#!/bin/sh\n"+
		`exec curl -sf -H "Authorization: Bearer $UNDERSTUDY_KEY" "$UNDERSTUDY_URL/verification-requests/vr_completed"`), 0o755))
	commandtest.Need(t, "curl")
	s.API(t).Get("/verification-requests/vr_complete")
	help := commandtest.Understudy(t, "mcp", "--help").Stdout
	tools := commandtest.Decoded[struct {
		Tools []struct{ Name, Description string }
	}](t, []byte(agent(t, nil, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)[0].Result)).Tools
	wants := map[string]string{
		"refusals": `no verification request is "vr_complete": did you mean vr_completed?`,
		"find":     "cancel-error-400  vr_cancel_error_400  ",
		"dry_run":  "status     451\n",
		"advance":  "2025-01-16T21:00:00Z frozen",
		"fault":    "fault-1: every cancel, once: 500 Internal Server Error",
		"trial":    "reports  get verification_request: 500, first call\n",
	}
	if len(tools) != len(wants) {
		t.Errorf("there are %d tools: %+v", len(tools), tools)
	}
	for _, tool := range tools {
		example := regexp.MustCompile(`Example: (.*)$`).FindStringSubmatch(tool.Description)
		if example == nil || !strings.Contains(help, example[1]) {
			t.Errorf("%s has no example, or help has it not: %s", tool.Name, tool.Description)
			continue
		}
		if text, failed := use(t, s, tool.Name, example[1]); failed || !strings.Contains(text, wants[tool.Name]) {
			t.Errorf("%s %s: %t, want %q in\n%s", tool.Name, example[1], failed, wants[tool.Name], text)
		}
	}
}

// A mistake in a call is answered with one clear message, which says how to correct it.
func TestMCPMistakes(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	for _, tt := range [][3]string{
		{"find", `{}`, `find: wish is missing, as in {"wish": "cancel fails"}`},
		{"find", `{"wish": 7}`, `find: wish is a text, such as in {"wish": "cancel fails"}`},
		{"find", `{"wish": "a", "wishes": "b"}`, `find has no argument "wishes": did you mean wish?`},
		{"find", `{"wish": "--help"}`, `understudy: no scenario matches "--help": list all with understudy scenarios list`},
		{"dry_run", `{"method": "GET", "path": "verification-requests/vr_1"}`, `understudy: the path "verification-requests/vr_1" does not begin with /: write it as in /verification-requests/vr_flaky`},
		{"dry_run", `{"method": "GET", "path": "/verification-requests/vr_1", "key": "me"}`, `understudy: the emulator answers 401: Authorization is missing, invalid or expired: the key must begin with svc_sk_test_: --key-prefix sets the first part`},
		{"advance", `{"by": "later"}`, `understudy: "later" is not a span of time such as 90s, 10m, 48h or 7d`},
		{"fault", `{}`, `understudy: faults add takes a rule: say which, such as '{on: get, respond: {status: 500}, times: 2}', or --preset NAME`},
		{"refusals", `{"last": -1}`, `understudy: --last -1 is not a number of requests`},
		{"trial", `{}`, `trial: there is none yet: start one with command, as in {"command": ["./smoke.sh"], "only": "get verification_request: 500, first call"}`},
		{"trial", `{"command": "./smoke.sh"}`, `trial: command is a list of words, as in {"command": ["./smoke.sh"], "only": "get verification_request: 500, first call"}`},
		{"trial", `{"command": ["a"], "wait": "1h"}`, `trial: wait "1h" is not a time from 0s to 30s, such as 5s`},
		{"trial", `{"command": ["/nowhere/a"]}`, `understudy: the command /nowhere/a is not found: correct its name or path, or the first line of a script`},
	} {
		if text, failed := use(t, s, tt[0], tt[1]); !failed || text != tt[2] {
			t.Errorf("%s %s: %t\n%s\nwant\n%s", tt[0], tt[1], failed, text, tt[2])
		}
	}
}

// An answer has at most 2 KB: of the requests the latest, of a search the best.
func TestMCPBounds(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	for range 30 {
		s.API(t).Get("/verification-requests/vr_complete")
	}
	s.API(t).Get("/verification-requests/vr_cancele")
	for _, tt := range [][4]string{
		{"refusals", `{"last": 31}`, "bytes are left out", "did you mean vr_canceled?"},
		{"find", `{"wish": "report"}`, "  NAME ", "bytes are left out"},
	} {
		if text, failed := use(t, s, tt[0], tt[1]); failed || len(text) < 1500 || !strings.Contains(text, tt[2]) || !strings.Contains(text, tt[3]) {
			t.Errorf("%s %s: %d bytes\n%s", tt[0], tt[1], len(text), text)
		}
	}
}

// A call that starts a trial does not wait for its end longer than it says, and the next call reads it.
func TestMCPTrial(t *testing.T) {
	t.Parallel()
	never := t.TempDir() + "/pipe"
	const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"trial","arguments":%s}}`
	answers := agent(t, nil,
		fmt.Sprintf(call, 1, `{"wait":"0s","command":["sh","-c","mkfifo `+never+` && cat `+never+`"]}`),
		fmt.Sprintf(call, 2, `{"command":["true"]}`),
		fmt.Sprintf(call, 3, `{"wait":"0s"}`),
	)
	for i, want := range []string{"read it again by a call without command", "trial: one still runs", "read it again"} {
		if i >= len(answers) || !strings.Contains(string(answers[i].Result), want) {
			t.Errorf("no %q in %+v", want, answers)
		}
	}
}

// The protocol is that of the specification: versions, errors, and notifications without an answer.
func TestMCPProtocol(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}`: `7 0 {"capabilities":{"tools":{}},"instructions":`,
		`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}`:                   `"protocolVersion":"2025-11-25"`,
		`{"jsonrpc":"2.0","id":"p","method":"ping"}`:                                                                 `p 0 {}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:                                                     ``,
		`{"jsonrpc":"2.0","method":"no/such"}`:                                                                       ``,
		`{`:                                                                                                          `<nil> -32700 the line is not one JSON value`,
		`[]`:                                                                                                         `<nil> -32600 a message is one object with "jsonrpc": "2.0", "id" and "method"`,
		`{"id":1,"method":"ping"}`:                                                                                   `1 -32600 `,
		`{"jsonrpc":"2.0","id":1,"method":"tools/cal"}`:                                                              `1 -32601 there is no method "tools/cal": did you mean tools/call?`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read"}`:                                                         `1 -32601 there is no method "resources/read": there are initialize, ping, tools/list, tools/call`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fnd"}}`:                                     `1 -32602 there is no tool "fnd": did you mean find?`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":[]}}`: `1 -32602 the params of tools/call are an object, and so are its arguments`,
	} {
		got := ""
		for _, a := range agent(t, nil, message) {
			got += fmt.Sprintf("%v %d %s%s", a.ID, a.Error.Code, a.Error.Message, a.Result)
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s\nis answered\n%s\nwant\n%s", message, got, want)
		}
	}
}

// The command ends with its input, and with a signal though its input is open.
func TestMCPEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	open, write := io.Pipe()
	defer write.Close()
	tree := root(io.Discard, io.Discard)
	tree.Reader = open
	time.AfterFunc(0, cancel)
	if code := command.Run(ctx, tree, []string{"understudy", "mcp"}); code != command.ExitOK {
		t.Errorf("exit code %d", code)
	}
}
