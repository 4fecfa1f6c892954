package resources

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/reports"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/steer"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// verificationPage is the data of pages/verification.html.
type verificationPage struct {
	world.Verification
	resourceView
	Reports    []api.Report
	Report     *reports.ReportView // nil when there is none
	Income     *reports.IncomeView // over several reports; nil: there are not
	Notes      []string            // of the diagnosis, about no report in particular
	Address    string              // of the page, for print
	Deliveries []delivery.Delivery
}

// showVerification shows a verification request, one report of several at a time: that of ?report=.
func showVerification(x *frame.Exchange, v world.Verification) (frame.Answer, error) {
	of, next := subjectOf(x, v)
	view, err := view(x, of, next, `{"loan_id": "7", "metadata": {"case": "12"}}`)
	if err != nil {
		return nil, err
	}
	view.Holding = v.Rules
	data := verificationPage{Verification: v, resourceView: view, Reports: v.Analyzed().Reports, Notes: v.Diagnosis, Address: x.Request.Host + view.Page}
	if data.Deliveries, _, err = steer.Deliveries(x, v.ID); err != nil {
		return nil, err
	}
	if number := NumberIn(x.Value("report"), data.Reports); len(data.Reports) > 0 {
		data.Report = new(reports.ViewReport(data.Reports[number-1], number, v.Now))
		data.Report.Missing, data.Notes = about(number, v.Diagnosis)
		data.Income = reports.IncomeOfAll(data.Reports, v.Now)
	}
	return frame.Page{Name: "verification", Title: v.ID, Data: data}, err
}

// NumberIn reads the number of a report, from 1; the first one for any other text.
func NumberIn(text string, reports []api.Report) int {
	if number, err := strconv.Atoi(text); err == nil && number >= 1 && number <= len(reports) {
		return number
	}
	return 1
}

// about splits findings into those about the report with a number, without its path, and those about no report.
func about(number int, findings []string) (report, others []string) {
	path := fmt.Sprintf("reports.%d.", number-1)
	for _, finding := range findings {
		if rest, ok := strings.CutPrefix(finding, path); ok {
			report = append(report, rest)
		} else if !strings.HasPrefix(finding, "reports.") {
			others = append(others, finding)
		}
	}
	return report, others
}

// subjectOf returns a verification request as the subject of a timeline, and what comes next.
func subjectOf(x *frame.Exchange, v world.Verification) (subject, *nextView) {
	stages, following := StagesOf(v)
	next := ViewNext(v, following, v.Now)
	next.Action = x.Address("verification-requests", v.ID)
	return subject{"verification-requests", v.ID, v.SessionID, v.Progress.Created, stages}, &next
}

// locationOf joins city, state and ZIP code of a company.
func locationOf(c api.Company) words.Value {
	var address []string
	for _, part := range []*string{c.City, c.State, c.ZipCode} {
		if part != nil {
			address = append(address, *part)
		}
	}
	return joined(address, "not stated")
}

// turnaround writes the expected duration of a request (spec 2.1).
func turnaround(t api.TurnaroundTime) words.Value {
	if t.BestEstimate == nil && t.LowerBound == nil && t.UpperBound == nil {
		return words.Value{Absent: "no estimate"}
	}
	text := "no best estimate"
	if t.BestEstimate != nil {
		text = words.Plain(*t.BestEstimate) + " h"
	}
	if t.LowerBound != nil && t.UpperBound != nil {
		text += ", between " + words.Plain(*t.LowerBound) + " h and " + words.Plain(*t.UpperBound) + " h"
	}
	return words.Value{Text: text}
}

func documents(all []api.Document) words.Value {
	var names []string
	for _, d := range all {
		names = append(names, words.ValueOf(d.Filename, "a file without a name").String())
	}
	return joined(names, "none")
}

// metadata lists the metadata of the caller, in the order of the keys.
func metadata(all map[string]string) words.Value {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		pairs = append(pairs, key+": "+all[key])
	}
	return joined(pairs, "none")
}

func joined(parts []string, absent string) words.Value {
	if len(parts) == 0 {
		return words.Value{Absent: absent}
	}
	return words.Value{Text: strings.Join(parts, ", ")}
}

var resourceFuncs = template.FuncMap{
	"metadata": metadata, "documents": documents, "turnaround": turnaround, "location": locationOf,
	"reasons": api.CancellationReason("").Values, "states": api.State("").Values, "statusDetails": api.StatusDetail("").Values,
}
