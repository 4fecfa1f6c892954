package console

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// besideView is a comparison of two reports, of one verification request or of two.
type besideView struct {
	Name     string        // of the other report: its number, or the id of its request
	Other    *besideReport // nil: none is chosen
	Sections []besideSection
	Differ   int      // facts
	Choices  []string // other requests with a report
}

// besideReport is the report on the right.
type besideReport struct {
	reportView
	Link string // to its request
}

type besideSection struct {
	Name string
	Rows []besideRow
}

type besideRow struct {
	Name        string
	Left, Right value
	Differs     bool
}

// maxChoices bounds the requests that a comparison offers.
const maxChoices = 20

// beside compares a report of a request with that of ?beside=: a number of a report of the same request, or the id of another
// request, of which it is the first.
func (x *exchange) beside(v world.Verification, left *reportView) (*besideView, error) {
	view, other, name := &besideView{Name: x.value("beside")}, v, x.value("beside")
	found, err := x.world.ListVerificationRequests(x.context(), "", maxChoices, func(o world.Verification) bool {
		return o.Progress.State == api.StateCompleted && o.ID != v.ID
	})
	for _, o := range found {
		view.Choices = append(view.Choices, o.ID)
	}
	if err != nil || name == "" {
		return view, err
	}
	number, err := strconv.Atoi(name)
	if err != nil {
		number = 1
		if other, err = x.world.VerificationRequest(x.context(), name); err != nil {
			return nil, err
		}
	}
	reports := other.Analyzed().Reports
	if number < 1 || number > len(reports) {
		return nil, api.Because(http.StatusNotFound, fmt.Sprintf("%s has no report %d to compare with: it is %s, and has %s",
			other.ID, number, other.Progress.State, count(len(reports), "report", "reports")))
	}
	right := viewReport(reports[number-1], number, other.Now, false)
	view.Other = &besideReport{right, x.here("verification-requests", other.ID) + "?report=" + strconv.Itoa(number)}
	for i := range left.Tiles {
		a, b := &left.Tiles[i], &view.Other.Tiles[i]
		differs := a.Figure != b.Figure || !slices.Equal(a.Notes, b.Notes)
		a.Differs, b.Differs = differs, differs
	}
	view.compare(left.comparable(), right.comparable())
	return view, nil
}

// comparable returns what a comparison shows of a report: its facts and its earnings.
func (v reportView) comparable() []section {
	earnings := section{Name: "Earnings"}
	for _, year := range v.Employee.Earnings {
		earnings.Facts = append(earnings.Facts, fact{nameOfYear(v.Report, year), valueOf(year.Total, "")})
	}
	return slices.Insert(slices.Clone(v.Sections), 4, earnings)
}

// compare adds the facts of two reports, by section and name.
func (view *besideView) compare(left, right []section) {
	none := value{Absent: "none"}
	for i, s := range left {
		rows := besideSection{Name: s.Name}
		for _, f := range s.Facts {
			rows.Rows = append(rows.Rows, besideRow{Name: f.Name, Left: f.Value, Right: none})
		}
		for _, f := range right[i].Facts {
			k := slices.IndexFunc(rows.Rows, func(r besideRow) bool { return r.Name == f.Name && r.Right == none })
			if k < 0 {
				rows.Rows = append(rows.Rows, besideRow{Name: f.Name, Left: none, Right: f.Value})
			} else {
				rows.Rows[k].Right = f.Value
			}
		}
		for k := range rows.Rows {
			if row := &rows.Rows[k]; row.Left != row.Right {
				row.Differs = true
				view.Differ++
			}
		}
		view.Sections = append(view.Sections, rows)
	}
}
