package emulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// fence finds the fenced blocks of a Markdown page.
var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// Each example of scenarios/README.md is a scenario file and what a client then sees.
func TestEveryExampleOfTheScenarioPageIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../scenarios/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var file string
	played := 0
	for _, block := range fence.FindAllStringSubmatch(string(page), -1) {
		switch kind, text := block[1], block[2]; {
		case kind == "yaml":
			if file != "" {
				t.Errorf("nothing is said of what happens with\n%s", file)
			}
			file = text
		case kind == "" && file != "":
			play(t, file, text)
			played++
			file = ""
		}
	}
	if played < 10 {
		t.Errorf("only %d examples were found", played)
	}
}

// play serves a scenario file and does what the lines say: requests with what is answered, and what is done to the world.
func play(t *testing.T, file, lines string) {
	t.Helper()
	name, _, _ := strings.Cut(file, "\n")
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		c := start(t, (&pauses{}).option(), scenarioFile(t, file)).With("Accept", "application/json")
		for line := range strings.Lines(lines) {
			words := strings.Fields(line)
			switch words[0] {
			case "advance":
				wantStatus(t, c.Post(control+"clock/advance", fmt.Sprintf(`{"by":%q}`, words[1])), 200, "")
			case "move":
				wantStatus(t, c.Send("PATCH", control+"verification-requests/"+words[1], fmt.Sprintf(`{"state":%q}`, words[2])), 200, "")
			default:
				ask, want, _ := strings.Cut(strings.TrimSpace(line), " → ")
				playRequest(t, c, ask, want)
			}
		}
	})
}

// expectation finds a key of a body and what it must be.
var expectation = regexp.MustCompile(`([a-z0-9_.]+)=("[^"]*"|\S+)`)

func playRequest(t *testing.T, c *apitest.Client, ask, want string) {
	t.Helper()
	parts := strings.SplitN(ask, " ", 3)
	var r *apitest.Response
	if parts[0] == http.MethodGet {
		r = c.Get(parts[1])
	} else {
		r = c.Send(parts[0], parts[1], parts[2])
	}
	status, expected, _ := strings.Cut(want, " ")
	if strconv.Itoa(r.Status) != status {
		t.Errorf("%s: %d %s, want %s", ask, r.Status, r.Body, status)
		return
	}
	var body any
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	for _, e := range expectation.FindAllStringSubmatch(expected, -1) {
		if got := fmt.Sprint(at(body, e[1])); got != strings.Trim(e[2], `"`) && (e[2] != "null" || got != "<nil>") {
			t.Errorf("%s: %s is %s, want %s", ask, e[1], got, e[2])
		}
	}
}

// at returns what stands in a JSON value at a path such as reports.0.employee.
func at(value any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			index, err := strconv.Atoi(step)
			if err != nil || index >= len(v) {
				return nil
			}
			value = v[index]
		}
	}
	return value
}
