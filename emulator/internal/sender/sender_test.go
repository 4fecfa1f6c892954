package sender_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

const timed = "vr_lifecycle_timed" // pending-approval, processing after an hour, completed after 23 more

// A redirect is a failure, and is not followed.
func TestRedirect(t *testing.T) {
	t.Parallel()
	c, r := lab.Hooked(t)
	other := lab.Receive(t)
	r.SetAnswer(func(w http.ResponseWriter, q *http.Request, _ string) {
		http.Redirect(w, q, other.URL, http.StatusTemporaryRedirect)
	})
	c.Get("/verification-requests/" + timed)
	lab.Advance(t, c, "1h", `{"sent":0,"failed":1,"due":1}`)
	if got := other.Bodies(); len(got) > 0 {
		t.Errorf("the redirect was followed: %s", got)
	}
}

// The status of an answer counts, also when the connection ends within its body.
func TestAbortedAnswer(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{200: `{"sent":1,"failed":0,"due":0}`, 500: `{"sent":0,"failed":1,"due":1}`} {
		c, r := lab.Hooked(t)
		r.SetAnswer(func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Length", "10")
			w.WriteHeader(status)
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		})
		c.Get("/verification-requests/" + timed)
		lab.Advance(t, c, "1h", want)
	}
}

// A receiver that hangs delays its own subscription only.
func TestHanging(t *testing.T) {
	t.Parallel()
	c, slow := lab.Hooked(t)
	quick, hang := lab.Receive(t), make(chan struct{})
	lab.Subscribe(t, c, quick.URL)
	slow.SetAnswer(func(http.ResponseWriter, *http.Request, string) { <-hang })
	t.Cleanup(func() { close(hang) })
	for i := range 5 {
		lab.PlayScript(t, c, fmt.Sprintf("POST verification-requests {\"id\":\"vr_%d\",\"state\":\"processing\"} → 201\nmove vr_%d completed", i, i))
	}
	lab.WantEvents(t, quick, "vr_0 completed", "vr_1 completed", "vr_2 completed", "vr_3 completed", "vr_4 completed")
	if got := len(slow.Bodies()); got != 1 {
		t.Errorf("%d are with the receiver that hangs", got)
	}
}

// A webhook comes before the answer to the call that has caused it where a rule says so, and after it elsewhere.
func TestBeforeAnswer(t *testing.T) {
	t.Parallel()
	c, r := lab.Hooked(t)
	lab.PutFault(t, c, `{"rule":{"on":"webhook","deliver":"before-answer","times":1}}`)
	lab.PutFault(t, c, `{"rule":{"on":"cancel","delay":{"fixed":"200ms"}}}`)
	lab.PlayScript(t, c, "PUT /verification-requests/vr_processing/cancel "+lab.CancelOther+" → 200")
	if got := r.States(t); len(got) != 1 {
		t.Fatalf("with the answer came %v", got)
	}
	lab.PlayScript(t, c, `POST verification-requests {"id":"vr_mine","state":"processing"} → 201`)
	answered := make(chan bool, 1)
	early := make(chan bool, 1)
	r.SetAnswer(func(w http.ResponseWriter, _ *http.Request, _ string) {
		early <- len(answered) == 0
		w.WriteHeader(204)
	})
	lab.PlayScript(t, c, "PUT /verification-requests/vr_mine/cancel "+lab.CancelOther+" → 200")
	answered <- true
	lab.WaitFor(t, r, 2)
}

// An answer that a fault damages has happened to the world: its webhook follows.
func TestAfterDamagedAnswer(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"truncated", "malformed", "dribble"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			url, r := lab.Serve(t, (&lab.Pauses{}).Option()), lab.Receive(t)
			c := apitest.New(t, url, lab.Key)
			lab.Subscribe(t, c, r.URL)
			lab.PutFault(t, c, `{"rule":{"on":"cancel","fault":"`+fault+`"}}`)
			response, err := http.DefaultTransport.RoundTrip(lab.RequestTo("PUT", url+"/verification-requests/vr_processing/cancel", lab.Key, lab.CancelOther))
			if err == nil {
				response.Body.Close()
			}
			lab.WantEvents(t, r, "vr_processing canceled")
		})
	}
}

// Time that passes by itself sends webhooks, without any call, also while another world waits longer.
func TestRunningClock(t *testing.T) {
	t.Parallel()
	c, r := lab.Start(t), lab.Receive(t)
	for _, world := range []struct{ key, span string }{{lab.Key + "_other", "1h"}, {lab.Key, "300ms"}} {
		of := c.With("Authorization", "Bearer "+world.key)
		lab.PlayScript(t, of, `PUT clock {"frozen":false} → 200
			POST verification-requests {"id":"vr_mine","verification_request":{"timeline":[{"state":"processing"},{"state":"completed","after":{"elapsed":"`+world.span+`"}}]}} → 201`)
		lab.Subscribe(t, of, r.URL)
	}
	lab.WantEvents(t, r, "vr_mine completed")
}
