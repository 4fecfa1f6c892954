package emulator_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
)

// standing is a machine's clock that stands.
func standing() time.Time { return epoch.Add(90 * time.Minute) }

func playInfo(p *player) {
	p.play(`
		GET /_understudy/v1/health
		GET /_understudy/v1/health?x=1
		GET /_understudy/v1/ready
		GET /_understudy/v1/ready?x=1
		GET /_understudy/v1/info
		GET /_understudy/v1/info?verbose=1
		HEAD /_understudy/v1/clock
		GET /_understudy/openapi.json
		GET /_understudy/openapi.yaml
		GET /_understudy/ca.pem
		GET /_understudy/v1
		GET /_understudy/v1/nothing
		GET /_understudy/v2/clock
		POST /_understudy/v1/health {}
		DELETE /_understudy/v1/clock
		PATCH /_understudy/v1/journal {}
		OPTIONS /_understudy/v1/clock
		POST /_understudy/openapi.json {}
		POST /_understudy/metrics {}
		GET /verification-requests/vr_completed?fields=id
		GET /verification-requests/vr_error_451
	`)
	p.metrics()
	p.title("an authority, a seed, a journal that is off")
	p.restart(emulator.WithCertificateAuthority([]byte("-----BEGIN CERTIFICATE-----\n")), emulator.WithSeed(2), emulator.WithJournalSize(0), emulator.WithVersion("v1.2.3"))
	p.play(`
		GET /_understudy/ca.pem
		GET /_understudy/v1/info
		GET /verification-requests/vr_processing
		GET /_understudy/v1/journal
		GET /_understudy/v1/journal/x
		GET /_understudy/v1/journal/stream
		DELETE /_understudy/v1/journal
		POST /_understudy/v1/journal/verify {}
		GET /_understudy/v1/snapshot
	`)
}

// metrics writes down the requests that the metrics count, and the names of the rest.
func (p *player) metrics() {
	a := p.exchange("GET", "/_understudy/metrics", "")
	var kept []string
	for line := range strings.Lines(string(a.body)) {
		if strings.HasPrefix(line, "understudy_requests_total") || strings.HasPrefix(line, "# TYPE understudy_") && !strings.HasPrefix(line, "# TYPE understudy_store_") {
			kept = append(kept, line)
		}
	}
	a.body = []byte("(in part)\n" + strings.Join(kept, ""))
	a.header.Del("Content-Length")
	a.header.Del("Transfer-Encoding")
	p.record("GET", "/_understudy/metrics", "", a)
}

func playGuard(p *player) {
	p.play(`
		# names and origins
		Host: evil.example
		GET /_understudy/v1/clock
		Host: evil.example
		GET /_understudy/v1/health
		Host: 127.0.0.1
		GET /_understudy/v1/clock
		Host: evil.example
		GET /verification-requests/vr_completed?fields=id
		Origin: https://evil.example
		POST /_understudy/v1/reset
		Origin: http://localhost
		POST /_understudy/v1/reset
		Sec-Fetch-Site: cross-site
		POST /_understudy/v1/reset
		Origin: https://evil.example
		GET /_understudy/v1/clock
		# a token
	`)
	p.restart(emulator.WithControlToken("correct-horse"), emulator.WithControlHosts("sandbox.example"))
	p.play(`
		GET /_understudy/v1/clock
		Understudy-Control-Token: battery-staple
		GET /_understudy/v1/clock
		Understudy-Control-Token: correct-horse
		GET /_understudy/v1/clock
		Authorization: Bearer correct-horse
		GET /_understudy/v1/info
		Authorization: Bearer correct-horse
		GET /_understudy/v1/clock
		Host: sandbox.example
		Understudy-Control-Token: correct-horse
		GET /_understudy/v1/clock
		GET /_understudy/v1/health
		GET /_understudy/v1/ready
		GET /_understudy/openapi.yaml
		GET /_understudy/metrics
		GET /_understudy/v1/worlds
		GET /verification-requests/vr_completed?fields=id
		GET /_understudy/
	`)
}

// page writes down the status and type of a page of the console.
func (p *player) page(method, path, form string) {
	if form != "" {
		p.header = append(p.header, "Content-Type: application/x-www-form-urlencoded")
	}
	a := p.exchange(method, path, form)
	seen := http.Header{}
	for _, name := range []string{"Content-Type", "Location"} {
		if value := a.header.Get(name); value != "" {
			seen.Set(name, value)
		}
	}
	p.record(method, path, form, answer{status: a.status, header: seen, end: a.end})
}

