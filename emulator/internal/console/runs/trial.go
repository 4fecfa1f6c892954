package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
)

// maxTrial is the largest report of a trial that the console takes, in bytes.
const maxTrial = 8 << 20

// verdicts are those of a trial, the worst first.
var verdicts = []trialVerdict{{Name: "disagrees", Class: "bad"}, {Name: "hangs", Class: "bad"}, {Name: "insists", Class: "bad"}, {Name: "reports"}, {Name: "survives"}}

// trialVerdict is the parts of a trial with one verdict. The data of pages/trial.html are those of a report.
type trialVerdict struct {
	Name, Class string
	Parts       []trialPart
}

// trialPart is a part of a trial, as its report has it.
type trialPart struct {
	Part     string `json:"part"`
	Verdict  string `json:"verdict"`
	Why      string `json:"why"`
	ExitCode int    `json:"exit_code"`
	Output   string `json:"output"`
	Requests []struct {
		Method, Path, Answer string
		Diagnosis            []string
	} `json:"requests"`

	Diff []recorded.DiffPart `json:"-"` // of the baseline's requests and the part's
}

// lines returns the requests and answers, one a line.
func (p trialPart) lines() (all []string) {
	for _, r := range p.Requests {
		all = append(all, r.Method+" "+r.Path+" → "+r.Answer)
	}
	return all
}

func showTrial(*frame.Exchange) (frame.Answer, error) {
	return frame.Page{Name: "trial", Title: "Trials", Data: []trialVerdict{}}, nil
}

// readTrial shows the report in an uploaded file, which is not stored.
func readTrial(x *frame.Exchange) (frame.Answer, error) {
	x.Request.Body = http.MaxBytesReader(x.Writer, x.Request.Body, maxTrial)
	var file bytes.Buffer
	switch chosen, err := x.Upload(&file); {
	case err != nil:
		return nil, err
	case !chosen:
		return nil, errNoTrial
	}
	var parts []trialPart
	err := json.Unmarshal(file.Bytes(), &parts)
	if err == nil && len(parts) == 0 {
		err = errors.New("it is empty")
	}
	if err != nil {
		return nil, api.Because(http.StatusBadRequest, "The file is no report of a trial in JSON, as --report FILE.json writes it: "+err.Error())
	}
	var found []trialVerdict
	for _, of := range verdicts {
		for _, p := range parts[1:] { // the first one is the baseline
			if p.Verdict == of.Name {
				p.Diff = recorded.DiffOf(parts[0].lines(), p.lines())
				of.Parts = append(of.Parts, p)
			}
		}
		if len(of.Parts) > 0 {
			found = append(found, of)
		}
	}
	return frame.Page{Name: "trial", Title: "A trial", Data: found}, nil
}

var errNoTrial = api.Because(http.StatusBadRequest, "No file was chosen: a report is a file that understudy run --trial --report FILE.json wrote")
