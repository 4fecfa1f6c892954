package console

import (
	"html/template"
	"strings"
	"testing"
)

// drawn returns what a part of a page makes of data.
func drawn(t *testing.T, part string, data any) string {
	t.Helper()
	parts, err := template.ParseFiles("pages/facts.html", "pages/chart.html", "pages/report.html")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := parts.ExecuteTemplate(&b, part, data); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