func playConsole(p *player) {
	p.play(`
		GET /verification-requests/vr_lifecycle?fields=state
		PUT /tenant-properties/tp_default {"name":"a"}
		GET /qualification-checks/qc_qualified
	`)
	var made struct{ ID string }
	if err := json.Unmarshal(p.ask("POST", "/credentials/session", sessionOf("000-12-3456")), &made); err != nil {
		p.t.Error(err)
	}
	id := p.worldID()
	for _, path := range []string{
		"", "catalogue", "catalogue?q=slow", "catalogue/lifecycle", "catalogue/nothing", "worlds", "worlds/" + id, "worlds/000000000000000000000000",
		"worlds/" + id + "/reset", "worlds/" + id + "/delete", "worlds/" + id + "/clock", "worlds/" + id + "/clock/instant", "worlds/" + id + "/faults",
		"worlds/" + id + "/snapshot", "worlds/" + id + "/snapshot/file", "worlds/" + id + "/open?id=vr_completed", "worlds/" + id + "/verification-requests/vr_lifecycle",
		"worlds/" + id + "/verification-requests/vr_none", "worlds/" + id + "/qualification-checks/qc_qualified", "worlds/" + id + "/tenant-properties/tp_default",
		"worlds/" + id + "/credentials-sessions/" + made.ID, "worlds/" + id + "/journal", "worlds/" + id + "/journal/{request-1}", "worlds/" + id + "/journal/nothing", "login", "nothing",
	} {
		p.key = ""
		p.page("GET", "/_understudy/"+path, "")
	}
	p.page("POST", "/_understudy/worlds/"+id+"/clock/advance", "by=1h")
	p.page("POST", "/_understudy/worlds/"+id+"/faults", "on=get&status=500")
	p.page("POST", "/_understudy/worlds/"+id+"/journal/clear", "x=1")
	p.page("POST", "/_understudy/worlds/"+id+"/reset", "x=1")
	p.page("POST", "/_understudy/worlds/"+id+"/delete", "x=1")
	p.page("POST", "/_understudy/login", "token=x")
}

// worldID returns the id of the world.
func (p *player) worldID() string {
	a := p.exchange("GET", "/verification-requests/vr_completed?fields=id", "")
	p.record("GET", "/verification-requests/vr_completed?fields=id", "", a)
	return a.header.Get("Understudy-World")
}

func playWorlds(p *player) {
	p.play(`
		GET /_understudy/v1/worlds
		GET /_understudy/v1/clock
		GET /_understudy/v1/worlds
		GET /verification-requests/vr_lifecycle?fields=state
		GET /verification-requests/vr_lifecycle?fields=state
	`)
	first := p.worldID()
	p.world("2")
	second := p.worldID()
	p.world(strings.Repeat("long", 20))
	p.worldID()
	p.play(strings.NewReplacer("FIRST", first, "SECOND", second).Replace(`
		GET /_understudy/v1/worlds
		GET /_understudy/v1/worlds?limit=1
		GET /_understudy/v1/worlds?limit=1&after=FIRST
		GET /_understudy/v1/worlds?limit=0
		GET /_understudy/v1/worlds?limit=1001
		GET /_understudy/v1/worlds?limit=x
		GET /_understudy/v1/worlds?limt=1
		GET /_understudy/v1/worlds?limit=1&limit=2
		GET /_understudy/v1/worlds?after=x
		# by its id
		GET /_understudy/v1/clock?world=FIRST
		GET /_understudy/v1/verification-requests?world=FIRST
		POST /_understudy/v1/clock/advance?world=FIRST {"by":"1h"}
		GET /_understudy/v1/clock?world=000000000000000000000000
		GET /_understudy/v1/clock?world=x
		GET /_understudy/v1/clock?world=
		GET /_understudy/v1/clock?wrld=FIRST
		GET /_understudy/v1/worlds?world=FIRST
		# reset
		POST /_understudy/v1/reset?world=FIRST
		POST /_understudy/v1/reset {}
		POST /_understudy/v1/reset?x=1
		GET /_understudy/v1/verification-requests?world=FIRST
		GET /_understudy/v1/journal?world=FIRST
		GET /_understudy/v1/clock?world=FIRST
		# forgotten
		DELETE /_understudy/v1/worlds/SECOND
		DELETE /_understudy/v1/worlds/SECOND
		DELETE /_understudy/v1/worlds/x
		DELETE /_understudy/v1/worlds/FIRST?x=1
		GET /_understudy/v1/journal?world=SECOND
		GET /_understudy/v1/worlds
	`))
	p.world("2")
	p.ask("GET", "/verification-requests/vr_lifecycle?fields=state", "")
}

