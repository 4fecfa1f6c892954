package control_test

import (
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

func TestWebhooks(t *testing.T) {
	t.Parallel()
	lab.PlayScripts(t, map[string]string{
		"made, listed and deleted": `
			GET webhooks → 200 {"items":[],"next":null}
			POST webhooks {"url":"http://127.0.0.1:1/hooks","token":"t"} → 201 id=1 url=http://127.0.0.1:1/hooks events.#=2 token=t version=2023-10-30
			POST webhooks {"url":"http://app:8081/hooks","events":["credentials_session.state.change"],"version":"2022-08-01"} → 201 id=2 events.#=1 token=* version=2022-08-01
			GET webhooks → 200 items.#=2 items.0.id=1 items.1.id=2
			GET webhooks?limit=1 → 200 items.#=1 items.0.id=1 next=1
			GET webhooks?limit=1&after=1 → 200 items.#=1 items.0.id=2
			DELETE webhooks/1 → 204
			DELETE webhooks/1 → 404 There is no webhook 1: the list of webhooks has the ids
			POST webhooks {"url":"http://127.0.0.1:1/hooks"} → 201 id=3
			GET webhooks → 200 items.#=2 items.0.id=2 items.1.id=3
			POST reset → 200 key=*
			GET webhooks → 200 {"items":[],"next":null}
			POST webhooks {"url":"http://127.0.0.1:1/hooks"} → 201 id=1`,
		"refused": `
			POST webhooks {} → 400 url is not the address of a receiver: write it as http://127.0.0.1:3000/hooks
			POST webhooks {"url":"http://hooks.example.com/"} → 400 …and webhooks go to loopback and private addresses and to names without a dot: allow the name with --webhook-host
			POST webhooks {"url":"http://127.0.0.1:1/","events":[]} → 400 events is empty: name one, such as verification_request.state.change, or omit it for all
			POST webhooks {"url":"http://127.0.0.1:1/","events":["completed"]} → 400 …unknown event
			POST webhooks {"url":"http://127.0.0.1:1/","secret":"x"} → 400 …secret
			DELETE webhooks/one → 404 There is no webhook "one": ids are numbers such as 1
			GET webhooks?after=x → 400 after is the next of the page before, an id, which "x" cannot be
			GET deliveries?status=sent → 400 There is no status "sent": it is one of due, delivered, given-up
			GET deliveries?after=x → 400 after is the next of the page before, an id, which "x" cannot be
			POST deliveries/delivery-7/resend → 404 There is no delivery delivery-7: the list of deliveries has the last 1000
			GET deliveries → 200 {"items":[],"next":null}
			GET webhooks → 200 {"items":[],"next":null}`,
		"ten at most": `
			POST webhooks {"url":"http://127.0.0.1:1/"} → 201 id=1
			POST webhooks {"url":"http://127.0.0.1:1/"} → 201 id=2
			POST webhooks {"url":"http://127.0.0.1:1/"} → 201 id=3
			POST webhooks {"url":"http://127.0.0.1:1/"} → 201 id=4
			POST webhooks {"url":"http://127.0.0.1:1/"} → 201 id=5
			POST webhooks {"url":"http://127.0.0.1:1/"} → 201 id=6
			POST webhooks {"url":"http://127.0.0.1:1/"} → 201 id=7
			POST webhooks {"url":"http://127.0.0.1:1/"} → 201 id=8
			POST webhooks {"url":"http://127.0.0.1:1/"} → 201 id=9
			POST webhooks {"url":"http://127.0.0.1:1/"} → 201 id=10
			POST webhooks {"url":"http://127.0.0.1:1/"} → 409 A world has 10 webhooks at most: delete one first
			DELETE webhooks/3 → 204
			POST webhooks {"url":"http://127.0.0.1:1/"} → 201 id=11`,
		"a clock that carries out nothing": `
			PUT clock {"frozen":true} → 200 deliveries.sent=0 deliveries.failed=0 deliveries.due=0
			POST clock/advance {"by":"1h"} → 200 now=2025-01-15T10:30:00Z deliveries.sent=0`,
	})
}
