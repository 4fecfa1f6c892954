package console_test

import (
	"strings"
	"testing"
)

func TestVerification(t *testing.T) {
	cases{
		"says what it would answer now, and by which rules": func(t *testing.T, v *visitor) {
			v.get(v.request("vr_completed")).shows(200, "Answers now", "Read it 200", "Cancel it 403")
			v.get(v.request("vr_lifecycle")).shows(200, "Read it 200", "Cancel it 200")
			v.post(v.world+"/faults", "id", "vr_lifecycle", "rule", "{on: get, respond: {status: 429}, times: 1}")
			v.get(v.request("vr_lifecycle")).shows(200, "Read it 429", "Rules that hold", "429")
			v.get(v.request("vr_lifecycle")).shows(200, "Read it 429") // a look uses nothing up
			v.get(v.world+"/qualification-checks/qc_qualified").shows(200, "Answers now", "Read it 200")
			v.get(v.world+"/tenant-properties/tp_default").shows(200, "Answers now", "Update it 200")
			if n := v.get(v.world+"/journal/").counts(1, `id="entry-`); n.status != 200 {
				t.Error(n.status)
			}
		},
		"shows the document": func(t *testing.T, v *visitor) {
			v.get(v.request("vr_completed")).
				shows(200, "Verification request vr_completed", "completed now", "It is final: nothing leaves completed (spec section 3).",
					"Monthly income", "a year / 12", "Tenure", "Last paid", "paid through", "Warnings", "Employer", "Employment", "Salary", "Income analytics", "Positions", "Earnings by year", "Gross and net per pay period", "About whom",
					"every two weeks", "still employed", "Turnaround, estimated", "Turnaround, actual", " h and ").
				has(`role="img"`, `<svg viewBox="0 0 480`, `data-copy`, `href="?raw=1"`)
			v.get(v.request("vr_processing")).shows(200, "Reports are there once it is completed (spec section 3): it is processing.", "It stays processing: its scenario has no further step.")
			v.get(v.request("vr_no_paystubs")).shows(200, "There are no pay stubs.")
			v.get(v.request("vr_employment")).shows(200, "a verification of type employment has no pay data")
			v.get(v.request("vr_all_null")).shows(200, "— not stated", "the report has null here")
			v.get(v.request("vr_nobody")).shows(404, "No verification request is")
		},
		"look changes nothing": func(t *testing.T, v *visitor) {
			for range 2 {
				v.get(v.request("vr_lifecycle")).shows(200, "pending approval now", "Nothing has read it yet: the first read begins its timeline.")
			}
		},
		"several reports": func(t *testing.T, v *visitor) {
			first := v.get(v.request("vr_large")).shows(200, "5 reports", "92 older").has(`<a href="?report=1" aria-current="page">`, `<a href="?report=5">`)
			v.get(v.request("vr_large?report=5")).shows(200).has(`<a href="?report=5" aria-current="page">`).lacks(first.find(`Report</dt><dd>([^<]+)<`))
			for _, none := range []string{"?report=6", "?report=0", "?report=x"} {
				v.get(v.request("vr_large") + none).has(`<a href="?report=1" aria-current="page">`)
			}
		},
		"is there as the API shows it": func(t *testing.T, v *visitor) {
			for _, path := range []string{"/verification-requests/vr_completed", "/qualification-checks/qc_qualified", "/tenant-properties/tp_default"} {
				raw := v.get(v.world+path+"?raw=1").has("{\n  \"", `"`+path[strings.LastIndexByte(path, '/')+1:]+`"`)
				if kind := raw.header.Get("Content-Type"); kind != "application/json" {
					t.Errorf("%s is %s", path, kind)
				}
			}
		},
	}.run(t)
}

