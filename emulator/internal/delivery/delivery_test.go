package delivery_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

const timed = "vr_lifecycle_timed" // pending-approval, processing after an hour, completed after 23 more

func TestBody(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"2023-10-30": `{"version":"2023-10-30","hook":{"id":1,"event":"verification_request.state.change","target":"URL","triggered_at":"2025-01-15T10:30:00.000000Z"},` +
			`"data":{"verification_request_id":"vr_lifecycle_timed","state":"processing","metadata":null,"credentials_session_token":null,"order_id":null}}`,
		"2022-08-01": `{"hook":{"id":"1","event":"verification_request.state.change","target":"URL"},` +
			`"data":{"verification_request_id":"vr_lifecycle_timed","state":"processing","metadata":null,"credentials_session_token":null}}`,
	} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c, r := lab.Hooked(t, `"version":"`+version+`"`, `"token":"sesame"`)
			c.Get("/verification-requests/" + timed)
			lab.Advance(t, c, "1h", `{"sent":1,"failed":0,"due":0}`)
			if diff := cmp.Diff([]string{strings.Replace(want, "URL", r.URL, 1)}, r.Bodies()); diff != "" {
				t.Error(diff)
			}
			if got := r.Tokens(); got[0] != "sesame" {
				t.Errorf("the token is %q", got[0])
			}
		})
	}
}

// The events of a session's request have its session, and both events have the session's token and metadata.
func TestSession(t *testing.T) {
	t.Parallel()
	c, r := lab.Hooked(t)
	s := lab.Create(t, c, strings.Replace(lab.Session("000-00-0000"), "{", `{"metadata":{"loan":"<7>"},`, 1))
	vr := lab.RequestOf(t, c, s)
	lab.WantEvents(t, r, vr+" processing", vr+" completed", vr+" success")
	for _, body := range r.Bodies() {
		lab.WantParts(t, body, `"credentials_session_token":"`+s.Token+`"`, `"metadata":{"loan":"<7>"}`)
	}
	lab.WantParts(t, r.Bodies()[2], `"event":"credentials_session.state.change"`)
}

// A request that a client creates changes by time, or at once with Request-Sync.
func TestExtendedCreate(t *testing.T) {
	t.Parallel()
	c, r := lab.Start(t, emulator.WithExtended()), lab.Receive(t)
	lab.Subscribe(t, c, r.URL)
	create := func(sync string) string {
		var v api.VerificationRequest
		person := strings.Replace(lab.Session("000-00-0000"), `,"company":{"name":"Example Mill"}`, "", 1)
		answer := c.With("Request-Sync", sync).Post("/verification-requests", person)
		lab.WantStatus(t, answer, 201, "")
		answer.JSON(&v)
		return v.ID
	}
	later := create("async")
	lab.Advance(t, c, "5s", `{"sent":1,`)
	lab.Advance(t, c, "10s", `{"sent":1,`)
	atOnce := create("sync")
	lab.WantEvents(t, r, later+" processing", later+" completed", atOnce+" processing", atOnce+" completed")
}

// What changes is sent when the answer has left; the state in which a request begins, and a read that changes nothing, is not.
func TestChanges(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script string
		want   []string
	}{
		"by_read":      {"GET /verification-requests/vr_service_canceled → 200\nGET /verification-requests/vr_service_canceled → 200", []string{"vr_service_canceled canceled"}},
		"by_operation": {"PUT /verification-requests/vr_processing/cancel " + lab.CancelOther + " → 200", []string{"vr_processing canceled"}},
		"by_hand":      {"GET /verification-requests/vr_lifecycle → 200\nmove vr_lifecycle processing", []string{"vr_lifecycle processing"}},
		"of_another":   {"GET /verification-requests/vr_completed → 200\nmove vr_lifecycle processing", []string{"vr_lifecycle processing"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, r := lab.Hooked(t)
			lab.PlayScript(t, c, tt.script)
			lab.WantEvents(t, r, tt.want...)
			lab.Advance(t, c, "0s", "{")
			if got := len(r.Bodies()); got != len(tt.want) {
				t.Errorf("%d events, want %d", got, len(tt.want))
			}
		})
	}
}

// A subscription receives what changes by time after it was made, not at that instant, also of requests that were there before.
func TestSubscribedLater(t *testing.T) {
	t.Parallel()
	for _, after := range []string{"1h", "2h"} {
		c, r := lab.Start(t), lab.Receive(t)
		c.Get("/verification-requests/" + timed)
		lab.Advance(t, c, after, `{"sent":0`)
		lab.Subscribe(t, c, r.URL)
		lab.Advance(t, c, "48h", `{"sent":1,"failed":0,"due":0}`)
		lab.WantEvents(t, r, timed+" completed")
	}
}

// A failed delivery is repeated at its instants, and given up then. The later event of its request waits.
func TestRepetitions(t *testing.T) {
	t.Parallel()
	c, r := lab.Hooked(t)
	r.SetAnswer(func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(503) })
	c.Get("/verification-requests/" + timed)
	lab.Advance(t, c, "48h", `{"sent":0,"failed":8,"due":2}`)
	lab.Advance(t, c, "1h", `{"sent":0,"failed":2,"due":1}`) // the last of the first, the first of the second
	lab.PlayScript(t, c, `GET deliveries?status=given-up → 200 items.#=1 items.0.attempts.#=9 items.0.attempts.8.time="2025-01-17T10:30:00Z" items.0.attempts.1.time="2025-01-15T10:31:00Z" items.0.attempts.2.time="2025-01-15T10:35:00Z"`)
	r.SetAnswer(nil)
	lab.Advance(t, c, "1m", `{"sent":1,"failed":0,"due":0}`)
	lab.PlayScript(t, c, `POST deliveries/delivery-1/resend → 200 status=due`)
	lab.Advance(t, c, "0s", "{")
	lab.PlayScript(t, c, `GET deliveries?status=delivered → 200 items.#=2 items.0.attempts.#=10
		GET journal?kind=webhook&status=503 → 200 items.#=10
		POST deliveries/delivery-3/resend → 404 …There is no delivery delivery-3`)
	bodies := r.Bodies()
	if first, last := bodies[0], bodies[len(bodies)-1]; first != last {
		t.Errorf("the second time it differs:\n%s\n%s", first, last)
	}
}

