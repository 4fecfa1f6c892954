package emulator_test

import (
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

func playScenarios(p *player) {
	const at = "/_understudy/v1/scenarios"
	p.play(`
		GET ` + at + `
		GET ` + at + `?limit=2
		GET ` + at + `?limit=2&after=session-error-0400
		GET ` + at + `?limit=1000
		GET ` + at + `?limit=0
		GET ` + at + `?after=A%20b
		GET ` + at + `?own=1
		GET ` + at + `/lifecycle
		GET ` + at + `/flaky
		GET ` + at + `/target-approval
		GET ` + at + `/lifecicle
		GET ` + at + `/lifecycle?x=1
		# of the world's own
	`)
	p.follow(lab.OwnLifecycle)
	p.play(`
		GET ` + at + `/mine
		GET ` + at + `?limit=1000
		GET /verification-requests/vr_mine?fields=state
		GET /verification-requests/vr_mine?fields=state
		GET /verification-requests/vr_mine?fields=state
		PUT ` + at + `/json {"name":"json","title":"As JSON","replaces":"completed","magic":{"verification_request":"vr_completed"},"verification_request":{"timeline":[{"state":"processing"}]}}
		GET /verification-requests/vr_completed?fields=state
		GET ` + at + `/json
	`)
	p.ask("PUT", at+"/mine", strings.Replace(lab.OwnLifecycle, "processing", "pending-approval", 1))
	p.play(`
		GET /verification-requests/vr_mine?fields=state
		DELETE ` + at + `/json
		GET /verification-requests/vr_completed?fields=state
	`)
}

func playScenariosRefused(p *player) {
	const at = "/_understudy/v1/scenarios"
	p.play(`
		# refused
		DELETE ` + at + `/json
		DELETE ` + at + `/lifecycle
		DELETE ` + at + `/mine?x=1
		PUT ` + at + `/yours
		PUT ` + at + `/yours {}
		PUT ` + at + `/yours []
		PUT ` + at + `/yours {"name":"yours"
		PUT ` + at + `/yours {"name":"yours"}
		PUT ` + at + `/yours {"name":"lifecycle","title":"Another name","magic":{"verification_request":"vr_yours"}}
		PUT ` + at + `/yours {"name":"yours","title":"t","magic":{"verification_request":"vr_mine"}}
		PUT ` + at + `/yours {"name":"yours","title":"t","magic":{"ssn":"123-45-6789"}}
		PUT ` + at + `/yours {"name":"yours","title":"t","magic":{"verification_request":"vr_y"},"rules":[{"on":"update","respond":{"status":500}}]}
		PUT ` + at + `/yours {"name":"yours","title":"t","magic":{"verification_request":"vr_y"},"rules":[{"on":"get","respond":{"status":200}}]}
		PUT ` + at + `/yours {"name":"yours","title":"t","magic":{"verification_request":"vr_y"},"verification_request":{"timeline":[{"state":"completed"},{"state":"processing","after":{"reads":1}}]}}
		PUT ` + at + `/Not%20a%20name {"name":"yours","title":"t","magic":{"verification_request":"vr_y"}}
		PUT ` + at + `/yours?x=1 {"name":"yours","title":"t","magic":{"verification_request":"vr_y"}}
	`)
	p.ask("PUT", at+"/mine", strings.NewReplacer("invalid", "invlid", "title", "titel").Replace(lab.OwnLifecycle))
	p.ask("PUT", at+"/many-processing", "matrix:\n  state: [processing, completed]\nname: many-<state>\ntitle: In <state>\nmagic: {verification_request: vr_many_<state_>}\nverification_request: {timeline: [{state: <state>}]}\n")
	p.play(`
		GET /verification-requests/vr_mine?fields=state
		POST /credentials/session ` + lab.Session("000-00-7001") + `
		POST /_understudy/v1/reset
		GET /verification-requests/vr_mine
		GET ` + at + `/mine
	`)
}

func playResolve(p *player) {
	const at = "/_understudy/v1/scenarios/resolve"
	for range 2 {
		for _, request := range []string{
			`{"method":"GET","path":"/verification-requests/vr_lifecycle?fields=state"}`,
			`{"method":"GET","path":"/verification-requests/vr_completed"}`,
			`{"method":"GET","path":"/verification-requests/vr_flaky"}`,
			`{"method":"GET","path":"/verification-requests/vr_slow?fields=id","headers":{"Accept":"application/json; version=2019-10-15"}}`,
			`{"method":"GET","path":"/verification-requests/vr_fault_reset"}`, `{"method":"GET","path":"/verification-requests/vr_fault_truncated"}`,
			`{"method":"GET","path":"/verification-requests/vr_error_451"}`, `{"method":"GET","path":"/verification-requests/vr_completd"}`,
			`{"method":"PUT","path":"/verification-requests/vr_processing/cancel","body":{"cancellation_reason":"other"}}`,
			`{"method":"PUT","path":"/verification-requests/vr_processing/cancel","body":{"cancellation_reason":"no"}}`,
			`{"method":"PUT","path":"/verification-requests/vr_completed/cancel","body":{"cancellation_reason":"other"}}`,
			`{"method":"PUT","path":"/tenant-properties/tp_default","body":"{no JSON"}`, `{"method":"PUT","path":"/tenant-properties/tp_default","body":{"name":"a"}}`,
			`{"method":"POST","path":"/credentials/session","body":` + lab.Session("000-00-0451") + `}`,
			`{"method":"POST","path":"/credentials/session","body":` + lab.Session("000-12-3456") + `}`,
			`{"method":"GET","path":"/qualification-checks/qc_qualified/"}`, `{"method":"DELETE","path":"/verification-requests/vr_completed"}`,
			`{"method":"GET","path":"/verification-requests"}`, `{"method":"GET","path":"/nowhere"}`, `{"method":"GET","path":"/_understudy/v1/clock"}`,
			`{"method":"GET","path":"/verification-requests/vr_completed","headers":{"Accept":"text/html"}}`,
			`{"method":"GET","path":"/verification-requests/vr_completed?fields=id","headers":{"Authorization":"Bearer svc_sk_test_expired"}}`,
		} {
			p.ask("POST", at, request)
		}
		p.play(`
			# moved
			GET /verification-requests/vr_lifecycle?fields=state
			GET /verification-requests/vr_flaky?fields=state
			POST /_understudy/v1/faults {"rule":{"on":"get","times":1,"respond":{"status":403}}}
		`)
	}
	p.play(`
		# refused
		POST ` + at + `
		POST ` + at + ` {}
		POST ` + at + ` {"method":"GET","path":"vr_completed"}
		POST ` + at + ` {"method":"G T","path":"/verification-requests/vr_completed"}
		POST ` + at + ` {"method":"GET","path":"/verification-requests/vr_completed","headers":{"a b":"c"}}
		POST ` + at + ` {"method":"GET","path":"/verification-requests/vr_completed","headers":{"Accept":"a\nb"}}
		POST ` + at + ` {"method":"GET","path":"/verification-requests/vr_completed","headers":{"accept":"a","Accept":"b"}}
		POST ` + at + ` {"methd":"GET","path":"/verification-requests/vr_completed"}
		POST ` + at + `?x=1 {"method":"GET","path":"/verification-requests/vr_completed"}
		GET /_understudy/v1/faults
		GET /_understudy/v1/journal
		GET /_understudy/v1/verification-requests
	`)
}

func playSnapshot(p *player) {
	const at = "/_understudy/v1/snapshot"
	p.whole = true
	p.title("of a world as new")
	empty := p.ask("GET", at, "").body
	p.follow(lab.OwnLifecycle)
	p.play(`
		POST /_understudy/v1/faults {"rule":{"on":"update","times":2,"respond":{"status":500}}}
		PUT /tenant-properties/tp_default {"name":"Quay"}
		GET /verification-requests/vr_lifecycle_timed?fields=state
		GET /verification-requests/vr_flaky?fields=state
		GET /verification-requests/vr_mine?fields=state
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
		POST /_understudy/v1/clock/advance {"by":"26h"}
		POST /_understudy/v1/tenant-properties {"id":"tp_made","tenant_property":{"set":{"name":"Quay Made"}}}
		POST /_understudy/v1/verification-requests {"id":"vr_new","scenario":"lifecycle"}
		PATCH /_understudy/v1/verification-requests/vr_completed {"set":{"loan_id":"7"}}
		POST /credentials/session ` + lab.Session("000-00-1001") + `
	`)
	taken := string(p.ask("GET", at, "").body)
	p.title("put into another world")
	p.world("2")
	p.ask("PUT", at, taken)
	if second := string(p.ask("GET", at, "").body); second != taken {
		p.t.Errorf("taken again it is\n%s\nand was\n%s", second, taken)
	}
	p.play(`
		PUT /tenant-properties/tp_default {"name":"Quay"}
		PUT /tenant-properties/tp_default {"name":"Quay"}
		GET /verification-requests/vr_lifecycle_timed?fields=state
		GET /verification-requests/vr_flaky?fields=state
		GET /verification-requests/vr_mine?fields=state
		GET /verification-requests/vr_new?fields=state
		GET /verification-requests/vr_processing?fields=state
		GET /_understudy/v1/faults
		GET /_understudy/v1/clock
		GET /_understudy/v1/journal
		GET /_understudy/v1/credentials-sessions
	`)
	p.title("as new again")
	p.ask("PUT", at, string(empty))
	p.ask("GET", "/_understudy/v1/verification-requests", "")
	p.title("refused")
	p.whole = false
	half, _, _ := strings.Cut(taken, `{"key":"journal/1"`)
	for _, text := range []string{
		"", "{}", "[]", `{"understudy_snapshot":99}`, half, strings.Replace(taken, `"seed":1`, `"seed":"one"`, 1),
		strings.Replace(taken, `"frozen":true`, `"forzen":true`, 1), strings.Replace(taken, `"step":0`, `"step":9`, 1), strings.Replace(taken, `"state":"canceled"`, `"state":"gone"`, 1),
	} {
		p.ask("PUT", at, text)
	}
	p.ask("GET", at+"?x=1", "")
	p.ask("GET", "/_understudy/v1/verification-requests", "")
}

func playFaults(p *player) {
	const at = "/_understudy/v1/faults"
	p.play(`
		GET ` + at + `
		POST ` + at + ` {"rule":{"on":"get","respond":{"status":500,"message":"Out of order"},"times":2}}
		POST ` + at + ` {"rule":{"on":"cancel","calls":2,"respond":{"status":429,"headers":{"Retry-After":"1"}}}}
		POST ` + at + ` {"rule":{"on":"get","times":1,"respond":{"status":403}}}
		POST ` + at + ` {"rule":{"on":"any","every":5,"delay":{"fixed":"2ms"}},"expires_in":"10m"}
		GET ` + at + `
		GET /verification-requests/vr_completed?fields=id
		GET /qualification-checks/qc_qualified
		GET ` + at + `
		GET /verification-requests/vr_completed?fields=id
		GET /verification-requests/vr_completed?fields=id
		GET /verification-requests/vr_error_404
		PUT /verification-requests/vr_processing/cancel {
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
		GET ` + at + `
		GET ` + at + `?limit=1
		GET ` + at + `?limit=1&after=fault-1
		GET ` + at + `?after=x
		GET ` + at + `?x=1
		POST /_understudy/v1/clock/advance {"by":"10m"}
		GET ` + at + `
		DELETE ` + at + `/fault-2
		DELETE ` + at + `/fault-2
		DELETE ` + at + `/x
		DELETE ` + at + `?x=1
	`)
}

func playFaultsOnConnections(p *player) {
	const at = "/_understudy/v1/faults"
	p.play(`
		# connections
		POST ` + at + ` {"rule":{"on":"get","times":1,"fault":"connection-reset"}}
		GET /verification-requests/vr_lifecycle?fields=state
		POST ` + at + ` {"rule":{"on":"get","times":1,"fault":"empty"}}
		GET /verification-requests/vr_lifecycle?fields=state
		POST ` + at + ` {"rule":{"on":"get","times":1,"fault":"truncated"}}
		GET /verification-requests/vr_lifecycle?fields=state
		POST ` + at + ` {"rule":{"on":"get","times":1,"fault":"malformed"}}
		GET /verification-requests/vr_lifecycle?fields=state
		GET /verification-requests/vr_lifecycle?fields=state
		POST ` + at + ` {"rule":{"on":"create","times":1,"respond":{"status":451}}}
		POST /credentials/session ` + lab.Session("000-12-3456") + `
		POST ` + at + ` {"rule":{"on":"get","limit":"1/10s"}}
		GET /verification-requests/vr_completed?fields=id
		GET /verification-requests/vr_completed?fields=id
		POST ` + at + ` {"rule":{"on":"get","probability":0.5,"respond":{"status":500}}}
		POST /_understudy/v1/clock/advance {"by":"10s"}
		GET /verification-requests/vr_completed?fields=id
		# two with times
		DELETE ` + at + `
		POST ` + at + ` {"rule":{"on":"get","times":2,"respond":{"status":500}}}
		POST ` + at + ` {"rule":{"on":"get","times":2,"respond":{"status":429}}}
		POST ` + at + ` {"rule":{"on":"get","times":2,"delay":{"fixed":"1ms"}}}
		GET /verification-requests/vr_flaky?fields=state
		GET /verification-requests/vr_flaky?fields=state
		GET ` + at + `
		GET /verification-requests/vr_flaky?fields=state
		GET /verification-requests/vr_flaky?fields=state
		GET /verification-requests/vr_flaky?fields=state
		GET ` + at + `
	`)
}

func playFaultsRefused(p *player) {
	const at = "/_understudy/v1/faults"
	p.play(`
		# refused
		POST ` + at + `
		POST ` + at + ` {}
		POST ` + at + ` {"on":"get","respond":{"status":500}}
		POST ` + at + ` {"rule":{}}
		POST ` + at + ` {"rule":{"on":"get"}}
		POST ` + at + ` {"rule":{"on":"read","respond":{"status":500}}}
		POST ` + at + ` {"rule":{"on":"get","respond":{"status":200}}}
		POST ` + at + ` {"rule":{"on":"get","respond":{"status":500},"fault":"empty"}}
		POST ` + at + ` {"rule":{"on":"get","fault":"explosion"}}
		POST ` + at + ` {"rule":{"on":"get","respond":{"status":500}},"expires_in":"soon"}
		POST ` + at + ` {"rule":{"on":"get","respond":{"status":500}},"expires_in":"-1s"}
		POST ` + at + ` {"rule":{"on":"get","respond":{"status":500}},"expires_in":"2562047h"}
		POST ` + at + ` {"rule":{"on":"get","respond":{"status":500}},"expires":"1h"}
		POST ` + at + ` {"rule":{"on":"get","probability":2,"respond":{"status":500}}}
		DELETE ` + at + `
		GET ` + at + `
		POST ` + at + ` {"rule":{"on":"get","respond":{"status":500}}}
		POST /_understudy/v1/reset
		GET ` + at + `
	`)
}

func playManyFaults(p *player) {
	const at = "/_understudy/v1/faults"
	p.title("no more than a hundred")
	p.world("2")
	for range 101 {
		p.header = nil
		a := p.exchange("POST", at, `{"rule":{"on":"get","respond":{"status":500}}}`)
		if a.status == "HTTP/1.1 201 Created" {
			p.header = nil
			continue
		}
		p.record("POST", at, `{"rule":{"on":"get","respond":{"status":500}}}`, a)
	}
}

func playJournal(p *player) {
	const at = "/_understudy/v1/journal"
	p.whole = true
	p.play(`
		GET ` + at + `
		User-Agent: suite/1
		X-Correlation-Id: abc
		X-Other: not kept
		Accept: application/json; version=2022-08-01
		PUT /verification-requests/vr_processing/cancel?x=1 {"cancellation_reason":"competitor","extra":true}
		GET /verification-requests/vr_none
		GET /verification-requests/vr_error_451
		GET /verification-requests/vr_fault_reset
		GET /verification-requests/vr_fault_truncated?fields=id,state
		POST /credentials/session ` + lab.Session("123-45-6789") + `
		POST /credentials/session {"target":"123456789
		PUT /tenant-properties/tp_default {"name":"123-45-6789 svc_sk_test_private"}
		GET /verification-requests/123-45-6789?123456789=987-65-4321
		Accept: text/html
		GET /qualification-checks/qc_qualified
		POST /_understudy/v1/clock/advance {"by":"1h"}
		GET /qualification-checks/qc_qualified/
		GET /nowhere
		GET /verification-requests
		# listed
		GET ` + at + `
		GET ` + at + `?operation=getVerificationRequest
		GET ` + at + `?status=400
		GET ` + at + `?status=2xx
		GET ` + at + `?status=0
		GET ` + at + `?path=/verification-requests/*
		GET ` + at + `?path=/qualification-checks/qc_qualified/
		GET ` + at + `?since=2025-01-15T10:00:00Z
		GET ` + at + `?since={request-2}&status=4xx
		GET ` + at + `?limit=2
		GET ` + at + `?limit=2&after={request-3}
		# whole
		GET ` + at + `/{request-1}
		GET ` + at + `/{request-2}
		GET ` + at + `/{request-3}
		GET ` + at + `/{request-4}
		GET ` + at + `/{request-5}
		GET ` + at + `/{request-6}
		GET ` + at + `/{request-7}
		GET ` + at + `/{request-8}
	`)
}

func playJournalRefused(p *player) {
	const at = "/_understudy/v1/journal"
	p.play(`
		# refused
		GET ` + at + `?operation=getVerificationReqest
		GET ` + at + `?operation=nothing
		GET ` + at + `?status=fine
		GET ` + at + `?since=yesterday
		GET ` + at + `?path=[
		GET ` + at + `?path=verification-requests/*
		GET ` + at + `?path=/a%3Fb
		GET ` + at + `?limit=0
		GET ` + at + `?after=x
		GET ` + at + `?x=1
		GET ` + at + `/nothing
		GET ` + at + `/{request-1}?x=1
		DELETE ` + at + `?x=1
		# cleared
		DELETE ` + at + `
		GET ` + at + `
		GET ` + at + `/{request-1}
		GET /verification-requests/vr_completed?fields=id
		GET ` + at + `
	`)
	p.ask("PUT", "/tenant-properties/tp_default", `{"name":"a"}`+strings.Repeat(" ", 20_000))
	p.whole = false
	p.ask("GET", at, "")
}

func playVerify(p *player) {
	p.play(`
		User-Agent: acme/1.2
		Accept: application/json
		GET /verification-requests/vr_completed?fields=id,state
		GET /verification-requests/vr_completed/
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other","cancellation_details":"late"}
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"competitor"}
		POST /credentials/session ` + lab.Session("000-12-3456") + `
		POST /credentials/session {"target": "x"
	`)
	for _, expected := range []string{
		`{}`, `{"operation":"getVerificationRequest"}`, `{"match":{"method":"put"}}`, `{"match":{"path":{"matches":"/cancel$"},"status":400}}`, `{"match":{"status":"2xx"}}`,
		`{"match":{"query":{"fields":{"contains":"state"}}}}`, `{"match":{"headers":{"user-agent":{"matches":"^acme/"}}},"times":{"exactly":1}}`,
		`{"match":{"body":{"contains":{"target":{"company":{"name":"Example Mill"}}}}},"times":{"at_most":1}}`,
		`{"match":{"body":{"contains":{"target":{"social_security_number":"***-**-3456"}}}}}`,
		`{"operation":"cancelVerificationRequest","match":{"body":{"absent":["cancellation_details"]}}}`, `{"times":{"at_least":2,"at_most":6}}`,
		`{"operation":"updateTenantProperty","times":{"at_most":0}}`,
		`{"operation":"cancelVerificationRequest","match":{"body":{"contains":{"cancellation_reason":"wrong-info"}}}}`, `{"operation":"getVerificationRequest","times":{"exactly":3}}`,
		`{"match":{"method":"PUT"},"times":{"at_most":1}}`, `{"match":{"path":"/verification-requests/vr_complete"},"times":{"exactly":1}}`,
		`{"match":{"query":{"fields":{"matches":"^reports"}}}}`, `{"match":{"headers":{"Accept":{"absent":true}},"body":{"equals":{"a":[1,true]}}}}`,
		`{"match":{"body":{"absent":["target.company"],"matches":{"target.last_name":"^B"}}}}`,
		``, `[]`, `{"operation":"nothing"}`, `{"operation":""}`, `{"times":{}}`, `{"times":{"exactly":-1}}`, `{"times":{"at_least":3,"at_most":2}}`, `{"times":{"exactly":null}}`,
		`{"match":{"path":{"matches":"("}}}`, `{"match":{"path":"credentials"}}`, `{"match":{"headers":{"X-Tenant":"a"}}}`, `{"match":{"method":"PUTT"}}`, `{"match":{"status":"fine"}}`,
		`{"match":{"body":{}}}`, `{"match":{"body":{"contain":{}}}}`, `{"match":{"query":{"fields":{"absent":false}}}}`, `{"nothing":1}`,
	} {
		p.ask("POST", "/_understudy/v1/journal/verify", expected)
	}
	p.ask("POST", "/_understudy/v1/journal/verify?x=1", "{}")
}
