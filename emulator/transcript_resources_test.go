package emulator_test

import (
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

func playInspection(p *player) {
	const at = "/_understudy/v1/verification-requests"
	p.play(`
		# inspected
		GET ` + at + `
		GET ` + at + `/vr_lifecycle_timed
		GET /verification-requests/vr_lifecycle_timed?fields=state
		POST /_understudy/v1/clock/advance {"by":"90m"}
		GET ` + at + `/vr_lifecycle_timed
		GET ` + at + `/vr_cancel_error_451
		GET ` + at + `/vr_flaky
		GET ` + at + `/vr_lifecicle
		GET ` + at + `/vr_lifecycle?x=1
	`)
}

func playCreation(p *player) {
	const at = "/_understudy/v1/verification-requests"
	p.play(`
		# created
		POST ` + at + ` {"id":"vr_new","scenario":"lifecycle"}
		POST ` + at + ` {"id":"vr_new","scenario":"lifecycle"}
		POST ` + at + ` {"scenario":"lifecycle"}
		POST ` + at + ` {"scenario":"lifecycle"}
		POST ` + at + ` {"id":"vr_fields","verification_request":{"type":"employment","use_case":"auto","set":{"loan_id":"7"}},"reports":[{"employee":{"status_detail":"part-time"}}]}
		POST ` + at + ` {"id":"vr_both","scenario":"lifecycle-timed","verification_request":{"set":{"loan_id":"7"}}}
		POST ` + at + ` {"id":"vr_completed","scenario":"lifecycle"}
		POST ` + at + ` {"id":"a b","scenario":"lifecycle"}
		POST ` + at + ` {"scenario":"lifecicle"}
		POST ` + at + ` {"scenario":"default-tenant-property"}
		POST ` + at + ` {"verification_request":{"type":"salaries"}}
		POST ` + at + ` {"colour":"red"}
		POST ` + at + ` {}
		POST ` + at + `
		GET /verification-requests/vr_new?fields=state
		GET /verification-requests/vr_new?fields=state
		GET /verification-requests/vr_fields
		PUT /verification-requests/vr_both/cancel {"cancellation_reason":"other"}
	`)
}

func playChanges(p *player) {
	const at = "/_understudy/v1/verification-requests"
	p.play(`
		# changed
		PATCH ` + at + `/vr_new {"state":"completed"}
		PATCH ` + at + `/vr_completed {"state":"processing"}
		PATCH ` + at + `/vr_completed {"state":"processing","force":true}
		GET /verification-requests/vr_completed?fields=state,date_of_completion,reports
		PATCH ` + at + `/vr_completed {"state":"canceled","cancellation_reason":"competitor","cancellation_details":"late"}
		GET /verification-requests/vr_completed
		PATCH ` + at + `/vr_processing {"set":{"loan_id":"7","metadata":{"a":"b"},"target":{"first_name":"Grace"}}}
		GET /verification-requests/vr_processing
		PATCH ` + at + `/vr_processing {"set":{"loan_id":null},"state":"action-required"}
		GET /verification-requests/vr_processing?fields=state,loan_id,metadata
		PATCH ` + at + `/vr_processing {"state":"done"}
		PATCH ` + at + `/vr_processing {"state":"processing","cancellation_reason":"other"}
		PATCH ` + at + `/vr_processing {"state":"canceled","cancellation_reason":"no-match"}
		PATCH ` + at + `/vr_processing {"set":{"id":"vr_other"}}
		PATCH ` + at + `/vr_processing {"set":{"colour":"red"}}
		PATCH ` + at + `/vr_processing {"set":{"loan_idd":"vr"}}
		PATCH ` + at + `/vr_processing {"set":{"type":"salaries"}}
		PATCH ` + at + `/vr_processing {}
		PATCH ` + at + `/vr_processing
		PATCH ` + at + `/vr_none {"state":"processing"}
	`)
}

func playListing(p *player) {
	const at = "/_understudy/v1/verification-requests"
	p.play(`
		# listed
		GET ` + at + `
		GET ` + at + `?limit=2
		GET ` + at + `?limit=2&after=vr_both
		GET ` + at + `?state=completed
		GET ` + at + `?state=done
		GET ` + at + `?scenario=lifecycle
		GET ` + at + `?scenario=lifecicle
		GET ` + at + `?scenario=flaky
		GET ` + at + `?after=a%20b
		GET ` + at + `?sate=completed
		# forgotten
		DELETE ` + at + `/vr_completed
		GET /verification-requests/vr_completed?fields=state
		DELETE ` + at + `/vr_completed
		DELETE ` + at + `/vr_new
		GET /verification-requests/vr_new
		GET /verification-requests/vr_flaky?fields=state
		DELETE ` + at + `/vr_flaky
		GET /verification-requests/vr_flaky?fields=state
		DELETE ` + at + `/vr_none
		GET ` + at + `
	`)
}

func playTenants(p *player) {
	const at = "/_understudy/v1/tenant-properties"
	p.play(`
		GET ` + at + `
		GET ` + at + `/tp_default
		GET ` + at + `/tp_error_404
		GET ` + at + `/tp_none
		GET ` + at + `/tp_defualt
		POST ` + at + ` {"id":"tp_made","tenant_property":{"set":{"name":"Quay Made","status":"archived"}}}
		POST ` + at + ` {"id":"tp_made","tenant_property":{"set":{"name":"Quay Made"}}}
		POST ` + at + ` {"tenant_property":{"set":{"name":"Quay"}}}
		POST ` + at + ` {"tenant_property":{"set":{"name":""}}}
		POST ` + at + ` {"tenant_property":{"set":{"nmae":"a"}}}
		POST ` + at + ` {"scenario":"lifecycle"}
		POST ` + at + ` {}
		POST ` + at + `
		PUT /tenant-properties/tp_made {"name":"Elm Court"}
		PATCH ` + at + `/tp_made {"set":{"city":"Portland"}}
		PATCH ` + at + `/tp_default {"set":{"name":"Harbour"}}
		PATCH ` + at + `/tp_made {"set":{"id":"x"}}
		PATCH ` + at + `/tp_made {"set":{"name":7}}
		PATCH ` + at + `/tp_made {}
		PATCH ` + at + `/tp_none {"set":{"city":"Portland"}}
		GET ` + at + `/tp_made
		GET ` + at + `
		GET ` + at + `?limit=1
		GET ` + at + `?limit=1&after=tp_default
		GET ` + at + `?state=x
		DELETE ` + at + `/tp_made
		DELETE ` + at + `/tp_made
		PUT /tenant-properties/tp_made {"name":"Elm Court"}
		DELETE ` + at + `/tp_default
		GET ` + at + `/tp_default
	`)
}

func playChecks(p *player) {
	const at = "/_understudy/v1/qualification-checks"
	p.play(`
		GET ` + at + `
		GET ` + at + `/qc_qualified
		GET ` + at + `/qc_error_404
		GET ` + at + `/qc_none
		GET ` + at + `/qc_qualifed
		POST ` + at + ` {"id":"qc_made","qualification_check":{"kind":"applicant","type":"employment-income","rent":2300.00},"reports":[{"pay":{"base":52000.00}}]}
		POST ` + at + ` {"id":"qc_made","qualification_check":{"kind":"applicant","type":"employment-income","rent":2300.00}}
		POST ` + at + ` {"scenario":"qualified"}
		POST ` + at + ` {"qualification_check":{"kind":"neighbour"}}
		POST ` + at + ` {"qualification_check":{"rent":-1}}
		POST ` + at + ` {"scenario":"lifecycle"}
		POST ` + at + ` {}
		POST ` + at + `
		GET /qualification-checks/qc_made
		PATCH ` + at + `/qc_made {"set":{"property_details":{"rent":"100.00"}}}
		PATCH ` + at + `/qc_qualified {"set":{"metadata":{"a":"b"}}}
		PATCH ` + at + `/qc_made {"set":{"id":"x"}}
		PATCH ` + at + `/qc_made {"set":{"metadata":{"a":7}}}
		PATCH ` + at + `/qc_made {}
		PATCH ` + at + `/qc_none {"set":{"metadata":{"a":"b"}}}
		GET /qualification-checks/qc_made
		GET ` + at + `
		GET ` + at + `?limit=1
		GET ` + at + `?limit=1&after=qc_made
		GET ` + at + `?limt=1
		DELETE ` + at + `/qc_made
		DELETE ` + at + `/qc_made
		GET /qualification-checks/qc_made
		DELETE ` + at + `/qc_qualified
		GET /qualification-checks/qc_qualified
	`)
}

func playSessions(p *player) {
	const at = "/_understudy/v1/credentials-sessions"
	p.ask("GET", at, "")
	var ids []string
	requests := make(map[string]string)
	for _, ssn := range []string{"000-12-3456", "000-00-1001", "000-00-0007"} {
		id, request := p.askSession(lab.Session(ssn))
		ids, requests[id] = append(ids, id), request
		p.ask("GET", at+"/"+id, "")
		p.ask("GET", "/_understudy/v1/verification-requests/"+request, "")
	}
	slices.Sort(ids)
	p.play(`
		GET ` + at + `
		GET ` + at + `?limit=1
		GET ` + at + `?limit=1&after=` + ids[0] + `
		GET ` + at + `?after=x
		GET ` + at + `?state=x
		GET ` + at + `/cs_none
		GET ` + at + `/` + ids[0] + `?x=1
		DELETE ` + at + `/` + ids[0] + `
		DELETE /_understudy/v1/verification-requests/` + requests[ids[0]] + `
		GET ` + at + `/` + ids[0] + `
		GET ` + at + `
		POST ` + at + `/` + ids[1] + `/finish {}
		PUT /_understudy/v1/settings {"session_flow":"manual"}
	`)
	id, request := p.askSession(lab.Session("000-00-1002"))
	p.play(`
		GET /verification-requests/` + request + `?fields=state
		POST ` + at + `/` + id + `/finish {"outcome":"none"}
		POST ` + at + `/` + id + `/finish {"outcome":"abandoned"}
		POST ` + at + `/` + id + `/finish {}
		GET /_understudy/v1/verification-requests/` + request + `
	`)
}