func TestSteer(t *testing.T) {
	cases{
		"read": func(t *testing.T, v *visitor) {
			page := v.request("vr_lifecycle")
			v.get(page).has(`<button class="primary" name="do" value="read" id="next-do">Read it once</button>`)
			v.follow(v.post(page, "do", "read")).shows(200, "Request read once.", "pending approval now", "The next read makes it processing.")
			v.follow(v.post(page, "do", "read")).shows(200, "processing now", "The next read makes it completed.")
			v.follow(v.post(page, "do", "read")).shows(200, "completed now", "It is final")
			v.post(v.request("vr_error_500"), "do", "read").alerts(409, "The read was answered with status 500")
		},
		"advance to the next step": func(t *testing.T, v *visitor) {
			page := v.request("vr_lifecycle_timed")
			const at = `name="at" value="([^"]*)"`
			shown := v.get(page).shows(200, "It becomes processing in 1 h, at 15 Jan 2025, 10:30:00 UTC.", "Advance the clock to then")
			first := shown.find(at)
			shown = v.follow(v.post(page, "do", "advance", "at", first)).shows(200, "Clock advanced.", "processing now", "It becomes completed in 23 h")
			v.follow(v.post(page, "do", "advance", "at", first)).shows(200, "processing now") // pressed twice, moved once
			v.follow(v.post(page, "do", "advance", "at", shown.find(at))).shows(200, "completed now 16 Jan 09:30:00")
			v.follow(v.post(page, "do", "advance", "at", first)).shows(200, "completed now") // an old page: the clock does not go back
			v.post(page, "do", "advance", "at", "tomorrow").alerts(400, "one such as 2025-01-15T09:30:00Z")
		},
		"instants of later steps": func(t *testing.T, v *visitor) { // which has read vr_lifecycle_timed once
			v.get(v.request("vr_lifecycle_timed")).shows(200, "processing next 15 Jan 10:30:00 after 1h", "completed later 16 Jan 09:30:00 after 23h")
		},
		"manual step": func(t *testing.T, v *visitor) {
			v.ask("PUT", prefix+"v1/scenarios/by-hand", `{"name":"by-hand","title":"By hand","magic":{"verification_request":"vr_by_hand"},
		"verification_request":{"timeline":[{"state":"processing"},{"state":"action-required","after":{"manual":true}}]}}`).shows(200)
			page := v.request("vr_by_hand")
			v.get(page).shows(200, "It waits to be made action-required by hand.").has(`value="move" id="next-do">Move it on to action-required</button>`)
			v.follow(v.post(page, "do", "move", "state", "action-required")).shows(200, "State changed.", "action required now", "It stays action-required")
		},
		"long texts are cut": func(t *testing.T, v *visitor) {
			v.ask("PUT", "/tenant-properties/tp_default", `{"name":"`+strings.Repeat("long ", 100_000)+`"}`).shows(200)
			for _, page := range []string{v.world + "/tenant-properties/tp_default", v.world + "?kind=tenant-properties"} {
				if a := v.get(page).shows(200, "long … (500000 characters)"); len(a.body) > 48<<10 {
					t.Errorf("%s has %d bytes", page, len(a.body))
				}
			}
		},
		"what it follows": func(t *testing.T, v *visitor) {
			const own = `"verification_request":{"timeline":[{"state":"processing"},{"state":"completed","after":{"reads":2}}]}`
			v.ask("POST", prefix+"v1/verification-requests", `{"id":"vr_own",`+own+`}`).shows(201)
			v.get(v.request("vr_own")).shows(200, "Follows a timeline of its own.").lacks("no scenario")
			v.ask("POST", prefix+"v1/verification-requests", `{"id":"vr_both","scenario":"two-jobs",`+own+`}`).shows(201)
			v.get(v.request("vr_both")).shows(200, "( two-jobs ), on a timeline of its own.")
			v.ask("POST", prefix+"v1/verification-requests", `{"id":"vr_none"}`).shows(201)
			v.get(v.request("vr_none")).shows(200, "Follows no scenario.")

			v.ask("PUT", prefix+"v1/scenarios/local", `{"name":"local","title":"Local","magic":{"verification_request":"vr_local","ssn":"000-00-7777"}}`).shows(200)
			session := v.world + "/credentials-sessions/" + v.session("000-00-7777")
			for _, page := range []string{v.request("vr_local"), session} {
				v.get(v.get(page).find(`href="([^"]*)">Local</a>`)).shows(200, "vr_local")
			}
		},
		"state": func(t *testing.T, v *visitor) {
			page := v.request("vr_processing")
			v.follow(v.post(page, "do", "move", "state", "completed")).shows(200, "completed now", "put there from outside its scenario")
			v.post(page, "do", "move", "state", "processing").alerts(409, "nothing leaves completed").has("<option selected>processing</option>")
			v.follow(v.post(page, "do", "move", "state", "processing", "force", "yes")).shows(200, "processing now")
			v.post(page, "do", "move", "state", "elsewhere").alerts(400, "for state: must be one of")
		},
		"cancel as the service": func(t *testing.T, v *visitor) {
			page := v.request("vr_processing")
			v.follow(v.post(page, "do", "cancel", "reason", "wrong-info", "details", "Nobody of that name")).
				shows(200, "Request canceled.", "canceled now", "Wrong info", "Nobody of that name")
			v.post(page, "do", "cancel", "details", "Once more").alerts(409, "nothing leaves canceled").has(`value="Once more"`)
			v.follow(v.post(v.request("vr_action_required"), "do", "cancel", "reason", "", "details", "")).
				shows(200, "canceled without a reason: cancellation_reason is other, as when the service cancels", "Other", "The service cannot process the request.")
		},
		"terminal request has no next step": func(t *testing.T, v *visitor) {
			page := v.request("vr_lifecycle_timed")
			v.follow(v.post(page, "do", "cancel")).shows(200, "canceled now", "processing not any more", "completed not any more")
			v.ask("PUT", "/verification-requests/vr_lifecycle/cancel", `{"cancellation_reason":"other"}`).shows(200)
			v.get(v.request("vr_lifecycle")).shows(200, "pending approval past", "canceled now", "completed not any more")
		},
	}.run(t)
}

