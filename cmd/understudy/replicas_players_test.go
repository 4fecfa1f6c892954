//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
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

// register is something in a world that one client writes, and reads from all replicas after that: never stale.
type register struct {
	name, method, path, body string // of the request that writes a number
	read, field              string // that shows it
	possible                 []int  // what it may be: the last that was acknowledged, and those behind it of which the outcome is unknown
	n, unknowns              int
}

func registers() []*register {
	return []*register{
		{name: "tenant", method: "PUT", path: "/tenant-properties/tp_default", body: `{"name":"%d"}`,
			read: "/_understudy/v1/tenant-properties/tp_default", field: "name"},
		{name: "completed", method: "PATCH", path: "/_understudy/v1/verification-requests/vr_completed", body: `{"set":{"loan_id":"%d"}}`,
			read: "/verification-requests/vr_completed?fields=loan_id", field: "loan_id"},
	}
}

func (g *register) play(c *crew, enough <-chan struct{}) (answers, unknown int) {
	key := "svc_sk_test_register-" + g.name
	for !over(c, enough) {
		g.n++
		switch got := c.ask(key, g.method, g.path, fmt.Sprintf(g.body, g.n)); {
		case got.unknown:
			g.unknowns++
			g.possible = append(g.possible, g.n)
		case got.is("200 "):
			g.possible = []int{g.n}
		default:
			c.t.Errorf("%s %s: %s", g.method, g.path, got.text)
		}
		for _, r := range c.replicas {
			g.check(c, c.askOf(r, key, "GET", g.read, ""))
		}
	}
	return g.n, g.unknowns
}

// check holds what a replica says against what can be.
func (g *register) check(c *crew, got reply) {
	if got.unknown || g.possible[0] == 1 && len(g.possible) == g.n {
		return // nothing was acknowledged yet
	}
	shown := decoded[map[string]any](c.t, strings.TrimPrefix(got.text, "200 "))
	at := slices.IndexFunc(g.possible, func(n int) bool { return shown[g.field] == fmt.Sprint(n) })
	if at < 0 {
		c.t.Errorf("%s shows %v, and may be one of %v", g.read, shown[g.field], g.possible)
		return
	}
	g.possible = g.possible[at:]
}

// clockwork is clients that advance one world's clock by an hour each.
type clockwork struct {
	mu             sync.Mutex
	advances       int // of which the outcome is known
	unknowns       int
	instants       map[time.Time]bool
	start, reached time.Time
}

const clockworkKey = "svc_sk_test_clockwork"

func (k *clockwork) play(c *crew, enough <-chan struct{}) (answers, unknown int) {
	k.start, k.instants = time.Date(2025, 1, 15, 9, 0, 0, 0, time.UTC), make(map[time.Time]bool)
	var advancing sync.WaitGroup
	for range 2 {
		advancing.Go(func() {
			for !over(c, enough) {
				k.advance(c)
			}
		})
	}
	advancing.Wait()
	return k.advances + k.unknowns, k.unknowns
}

// advance moves the clock on, and then no replica shows an earlier instant.
func (k *clockwork) advance(c *crew) {
	got := c.ask(clockworkKey, "POST", "/_understudy/v1/clock/advance", `{"by":"1h"}`)
	k.mu.Lock()
	if got.unknown {
		k.unknowns++
	} else if now := k.instant(c, got); !k.instants[now] {
		k.instants[now] = true
		k.advances++
		if now.After(k.reached) {
			k.reached = now
		}
	} else {
		c.t.Errorf("two advances led to %s", now)
	}
	least := k.reached
	k.mu.Unlock()
	if shown := c.ask(clockworkKey, "GET", "/_understudy/v1/clock", ""); !shown.unknown && k.instant(c, shown).Before(least) {
		c.t.Errorf("a replica shows %s after %s", shown.text, least)
	}
}

func (k *clockwork) instant(c *crew, got reply) time.Time {
	return decoded[worldTime](c.t, strings.TrimPrefix(got.text, "200 ")).Now
}

// check adds up what was advanced.
func (k *clockwork) check(c *crew) {
	hours := int(k.instant(c, c.ask(clockworkKey, "GET", "/_understudy/v1/clock", "")).Sub(k.start).Hours())
	if hours < k.advances || hours > k.advances+k.unknowns {
		c.t.Errorf("%d advances of an hour were acknowledged, of %d the outcome is unknown, and the clock went %d hours", k.advances, k.unknowns, hours)
	}
}

// sessions is a client that makes credentials sessions.
type sessions struct {
	made     []string // the ids of their requests
	unknowns int
}

const sessionsKey = "svc_sk_test_sessions"

func (s *sessions) play(c *crew, enough <-chan struct{}) (answers, unknown int) {
	for !over(c, enough) {
		got := c.ask(sessionsKey, "POST", "/credentials/session", newSession)
		if got.unknown {
			s.unknowns++
			continue
		}
		session := decoded[struct{ ID string }](c.t, strings.TrimPrefix(got.text, "201 "))
		request := strings.Replace(session.ID, "cs_", "vr_", 1)
		s.made = append(s.made, request)
		if shown := c.ask(sessionsKey, "GET", "/_understudy/v1/verification-requests/"+request, ""); !shown.unknown && !shown.is("200 ") {
			c.t.Errorf("the request of a session that was made: %s", shown.text)
		}
	}
	return len(s.made) + s.unknowns, s.unknowns
}

// check finds all sessions that were acknowledged, once, and no others than those of which the outcome is unknown.
func (s *sessions) check(c *crew) {
	w := &writer{key: sessionsKey}
	found := make(map[string]bool)
	for _, r := range remembered[struct{ ID string }](c.t, w, c.replicas[0].server.Load().url, "verification-requests") {
		found[r.ID] = true
	}
	for _, id := range s.made {
		if !found[id] {
			c.t.Errorf("%s was acknowledged, and is lost or there twice", id)
		}
		delete(found, id)
	}
	if len(found) > s.unknowns {
		c.t.Errorf("%d sessions are there that nobody was told of, and of %d the outcome is unknown", len(found), s.unknowns)
	}
}

// resets is a client that reads a lifecycle and has it begin anew.
type resets struct{ asked, unknowns int }

func (s *resets) play(c *crew, enough <-chan struct{}) (answers, unknown int) {
	const key = "svc_sk_test_resets"
	lifecycle := courses[0]
	possible := []int{0} // answers that may be the next
	late := false        // a reset of which the outcome is unknown may be carried out at any time
	for n := 0; !over(c, enough); n++ {
		s.asked++
		if n%5 == 4 {
			if late = c.ask(key, "POST", "/_understudy/v1/reset", "").unknown; late {
				s.unknowns++
			} else {
				possible = []int{0}
			}
			continue
		}
		got := c.ask(key, lifecycle.method, lifecycle.path, "")
		if late {
			possible = append(possible, 0)
		}
		if got.unknown {
			s.unknowns++
			for _, p := range slices.Clone(possible) {
				possible = append(possible, min(p+1, 2))
			}
			slices.Sort(possible)
			possible = slices.Compact(possible)
			continue
		}
		rank := lifecycle.rank(got)
		if !slices.Contains(possible, rank) {
			c.t.Errorf("a lifecycle that is reset: %s, want one of the answers %v", got.text, possible)
		}
		possible = []int{min(rank+1, 2)}
	}
	return s.asked, s.unknowns
}
