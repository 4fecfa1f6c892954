package emulator_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// fence matches the fenced blocks of a Markdown page.
var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// Each example of scenarios/README.md is a scenario file and the answers that it leads to.
func TestREADMEScenarioExamples(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../scenarios/README.md")
	lab.NoError(t, err)
	var file string
	played := 0
	for _, block := range fence.FindAllStringSubmatch(string(page), -1) {
		switch kind, text := block[1], block[2]; {
		case kind == "yaml":
			if file != "" {
				t.Errorf("there are no requests behind\n%s", file)
			}
			file = text
		case kind == "" && file != "":
			name, _, _ := strings.Cut(file, "\n")
			option := lab.ScenarioFile(t, file)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := lab.Start(t, (&lab.Pauses{}).Option(), option).With("Accept", "application/json")
				if name == "name: gateway" {
					c = c.Without(lab.Ugly...)
				}
				lab.PlayScript(t, c, text)
			})
			played++
			file = ""
		}
	}
	if played < 10 {
		t.Errorf("only %d examples were found", played)
	}
}
