package inventory_test

import (
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

const employersFile = `
name: several-jobs
title: Two jobs
magic: {verification_request: vr_several_jobs, ssn: 000-00-7001}
reports: [{}, {}]
---
name: one-job
title: Two reports of the same employer
magic: {verification_request: vr_one_job, ssn: 000-00-7002}
verification_request: {employer_filter: target-employer}
reports: [{}, {}]
---
name: past-jobs
title: Two employers of the past
magic: {verification_request: vr_past_jobs, ssn: 000-00-7003}
verification_request: {employer_filter: previous-employers}
reports: [{}, {}]
`

// Reports are of different employers unless the scenario asks about one. The filter of the request agrees.
func TestEmployers(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, lab.ScenarioFile(t, employersFile)).Without(apitest.SSN)
	lab.PlayScript(t, c, `
		POST verification-requests {"id":"vr_created","reports":[{},{},{}]} → 201
		POST verification-requests {"id":"vr_followed","scenario":"several-jobs"} → 201
		POST verification-requests {"id":"vr_single"} → 201`)
	of := func(ssn string) string { return lab.RequestOf(t, c, lab.Create(t, c, lab.Session(ssn))) } // with a company
	for id, want := range map[string]struct {
		filter    api.EmployerFilter
		employers int
	}{
		"vr_several_jobs": {api.EmployersAll, 2},
		"vr_one_job":      {api.EmployersTarget, 1},
		"vr_past_jobs":    {api.EmployersPrevious, 2},
		"vr_created":      {api.EmployersAll, 3},
		"vr_followed":     {api.EmployersAll, 2},
		"vr_single":       {api.EmployersTarget, 1},
		of("000-00-7001"): {api.EmployersAll, 2},
		of("000-00-7002"): {api.EmployersTarget, 1},
		of("000-00-7003"): {api.EmployersPrevious, 2},
		of("000-12-3456"): {api.EmployersTarget, 1},
	} {
		v, names := lab.Read(t, c, id), map[string]bool{}
		for _, r := range v.Reports {
			names[r.Employer.Name] = true
		}
		if got := v.RequestParameters.EmployerFilter; got != want.filter || len(names) != want.employers {
			t.Errorf("%s is about %s and has %d employers, want %s and %d", id, got, len(names), want.filter, want.employers)
		}
	}
}
