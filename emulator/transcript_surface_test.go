package emulator_test

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// chapters are the parts of the transcript by the names of their golden files.
var chapters = map[string]func(*player){
	"verification-boundaries":        magicReads("boundaries"),
	"verification-careers":           magicReads("careers"),
	"verification-employers":         magicReads("employers"),
	"verification-employment-status": magicReads("employment-status"),
	"verification-errors":            magicReads("errors"),
	"verification-incidents":         magicReads("incidents"),
	"verification-incomplete":        magicReads("incomplete"),
	"verification-lifecycle":         magicReads("lifecycle"),
	"verification-outages":           magicReads("outages"),
	"verification-pay-events":        magicReads("pay-events"),
	"verification-pay-frequencies":   magicReads("pay-frequencies"),
	"verification-reports":           magicReads("reports"),
	"verification-states":            magicReads("states"),
	"verification-types":             magicReads("types"),
	"slow":                           playSlow,
	"cancel":                         playCancel,
	"tenant":                         playTenant,
	"qualification":                  playQualification,
	"session":                        playSession,
	"session-body":                   playSessionBody,
	"keys":                           playKeys,
	"errors":                         inTurn(playPaths, playQueries, playAccept, playBodies),
	"order":                          playOrder,
	"strict":                         playStrict,
	"limit":                          playLimit,
	"extended":                       playExtended,
	"rules":                          playRules,
	"rules-faults":                   playRuleFaults,
	"control-info":                   playInfo,
	"control-guard":                  playGuard,
	"control-console":                playConsole,
	"control-worlds":                 playWorlds,
	"control-clock":                  playClocks,
	"control-requests":               inTurn(playInspection, playCreation, playChanges, playListing),
	"control-tenant":                 playTenants,
	"control-qualification":          playChecks,
	"control-sessions":               playSessions,
	"control-scenarios":              inTurn(playScenarios, playScenariosRefused),
	"control-resolve":                playResolve,
	"control-snapshot":               playSnapshot,
	"control-faults":                 inTurn(playFaults, playFaultsOnConnections, playFaultsRefused, playManyFaults),
	"control-journal":                inTurn(playJournal, playJournalRefused),
	"control-verify":                 playVerify,
	"control-stream":                 playStream,
}

// inTurn plays the parts of a chapter one after the other.
func inTurn(parts ...func(*player)) func(*player) {
	return func(p *player) {
		for _, part := range parts {
			part(p)
		}
	}
}

// slow are the magic verification requests that are answered after seconds.
var slow = []string{"vr_slow", "vr_fault_dribble"}

// magic returns the sorted magic values that begin with a prefix, of the scenarios of a file of the catalogue; "" stands for all.
func (p *player) magic(prefix, file string) (values []string) {
	var listed struct {
		Items []struct {
			Magic []struct{ Value string } `json:"magic"`
			File  string                   `json:"file"`
		} `json:"items"`
	}
	all := p.exchange("GET", "/_understudy/v1/scenarios?limit=1000", "")
	p.header = nil
	if err := json.Unmarshal(all.body, &listed); err != nil {
		p.t.Error(err)
	}
	for _, s := range listed.Items {
		for _, m := range s.Magic {
			if strings.HasPrefix(m.Value, prefix) && (file == "" || strings.HasSuffix(s.File, "/"+file+".yaml")) {
				values = append(values, m.Value)
			}
		}
	}
	slices.Sort(values)
	if len(values) == 0 {
		p.t.Errorf("the catalogue has no %s", prefix)
	}
	return values
}

// magicReads reads the magic verification requests of a file of the catalogue: once with everything, then until their ends.
func magicReads(file string) func(*player) {
	return func(p *player) {
		for _, id := range p.magic("vr_", file) {
			if slices.Contains(slow, id) {
				continue
			}
			p.play(strings.ReplaceAll(`# ID
				Accept: application/json; version=2019-10-15
				GET /verification-requests/ID?income_analytics=true`, "ID", id))
			for range 2 {
				p.play("Accept: application/json; version=2019-10-15\nGET /verification-requests/" + id + "?fields=id,state,date_of_completion")
			}
		}
	}
}

