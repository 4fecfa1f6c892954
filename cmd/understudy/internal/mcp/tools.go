package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// tool is a row of the table of tools.
type tool struct {
	name, short string
	about       string // beside short, for an agent
	example     string // arguments
	arguments   []argument
	line        []string // the command line; words with {NAME} of an argument that is not given are left out
	changes     bool     // the world
	latest      bool     // of a long answer the end counts
}

type argument struct {
	name, kind, about string
	needed            bool
	usual             string // unless given
}

const (
	textKind = "string"
	anyKind  = "" // a text, or a value that is written as JSON
)

var inWorld = argument{name: "key", kind: textKind, about: "act in the world of this API key, such as the one of a test"}

// emulatorFlags stands for the flags that name the emulator and the world.
const emulatorFlags = "{emulator}"

var tools = []tool{
	{
		name: "refusals", short: "explain the last requests that were refused or failed",
		about:   "Each has its status and its diagnosis: what was wrong, where, and how to correct it. The latest is last.",
		example: `{"last": 1}`, latest: true,
		arguments: []argument{
			{name: "last", kind: "integer", about: "how many; 3 unless given", usual: "3"},
			{name: "unmatched", kind: "boolean", about: "those that reached no world, because of their key, path or method"},
			inWorld,
		},
		line: []string{"journal", "list", "--status=0,>=400", "--last={last}", "--unmatched={unmatched}", emulatorFlags},
	},
	{
		name: "find", short: "find the magic values for a wish",
		about:   "A magic value is an id, a social security number or a key that decides what happens; the best is first.",
		example: `{"wish": "cancel fails"}`, arguments: []argument{{name: "wish", kind: textKind, about: "words for the situation that a test needs", needed: true}},
		line: []string{"scenarios", "list", "--", "{wish}"},
	},
	{
		name: "dry_run", short: "show what a request would get now, and why; nothing moves",
		example: `{"method": "GET", "path": "/verification-requests/vr_error_451"}`,
		arguments: []argument{
			{name: "method", kind: textKind, about: "such as GET", needed: true},
			{name: "path", kind: textKind, about: "with the query, such as /verification-requests/vr_completed?fields=state", needed: true},
			{name: "body", kind: anyKind, about: "the JSON to send"}, inWorld,
		},
		line: []string{"scenarios", "resolve", emulatorFlags, "--", "{method}", "{path}", "{body}"},
	},
	{
		name: "advance", short: "advance the world's clock, in place of waiting", changes: true,
		example: `{"by": "36h"}`,
		arguments: []argument{
			{name: "by", kind: textKind, about: "how much, such as 36h; with to the id of a verification request", needed: true},
			{name: "to", kind: textKind, about: "next-payday: to the next payday of the request's person"}, inWorld,
		},
		line: []string{"clock", "advance", "--to={to}", emulatorFlags, "--", "{by}"},
	},
	{
		name: "fault", short: "make calls fail: errors, delays, broken connections", changes: true,
		about:   "The dry run of a request shows the fault that it would meet.",
		example: `{"rule": {"on": "cancel", "respond": {"status": 500}, "times": 1}}`,
		arguments: []argument{
			{name: "rule", kind: anyKind, about: "a rule as in scenario files, such as {on: get, fault: connection-reset, times: 2}"},
			{name: "preset", kind: textKind, about: "in place of rule, such as outage-502 or limited-date"},
			{name: "for", kind: textKind, about: "delete the fault after this time of the world's clock, such as 10m"}, inWorld,
		},
		line: []string{"faults", "add", "--preset={preset}", "--for={for}", emulatorFlags, "--", "{rule}"},
	},
	{
		name: "trial", short: "try a command with all that the service may do, or read how the trial went",
		about: "The command runs once as it is, and again for each status, fault, outage and null that the contract allows, with an emulator of its own" +
			" in UNDERSTUDY_URL and UNDERSTUDY_KEY. A call with command starts the trial; a call without command reads it, while it runs and after it.",
		example: `{"command": ["./smoke.sh"], "only": "get verification_request: 500, first call"}`, changes: true,
		arguments: []argument{
			{name: "command", kind: "array", about: "the words of the command"},
			{name: "only", kind: textKind, about: "play this part alone, and show its requests and the output"},
			{name: "limit", kind: textKind, about: "how long a run of the command may take, such as 10s"},
			{name: "wait", kind: textKind, about: "how long this call waits for the end, at most 30s; 20s unless given", usual: "20s"},
		},
		line: []string{"run", "--trial", "--only={only}", "--limit={limit}", "--"},
	},
}

func toolNames() (names []string) {
	for _, t := range tools {
		names = append(names, t.name)
	}
	return names
}