// A delivery that is sent once more is repeated from that attempt on.
func TestResend(t *testing.T) {
	t.Parallel()
	c, r := lab.Hooked(t)
	c.Get("/verification-requests/" + timed)
	lab.Advance(t, c, "2h", `{"sent":1,"failed":0,"due":0}`)
	r.SetAnswer(func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(503) })
	lab.PlayScript(t, c, `POST deliveries/delivery-1/resend → 200 status=due`)
	lab.Advance(t, c, "0s", "{")
	r.SetAnswer(nil)
	lab.Advance(t, c, "1m", `{"sent":1,"failed":0,"due":0}`)
}

// Of two events in a row that are out of order, the later one is sent first, and then the earlier one.
func TestOutOfOrderTwice(t *testing.T) {
	t.Parallel()
	c, r := lab.Hooked(t)
	lab.PutFault(t, c, `{"rule":{"on":"webhook","deliver":"out-of-order"}}`)
	lab.PlayScript(t, c, `POST verification-requests {"id":"vr_mine","state":"pending-approval"} → 201
		move vr_mine processing
		move vr_mine action-required`)
	lab.Advance(t, c, "0s", "{")
	lab.WantEvents(t, r, "vr_mine action-required", "vr_mine processing")
}

// Rules change how webhooks are delivered.
func TestMisbehaviour(t *testing.T) {
	t.Parallel()
	const vr = "vr_mine"
	for how, want := range map[string][]string{
		"twice":        {"processing", "processing", "completed"},
		"lost":         {"completed"},
		"late":         {"processing", "completed"},
		"out-of-order": {"completed", "processing"},
		"wrong-token":  {"processing", "completed"},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			c, r := lab.Hooked(t, `"token":"sesame"`)
			lab.PutFault(t, c, `{"rule":{"on":"webhook","state":"processing","deliver":"`+how+`"}}`)
			lab.PlayScript(t, c, `POST verification-requests {"id":"vr_mine","state":"pending-approval"} → 201
				move vr_mine processing
				move vr_mine completed`)
			lab.Advance(t, c, "59m", "{")
			if got := len(r.Bodies()); how == "late" && got > 0 {
				t.Errorf("%d came before their time", got)
			}
			lab.Advance(t, c, "1m", "{")
			for i := range want {
				want[i] = vr + " " + want[i]
			}
			lab.WantEvents(t, r, want...)
			tokens := strings.Join(r.Tokens(), " ")
			if other := strings.Contains(tokens, "wrong-sesame sesame"); other != (how == "wrong-token") {
				t.Errorf("the tokens are %s", tokens)
			}
			if how == "lost" {
				lab.PlayScript(t, c, "GET deliveries?status=given-up → 200 items.#=1\nGET journal?kind=webhook&status=0 → 200 items.#=1")
			}
		})
	}
}

// A reset leaves nothing, and begins to count from one.
func TestReset(t *testing.T) {
	t.Parallel()
	c, r := lab.Hooked(t)
	r.SetAnswer(func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(500) })
	c.Get("/verification-requests/" + timed)
	lab.Advance(t, c, "1h", `{"sent":0,"failed":1,"due":1}`)
	lab.PlayScript(t, c, "POST reset → 200\nGET webhooks → 200 items.#=0\nGET deliveries → 200 items.#=0")
	lab.Advance(t, c, "48h", `{"sent":0,"failed":0,"due":0}`)
	r.SetAnswer(nil)
	lab.Subscribe(t, c, r.URL)
	before := len(r.Bodies())
	lab.PlayScript(t, c, "move vr_processing canceled")
	lab.WantEvents(t, r, append(r.States(t)[:before], "vr_processing canceled")...)
	lab.PlayScript(t, c, "GET webhooks → 200 items.0.id=1\nGET deliveries → 200 items.0.id=delivery-1")
}

// A snapshot has what is due, and a restored world goes on with it.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	_, w, c := lab.InGo(t)
	r := lab.Receive(t)
	lab.Subscribe(t, c, r.URL)
	r.SetAnswer(func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(500) })
	c.Get("/verification-requests/" + timed)
	lab.Advance(t, c, "1h", `{"sent":0,"failed":1,"due":1}`)
	snapshot, err := w.Snapshot(t.Context())
	lab.NoError(t, err)
	r.SetAnswer(nil)
	other := lab.Launch(t)
	restored := lab.WorldOf(t, other, lab.Key)
	if _, err := restored.Restore(t.Context(), snapshot); err != nil {
		t.Fatal(err)
	}
	second, err := restored.Snapshot(t.Context())
	lab.Want(t, string(snapshot), string(second), err)
	status, err := restored.Advance(t.Context(), 48*time.Hour)
	lab.NoError(t, err)
	if got := *status.Deliveries; got.Sent != 2 || got.Failed != 0 || got.Due != 0 {
		t.Errorf("deliveries are %+v", got)
	}
	lab.WantEvents(t, r, timed+" processing", timed+" processing", timed+" completed")
}
