package emulator_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/store"
)

// playExtended plays the operations beyond the specification.
func playExtended(p *player) {
	p.restart(emulator.WithExtended())
	create := func(body string, headers ...string) (id string) {
		var made struct {
			ID string `json:"id"`
		}
		p.header = headers
		lab.NoError(p.t, json.Unmarshal(p.ask("POST", "/verification-requests", body).body, &made))
		return made.ID
	}
	withCompany := lab.Session("000-12-3456")
	alone := strings.Replace(withCompany, `,"company":{"name":"Example Mill"}`, "", 1)
	p.title("create")
	a := create(withCompany, "Accept: application/json; version=2023-10-30")
	p.play(strings.ReplaceAll(`
		POST /_understudy/v1/clock/advance {"by":"5s"}
		GET /verification-requests/ID?fields=state
		GET /verification-requests/ID/report
		POST /_understudy/v1/clock/advance {"by":"10s"}
		GET /verification-requests/ID?fields=state,date_of_completion
		Accept: application/json; version=2020-12-07
		GET /verification-requests/ID/report
		# at once
	`, "ID", a))
	create(alone, "Accept: application/json; version=2022-08-01", "Request-Sync: sync")
	p.play(`
		Request-Sync: sync
		POST /verification-requests ` + withCompany + `
		Request-Sync: at-once
		POST /verification-requests?x=1 ` + alone + `
		POST /verification-requests?fields=id,state,documents,request_parameters,metadata ` +
		strings.Replace(alone, "{", `{"documents":[{"filename":"a.pdf","content":"AAAA"}],"request_parameters":{"verification_methods":{"credentials":{"enabled":true}}},`, 1) + `
		POST /verification-requests {}
		POST /verification-requests ` + strings.Replace(alone, "{", `{"documents":[{"filename":"","content":"?"}],"request_parameters":{"employer_filter":"every"},`, 1) + `
		POST /verification-requests ` + strings.Replace(alone, "000-12-3456", "000-00-0451", 1) + `
		# list
		GET /verification-requests?limit=2&state=pending-approval
		GET /verification-requests?limit=1&offset=1
		GET /verification-requests?limit=0&offset=x&state=done
		# reverify
		PUT /verification-requests/vr_completed/reverify {"report_id":"rp_none"}
		PUT /verification-requests/vr_processing/reverify {"report_id":"rp_none"}
		PUT /verification-requests/vr_none/reverify {}
		# companies
		GET /companies?limit=2
		GET /companies?q=no+such+name&page=2
		# versions
		Accept: application/json; version=2023-10-30
		GET /verification-requests/vr_processing
		Accept: application/json; version=2021-01-01
		GET /companies
		# what is not there
		DELETE /verification-requests
		GET /companies/1
		GET /companys
	`)
}

// servedLater matches an exchange that differs with the extensions: an operation of theirs, another version that they serve, or a
// text that lists operations.
var servedLater = regexp.MustCompile(`or start with --extended|(?s)Accept: [^\n]*version="?(2019-10-15|2020-12-07|2022-08-01|2023-10-30).*HTTP/1.1 406|the operations are PUT|this path allows`)

// The transcript of the five operations is the same with the extensions as without.
func TestTranscriptExtended(t *testing.T) {
	t.Parallel()
	for name, play := range chapters {
		if strings.HasPrefix(name, "control-") || name == "slow" || name == "extended" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := func(t *testing.T) store.Store { return lab.Opened(t, "temp") }
			p := &player{t: t, open: open, extended: true, chapter: strings.ReplaceAll(name, "-", "_"), text: new(strings.Builder)}
			p.restart()
			p.world("1")
			play(p)
			golden, err := os.ReadFile(transcriptFile(name))
			lab.NoError(t, err)
			want, got := strings.Split(string(golden), "\n=== "), strings.Split(p.text.String(), "\n=== ")
			if len(want) != len(got) {
				t.Fatalf("%d exchanges, want %d", len(got), len(want))
			}
			for i := range want {
				if want[i] != got[i] && !servedLater.MatchString(want[i]) {
					t.Errorf("exchange %d (-without +with):\n%s", i, cmp.Diff(want[i], got[i]))
				}
			}
		})
	}
}
