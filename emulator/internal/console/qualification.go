package console

import (
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// qualificationPage is the data of pages/qualification.html.
type qualificationPage struct {
	api.QualificationCheck
	resourceView
	Request string // that has the reports
}

func showQualification(x *exchange) (answer, error) {
	q, err := x.world.QualificationCheck(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	view, err := x.view(q, liveView{}, subject{kind: "qualification-checks", id: q.ID}, `{"metadata": {"unit": "4B"}}`)
	return page{name: "qualification", title: q.ID, data: qualificationPage{q, view, fixtures.CheckRequest + q.ID}}, err
}
