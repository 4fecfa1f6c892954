package generate

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// The file has the pages of several people of the mix, and of a request without a report.
var update = flag.Bool("update", false, "write the pages again")

func TestGenerateText(t *testing.T) {
	t.Parallel()
	pages := generated(t, "report", "--as", "text", "--mix", "--count", "12", "--analytics") +
		generated(t, "verification-request", "--format", "text", "--set", "state=canceled")
	file := filepath.Join("testdata", "generate.txt")
	if *update {
		commandtest.NoError(t, os.WriteFile(file, []byte(pages), 0o644))
	}
	want, err := os.ReadFile(file)
	commandtest.NoError(t, err)
	if string(want) != pages {
		t.Errorf("the pages differ from %s: go test ./cmd/understudy/internal/generate -run Text -update", file)
	}
	if n := strings.Count(pages, "\n"+strings.Repeat("=", pageWidth)+"\n"); n != 11 {
		t.Errorf("%d lines between twelve pages", n)
	}
	for line := range strings.Lines(generated(t, "report", "--as", "text", "--mix", "--count", "500", "--analytics")) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > pageWidth {
			t.Fatalf("%d columns: %s", n, line)
		}
	}
}

func TestGenerateMix(t *testing.T) {
	t.Parallel()
	if got, want := generated(t, "--mix", "--as=text"), generated(t, "report", "--mix", "--as", "text"); got != want {
		t.Errorf("without a kind:\n%s\nwant\n%s", got, want)
	}
	for _, set := range []string{"pay.rate=31.50", "employee.status_detail=retired", "pay.frequency=quarterly", "set.employee.email=ada@example.org"} {
		lines := generated(t, "report", "--mix", "--count", "200", "--format", "ndjson", "--set", set)
		frequencies := map[api.PayFrequency]bool{}
		for line := range strings.Lines(lines) {
			r := commandtest.Decoded[api.Report](t, line)
			e := r.Employee
			frequencies[*e.Salary.PayFrequency] = true
			for key, holds := range map[string]bool{
				"pay.rate=31.50":                     *e.Salary.GrossPay == "31.50",
				"employee.status_detail=retired":     e.StatusDetail == api.DetailRetired,
				"pay.frequency=quarterly":            *e.Salary.PayFrequency == api.PayQuarterly,
				"set.employee.email=ada@example.org": e.Email != nil && *e.Email == "ada@example.org",
			} {
				if key == set && !holds {
					t.Fatalf("--set %s is not in %s", set, line)
				}
			}
		}
		if fixed := strings.HasPrefix(set, "pay."); fixed != (len(frequencies) == 1) {
			t.Errorf("--set %s: frequencies %v", set, frequencies)
		}
	}
	drawn := strings.Split(generated(t, "report", "--mix", "--count", "200", "--format", "ndjson"), "\n")
	for _, set := range []string{"pay.bonus=occasional", "employee.title=Archivist", "employee.positions=3"} { // contradicts some people, who keep their company
		for i, line := range strings.Split(generated(t, "report", "--mix", "--count", "200", "--format", "ndjson", "--set", set), "\n")[:200] {
			with, without := commandtest.Decoded[api.Report](t, line), commandtest.Decoded[api.Report](t, drawn[i])
			if diff := gocmp.Diff(without.Employer, with.Employer); diff != "" {
				t.Fatalf("--set %s:\n%s", set, diff)
			}
		}
	}
	incomes := map[api.Decimal]bool{}
	for line := range strings.Lines(generated(t, "qualification-check", "--mix", "--set", "rent=1450", "--count", "20", "--format", "ndjson")) {
		if income := commandtest.Decoded[api.QualificationCheck](t, line).Result.MonthlyGrossIncome; income != nil {
			incomes[*income] = true
		}
	}
	if len(incomes) < 10 {
		t.Errorf("%d different incomes", len(incomes))
	}
	commandtest.Understudy(t, "generate", "report", "--mix", "--scenario", "contractor").Want(t, command.ExitUsage, "--scenario asks for the reports of one scenario, and --mix for all kinds: leave one out")
	commandtest.Understudy(t, "generate", "tenant-property", "--as", "text").Want(t, command.ExitUsage, `--format "text" is for reports and verification requests`)
	commandtest.Understudy(t, "generate", "report", "--mix", "--set", "pay.base=1").Want(t, command.ExitUsage, "--set: base must be a year's pay")
}

// The bytes do not depend on the time zone, the language, the number of processors or the number of documents.
func TestGenerateAnywhere(t *testing.T) {
	t.Parallel()
	all := ""
	for _, variables := range [][]string{
		{"TZ=UTC", "LANG=C", "GOMAXPROCS=1"}, {"TZ=America/New_York", "LANG=de_DE.UTF-8", "GOMAXPROCS=7"}, {"TZ=Pacific/Kiritimati", "LANG=tr_TR.UTF-8", "GOMAXPROCS=2"},
	} {
		c := commandtest.Self(t, commandtest.AsUnderstudy+"=1", "generate", "report", "--mix", "--count", "300", "--format", "ndjson", "--at", "2025-03-09T07:30:00Z")
		c.Env = append(c.Env, variables...)
		out, err := c.Output()
		commandtest.NoError(t, err)
		if all = cmp.Or(all, string(out)); all != string(out) {
			t.Errorf("%s: other bytes", variables)
		}
	}
	if few := generated(t, "report", "--mix", "--count", "20", "--format", "ndjson", "--at", "2025-03-09T07:30:00Z"); !strings.HasPrefix(all, few) {
		t.Error("20 documents are not the first of 300")
	}
}
