package resources

import (
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// qualificationPage is the data of pages/qualification.html.
type qualificationPage struct {
	api.QualificationCheck
	resourceView
	Request string // that has the reports
}

func showQualification(x *frame.Exchange, q api.QualificationCheck) (frame.Answer, error) {
	view, err := view(x, subject{kind: "qualification-checks", id: q.ID}, nil, `{"metadata": {"unit": "4B"}}`)
	return frame.Page{Name: "qualification", Title: q.ID, Data: qualificationPage{q, view, fixtures.CheckRequest + q.ID}}, err
}
