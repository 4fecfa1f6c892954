package rules_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// A fault has an id, a remaining count and an expiry on the world's clock.
func TestFaults(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	c := apitest.New(t, url, lab.Key)
	lab.PlayScript(t, c, `
		POST faults {"rule":{"on":"get","respond":{"status":500,"message":"Out of order"},"times":2}} → 201 id=fault-1 remaining=2 expires=null in_words="every get, 2 times: 500 Internal Server Error"`)
	lab.WantStatus(t, apitest.New(t, url, "svc_sk_test_other").Get("/verification-requests/vr_completed"), 200, "")
	lab.PlayScript(t, c, `
		GET /verification-requests/vr_completed → 500 Out of order | scenario fault-1 answers so, by its rule at fault-1:1:1
		GET faults → 200 items.#=1 items.0.remaining=1
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"} → 200
		GET /qualification-checks/qc_qualified → 500 Out of order
		GET /verification-requests/vr_completed → 200
		POST faults {"rule":{"on":"any","respond":{"status":501}}} → 201
		GET /verification-requests/vr_error_404 → 501 Not Implemented
		DELETE faults/fault-2 → 204
		DELETE faults/fault-2 → 404 There is no fault "fault-2": the list of faults has the ids
		GET /verification-requests/vr_error_404 → 404 Not Found
		POST faults {"rule":{"on":"any","respond":{"status":501}}} → 201
		DELETE faults → 204
		GET faults → 200 items.#=0`)
	lab.PlayScripts(t, map[string]string{
		"end_by_the_worlds_clock": `
			POST faults {"rule":{"on":"get","respond":{"status":500}},"expires_in":"10m"} → 201 expires=2025-01-15T09:40:00Z
			GET /verification-requests/vr_completed → 500
			advance 9m59s
			GET /verification-requests/vr_completed → 500
			advance 1s
			GET /verification-requests/vr_completed → 200
			GET faults → 200 items.#=0`,
		"are_gone_when_used_up": `
			POST faults {"rule":{"on":"get","respond":{"status":500},"times":1}} → 201
			GET /verification-requests/vr_completed → 500
			GET faults → 200 items.#=0`,
		"may_be_for_one_resource": `
			POST faults {"rule":{"on":"any","respond":{"status":500}},"resource":"vr_processing"} → 201 resource=vr_processing in_words="every call: 500 Internal Server Error (only vr_processing)"
			GET /verification-requests/vr_processing → 500
			GET /verification-requests/vr_completed → 200
			PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"} → 500
			POST faults {"rule":{"on":"any","respond":{"status":500}},"resource":"a/b"} → 400 Invalid resource id: an id has 1 to 128 of A-Z a-z 0-9 . _ ~ -`,
		"may_depend_on_the_state": `
			POST faults {"rule":{"on":"any","state":"processing","respond":{"status":500}}} → 201
			GET /verification-requests/vr_processing → 500
			GET /verification-requests/vr_completed → 200
			GET /verification-requests/vr_unknown → 400
			GET /qualification-checks/qc_qualified → 200`,
		"refused": `
			POST faults {} → 400 Send a rule: {"rule":{"on":"get","respond":{"status":500}}}
			POST faults {"on":"get","respond":{"status":500}} → 400 The rule goes under rule: {"rule":{"on":"get","respond":{"status":500}}}
			POST faults {"on":"get","rule":{"on":"get","delay":"1s"}} → 400 The body cannot be read: unknown key at "/on"
			POST faults {"rule":{"on":"fetch","respond":{"status":500}}} → 400 The rule is invalid: rule:1:7: unknown value "fetch" for on: must be one of any, get, cancel, update, create, list, report, reverify, any verification_request, get verification_request, cancel verification_request, create verification_request, list verification_request, report verification_request, reverify verification_request, any qualification_check, get qualification_check, any tenant_property, update tenant_property, any credentials_session, create credentials_session, any company, list company, webhook
			POST faults {"rule":{"on":"get","respond":{"status":200}}} → 400 The rule is invalid: rule:1:33: status 200 needs a body, which may be none: write respond: {status: 200, body: none}, or leave status out for the answer of the call itself
			POST faults {"rule":{"on":"get","resond":{"status":500}}} → 400 The rule is invalid: rule:1:13: unknown key "resond": did you mean respond?
			POST faults {"rule":[]} → 400 The rule is invalid: rule:1:1: must be a mapping of on, state, calls, every, probability, times, between, limit, delay, respond, fault, deliver
			POST faults {"rule":{"on":"get","fault":"empty"},"for":"10m"} → 400 The body cannot be read: unknown key at "/for"
			POST faults {"rule":{"on":"get","fault":"empty"},"expires_in":10} → 400
			GET faults → 200 items.#=0`,
	})
}

// A world has at most a hundred faults; those that are used up do not count.
func TestFaultsEviction(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	for _, on := range append([]string{"get", "get"}, slices.Repeat([]string{"update"}, 98)...) {
		lab.PutFault(t, c, `{"rule":{"on":"`+on+`","respond":{"status":500},"times":1}}`)
	}
	lab.PlayScript(t, c, `
		POST faults {"rule":{"on":"get","respond":{"status":503}}} → 409 A world has 100 faults at most: delete some first
		GET /verification-requests/vr_completed → 500 Internal server error
		POST faults {"rule":{"on":"get","respond":{"status":503}}} → 201
		POST faults {"rule":{"on":"get","respond":{"status":503}}} → 201
		POST faults {"rule":{"on":"get","respond":{"status":503}}} → 409 A world has 100 faults at most: delete some first
		DELETE faults/fault-1 → 404 There is no fault "fault-1": the list of faults has the ids
		DELETE faults/fault-3 → 204`)
}

// A fault expires in a year that a clock can show.
func TestFaultsExpiryYear(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, emulator.WithClock(emulator.FrozenAt(time.Date(9980, time.January, 1, 0, 0, 0, 0, time.UTC))))
	lab.PlayScript(t, c, `
		POST faults {"rule":{"on":"get","respond":{"status":500}},"expires_in":"1000000h"} → 400 …and the clock goes to the year 9990 only: let it last for less
		POST faults {"rule":{"on":"get","respond":{"status":500}},"expires_in":"2562047h"} → 400 …and the clock goes to the year 9990 only: let it last for less
		POST faults {"rule":{"on":"get","respond":{"status":500}},"expires_in":"24h"} → 201`)
}

// The faults of a world are one value in the store, whose size is limited.
func TestFaultsTotalSize(t *testing.T) {
	t.Parallel()
	long := `POST faults {"rule":{"on":"update","respond":{"status":500,"message":"` + strings.Repeat("x", 60_000) + `"}}} → `
	lab.PlayScript(t, lab.Start(t), strings.Repeat(long+"201\n", 8)+long+
		`409 The world's faults and scenario list may take 512 KiB, and these need 529: delete some first, or write them shorter
		GET faults → 200 items.#=8
		POST clock/advance {"by":"1.5s"} → 200
		DELETE faults/fault-3 → 204
		`+long+`201
		POST reset → 200
		`+long+`201`)
}
