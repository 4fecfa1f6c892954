package production

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

var update = flag.Bool("update", false, "write the table in "+page+" again")

// surroundings are what a client is tested in.
type surroundings struct {
	server   *emulatortest.Server
	defaults bool // worlds have no settings of their own
}

// begin returns the surroundings of the suite: as it asks for them, with the defaults of kits, and with those of serve.
func begin(t *testing.T) []surroundings {
	kit := emulatortest.Run(t)
	return []surroundings{{kit, false}, {kit, true}, {emulatortest.Run(t, emulator.WithStrict("off")), true}}
}

// run returns what a test says when it fails, "" when it passes.
func (in surroundings) run(t *testing.T, h habits, test func(*probe)) string {
	p := &probe{name: t.Name(), ctx: t.Context(), server: in.server, defaults: in.defaults}
	if p.run(h, test); !p.failed {
		return ""
	}
	return p.log.String()
}

// planted returns the habits of a client with the bug.
func (b bug) planted() habits {
	h := right()
	b.plant(&h)
	return h
}

// The right client passes the suite in all surroundings.
func TestRight(t *testing.T) {
	t.Parallel()
	for i, in := range begin(t) {
		for _, test := range suite {
			if log := in.run(t, right(), test.run); log != "" {
				t.Errorf("surroundings %d, %s: %s", i, test.name, log)
			}
		}
	}
}

// The test about a bug fails, and says so, when the client has this bug. The documentation has the table.
func TestBugs(t *testing.T) {
	t.Parallel()
	all := begin(t)
	failed, shown := make([]int, len(bugs)), make([][]bool, len(bugs))
	t.Run("planted", func(t *testing.T) {
		for i, b := range bugs {
			t.Run(b.name, func(t *testing.T) {
				t.Parallel()
				var about func(*probe)
				for _, test := range suite {
					if test.name == b.about {
						about = test.run
					}
					failed[i] += min(1, len(all[0].run(t, b.planted(), test.run)))
				}
				for _, in := range all {
					shown[i] = append(shown[i], strings.Contains(in.run(t, b.planted(), about), b.message))
				}
				if !shown[i][0] {
					t.Errorf("the test %q does not say %q, but: %s", b.about, b.message, all[0].run(t, b.planted(), about))
				}
			})
		}
	})
	checkTable(t, table(failed, shown))
}

// table returns the table of the documentation.
func table(failed []int, shown [][]bool) string {
	var rows strings.Builder
	rows.WriteString("| a client that | is shown by | the right one | noticed by |\n|---|---|---|---|\n")
	sums := make([]int, len(shown[0]))
	for i, b := range bugs {
		fmt.Fprintf(&rows, "| %s | `%s` | %s | %s", b.name, b.line, b.right, b.about)
		if failed[i] > 1 {
			fmt.Fprintf(&rows, " and %d more", failed[i]-1)
		}
		rows.WriteString(" |\n")
		for j, is := range shown[i] {
			if is {
				sums[j]++
			}
		}
	}
	fmt.Fprintf(&rows, "\nOf these %d bugs the suite of %d tests notices %d: %d with the defaults of the kits and `run`, %d with those of `serve`.\n",
		len(bugs), len(suite), sums[0], sums[1], sums[2])
	return rows.String()
}

const (
	page  = "../../production.md"
	start = "<!-- bugs: written by go test ./docs/examples/production -update -->\n\n"
	end   = "\n<!-- end of bugs -->\n"
)

// checkTable compares the table of the documentation, or writes it again.
func checkTable(t *testing.T, want string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), start)
	is, after, closed := strings.Cut(rest, end)
	switch {
	case !ok || !closed:
		t.Errorf("%s has no table", page)
	case *update:
		if err := os.WriteFile(page, []byte(before+start+want+end+after), 0o644); err != nil {
			t.Error(err)
		}
	case is != want:
		t.Errorf("%s is out of date: run go test ./docs/examples/production -update\n%s", page, want)
	}
}

// Each line of the table makes a client with the bug do something else than the right one does.
func TestLines(t *testing.T) {
	t.Parallel()
	strict, lenient := emulatortest.Run(t), emulatortest.Run(t, emulator.WithStrict("off"))
	for _, b := range bugs {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			in := surroundings{server: lenient}
			if b.line == "--strict=spec" {
				in.server = strict
			}
			does := func(h habits) (did string) {
				log := in.run(t, h, func(p *probe) { did = p.follow(b.line) })
				return did + log
			}
			if right := does(right()); right == does(b.planted()) {
				t.Errorf("with the bug and without: %s", right)
			}
		})
	}
}

// follow follows a line of the table, and returns what the client does.
func (p *probe) follow(line string) string {
	ask, about := p.verify, anybody
	switch {
	case strings.HasPrefix(line, "vr_"):
		ask, about = p.income, line
	case strings.HasPrefix(line, "000-"):
		about = line
	case strings.HasPrefix(line, "{on:"):
		p.world.AddFault(line)
		if strings.Contains(line, "delay:") {
			p.impatient()
		}
	case strings.HasPrefix(line, "{set:"):
		ask, about = p.income, p.world.CreateVerificationRequest("reports: ["+line+"]").ID
	case !strings.HasPrefix(line, "--"):
		p.set(line)
	}
	cents, err := ask(about)
	return fmt.Sprint(cents, err, p.sent, p.waited)
}
