package scenarios_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// Each operation has a sample, whose body is there when the operation writes.
func TestSamples(t *testing.T) {
	t.Parallel()
	found, problems := scenarios.Parse("f.yaml", []byte("name: a\ntitle: a\nmagic: {verification_request: vr_a, tenant_property: tp_a, qualification_check: qc_a, ssn: any}\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, s := range found[0].Samples(false) {
		got = append(got, s.Method+" "+s.Target)
		if (s.Method == "GET") != (s.Body == "") || s.Body != "" && !json.Valid([]byte(s.Body)) {
			t.Errorf("%s has the body %q", s.Name, s.Body)
		}
	}
	want := []string{
		"GET /verification-requests/vr_a", "PUT /verification-requests/vr_a/cancel", "PUT /tenant-properties/tp_a",
		"GET /qualification-checks/qc_a", "POST /credentials/session",
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 5 {
		t.Error(diff)
	}
	got = nil
	for _, s := range found[0].Samples(true) {
		if s.Extension {
			got = append(got, s.Method+" "+s.Target)
		}
	}
	if diff := cmp.Diff([]string{"GET /verification-requests/vr_a/report", "POST /verification-requests"}, got); diff != "" {
		t.Error(diff)
	}
}
