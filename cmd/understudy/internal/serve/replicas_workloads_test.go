//go:build unix

package serve

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// sequence is a request that is answered differently each time: in a fresh world every answer comes once, in this order, and
// the last one repeats.
type sequence struct {
	name, method, path, body string
	answers                  []string // prefixes of status and body
}

var sequences = []sequence{
	{"lifecycle", "GET", "/verification-requests/vr_lifecycle?fields=state", "", []string{
		`200 {"state":"pending-approval"}`, `200 {"state":"processing"}`, `200 {"state":"completed"}`}},
	{"service-canceled", "GET", "/verification-requests/vr_service_canceled?fields=state", "", []string{
		`200 {"state":"processing"}`, `200 {"state":"canceled"}`}},
	{"flaky", "GET", "/verification-requests/vr_flaky?fields=state", "", []string{
		`500 {"error":{"message":"Internal server error"}}`, `429 {"error":`, `200 {"state":"completed"}`}},
	{"cancel", "PUT", "/verification-requests/vr_processing/cancel", `{"cancellation_reason":"other"}`, []string{
		`200 {"id":"vr_processing",`, `403 {"error":{"message":"The verification request cannot be canceled"}}`}},
	{"cancel-in-lifecycle", "PUT", "/verification-requests/vr_target_approval/cancel", `{"cancellation_reason":"other"}`, []string{
		`200 {"id":"vr_target_approval",`, `403 {"error":{"message":"The verification request cannot be canceled"}}`}},
}

// run sends the request with several clients at once, in one world after another.
func (s sequence) run(cluster *cluster, stop <-chan struct{}) (answers, unknown int) {
	for n := 0; !stopped(cluster, stop); n++ {
		replies := s.round(cluster, fmt.Sprintf("svc_sk_test_%s-%d", s.name, n))
		for _, problem := range s.problems(replies) {
			cluster.t.Errorf("%s, world %d: %s\n%s", s.name, n, problem, inOrder(replies))
		}
		answers += len(replies)
		unknown += len(slices.DeleteFunc(replies, func(r reply) bool { return !r.unknown }))
	}
	return answers, unknown
}

// stopped reports whether a workload should end: it was stopped, or the test has failed.
func stopped(c *cluster, stop <-chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return c.t.Failed()
	}
}

// round has three clients send the request in one world until each gets the last answer.
func (s sequence) round(cluster *cluster, key string) (replies []reply) {
	var mu sync.Mutex
	var asking sync.WaitGroup
	for range 3 {
		asking.Go(func() {
			for last := false; !last && !cluster.t.Failed(); {
				got := cluster.ask(key, s.method, s.path, s.body)
				last = s.rank(got) == len(s.answers)-1
				mu.Lock()
				replies = append(replies, got)
				mu.Unlock()
			}
		})
	}
	asking.Wait()
	return replies
}

// rank returns the index of an answer, -1 for an unexpected one.
func (s sequence) rank(r reply) int { return slices.IndexFunc(s.answers, r.is) }

// problems returns what is wrong with the answers of a round. A request with an unknown outcome may have got one of the answers
// that come once.
func (s sequence) problems(replies []reply) (problems []string) {
	times, unknown := make([]int, len(s.answers)), 0
	for _, r := range replies {
		switch rank := s.rank(r); {
		case r.unknown:
			unknown++
		case rank < 0:
			problems = append(problems, "unexpected answer: "+r.text)
		default:
			times[rank]++
		}
	}
	missing := 0
	for rank, n := range times[:len(times)-1] {
		if n > 1 {
			problems = append(problems, fmt.Sprintf("%d answers are %s", n, s.answers[rank]))
		}
		missing += max(0, 1-n)
	}
	if missing > unknown {
		problems = append(problems, fmt.Sprintf("%d answers are missing, %d outcomes are unknown", missing, unknown))
	}
	for _, early := range replies {
		for _, late := range replies {
			if !late.unknown && early.ended.Before(late.began) && s.rank(early) > s.rank(late) {
				problems = append(problems, fmt.Sprintf("%s came before %s", early.text, late.text))
			}
		}
	}
	return problems
}

// inOrder formats replies in the order of their arrival.
func inOrder(replies []reply) string {
	var text strings.Builder
	slices.SortFunc(replies, func(a, b reply) int { return a.ended.Compare(b.ended) })
	for _, r := range replies {
		fmt.Fprintf(&text, "%s to %s unknown=%t %.120s\n", r.began.Format("05.000"), r.ended.Format("05.000"), r.unknown, r.text)
	}
	return text.String()
}

// sessions is a client that creates credentials sessions.
type sessions struct {
	created  []string // the ids of their verification requests
	unknowns int
}

const sessionsKey = "svc_sk_test_sessions"

func (s *sessions) run(c *cluster, stop <-chan struct{}) (answers, unknown int) {
	for !stopped(c, stop) {
		got := c.ask(sessionsKey, "POST", "/credentials/session", commandtest.NewSession)
		if got.unknown {
			s.unknowns++
			continue
		}
		session := commandtest.Decoded[struct{ ID string }](c.t, strings.TrimPrefix(got.text, "201 "))
		s.created = append(s.created, session.ID)
		if shown := c.ask(sessionsKey, "GET", "/_understudy/v1/credentials-sessions/"+session.ID, ""); !shown.unknown && !shown.is("200 ") {
			c.t.Errorf("the verification request of a new session: %s", shown.text)
		}
	}
	return len(s.created) + s.unknowns, s.unknowns
}

// check wants every acknowledged session once, and no others but those with an unknown outcome.
func (s *sessions) check(c *cluster) {
	w := &writer{key: sessionsKey}
	found := make(map[string]bool)
	for _, r := range allPages[createdSession](c.t, w, c.replicas[0].server.Load().URL, "credentials-sessions") {
		found[r.ID] = true
	}
	for _, id := range s.created {
		if !found[id] {
			c.t.Errorf("%s was acknowledged, and is lost or listed twice", id)
		}
		delete(found, id)
	}
	if len(found) > s.unknowns {
		c.t.Errorf("%d sessions were not acknowledged, %d outcomes are unknown", len(found), s.unknowns)
	}
}
