package surface_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/scenarios"
)

const actedOn = `
name: acted-on
title: Rules on the extensions
magic: {verification_request: vr_acted_on, ssn: 000-00-7101}
rules:
  - {on: report, calls: 1, respond: {status: 500}}
  - {on: reverify verification_request, respond: {status: 429}}
  - {on: get, calls: 2, respond: {status: 501}}
---
name: no-lists
title: No lists for some keys
magic: {api_key: "*_lists"}
rules:
  - {on: list company, respond: {status: 403}}
  - {on: list, calls: 2-, respond: {status: 500}}
`

// Rules name the extensions: those of a magic value their calls, and global ones the lists.
func TestExtensionRules(t *testing.T) {
	t.Parallel()
	c := startExtended(t, lab.ScenarioFile(t, actedOn))
	lab.PlayScript(t, c, `
		GET /verification-requests/vr_acted_on/report → 500
		GET /verification-requests/vr_acted_on/report → 200
		PUT /verification-requests/vr_acted_on/reverify {"report_id":"1"} → 429
		GET /verification-requests/vr_acted_on → 200
		GET /verification-requests/vr_acted_on/report → 200
		GET /verification-requests/vr_acted_on → 501
		POST faults {"rule":{"on":"list verification_request","times":1,"fault":"truncated"}} → 201
		POST faults {"rule":{"on":"create verification_request","times":1,"respond":{"status":403}}} → 201
		GET /companies → 200`)
	lab.WantStatus(t, c.Post("/credentials/session", lab.Session("000-00-7101")), 201, "")
	lab.WantStatus(t, c.Post("/verification-requests", lab.Session("000-00-7101")), 403, lab.Message403)
	v := created(t, c.Post("/verification-requests", lab.Session("000-00-7101")))
	lab.PlayScript(t, c, `PUT /verification-requests/`+v.ID+`/reverify {"report_id":"1"} → 429`) // the number's scenario
	e := lab.Launch(t, emulator.WithExtended(), lab.ScenarioFile(t, actedOn))
	for path, want := range map[string]string{"/companies": "403 403", "/verification-requests": "200 500"} {
		key := "svc_sk_test_" + strings.ReplaceAll(path[1:], "-", "_") + "_lists"
		var got []string
		for range 2 {
			got = append(got, fmt.Sprint(lab.Direct(e, key, "GET", path, "").Code))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// A dry run answers as the call would, and stores nothing.
func TestExtensionDryRun(t *testing.T) {
	t.Parallel()
	c := startExtended(t)
	lab.PlayScript(t, c, `
		POST scenarios/resolve {"method":"POST","path":"/verification-requests","body":`+person("000-12-3456", "")+`} → 200 operation=createVerification status=201 body.state=pending-approval
		GET /verification-requests → 200 count=0
		POST scenarios/resolve {"method":"GET","path":"/companies?limit=1"} → 200 status=200 body.next="http://localhost/companies?limit=1&offset=1"`)
}

// The journal names the operation and has no contents of documents; what comes after them is there.
func TestExtensionJournal(t *testing.T) {
	t.Parallel()
	c := startExtended(t)
	for _, size := range []int{3, 20_000} {
		secret := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("123-45-6789", size)))
		body := person("000-12-3456", `"documents":[{"filename":"a.pdf","content":"`+secret+`"},{"filename":"b.pdf","content" : "`+secret+`"}],`)
		r := c.Post("/verification-requests", body)
		lab.WantStatus(t, r, 201, "")
		e, text := lab.EntryOf(t, c, lab.IDOf(r))
		if e.Operation != "createVerification" || strings.Contains(text, secret[:40]) || len(text) > 20_000 ||
			!strings.Contains(text, `"filename":"b.pdf","content":"(`+fmt.Sprint(len(secret))+` bytes are not in the journal)"`) ||
			!strings.Contains(text, `"last_name":"Example"`) || !strings.Contains(text, fmt.Sprintf(`"size":%d,"truncated":false`, len(body))) {
			t.Errorf("%.3000s", text)
		}
	}
	lab.PlayScript(t, c, `
		POST journal/verify {"operation":"createVerification","match":{"body":{"contains":{"target":{"last_name":"Example"}}}},"times":{"exactly":2}} → 200
		GET journal?operation=listCompanies → 200 items.#=0`)
	large := person("000-12-3456", `"documents":[{"filename":"a","content":"`+strings.Repeat("A", api.MaxBody)+`"}],`)
	lab.WantStatus(t, c.Post("/verification-requests", large), 400, lab.Invalid) // as any other body
}

// What the account may not do is refused, and its first use case is that of a request without one.
func TestExtensionAccount(t *testing.T) {
	t.Parallel()
	c := startExtended(t, emulator.WithAccount(&scenarios.Account{UseCases: []api.UseCase{"auto", "lending"}, Types: []api.VerificationType{api.TypeEmploymentIncome}}))
	lab.WantStatus(t, c.Post("/verification-requests", person("000-12-3456", "")), 403, lab.Message403) // mortgage
	v := created(t, c.Post("/verification-requests", strings.Replace(person("000-12-3456", ""), `"use_case":"mortgage",`, "", 1)))
	if v.UseCase != "auto" {
		t.Errorf("the use case is %s", v.UseCase)
	}
	strict := startExtended(t, emulator.WithStrict("all")).With("Accept", "application/json; version=2023-10-30")
	lab.WantStatus(t, strict.Post("/verification-requests", person("000-12-3456", "")), 400, lab.Invalid)
	lab.WantStatus(t, strict.Get("/verification-requests/vr_completed"), 400, lab.Invalid) // in another version
	lab.WantStatus(t, strict.Get("/companies"), http.StatusOK, "")
}

// Grease changes the extensions' answers, and not what a caller has set.
func TestExtensionGrease(t *testing.T) {
	t.Parallel()
	c := startExtended(t, emulator.WithGrease(scenarios.GreaseValues))
	lab.PlayScript(t, c, `POST verification-requests {"id":"vr_mine","reports":[{"set":{"employee":{"status_detail":"part-time"}}}]} → 201`)
	for _, path := range []string{"/verification-requests", "/verification-requests/vr_mine/report", "/companies?limit=1"} {
		r := c.Without(apitest.Document).Get(path)
		lab.WantStatus(t, r, 200, "")
		if text := string(r.Sent); !strings.Contains(text, `"grease_`) || path != "/companies?limit=1" && !strings.Contains(text, `"status_detail":"part-time"`) {
			t.Errorf("%s: %.2000s", path, text)
		}
	}
}
