package inventory_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab/replicas"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// With session flow manual a session's request waits until the session is finished.
func TestSessionFlow(t *testing.T) {
	t.Parallel()
	lab.PlayScripts(t, map[string]string{
		"success goes on with the timeline from then": `
			POST /credentials/session SESSION(000-00-1002) → 201 | session_flow manual: the request stays pending-approval until the token is used
			GET credentials-sessions/{cs} → 200 flow=manual outcome=null flow_url=* state=pending-approval
			advance 48h
			GET /verification-requests/{vr} → 200 state=pending-approval | the request waits, without end, for a person to use the token of its session {cs}
			POST credentials-sessions/{cs}/finish {"outcome":"success"} → 200 flow=manual outcome=success state=pending-approval
			GET verification-requests/{vr} → 200 timeline.#=3 timeline.0.at=2025-01-15T09:30:00Z timeline.1.at=2025-01-17T10:30:00Z
			advance 1h
			GET /verification-requests/{vr} → 200 state=processing
			advance 23h
			GET /verification-requests/{vr} → 200 state=completed`,
		"a step per read counts from then": `
			POST /credentials/session SESSION(000-00-1001) → 201
			GET /verification-requests/{vr} → 200 state=pending-approval
			GET /verification-requests/{vr} → 200 state=pending-approval
			POST credentials-sessions/{cs}/finish {} → 200 outcome=success
			GET /verification-requests/{vr} → 200 state=pending-approval
			GET /verification-requests/{vr} → 200 state=processing`,
		"success of a request without a timeline": `
			POST /credentials/session SESSION(000-12-3456) → 201
			GET /verification-requests/{vr} → 200 state=pending-approval reports=null date_of_completion=null
			advance 1h
			POST credentials-sessions/{cs}/finish {} → 200 outcome=success state=completed
			GET verification-requests/{vr} → 200 timeline.#=3 timeline.0.state=pending-approval timeline.1.state=processing timeline.1.at=2025-01-15T10:30:00Z timeline.2.state=completed diagnosis.#=0
			GET /verification-requests/{vr} → 200 state=completed reports.#=1`,
		"success follows a scenario that cancels": `
			POST /credentials/session SESSION(000-01-0000) → 201
			POST credentials-sessions/{cs}/finish {} → 200 outcome=success state=canceled`,
		"failure is canceled by the service": `
			POST /credentials/session SESSION(000-12-3456) → 201
			POST credentials-sessions/{cs}/finish {"outcome":"failure"} → 200 outcome=failure state=canceled
			GET /verification-requests/{vr} → 200 state=canceled cancellation_reason=other reports=null
			GET verification-requests/{vr} → 200 timeline.#=2 diagnosis.0="canceled without a reason: cancellation_reason is other, as when the service cancels (our decision; the specification is silent)"
			advance 100h
			GET /verification-requests/{vr} → 200 state=canceled`,
		"abandoned is invalid after 72 h": `
			POST /credentials/session SESSION(000-12-3456) → 201
			advance 100h
			POST credentials-sessions/{cs}/finish {"outcome":"abandoned"} → 200 outcome=abandoned state=pending-approval
			advance 71h59m59s
			GET /verification-requests/{vr} → 200 state=pending-approval
			advance 1s
			GET /verification-requests/{vr} → 200 state=invalid`,
		"abandoned may be canceled": `
			POST /credentials/session SESSION(000-12-3456) → 201
			POST credentials-sessions/{cs}/finish {"outcome":"abandoned"} → 200
			PUT /verification-requests/{vr}/cancel {"cancellation_reason":"other"} → 200`,
		"nobody finishes it": `
			POST /credentials/session SESSION(000-12-3456) → 201
			advance 8760h
			GET verification-requests/{vr} → 200 state=pending-approval diagnosis.0="the request waits, without end, for a person to use the token of its session {cs}"
			POST clock/advance {"by":"0s"} → 200`,
		"a second finish is 409": `
			POST /credentials/session SESSION(000-12-3456) → 201
			POST credentials-sessions/{cs}/finish {"outcome":"failure"} → 200
			POST credentials-sessions/{cs}/finish {} → 409 The session {cs} is finished: its outcome is failure. Create another one`,
		"a canceled request is 409": `
			POST /credentials/session SESSION(000-12-3456) → 201
			PUT /verification-requests/{vr}/cancel {"cancellation_reason":"other"} → 200
			POST credentials-sessions/{cs}/finish {} → 409 The request of session {cs} is canceled: a session is finished while its request is pending-approval
			GET credentials-sessions/{cs} → 200 flow=manual outcome=null`,
		"a request that was moved by hand is 409": `
			POST /credentials/session SESSION(000-00-1002) → 201
			move {vr} processing
			POST credentials-sessions/{cs}/finish {} → 409 The request of session {cs} is processing: a session is finished while its request is pending-approval
			advance 23h
			GET /verification-requests/{vr} → 200 state=completed`,
		"a scenario that is gone is 409": `
			PUT scenarios/mine {"name":"mine","title":"Mine","replaces":"credentials-session","magic":{"ssn":"any"}} → 200
			POST /credentials/session SESSION(000-12-3456) → 201
			DELETE scenarios/mine → 204
			POST credentials-sessions/{cs}/finish {} → 409 The scenario "mine" of session {cs} no longer exists: add it again
			POST credentials-sessions/{cs}/finish {"outcome":"failure"} → 200`,
		"an unknown session is 404": `POST credentials-sessions/cs_none/finish {} → 404 There is no credentials session "cs_none": the list of credentials sessions has the ids`,
		"an unknown outcome is 400": `POST credentials-sessions/cs_none/finish {"outcome":"succes"} → 400 unknown value "succes" for outcome: did you mean success?`,
		"an unknown key is 400":     `POST credentials-sessions/cs_none/finish {"outcom":"success"} → 400 …outcom`,
		"a reset deletes it": `
			POST /credentials/session SESSION(000-12-3456) → 201
			POST reset → 200
			POST credentials-sessions/{cs}/finish {} → 404 There is no credentials session "{cs}": the list of credentials sessions has the ids`,
		"a dry run changes nothing": `
			POST scenarios/resolve {"method":"POST","path":"/credentials/session","body":SESSION(000-12-3456)} → 200 status=201
			GET credentials-sessions → 200 items.#=0`,
		"the world's setting wins": `
			PUT settings {"session_flow":"auto"} → 200
			POST /credentials/session SESSION(000-12-3456) → 201 | session_flow auto: the emulator played the person who uses the token
			GET credentials-sessions/{cs} → 200 flow=auto outcome=success flow_url=null state=completed
			POST credentials-sessions/{cs}/finish {} → 409 The session {cs} has session_flow auto: the emulator played the person. Create one with session_flow manual`,
		"a number's own flow wins": `
			POST /credentials/session SESSION(000-77-0001) → 201 | session_flow auto
			GET credentials-sessions/{cs} → 200 flow=auto outcome=success state=completed`,
	}, emulator.WithSessionFlow("manual"))
}

