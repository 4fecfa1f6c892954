package world_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func TestEvaluate(t *testing.T) {
	t.Parallel()
	worlds := startFile(t, "name: a\ntitle: a\nmagic: {ssn: any}\nverification_request: {timeline: [{state: processing}]}\n"+
		"rules: [{on: cancel, respond: {status: 500, message: Not today}}]\n")
	var id string
	do(t, worlds, "a", func(w *world.World) error {
		session, _, err := w.CreateSession(api.NewCredentialsSession{
			Type: api.TypeEmployment, UseCase: api.UseCaseAuto, PermissiblePurpose: api.PurposeEmployment,
			Target: api.SessionTarget{FirstName: "Ada", LastName: "Example"},
		})
		id = "vr_" + session.ID[len("cs_"):]
		return err
	})
	for name, tt := range map[string]struct {
		operation scenarios.Operation
		status    int
	}{
		"rule of a session's scenario is met by its request": {scenarios.OnCancel, 500},
		"rule of another operation is not met":               {scenarios.OnGet, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			do(t, worlds, "a", func(w *world.World) error {
				d, err := w.Evaluate(tt.operation, find(t, w, scenarios.VerificationRequestID, id))
				if d.Prevents() != (tt.status != 0) || d.Answer != nil && (d.Answer.Status != tt.status || d.Answer.Message != "Not today") {
					t.Errorf("decision %+v, want status %d", d, tt.status)
				}
				return err
			})
			if v := read(t, worlds, "a", id); v.State != api.StateProcessing {
				t.Errorf("the session's request is %s", v.State)
			}
		})
	}
}

// Rules that apply three times refuse three requests, however many come at once, and count each of them once.
func TestEvaluateConcurrently(t *testing.T) {
	t.Parallel()
	const fault = "{on: get, times: 3, respond: {status: 503}}"
	for name, tt := range map[string]struct {
		file   string
		faults []string
	}{
		"two faults":                       {stepping, []string{fault, fault}},
		"rule and fault":                   {refusing, []string{fault}},
		"rule of the connection":           {stepping, []string{"{on: get, times: 3, fault: empty}", fault}},
		"rule, global rule and two faults": {refusing + "---\nname: g\ntitle: g\nmagic: {api_key: '*'}\nrules: [" + fault + "]\n", []string{fault, fault}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, _ := configure(t, tt.file)
			replicas := []*world.Worlds{start(t, config), start(t, config)}
			for round := range 10 {
				for _, f := range tt.faults {
					addFault(t, replicas[0], f)
				}
				var refusals, pending atomic.Int64
				var running sync.WaitGroup
				for i := range 8 {
					running.Go(func() {
						var v api.VerificationRequest
						var refused bool
						do(t, replicas[i%2], "a", func(w *world.World) (err error) {
							v, refused, err = evaluateAndRead(w, "vr_a")
							return err
						})
						switch {
						case refused:
							refusals.Add(1)
						case v.State == api.StatePendingApproval:
							pending.Add(1)
						}
					})
				}
				running.Wait()
				if refusals.Load() != 3 || pending.Load() != 1 {
					t.Errorf("round %d: %d are refused and %d show pending-approval, want 3 and 1", round, refusals.Load(), pending.Load())
				}
				do(t, replicas[1], "a", func(w *world.World) error {
					faults, err := w.Faults()
					for _, f := range faults {
						if f.Applied != 3 {
							t.Errorf("round %d: %s has applied to %d requests, want 3", round, f.ID, f.Applied)
						}
					}
					return err
				})
				if err := reset(t.Context(), replicas[0], "a"); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