func playClock(p *player) {
	for _, wall := range []bool{false, true} {
		if wall {
			p.title("a clock that runs with the machine's, which stands")
			p.restart(emulator.WithClock(emulator.Clock{Wall: standing}))
		}
		p.play(`
			GET /_understudy/v1/clock
			GET /verification-requests/vr_lifecycle_timed?fields=state,created
			POST /_understudy/v1/clock/advance {"by":"59m59s"}
			GET /verification-requests/vr_lifecycle_timed?fields=state,created
			POST /_understudy/v1/clock/advance {"by":"1s"}
			GET /verification-requests/vr_lifecycle_timed?fields=state,created
			POST /_understudy/v1/clock/advance {"by":"1.5s"}
			GET /_understudy/v1/clock
			PUT /_understudy/v1/clock {"now":"2025-01-16T09:30:00Z"}
			GET /verification-requests/vr_lifecycle_timed?fields=state,created,date_of_completion
			GET /_understudy/v1/verification-requests/vr_lifecycle_timed
			PUT /_understudy/v1/clock {"now":"2025-03-01T10:00:00+01:00","frozen":true}
			GET /verification-requests/vr_lifecycle_timed?fields=state,date_of_completion
			GET /verification-requests/vr_completed?income_analytics=true
			GET /verification-requests/vr_lifecycle
			GET /qualification-checks/qc_qualified
			# refused
			PUT /_understudy/v1/clock {"now":"2024-01-01T00:00:00Z"}
			PUT /_understudy/v1/clock {"now":"9999-01-01T00:00:00Z"}
			PUT /_understudy/v1/clock {"now":"yesterday"}
			PUT /_understudy/v1/clock {"now":null}
			PUT /_understudy/v1/clock {"frozen":"yes"}
			PUT /_understudy/v1/clock {"forzen":true}
			PUT /_understudy/v1/clock {}
			PUT /_understudy/v1/clock
			PUT /_understudy/v1/clock [
			POST /_understudy/v1/clock/advance {"by":"-1h"}
			POST /_understudy/v1/clock/advance {"by":"0s"}
			POST /_understudy/v1/clock/advance {"by":"soon"}
			POST /_understudy/v1/clock/advance {"by":36}
			POST /_understudy/v1/clock/advance {"by":"2562047h"}
			POST /_understudy/v1/clock/advance {}
			POST /_understudy/v1/clock/advance
			GET /_understudy/v1/clock/advance
			GET /_understudy/v1/clock?x=1
			GET /_understudy/v1/clock
			POST /_understudy/v1/reset
		`)
		p.world("2")
	}
	p.play(`
		# frozen, and no longer
		PUT /_understudy/v1/clock {"frozen":true}
		POST /_understudy/v1/clock/advance {"by":"1h"}
		PUT /_understudy/v1/clock {"frozen":false}
		GET /_understudy/v1/clock
		GET /verification-requests/vr_completed?fields=id
	`)
}

func playRequests(p *player) {
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
	for _, ssn := range []string{"000-12-3456", "000-00-1001", "000-00-0007"} {
		var made struct{ ID string }
		if err := json.Unmarshal(p.ask("POST", "/credentials/session", sessionOf(ssn)), &made); err != nil {
			p.t.Error(err)
		}
		ids = append(ids, made.ID)
		p.ask("GET", at+"/"+made.ID, "")
		p.ask("GET", "/_understudy/v1/verification-requests/vr_"+strings.TrimPrefix(made.ID, "cs_"), "")
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
		DELETE /_understudy/v1/verification-requests/vr_` + strings.TrimPrefix(ids[0], "cs_") + `
		GET ` + at + `/` + ids[0] + `
		GET ` + at + `
	`)
}

// stream opens the journal's stream, and writes down so many of its events.
func (p *player) stream(path string, events int, between func()) {
	header := slices.Clone(p.header)
	conn, sent := p.send("GET", path, "")
	header, p.header = p.header, header
	if conn == nil {
		return
	}
	defer conn.Close()
	r, err := http.ReadResponse(bufio.NewReader(conn), sent)
	if err != nil {
		p.t.Error(err)
		return
	}
	lines := bufio.NewScanner(r.Body)
	event := func() (text string) {
		for lines.Scan() && lines.Text() != "" {
			text += lines.Text() + "\n"
		}
		return text + "\n"
	}
	text := event()
	p.header = nil
	between()
	for range events {
		text += event()
	}
	p.header = header
	p.record("GET", path, "", answer{status: r.Proto + " " + r.Status, header: r.Header, body: []byte(text)})
}

func playStream(p *player) {
	const at = "/_understudy/v1/journal/stream"
	p.play(`
		GET /verification-requests/vr_completed?fields=id
		GET /qualification-checks/qc_qualified
	`)
	p.stream(at+"?since=2025-01-15T09:30:00Z", 2, func() {})
	p.stream(at+"?since={request-1}", 1, func() {})
	p.header = []string{"Last-Event-ID: {request-1}"}
	p.stream(at, 1, func() {})
	p.header = []string{"Last-Event-ID: 01000000000000000000000000"}
	p.stream(at, 3, func() {})
	p.stream(at+"?operation=getVerificationRequest&status=4xx", 1, func() {
		p.play(`
			GET /verification-requests/vr_completed?fields=id
			GET /verification-requests/vr_none
		`)
	})
	p.stream(at, 1, func() { p.ask("POST", "/_understudy/v1/reset", "") })
	p.play(fmt.Sprintf(`
		HEAD %[1]s
		GET %[1]s?operation=x
		GET %[1]s?status=fine
		GET %[1]s?since=yesterday
		GET %[1]s?path=x
		GET %[1]s?x=1
	`, at))
}
