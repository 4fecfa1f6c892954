package coverage_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/coverage"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/run"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

func TestMain(m *testing.M) {
	commandtest.Room(m, func() []*cli.Command { return []*cli.Command{run.Command()} })
}

// The coverage has each documented status, value and null once, what the command has met, and the magic value for each other.
func TestCoverage(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "coverage.json")
	get := commandtest.Need(t, "curl") + ` -s -o /dev/null -H "Accept: application/json; version=2019-10-15" -H "Authorization: Bearer $UNDERSTUDY_KEY" "$UNDERSTUDY_URL/verification-requests/`
	args := []string{"run", "--coverage", "--coverage-report", file, "--coverage-min", "5%", "--", commandtest.Need(t, "sh"), "-c", get + `vr_status_on_leave"; ` + get + `vr_error_451"`}
	commandtest.Understudy(t, args...).Want(t, command.ExitOK, "status  2 of 49 are met; missing:", "getVerificationRequest 429", "vr_error_429")
	var all []coverage.Answer
	commandtest.NoError(t, json.Unmarshal(commandtest.ReadFile(t, file), &all))
	byName := make(map[string]coverage.Answer)
	for _, one := range all {
		if _, twice := byName[one.Name]; twice {
			t.Errorf("%s is there twice", one.Name)
		}
		byName[one.Name] = one
	}
	for name, want := range map[string]coverage.Answer{
		"getVerificationRequest 451":                  {Kind: "status", Met: true, Magic: "vr_error_451"},
		"createCredentialsSession 451":                {Kind: "status", Met: false, Magic: "000-00-0451"},
		"reports.*.employee.status_detail = on-leave": {Kind: "value", Met: true, Magic: "vr_status_on_leave"},
		"reports.*.employee.status_detail = retired":  {Kind: "value", Met: false, Magic: "vr_status_retired"},
		"state = invalid":                             {Kind: "value", Met: false, Magic: "vr_invalid"},
		"reports.*.respondent = null":                 {Kind: "null", Met: false, Magic: "vr_all_null"},
	} {
		if want.Name = name; byName[name] != want {
			t.Errorf("%+v, want %+v", byName[name], want)
		}
	}
	args[5] = "60%"
	commandtest.Understudy(t, args...).Want(t, command.ExitFailed, "documented answers, and --coverage-min is 60%: --coverage lists the others")
}

// A path belongs to one operation of its method, with or without an id.
func TestIDIn(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]map[string]string{
		"/verification-requests/vr_1":         {"getVerificationRequest": "vr_1"},
		"/verification-requests/vr_1/":        {"getVerificationRequest": "vr_1"},
		"/verification-requests/vr_1/cancel":  {"cancelVerificationRequest": "vr_1"},
		"/verification-requests":              {"createVerification": "", "listVerifications": ""},
		"/verification-requests/vr_1/a/b":     {},
		"/verification-requests//cancel":      {},
		"/credentials/session":                {"createCredentialsSession": ""},
		"/tenant-properties/tp_1":             {"updateTenantProperty": "tp_1"},
		"/qualification-checks/qc_1":          {"getQualificationCheck": "qc_1"},
		"/qualification-checks/qc_1/anything": {},
	} {
		got := make(map[string]string)
		for _, op := range api.Operations() {
			if id, ok := coverage.IDIn(op, path); ok {
				got[op.Name] = id
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}
