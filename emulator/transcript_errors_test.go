package emulator_test

import (
	"strings"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

func playPaths(p *player) {
	p.play(`
		# paths and methods
		GET /
		GET /nowhere
		GET //verification-requests/vr_completed
		GET /Verification-Requests/vr_completed
		GET /verification-requests
		GET /verification-requests/
		POST /verification-requests {}
		POST /verification-requests/vr_completed {}
		DELETE /verification-requests/vr_completed
		PATCH /verification-requests/vr_completed {}
		HEAD /verification-requests/vr_completed
		OPTIONS /verification-requests/vr_completed
		GET /verification-requests/vr_completed/cancel
		POST /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
		GET /verification-requests/vr_completed/reports
		GET /reports
		GET /reports/rep_1
		GET /credentials/session/cs_1
		PUT /credentials/session {}
		HEAD /_understudy/v1/clock
		# ids
		GET /verification-requests/vr_none
		GET /verification-requests/vr_completd
		GET /verification-requests/VR_COMPLETED
		GET /verification-requests/vr_completed/
		GET /verification-requests/vr_comp%6Ceted?fields=id
		GET /verification-requests/a%2Fb
		GET /verification-requests/a%20b
		GET /verification-requests/123-45-6789
		GET /verification-requests/..
		GET /verification-requests/%2E%2E
	`)
}

func playQueries(p *player) {
	p.play(`
		# fields
		GET /verification-requests/vr_completed?fields=state
		GET /verification-requests/vr_completed?fields=state,%20id
		GET /verification-requests/vr_completed?fields=state&fields=id
		GET /verification-requests/vr_completed?fields=
		GET /verification-requests/vr_completed?fields=stat
		GET /verification-requests/vr_completed?fields=state,nothing,reports.id
		GET /verification-requests/vr_completed?feilds=state
		GET /verification-requests/vr_completed?fields=state&x=1&x=2
		GET /verification-requests/vr_completed?fields=%zz
		GET /verification-requests/vr_completed?fields=state;id
		# income_analytics
		GET /verification-requests/vr_completed?income_analytics=TRUE&fields=id
		GET /verification-requests/vr_completed?income_analytics=0&fields=id
		GET /verification-requests/vr_completed?income_analytics=False&fields=id
		GET /verification-requests/vr_completed?income_analytics=yes
		GET /verification-requests/vr_completed?income_analytics=
		GET /verification-requests/vr_completed?income_analytics=1&income_analytics=0&fields=id
		GET /verification-requests/vr_processing?income_analytics=true&fields=reports
	`)
}

func playAccept(p *player) {
	p.title("Accept")
	for _, accept := range []string{
		"application/json", "*/*", "application/*", "text/html, */*;q=0.8", "text/html", "application/json; version=2019-10-15", `application/json; version="2019-10-15"`,
		"application/json;version=2022-08-01", "application/json; version=1999-01-01", "application/json; version=1999-01-01, application/json", "application/json;q=0",
		"application/json; version=2019-10-15;q=0, */*", "application/xml;q=0.9, application/json;q=0.1", "", "nonsense", "application/json; charset=utf-8", "APPLICATION/JSON; VERSION=2019-10-15",
	} {
		p.header = []string{"Accept: " + accept}
		p.ask("GET", "/verification-requests/vr_completed?fields=id", "")
	}
	p.play(`
		Accept: application/json; version=2019-10-15
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
		Accept: application/json; version=2022-08-01
		PUT /tenant-properties/tp_default {"name":"a"}
		Accept: application/json; version=2023-10-30
		POST /credentials/session {}
		Accept: application/json; version=2022-08-01
		GET /qualification-checks/qc_qualified
	`)
}

func playBodies(p *player) {
	p.title("bodies that are too large, and at the edge")
	for _, size := range []int{1 << 20, 1<<20 + 1} {
		body := `{"name":"a"}`
		p.ask("PUT", "/tenant-properties/tp_default", body+strings.Repeat(" ", size-len(body)))
	}
	p.ask("PUT", "/tenant-properties/tp_default", "{\"name\":\"\xff\"}")
	p.ask("PUT", "/tenant-properties/tp_default", "\ufeff{\"name\":\"a\"}")
	p.ask("PUT", "/tenant-properties/tp_default", `{"name":"`+strings.Repeat("n", 5000)+`"}`)
	p.ask("GET", "/verification-requests/vr_"+strings.Repeat("x", 200), "")
	p.ask("GET", "/verification-requests/vr_completed?fields=id", `{"a":"body"}`)
}

// playOrder sends requests that fail one check and all later ones.
func playOrder(p *player) {
	const key, accept = "Authorization: Bearer svc_sk_test_expired", "Accept: text/html"
	for _, headers := range [][]string{{key, accept}, {accept}, nil} {
		for _, request := range []string{
			"GET /nowhere", "POST /verification-requests/vr_completed {}", "GET /verification-requests", "GET /verification-requests/vr_error_500?income_analytics=x",
			"GET /verification-requests/vr_none?income_analytics=x", "PUT /verification-requests/vr_error_451/cancel {", "PUT /verification-requests/vr_none/cancel {",
			"PUT /verification-requests/vr_completed/cancel {", "PUT /tenant-properties/tp_error_403 {", "PUT /tenant-properties/tp_none {", "POST /credentials/session {",
			"GET /qualification-checks/qc_error_404?x=1", "GET /qualification-checks/qc_none?x=1", "PUT /verification-requests/vr_none/cancel {\"cancellation_reason\":\"other\"}",
		} {
			p.header = append([]string(nil), headers...)
			p.play(request)
		}
	}
}

func playStrict(p *player) {
	p.restart(emulator.WithStrict("spec", "ssn"))
	p.play(`
		GET /verification-requests/vr_completed?fields=id
		GET /verification-requests/vr_completed?fields=nothing
		GET /verification-requests/vr_completed?feilds=id
		GET /verification-requests/vr_completed?income_analytics=1&income_analytics=0&fields=id
		GET /verification-requests/vr_none
		GET /verification-requests/vr_error_404?x=1
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other","extra":true}
		PUT /verification-requests/vr_processing/cancel?x=1 {"cancellation_reason":"other"}
		Content-Type:
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
		PUT /tenant-properties/tp_default {"name":"a","nmae":"b"}
		PUT /tenant-properties/tp_default {"name":"a"}
		GET /qualification-checks/qc_qualified?x=1
		GET /qualification-checks/qc_qualified
	`)
	for _, ssn := range []string{"000-00-0000", "000-00-0451", "000-00-1001", "000-12-3456", "123-45-6789"} {
		p.ask("POST", "/credentials/session", lab.Session(ssn))
	}
	p.ask("POST", "/credentials/session", strings.Replace(lab.Session("000-00-0000"), `"type"`, `"nick":1,"type"`, 1))
	p.ask("POST", "/credentials/session", strings.Replace(lab.Session("000-00-0000"), `"date_of_birth":"1990-02-28","company":{"name":"Example Mill"}`, `"company":null`, 1))
	p.ask("POST", "/_understudy/v1/scenarios/resolve", `{"method":"GET","path":"/verification-requests/vr_completed?feilds=id"}`)
}

func playLimit(p *player) {
	p.restart(lab.Limit(p.t, "3/m"))
	p.play(`
		# a clock that stands refills nothing
		GET /verification-requests/vr_lifecycle?fields=state
		Accept: text/html
		GET /verification-requests/vr_lifecycle?fields=state
		GET /verification-requests/vr_error_500
		PUT /tenant-properties/tp_default {
		GET /verification-requests/vr_lifecycle?fields=state
		GET /verification-requests/vr_error_500
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
		POST /_understudy/v1/scenarios/resolve {"method":"GET","path":"/verification-requests/vr_lifecycle?fields=state"}
		# by the world's clock
		POST /_understudy/v1/clock/advance {"by":"20s"}
		GET /verification-requests/vr_lifecycle?fields=state
		GET /verification-requests/vr_lifecycle?fields=state
		POST /_understudy/v1/clock/advance {"by":"1h"}
		GET /verification-requests/vr_lifecycle?fields=state
		GET /verification-requests/vr_lifecycle?fields=state
		GET /qualification-checks/qc_qualified
		GET /qualification-checks/qc_qualified
		GET /_understudy/v1/info
	`)
	p.title("another world")
	p.world("2")
	p.ask("GET", "/verification-requests/vr_lifecycle?fields=state", "")
	p.title("a clock that runs")
	p.restart(lab.Limit(p.t, "3/m"), emulator.WithClock(emulator.Clock{Wall: standing}))
	for range 4 {
		p.ask("GET", "/verification-requests/vr_completed?fields=id", "")
	}
}

const ruleFile = `
name: ruled
title: Rules of every kind on one request
magic: {verification_request: vr_ruled}
verification_request:
  timeline: [{state: pending-approval}, {state: processing, after: {reads: 2}}, {state: completed, after: {elapsed: 1h}}]
rules:
  - {on: get, calls: 1, respond: {status: 500}}
  - {on: get, calls: 3-4, respond: {status: 429, message: Come back later, headers: {retry-after: "7", X-Queue: long}}}
  - {on: get, state: processing, times: 1, respond: {status: 451}}
  - {on: get, every: 7, respond: {status: 403}}
  - {on: cancel, times: 2, respond: {status: 501}}
  - {on: any, delay: {fixed: 5ms}}
---
name: overlapping
title: Two rules with times
magic: {verification_request: vr_overlapping}
verification_request: {timeline: [{state: processing}]}
rules:
  - {on: get, times: 3, respond: {status: 500}}
  - {on: get, times: 3, respond: {status: 429}}
---
name: delayed
title: A delay and an answer with times
magic: {verification_request: vr_delayed}
rules:
  - {on: get, times: 2, delay: {fixed: 2ms}}
  - {on: get, times: 3, respond: {status: 500}}
---
name: anybody
replaces: credentials-session
title: Any number that no scenario names
magic: {ssn: any}
verification_request: {timeline: [{state: action-required}]}
---
name: drawn
title: Drawn from the seed
magic: {verification_request: vr_drawn}
rules:
  - {on: get, probability: 0.4, respond: {status: 500}}
  - {on: get, probability: 0.4, times: 2, respond: {status: 429}}
---
name: late
title: Delays add up
magic: {verification_request: vr_late}
rules:
  - {on: get, delay: {between: [1ms, 3ms]}}
  - {on: get, delay: {lognormal: {median: 2ms, sigma: 0.4, max: 5ms}}}
  - {on: get, calls: 2-, delay: {fixed: 4ms}, respond: {status: 500}}
---
name: slow-lane
title: Two updates in ten seconds
magic: {tenant_property: tp_slow_lane}
rules:
  - {on: update, limit: 2/10s}
---
name: tight
title: A check that fails every second time
magic: {qualification_check: qc_tight}
qualification_check: {kind: applicant, type: employment-income, rent: 2300.00}
reports: [{pay: {base: 52000.00}}]
rules:
  - {on: get, every: 2, respond: {status: 500, message: Every second}}
---
name: second-try
title: The first session for this number fails
magic: {ssn: 000-00-7008}
verification_request: {timeline: [{state: processing}, {state: completed, after: {manual: true}}]}
rules:
  - {on: create, calls: 1, respond: {status: 500}}
  - {on: cancel, calls: 1, respond: {status: 403}}
`

const globalFile = `
name: shaky
title: Every fourth call of anything fails
rules:
  - {on: any, every: 4, respond: {status: 500, message: Shaky}}
---
name: down
title: Nothing works with such a key
magic: {api_key: "*_down"}
rules:
  - {on: any, respond: {status: 500, message: Maintenance}}
`

func playRules(p *player) {
	p.follow(ruleFile)
	repeat := func(n int, method, path, body string) {
		p.title(method + " " + path)
		for range n {
			p.ask(method, path, body)
		}
	}
	repeat(16, "GET", "/verification-requests/vr_ruled?fields=state", "")
	p.ask("POST", "/_understudy/v1/clock/advance", `{"by":"1h"}`)
	repeat(2, "GET", "/verification-requests/vr_ruled?fields=state", "")
	repeat(3, "PUT", "/verification-requests/vr_ruled/cancel", lab.CancelOther)
	p.ask("GET", "/_understudy/v1/verification-requests/vr_ruled", "")
	repeat(8, "GET", "/verification-requests/vr_overlapping?fields=state", "")
	repeat(5, "GET", "/verification-requests/vr_delayed?fields=state", "")
	repeat(1, "POST", "/credentials/session", lab.Session("000-12-3456"))
	repeat(20, "GET", "/verification-requests/vr_drawn?fields=state", "")
	repeat(3, "GET", "/verification-requests/vr_late?fields=state", "")
	repeat(3, "PUT", "/tenant-properties/tp_slow_lane", `{"name":"Quay"}`)
	p.ask("POST", "/_understudy/v1/clock/advance", `{"by":"6s"}`)
	repeat(2, "PUT", "/tenant-properties/tp_slow_lane", `{"name":"Quay"}`)
	repeat(3, "GET", "/qualification-checks/qc_tight", "")
	repeat(3, "POST", "/credentials/session", lab.Session("000-00-7008"))
	repeat(1, "GET", "/_understudy/v1/verification-requests?scenario=second-try", "")
	repeat(1, "GET", "/_understudy/v1/journal", "")
	repeat(1, "GET", "/_understudy/v1/snapshot", "")
	p.title("rules for every call of a world")
	p.world("down")
	p.ask("GET", "/verification-requests/vr_completed?fields=id", "")
	p.follow(globalFile)
	p.play(`
		GET /verification-requests/vr_completed?fields=id
		DELETE /_understudy/v1/scenarios/shaky
		DELETE /_understudy/v1/scenarios/down
		GET /verification-requests/vr_completed?fields=id
	`)
	p.world("2")
	p.follow(globalFile)
	p.play(`
		GET /verification-requests/vr_completed?fields=id
		PUT /tenant-properties/tp_default {"name":"Quay"}
		POST /credentials/session {}
		GET /qualification-checks/qc_qualified
		GET /verification-requests/vr_error_404
		GET /verification-requests/vr_none
		GET /verification-requests/vr_flaky?fields=id
		GET /verification-requests/vr_flaky?fields=id
	`)
}

const faultFile = `
name: broken
title: Each way in which a connection breaks, in turn
magic: {verification_request: vr_broken}
verification_request: {timeline: [{state: processing}, {state: completed, after: {reads: 3}}]}
rules:
  - {on: any, calls: 1, fault: connection-reset}
  - {on: any, calls: 2, fault: empty}
  - {on: any, calls: 3, fault: truncated}
  - {on: any, calls: 4, fault: malformed}
`

// playRuleFaults shows which effects a call has whose connection breaks.
func playRuleFaults(p *player) {
	p.follow(faultFile)
	for range 4 {
		p.play(`
			GET /verification-requests/vr_broken
			GET /_understudy/v1/verification-requests/vr_broken
		`)
	}
	for range 5 {
		p.play(`
			PUT /verification-requests/vr_broken/cancel {"cancellation_reason":"other"}
			GET /_understudy/v1/verification-requests/vr_broken
		`)
	}
	p.ask("GET", "/_understudy/v1/journal", "")
	p.title("cancels first")
	p.world("2")
	p.follow(faultFile)
	for range 4 {
		p.play(`
			PUT /verification-requests/vr_broken/cancel {"cancellation_reason":"other"}
			GET /_understudy/v1/verification-requests/vr_broken
		`)
	}
}
