package scenarios_test

import (
	"os"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// The page ends with a file that is wrong and with what is said of it.
func TestREADMEShowsTheProblemsOfItsWrongFile(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "\n```")
	file, said := blocks[len(blocks)-4], blocks[len(blocks)-2]
	_, problems := scenarios.Parse("orders.yaml", []byte(strings.TrimPrefix(file, "\n")))
	if got := problems.Error(); got != strings.TrimPrefix(said, "\n") {
		t.Errorf("said is\n%s\nREADME has%s", got, said)
	}
}
