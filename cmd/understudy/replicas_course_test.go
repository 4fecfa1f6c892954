//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// course is what each of many requests for one thing in a fresh world is answered: every answer once but the last, in this
// order (contract 7).
type course struct {
	name, method, path, body string
	answers                  []string // their beginnings
}

var courses = []course{
	{"lifecycle", "GET", "/verification-requests/vr_lifecycle?fields=state", "", []string{
		`200 {"state":"pending-approval"}`, `200 {"state":"processing"}`, `200 {"state":"completed"}`}},
	{"service-canceled", "GET", "/verification-requests/vr_service_canceled?fields=state", "", []string{
		`200 {"state":"processing"}`, `200 {"state":"canceled"}`}},
	{"flaky", "GET", "/verification-requests/vr_flaky?fields=state", "", []string{
		`500 {"error":{"message":"Internal server error"}}`, `429 {"error":`, `200 {"state":"completed"}`}},
	{"cancel", "PUT", "/verification-requests/vr_processing/cancel", `{"cancellation_reason":"other"}`, []string{
		`200 {"id":"vr_processing",`, `400 {"error":{"message":"Verification request is already in a terminal state"}}`}},
	{"cancel-in-lifecycle", "PUT", "/verification-requests/vr_target_approval/cancel", `{"cancellation_reason":"other"}`, []string{
		`200 {"id":"vr_target_approval",`, `400 {"error":{"message":"Verification request is already in a terminal state"}}`}},
}

// play has clients go through the course together, in one world after the other, until the crew has had enough.
func (c course) play(crew *crew, enough <-chan struct{}) (answers, unknown int) {
	for n := 0; !over(crew, enough); n++ {
		replies := c.round(crew, fmt.Sprintf("svc_sk_test_%s-%d", c.name, n))
		for _, problem := range c.judge(replies) {
			crew.t.Errorf("%s, world %d: %s\n%s", c.name, n, problem, inOrder(replies))
		}
		answers += len(replies)
		unknown += len(slices.DeleteFunc(replies, func(r reply) bool { return !r.unknown }))
	}
	return answers, unknown
}

// over reports whether the players are to end, as they are when the test has failed.
func over(c *crew, enough <-chan struct{}) bool {
	select {
	case <-enough:
		return true
	default:
		return c.t.Failed()
	}
}

// round has three clients ask in a world until each has met the last answer.
func (c course) round(crew *crew, key string) (replies []reply) {
	var mu sync.Mutex
	var asking sync.WaitGroup
	for range 3 {
		asking.Go(func() {
			for last := false; !last && !crew.t.Failed(); {
				got := crew.ask(key, c.method, c.path, c.body)
				last = c.rank(got) == len(c.answers)-1
				mu.Lock()
				replies = append(replies, got)
				mu.Unlock()
			}
		})
	}
	asking.Wait()
	return replies
}

// rank returns the number of an answer, -1 for none of them.
func (c course) rank(r reply) int { return slices.IndexFunc(c.answers, r.is) }

// judge tells what cannot be, whatever became of the requests of which the outcome is not known: each of them may have
// been one of the answers that are there once, and none of them may have been more.
func (c course) judge(replies []reply) (problems []string) {
	times, unknown := make([]int, len(c.answers)), 0
	for _, r := range replies {
		switch rank := c.rank(r); {
		case r.unknown:
			unknown++
		case rank < 0:
			problems = append(problems, "nobody is answered so: "+r.text)
		default:
			times[rank]++
		}
	}
	missing := 0
	for rank, n := range times[:len(times)-1] {
		if n > 1 {
			problems = append(problems, fmt.Sprintf("%d are answered %s", n, c.answers[rank]))
		}
		missing += max(0, 1-n)
	}
	if missing > unknown {
		problems = append(problems, fmt.Sprintf("%d answers are missing, and %d outcomes are unknown", missing, unknown))
	}
	for _, early := range replies {
		for _, late := range replies {
			if !late.unknown && early.ended.Before(late.began) && c.rank(early) > c.rank(late) {
				problems = append(problems, fmt.Sprintf("%s was answered, and after that %s", early.text, late.text))
			}
		}
	}
	return problems
}

// inOrder writes replies in the order in which they came.
func inOrder(replies []reply) string {
	var text strings.Builder
	slices.SortFunc(replies, func(a, b reply) int { return a.ended.Compare(b.ended) })
	for _, r := range replies {
		fmt.Fprintf(&text, "%s to %s unknown=%t %.120s\n", r.began.Format("05.000"), r.ended.Format("05.000"), r.unknown, r.text)
	}
	return text.String()
}