func playSlow(p *player) {
	p.beside(append(slow, "cancel"), func(p *player, id string) {
		p.atLeast(3*time.Second, func() {
			if id == "cancel" {
				p.ask("PUT", "/verification-requests/vr_slow/cancel", lab.CancelOther)
			} else {
				p.ask("GET", "/verification-requests/"+id, "")
			}
		})
	})
}

func playCancel(p *player) {
	p.play(`
		# bodies
		PUT /verification-requests/vr_processing/cancel
		PUT /verification-requests/vr_processing/cancel {}
		PUT /verification-requests/vr_processing/cancel []
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":null}
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"no-match"}
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"Other"}
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":7}
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other","cancellation_details":7}
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other","cancellation_reason":"other"}
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"} {}
		PUT /verification-requests/vr_processing/cancel {"cancellation_raeson":"other"}
		Content-Type: text/plain
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
		Content-Encoding: gzip
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
		# what is not there, or is over
		PUT /verification-requests/vr_none/cancel {"cancellation_reason":"other"}
		PUT /verification-requests/vr_procesing/cancel {"cancellation_reason":"other"}
		PUT /verification-requests/vr_invalid/cancel {"cancellation_reason":"other"}
		PUT /verification-requests/vr_canceled/cancel {"cancellation_reason":"other"}
		PUT /verification-requests/vr_completed/cancel {"cancellation_reason":"other"}
		# fine
		PUT /verification-requests/vr_processing/cancel?x=1 {"cancellation_reason":"wrong-info","cancellation_details":"","extra":true}
		GET /verification-requests/vr_processing?fields=state,cancellation_reason,cancellation_details
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
		Content-Type: application/json; charset=utf-8
		PUT /verification-requests/vr_action_required/cancel/ {"cancellation_reason":"immediate","cancellation_details":null}
		GET /verification-requests/vr_action_required
		PUT /verification-requests/vr_pending_approval/cancel {"cancellation_reason":"high-turnaround-time","cancellation_details":"Ünïcode \u0000 <&>"}
		GET /verification-requests/vr_pending_approval
		Content-Type:
		PUT /verification-requests/vr_target_approval/cancel {"cancellation_reason":"competitor"}
		# between two steps
		GET /verification-requests/vr_lifecycle?fields=state
		PUT /verification-requests/vr_lifecycle/cancel {"cancellation_reason":"competitor"}
		GET /verification-requests/vr_lifecycle
	`)
}

func playTenant(p *player) {
	for _, id := range p.magic("tp_", "") {
		p.play(strings.ReplaceAll(`# ID
			Accept: application/json; version=2023-10-30
			PUT /tenant-properties/ID {"name":"Quay House","address_line_1":"1 Quay","address_line_2":"b","address_line_3":"c","city":"Portland","postal_code":"97201","state":"OR"}
			PUT /tenant-properties/ID {"name":"Elm Court","city":"Portland","state":null}
			PUT /tenant-properties/ID no JSON`, "ID", id))
	}
	p.play(`
		# bodies
		PUT /tenant-properties/tp_default
		PUT /tenant-properties/tp_default {}
		PUT /tenant-properties/tp_default null
		PUT /tenant-properties/tp_default {"name":""}
		PUT /tenant-properties/tp_default {"name":"  "}
		PUT /tenant-properties/tp_default {"name":null}
		PUT /tenant-properties/tp_default {"name":7}
		PUT /tenant-properties/tp_default {"name":"a","city":7}
		PUT /tenant-properties/tp_default {"name":"a","status":"closed"}
		PUT /tenant-properties/tp_default {"name":"a","nmae":"b"}
		PUT /tenant-properties/tp_default {"name":"Ada 123-45-6789"}
		# what is not there
		PUT /tenant-properties/tp_none {"name":"a"}
		PUT /tenant-properties/tp_defualt {"name":"a"}
		GET /tenant-properties/tp_default
		GET /tenant-properties
		POST /tenant-properties {"name":"a"}
		DELETE /tenant-properties/tp_default
	`)
}

