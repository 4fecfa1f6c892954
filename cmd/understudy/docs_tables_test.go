package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// row returns a row of a Markdown table.
func row(cells ...string) string {
	return "| " + strings.ReplaceAll(strings.Join(cells, "\x00"), "|", `\|`) + " |\n"
}

// table returns a Markdown table of a head and rows that row has made.
func table(head []string, rows ...string) string {
	text := row(head...) + "|" + strings.Repeat("---|", len(head)) + "\n" + strings.Join(rows, "")
	return strings.ReplaceAll(text, "\x00", " | ")
}

// wanted are the magic values that most users begin with.
var wanted = []string{
	"vr_completed", "vr_lifecycle", "vr_lifecycle_timed", "vr_action_required", "vr_service_canceled", "vr_multiple_reports",
	"vr_error_451", "vr_flaky", "qc_not_qualified", "000-00-0451",
}

// wantedTable has a row for each of the wanted magic values.
func wantedTable(t *testing.T) string {
	t.Helper()
	catalogue, err := scenarios.Load()
	commandtest.NoError(t, err)
	titles := make(map[string]string)
	for _, s := range catalogue.All() {
		for _, value := range []string{s.Magic.VerificationRequest, s.Magic.QualificationCheck, shownSSN(s.Magic.SSN)} {
			titles[value] = s.Title
		}
	}
	var rows []string
	for _, value := range wanted {
		if titles[value] == "" {
			t.Errorf("no scenario has the magic value %s", value)
		}
		rows = append(rows, row("`"+value+"`", titles[value]))
	}
	return table([]string{"magic value", "behaviour"}, rows...)
}

// defectTable has a row for each defect of a report. Each has a magic value.
func defectTable(t *testing.T) string {
	t.Helper()
	catalogue, err := scenarios.Load()
	commandtest.NoError(t, err)
	var rows []string
	for _, defect := range (fixtures.ReportShape{}).Tamper.Values() {
		what, found := defect.What()
		if catalogue.ByName("tampered-"+string(defect)) == nil {
			t.Errorf("no scenario shows the defect %s", defect)
		}
		rows = append(rows, row("`"+string(defect)+"`", what, found))
	}
	return table([]string{"defect", "what is changed", "how to find it"}, rows...)
}

// The page of magic values has those that most users need. Each exists, and each file of the catalogue has one there.
func TestDocsMagicValues(t *testing.T) {
	t.Parallel()
	catalogue, err := scenarios.Load()
	commandtest.NoError(t, err)
	files, shown := make(map[string]string), make(map[string]bool)
	for _, s := range catalogue.All() {
		for _, value := range []string{s.Magic.VerificationRequest, s.Magic.TenantProperty, s.Magic.QualificationCheck, shownSSN(s.Magic.SSN)} {
			files[value] = s.At.File
		}
	}
	page := string(commandtest.ReadFile(t, repository+"docs/magic-values.md"))
	for _, found := range regexp.MustCompile("`((?:vr|tp|qc)_[a-z0-9_]*[a-z0-9]|[0-9]{3}-[0-9]{2}-[0-9]{4})`").FindAllStringSubmatch(page, -1) {
		value := strings.TrimPrefix(found[1], "vr_of_")
		if files[value] == "" {
			t.Errorf("no scenario has the magic value %s", value)
		}
		shown[files[value]] = true
	}
	for value, file := range files {
		if value != "" && !shown[file] {
			t.Errorf("docs/magic-values.md has no value of %s, such as %s", file, value)
		}
	}
}

func shownSSN(ssn scenarios.MagicSSN) string {
	switch ssn {
	case "":
		return ""
	case scenarios.AnySSN:
		return "any other number"
	}
	return fmt.Sprintf("%s-%s-%s", ssn[:3], ssn[3:5], ssn[5:])
}