// MarshalJSON writes a tool as tools/list has it.
func (t tool) MarshalJSON() ([]byte, error) {
	properties, needed := make(map[string]any), []string{}
	for _, a := range t.arguments {
		schema := map[string]any{"description": a.about}
		switch a.kind {
		case anyKind:
		case "array":
			schema["items"] = map[string]any{"type": "string"}
			fallthrough
		default:
			schema["type"] = a.kind
		}
		properties[a.name] = schema
		if a.needed {
			needed = append(needed, a.name)
		}
	}
	return json.Marshal(map[string]any{
		"name": t.name, "description": strings.TrimSpace(strings.ToUpper(t.short[:1]) + t.short[1:] + ". " + t.about + " Example: " + t.example),
		"inputSchema": map[string]any{"type": "object", "properties": properties, "required": needed, "additionalProperties": false},
		"annotations": map[string]any{"readOnlyHint": !t.changes, "openWorldHint": false},
	})
}

// result is the answer of a tool.
type result struct {
	Content []content `json:"content"`
	IsError bool      `json:"isError"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func failed(err error) result { return result{[]content{{"text", err.Error()}}, true} }

// use calls a tool. A mistake in its arguments is an answer, from which an agent learns.
func (s *server) use(ctx context.Context, t tool, raw map[string]json.RawMessage) result {
	given, err := t.read(raw)
	if err != nil {
		return failed(err)
	}
	if t.name == "trial" {
		return s.try(ctx, t, given, raw["command"])
	}
	var out bytes.Buffer
	code := s.run(ctx, &out, s.fill(t.line, given))
	return result{[]content{{"text", shortened(out.String(), t.latest)}}, code != command.ExitOK}
}

// read returns the arguments of a call as texts.
func (t tool) read(raw map[string]json.RawMessage) (given map[string]string, err error) {
	given = make(map[string]string)
	var names []string
	for _, a := range t.arguments {
		names = append(names, a.name)
		value := raw[a.name]
		text, isText := "", json.Unmarshal(value, new(string)) == nil
		switch {
		case value == nil || string(value) == "null":
			text = a.usual
		case isText:
			_ = json.Unmarshal(value, &text)
		case a.kind == textKind:
			return nil, fmt.Errorf("%s: %s is a text, such as in %s", t.name, a.name, t.example)
		default:
			text = string(value)
		}
		if given[a.name] = text; a.needed && text == "" {
			return nil, fmt.Errorf("%s: %s is missing, as in %s", t.name, a.name, t.example)
		}
	}
	for name := range raw {
		if _, ok := given[name]; !ok {
			return nil, fmt.Errorf("%s has no argument %q%s", t.name, name, api.DidYouMean(name, names, ": it has "+strings.Join(names, ", ")))
		}
	}
	return given, nil
}

// fill returns a command line with the arguments of a call.
func (s *server) fill(line []string, given map[string]string) (words []string) {
	for _, word := range line {
		before, rest, has := strings.Cut(word, "{")
		name := strings.TrimSuffix(rest, "}")
		switch {
		case word == emulatorFlags:
			words = append(words, s.flags...)
			if given["key"] != "" {
				words = append(words, "--key="+given["key"])
			}
		case !has:
			words = append(words, word)
		case given[name] != "":
			words = append(words, before+given[name])
		}
	}
	return words
}

// run runs a command line, which has no input, and returns its exit code.
func (s *server) run(ctx context.Context, out io.Writer, words []string) int {
	root := s.root(out, out)
	root.Reader = strings.NewReader("")
	return command.Run(ctx, root, append([]string{"understudy"}, words...))
}

// maxAnswer bounds the text of an answer, in bytes.
const maxAnswer = 2048

// shortened returns what an answer may have of a text: whole lines of its beginning, or of its end.
func shortened(text string, latest bool) string {
	const left = "(%d bytes are left out: ask for less)"
	text = strings.TrimRight(strings.ToValidUTF8(text, "?"), "\n")
	if len(text) <= maxAnswer {
		return text
	}
	room := maxAnswer - len(left) - 10 // digits of the number, and a line end
	if latest {
		end := text[len(text)-room:]
		if at := strings.IndexByte(end, '\n'); at < room/2 { // -1 for none
			end = end[at+1:]
		}
		end = strings.ToValidUTF8(end, "")
		return fmt.Sprintf(left, len(text)-len(end)) + "\n" + end
	}
	beginning := text[:room]
	if at := strings.LastIndexByte(beginning, '\n'); at > room/2 {
		beginning = beginning[:at]
	}
	beginning = strings.ToValidUTF8(beginning, "")
	return beginning + "\n" + fmt.Sprintf(left, len(text)-len(beginning))
}
