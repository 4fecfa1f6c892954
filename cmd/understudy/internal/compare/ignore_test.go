package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRunIgnore(t *testing.T) {
	t.Parallel()
	alter := body(func(in map[string]any) {
		in["nickname"] = 1
		in["target"].(map[string]any)["memo"] = 1
		in["reports"].([]any)[0].(map[string]any)["memo"] = 1
	})
	b := newBench(t)
	for pattern, want := range map[string][]string{
		"":               {"nickname", "reports.*.memo", "target.memo"},
		"nick*":          {"reports.*.memo", "target.memo"},
		"reports.*.memo": {"nickname", "target.memo"},
		"reports":        {"nickname", "target.memo"},
		"*.memo":         {"nickname", "reports.*.memo"},
		"*":              {},
		"report":         {"nickname", "reports.*.memo", "target.memo"},
	} {
		report := b.run("/verification-requests/vr_completed", alter, []string{pattern}, parse(t, "vr_completed"))
		paths := []string{}
		for _, f := range report.Requests[0].Findings {
			paths = append(paths, f.Path)
		}
		if diff := cmp.Diff(want, paths); diff != "" || report.Ignored != 3-len(want) || report.Findings != len(want) {
			t.Errorf("%q: %d ignored: %s", pattern, report.Ignored, diff)
		}
	}
}

func TestCheckPattern(t *testing.T) {
	t.Parallel()
	for pattern, ok := range map[string]bool{
		"reports.*.paystubs.*.memo": true, "header.x-*": true, "status": true,
		"": false, "a..b": false, ".a": false, "a[": false, "no such": false,
	} {
		if err := checkPattern(pattern); (err == nil) != ok {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}