// The person of each outcome is played where the flow is auto.
func TestSessionFlowAuto(t *testing.T) {
	t.Parallel()
	lab.PlayScripts(t, map[string]string{
		"success": `
			POST /credentials/session SESSION(000-77-0001) → 201 | session_flow auto: the emulator played the person who uses the token
			GET credentials-sessions/{cs} → 200 flow=auto outcome=success state=completed
			GET verification-requests/{vr} → 200 timeline.#=3 timeline.0.state=pending-approval timeline.1.state=processing timeline.2.state=completed timeline.0.at=2025-01-15T09:30:00Z timeline.1.at=2025-01-15T09:30:00Z timeline.2.at=2025-01-15T09:30:00Z
			advance 100h
			GET /verification-requests/{vr} → 200 state=completed created=2025-01-15T09:30:00.000000Z date_of_completion=2025-01-15T09:30:00.000000Z
			PATCH verification-requests/{vr} {"state":"processing"} → 409`,
		"a scenario begins as processing": `
			PUT scenarios/mine {"name":"mine","title":"Mine","replaces":"credentials-session","magic":{"ssn":"any"},"verification_request":{"timeline":[{"state":"processing"},{"state":"completed","after":{"elapsed":"1h"}}]}} → 200
			POST /credentials/session SESSION(000-12-3456) → 201
			GET verification-requests/{vr} → 200 timeline.#=3 timeline.0.state=pending-approval timeline.1.state=processing timeline.2.state=completed timeline.1.at=2025-01-15T09:30:00Z timeline.2.at=2025-01-15T10:30:00Z
			advance 1h
			GET /verification-requests/{vr} → 200 state=completed`,
		"a scenario begins as pending-approval": `
			POST /credentials/session SESSION(000-00-1002) → 201
			GET verification-requests/{vr} → 200 timeline.#=3 timeline.0.place=present timeline.1.state=processing timeline.1.at=2025-01-15T10:30:00Z`,
		"failure": `
			POST /credentials/session SESSION(000-77-0002) → 201
			GET credentials-sessions/{cs} → 200 flow=auto outcome=failure state=canceled
			GET verification-requests/{vr} → 200 timeline.#=2 timeline.0.state=pending-approval timeline.1.state=canceled
			GET /verification-requests/{vr} → 200 state=canceled cancellation_reason=other`,
		"abandoned": `
			POST /credentials/session SESSION(000-77-0003) → 201
			GET credentials-sessions/{cs} → 200 flow=auto outcome=null state=pending-approval
			advance 72h
			GET credentials-sessions/{cs} → 200 flow=auto outcome=abandoned state=invalid`,
		"a scenario waits for a person": `
			PUT scenarios/mine {"name":"mine","title":"Mine","session_flow":"manual","replaces":"credentials-session","magic":{"ssn":"any"}} → 200
			POST /credentials/session SESSION(000-12-3456) → 201 | session_flow manual
			GET /verification-requests/{vr} → 200 state=pending-approval
			POST credentials-sessions/{cs}/finish {} → 200 flow=manual outcome=success state=completed`,
	})
}

