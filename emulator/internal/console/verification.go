package console

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// verificationPage is the data of pages/verification.html.
type verificationPage struct {
	world.Verification
	resourceView
	Reports    []api.Report
	Report     *reportView // nil when there is none
	Income     *incomeView // over several reports; nil: there are not
	Notes      []string    // of the diagnosis, about no report in particular
	Address    string      // of the page, for print
	Deliveries []delivery.Delivery
}

// showVerification shows a verification request, one report of several at a time: that of ?report=.
func showVerification(x *exchange) (answer, error) {
	v, err := x.world.VerificationRequest(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	live, of := x.liveVerification(v)
	view, err := x.view(v.Document, live, of, `{"loan_id": "7", "metadata": {"case": "12"}}`)
	if err != nil {
		return nil, err
	}
	data := verificationPage{Verification: v, resourceView: view, Reports: v.Analyzed().Reports, Notes: v.Diagnosis, Address: x.request.Host + view.Action}
	if data.Deliveries, _, err = x.deliveries(v.ID); err != nil {
		return nil, err
	}
	if number := numberIn(x.value("report"), data.Reports); len(data.Reports) > 0 {
		data.Report = new(viewReport(data.Reports[number-1], number, v.Now, x.value("stubs") == "all"))
		data.Report.Missing, data.Notes = about(number, v.Diagnosis)
		data.Income = incomeOfAll(data.Reports, v.Now)
	}
	return page{name: "verification", title: v.ID, data: data}, err
}

// numberIn reads the number of a report, from 1; the first one for any other text.
func numberIn(text string, reports []api.Report) int {
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

// liveVerification returns the live part of the page of a verification request, and its subject. While a request is not
// stored, its instants change with the clock; they do not count as a change of the request.
func (x *exchange) liveVerification(v world.Verification) (liveView, subject) {
	stages, following := stagesOf(v)
	next := viewNext(v, following, v.Now)
	next.Action = x.address("verification-requests", v.ID)
	live := liveView{Next: &next, State: v.Progress.State, Rules: v.Rules}
	if !v.Stored {
		live.text = v.Name
	}
	return live, subject{"verification-requests", v.ID, v.SessionID, v.Progress.Created, stages}
}

// locationOf joins city, state and ZIP code of a company.
func locationOf(c api.Company) value {
	var address []string
	for _, part := range []*string{c.City, c.State, c.ZipCode} {
		if part != nil {
			address = append(address, *part)
		}
	}
	return joined(address, "not stated")
}

// turnaround writes the expected duration of a request (spec 2.1).
func turnaround(t api.TurnaroundTime) value {
	if t.BestEstimate == nil && t.LowerBound == nil && t.UpperBound == nil {
		return value{Absent: "no estimate"}
	}
	text := "no best estimate"
	if t.BestEstimate != nil {
		text = plain(*t.BestEstimate) + " h"
	}
	if t.LowerBound != nil && t.UpperBound != nil {
		text += ", between " + plain(*t.LowerBound) + " h and " + plain(*t.UpperBound) + " h"
	}
	return value{Text: text}
}

func documents(all []api.Document) value {
	var names []string
	for _, d := range all {
		names = append(names, valueOf(d.Filename, "a file without a name").String())
	}
	return joined(names, "none")
}

// metadata lists the metadata of the caller, in the order of the keys.
func metadata(all map[string]string) value {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		pairs = append(pairs, key+": "+all[key])
	}
	return joined(pairs, "none")
}

func joined(parts []string, absent string) value {
	if len(parts) == 0 {
		return value{Absent: absent}
	}
	return value{Text: strings.Join(parts, ", ")}
}

var resourceFuncs = template.FuncMap{
	"metadata": metadata, "documents": documents, "turnaround": turnaround, "location": locationOf,
	"reasons": api.CancellationReason("").Values, "states": api.State("").Values, "statusDetails": api.StatusDetail("").Values,
}