func playQualification(p *player) {
	for _, id := range p.magic("qc_", "") {
		p.play(strings.ReplaceAll(`# ID
			Accept: application/json; version=2023-10-30
			GET /qualification-checks/ID
			GET /qualification-checks/ID/`, "ID", id))
	}
	p.play(`
		# what is not there
		GET /qualification-checks/qc_none
		GET /qualification-checks/qc_qualifed
		GET /qualification-checks/qc_qualified?fields=id
		PUT /qualification-checks/qc_qualified {}
		GET /qualification-checks
		POST /qualification-checks {}
	`)
}

func playSession(p *player) {
	others := []string{"000000006", "000 00 0006", "000000451", "000-12-3456", "000123456", "123-45-6789", "666-12-3456", "912-12-3456", "123-00-1234", "123-12-0000",
		"12345678", "1234567890", "abc-de-fghi", ""}
	for _, ssn := range append(p.magic("000-", ""), others...) {
		p.title(ssn)
		p.header = []string{"Accept: application/json; version=2022-08-01"}
		_, made := p.askSession(lab.Session(ssn))
		if made == "" {
			continue
		}
		p.play(strings.ReplaceAll(`
			GET /verification-requests/ID?income_analytics=1
			GET /verification-requests/ID?fields=state,target,date_of_completion
			GET /verification-requests/ID?fields=state
			PUT /verification-requests/ID/cancel {"cancellation_reason":"other"}
		`, "ID", made))
	}
}

func playSessionBody(p *player) {
	valid := lab.Session("000-12-3456")
	target := `"target":{"first_name":"Ada","last_name":"Example","social_security_number":"000-12-3456","date_of_birth":"1990-02-28","company":{"name":"Example Mill"}}`
	party := `"reseller_originating_party":{"originating_party":"Example Bank","permissible_purpose":"credit-application","use_case":"auto"}`
	for _, change := range [][2]string{
		{`"permissible_purpose":"credit-application",`, ``}, {`"type":"employment-income",`, ``}, {`"use_case":"mortgage",`, ``}, {target, `"x":1`},
		{`"credit-application"`, `"fun"`}, {`"employment-income"`, `"salary"`}, {`"mortgage"`, `"other"`}, {target, `"target":null`}, {target, `"target":[]`},
		{`"first_name":"Ada",`, ``}, {`"Ada"`, `""`}, {`"Ada"`, `7`}, {`"last_name":"Example",`, ``}, {`"social_security_number":"000-12-3456",`, ``},
		{`"000-12-3456"`, `null`}, {`"000-12-3456"`, `1`}, {`"1990-02-28"`, `"1990-02-30"`}, {`"1990-02-28"`, `"28.2.1990"`}, {`"1990-02-28"`, `null`},
		{`"1990-02-28"`, `"2024-02-28"`}, {`"1990-02-28"`, `"1800-02-28"`}, {`{"name":"Example Mill"}`, `{}`}, {`{"name":"Example Mill"}`, `null`},
		{`{"name":"Example Mill"}`, `{"id":"142691"}`}, {`{"name":"Example Mill"}`, `{"id":142691}`}, {`{"name":"Example Mill"}`, `{"id":"abc"}`},
		{`{"name":"Example Mill"}`, `{"id":"7","name":"both"}`},
		{`{"name":"Example Mill"}`, `{"name":"Example Mill","address":"1 Quay","city":"Portland","state":"OR","zip_code":"97201","phone_number":"503-555-0100"}`},
		{`"type"`, `"metadata":{"case":"7"},"type"`}, {`"type"`, `"metadata":{"case":7},"type"`}, {`"type"`, `"metadata":null,"type"`}, {`"type"`, `"metadata":[],"type"`},
		{`"type"`, party + `,"type"`}, {`"type"`, `"reseller_originating_party":null,"type"`}, {`"type"`, `"reseller_originating_party":{},"type"`},
		{`"type"`, `"nick":1,"type"`}, {`"first_name"`, `"frist_name":"x","first_name"`}, {`"first_name"`, `"contact_email":"ada@example.com","phone_number":"503-555-0101","first_name"`},
		{`"employment-income"`, `"employment"`}, {`"employment-income"`, `"tenant-screening"`}, {`"employment-income"`, `"assets"`}, {`"mortgage"`, `"tenant"`},
	} {
		p.title(change[0] + " becomes " + change[1])
		if _, made := p.askSession(strings.Replace(valid, change[0], change[1], 1)); made != "" {
			p.ask("GET", "/verification-requests/"+made, "")
		}
	}
	p.play(`
		# no session
		POST /credentials/session
		POST /credentials/session {"target":
		POST /credentials/session []
		GET /credentials/session
		GET /credentials
		POST /credentials/session/cs_1 {}
	`)
}