// Of those who finish a session at once, one does.
func TestFinishSession(t *testing.T) {
	t.Parallel()
	t.Run("at once, one does", func(t *testing.T) {
		t.Parallel()
		c := lab.Start(t, emulator.WithSessionFlow("manual"))
		finishAtOnce(t, c, lab.Create(t, c, lab.Session("000-12-3456")).ID, c, c, c)
	})
	t.Run("in Go", func(t *testing.T) {
		t.Parallel()
		_, w, c := lab.InGo(t, emulator.WithSessionFlow("manual"))
		id := lab.Create(t, c, lab.Session("000-12-3456")).ID
		_, err := w.FinishSession(t.Context(), id, "leaves")
		lab.WantRefusal(t, err, 400, `unknown value "leaves" for outcome: must be one of success, failure, abandoned`)
		v, err := w.FinishSession(t.Context(), id, "")
		lab.Want(t, "success completed", v.Flow.Outcome+" "+string(v.Progress.State), err)
		_, err = w.FinishSession(t.Context(), id, "failure")
		lab.WantRefusal(t, err, 409, "The session "+id+" is finished: its outcome is success. Create another one")
	})
	t.Run("a snapshot has it", func(t *testing.T) {
		t.Parallel()
		c := lab.Start(t, emulator.WithSessionFlow("manual"))
		waiting, done := lab.Create(t, c, lab.Session("000-12-3456")), lab.Create(t, c, lab.Session("000-00-1002"))
		lab.PlayScript(t, c, `POST credentials-sessions/`+done.ID+`/finish {"outcome":"abandoned"} → 200`)
		other := apitest.New(t, lab.Serve(t), lab.Key+"-other")
		lab.WantStatus(t, other.Send("PUT", lab.Control+"snapshot", string(c.Get(lab.Control+"snapshot").Body)), 200, "")
		lab.PlayScript(t, other, `
			GET credentials-sessions/`+done.ID+` → 200 flow=manual outcome=abandoned state=pending-approval
			POST credentials-sessions/`+waiting.ID+`/finish {} → 200 outcome=success state=completed
			advance 72h
			GET credentials-sessions/`+done.ID+` → 200 state=invalid`)
	})
	t.Run("a snapshot of an impossible session is refused", func(t *testing.T) {
		t.Parallel()
		c := lab.Start(t, emulator.WithSessionFlow("manual"))
		lab.Create(t, c, lab.Session("000-12-3456"))
		snapshot := string(c.Get(lab.Control + "snapshot").Body)
		for change, want := range map[string]string{
			`"manual":true,"outcome":"none"`: `outcome: has the unknown value "none"`,
			`"outcome":"success"`:            "is manual, or has an outcome, without a session that a person finishes",
		} {
			if r := c.Put(lab.Control+"snapshot", strings.Replace(snapshot, `"manual":true`, change, 1)); r.Status != 400 || !strings.Contains(r.ErrorMessage(), want) {
				t.Errorf("%d %s, want %s", r.Status, r.Body, want)
			}
		}
	})
}

// finishAtOnce finishes a session by several clients at once, with all outcomes.
func finishAtOnce(t *testing.T, reader *apitest.Client, id string, clients ...*apitest.Client) {
	t.Helper()
	next := make(chan string, 12)
	for i := range cap(next) {
		next <- []string{"success", "failure", "abandoned"}[i%3] + " " + strconv.Itoa(i%len(clients))
	}
	winner := ""
	for answer, times := range lab.InParallel(cap(next), func() string {
		how, client, _ := strings.Cut(<-next, " ")
		i, _ := strconv.Atoi(client)
		r := clients[i].Post(lab.Control+"credentials-sessions/"+id+"/finish", `{"outcome":"`+how+`"}`)
		if r.Status != 200 {
			return strconv.Itoa(r.Status)
		}
		return how
	}) {
		switch {
		case answer == "409" && times == 11:
		case answer != "409" && times == 1 && winner == "":
			winner = answer
		default:
			t.Errorf("%d answers are %s", times, answer)
		}
	}
	lab.PlayScript(t, reader, `GET credentials-sessions/`+id+` → 200 outcome=`+winner)
}

// Of two replicas that finish a session at once, one does, and both know.
func TestSessionFinishedElsewhere(t *testing.T) {
	t.Parallel()
	a, b := replicas.Clients(t, etcdtest.Run(t, 1), emulator.WithSessionFlow("manual"))
	for range 3 {
		id := lab.Create(t, a, lab.Session("000-12-3456")).ID
		finishAtOnce(t, b, id, a, b)
		lab.PlayScript(t, a, `POST credentials-sessions/`+id+`/finish {} → 409 …is finished`)
	}
}
