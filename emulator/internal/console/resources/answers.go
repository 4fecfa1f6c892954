package resources

import (
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/catalogue"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// answerNow is what a request would get now, and why: pages/part_live.html.
type answerNow struct {
	Button string
	Status int // 0: the connection breaks
	Why    string
	Delay  string // "": none
}

// subjectMagic names a resource as a scenario does.
func subjectMagic(of subject) scenarios.Magic {
	switch of.kind {
	case "qualification-checks":
		return scenarios.Magic{QualificationCheck: of.id}
	case "tenant-properties":
		return scenarios.Magic{TenantProperty: of.id}
	}
	return scenarios.Magic{VerificationRequest: of.id}
}

// answersNow returns what requests for a resource would get now. Nothing is changed.
func answersNow(x *frame.Exchange, of subject) (all []answerNow, err error) {
	why, err := recorded.CausesHere(x)
	if err != nil {
		return nil, err
	}
	for _, sample := range catalogue.SamplesOf(&scenarios.Scenario{Magic: subjectMagic(of)}, x.Extended) {
		r, err := sample.Request()
		if err != nil {
			return nil, err
		}
		answer, err := x.Do(r.WithContext(x.Context()), x.World.Dry())
		if err != nil {
			return nil, err
		}
		now := answerNow{Button: sample.Button, Status: answer.Status}
		entry := &journal.Entry{
			Method: r.Method, Path: r.URL.Path, Operation: answer.Operation, Status: answer.Status, Fault: string(answer.Fault), Scenario: answer.Scenario, Rule: answer.Rule,
			Diagnosis: answer.Diagnosis,
		}
		if reason := why.Reason(entry); !reason.Plain {
			now.Why = reason.Sentence()
		}
		if answer.Delay > 0 {
			now.Delay = answer.Delay.String()
		}
		all = append(all, now)
	}
	return slices.Clip(all), nil
}