func playKeys(p *player) {
	for _, authorization := range []string{
		"Bearer svc_sk_test_a", "Bearer svc_sk_test_AZaz09_-", "Bearer svc_sk_test_" + strings.Repeat("k", 128), "bEARER svc_sk_test_a", "Bearer   svc_sk_test_a",
		"Bearer svc_sk_test_expiredish", "Bearer svc_sk_test_my_expired", "Bearer svc_sk_test_" + strings.Repeat("k", 129), "Bearer svc_sk_test_", "Bearer svc_sk_test",
		"Bearer svc_sk_test_a.b", "Bearer svc_sk_test_a b", "Bearer svc_sk_test_expired", "Bearer svc_sk_test_expired_7", "Bearer svc_sk_test_revoked",
		"Bearer svc_sk_test_revoked_team_a", "Bearer svc_sk_test_forbidden", "Bearer svc_sk_test_forbidden_x", "Bearer svc_sk_test_limited", "Bearer svc_sk_test_limited_x",
		"Bearer svc_sk_live1234", "Bearer svc_pk_test_a", "Bearer svc_pk_a", "", "Basic c3ZjX3NrX3Rlc3RfYQ==", "svc_sk_test_a", "Bearer", "Bearer abc_sk_test_a",
		"Bearer SVC_SK_test_a", "Bearer svc_sk_test_é",
	} {
		for _, path := range []string{"/verification-requests/vr_completed?fields=id", "/_understudy/v1/clock"} {
			p.header = []string{"Authorization: " + authorization}
			p.ask("GET", path, "")
		}
	}
	p.title("none, and two")
	p.key = ""
	p.play(`
		GET /verification-requests/vr_completed
		GET /_understudy/v1/clock
		Authorization: Bearer svc_sk_test_a
		Authorization: Bearer svc_sk_test_b
		GET /verification-requests/vr_completed
		Authorization: Bearer svc_sk_test_limited
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
		Authorization: Bearer svc_sk_test_forbidden
		PUT /tenant-properties/tp_default {"name":"a"}
		Authorization: Bearer svc_sk_test_revoked
		POST /credentials/session {}
		# another prefix
	`)
	p.restart(emulator.WithKeyPrefix("acme"))
	p.play(`
		Authorization: Bearer acme_sk_test_a
		GET /verification-requests/vr_completed?fields=id
		Authorization: Bearer svc_sk_test_a
		GET /verification-requests/vr_completed?fields=id
		Authorization: Bearer acme_sk_live
		GET /verification-requests/vr_completed?fields=id
		Authorization: Bearer acme_pk_test_a
		GET /verification-requests/vr_completed?fields=id
	`)
}
