package emulator_test

import (
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// Contract 6: a magic resource that was only asked for has been counted, and is as new once it is deleted.
func TestDeletingAResourceForgetsWhatWasCountedOfIt(t *testing.T) {
	t.Parallel()
	c := start(t).Without(apitest.SSN)
	wantStatus(t, c.Put(control+"scenarios/mine", `
name: once-property
title: A property whose first update fails
magic: {tenant_property: tp_once}
rules: [{on: update, calls: 1, respond: {status: 500}}]
---
name: once-check
title: A check whose first read fails
magic: {qualification_check: qc_once}
rules: [{on: get, calls: 1, respond: {status: 500}}]
`), 200, "")
	for path, ask := range map[string]func() *apitest.Response{
		"verification-requests/vr_flaky": func() *apitest.Response { return c.Get("/verification-requests/vr_flaky") },
		"tenant-properties/tp_once":      func() *apitest.Response { return c.Put("/tenant-properties/tp_once", `{"name":"Quay"}`) },
		"qualification-checks/qc_once":   func() *apitest.Response { return c.Get("/qualification-checks/qc_once") },
	} {
		for range 2 {
			wantStatus(t, ask(), 500, "Internal server error")
			wantStatus(t, c.Send("DELETE", control+path, nil), 204, "")
		}
		if r := c.Send("DELETE", control+path, nil); r.Status != 404 {
			t.Errorf("%s has nothing to forget: %d %s", path, r.Status, r.Body)
		}
		wantStatus(t, ask(), 500, "Internal server error")
		if r := ask(); r.Status == 500 && path != "verification-requests/vr_flaky" {
			t.Errorf("%s: the second call is %d", path, r.Status)
		}
	}
}