func TestResource(t *testing.T) {
	cases{
		"set fields": func(t *testing.T, v *visitor) {
			for page, change := range map[string][2]string{
				v.request("vr_completed"):                      {`{"loan_id": "loan-7"}`, "loan-7"},
				v.world + "/tenant-properties/tp_default":      {`{"name": "Quay House", "city": null}`, "Quay House"},
				v.world + "/qualification-checks/qc_qualified": {"{\n\t\"metadata\": {\"unit\": \"4B\"}\n}", "unit: 4B"},
			} {
				v.follow(v.post(page, "do", "set", "fields", change[0])).shows(200, "Fields changed.", change[1])
				for _, invalid := range []string{"", "loan", "[]", "{}", "null", `{"loan_id": `} {
					v.post(page, "do", "set", "fields", invalid).alerts(400, "The fields are not a JSON object")
				}
				v.post(page, "do", "set", "fields", `{"nonsense": 1}`).alerts(400, "nonsense").has("{&#34;nonsense&#34;: 1}</textarea>")
			}
		},
		"delete": func(t *testing.T, v *visitor) {
			for _, page := range []string{
				v.request("vr_completed"), v.world + "/tenant-properties/tp_default", v.world + "/qualification-checks/qc_qualified",
			} {
				v.post(page, "do", "delete").alerts(404, "is stored in this world")
				for _, fields := range []string{`{"metadata": {"a": "b"}}`, `{"name": "Quay House"}`} {
					v.post(page, "do", "set", "fields", fields) // one of them it has
				}
				v.post(page+"?report=1", "do", "delete").leads(page + "?report=1") // a magic value: it is as new
			}
			v.post(v.request("vr_nobody"), "do", "delete").shows(404)
		},
		"unknown action is 400": func(t *testing.T, v *visitor) {
			v.post(v.request("vr_completed")).shows(400, "it is one of advance, cancel, delete, move, read, set")
			v.post(v.world+"/tenant-properties/tp_default", "do", "move").shows(400, "it is one of delete, set")
		},
		"qualification check shows its threshold": func(t *testing.T, v *visitor) {
			for id, parts := range map[string][]string{
				"qc_qualified":               {"Qualified", "not above the threshold of 40%", "Provided directly by the source"},
				"qc_not_qualified":           {"Not qualified", ", above the threshold of 40%"},
				"qc_not_enough_information":  {"Not enough information", "No report has an income that rent could be compared with."},
				"qc_guarantor_not_qualified": {"Guarantor", "above the threshold of 20%"},
				"qc_estimate":                {"Estimated from source data"},
				"qc_multiple_reports":        {"By report"},
			} {
				v.get(v.world+"/qualification-checks/"+id).shows(200, parts...)
			}
			reports := v.request("vr_of_qc_qualified")
			v.get(v.world + "/qualification-checks/qc_qualified").has(`href="` + reports + `"`)
			v.get(reports).shows(200, "vr_of_qc_qualified", "Follows no scenario.").lacks("its scenario is gone")
			v.get(v.world+"/qualification-checks/qc_nothing").shows(404, "Qualification check not found")
		},
		"session links to its request": func(t *testing.T, v *visitor) {
			id := v.session("000-00-1001")
			page := v.get(v.world+"/credentials-sessions/"+id).shows(200, "Credentials session "+id, "Ada Sample", "***-**-1001", "What happens next").lacks("cst_")
			request := v.requestOf(id)
			page.has(`href="`+request+`"`, `<form method="post" action="`+request+`">`)
			v.get(request).shows(200).has(`href="` + v.world + "/credentials-sessions/" + id + `"`)
			v.get(v.world+"/credentials-sessions/cs_none").shows(404, "There is no credentials session")
		},
	}.run(t)
}
