package serve

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// receiver takes webhooks on one address, also after it was killed.
type receiver struct {
	addr   string
	server *http.Server

	mu     sync.Mutex
	states map[string]string // the states that each request has had, in their order
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{addr: "127.0.0.1:0", states: make(map[string]string)}
	r.start(t)
	t.Cleanup(func() { r.server.Close() })
	return r
}

func (r *receiver) start(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", r.addr)
	commandtest.NoError(t, err)
	r.addr, r.server = listener.Addr().String(), &http.Server{Handler: r}
	go r.server.Serve(listener)
}

// kill ends the receiver with its connections, and starts it anew.
func (r *receiver) kill(t *testing.T) {
	t.Helper()
	commandtest.NoError(t, r.server.Close())
	r.start(t)
}

var stateIn = regexp.MustCompile(`"verification_request_id":"([^"]+)","state":"([^"]+)"`)

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if found := stateIn.FindSubmatch(body); err == nil && found != nil {
		r.mu.Lock()
		r.states[string(found[1])] += string(found[2]) + " "
		r.mu.Unlock()
	}
	w.WriteHeader(http.StatusNoContent)
}

// course is a course of state changes in worlds, while receiver and servers are killed.
type course struct {
	t        *testing.T
	worlds   int
	requests int // of each world, with two changes each
	kills    int
	url      func() string
	client   *http.Client
}

func (c *course) key(world int) string {
	return fmt.Sprintf("svc_sk_test_course-%d-%d", c.kills, world)
}

// ask sends a request until it is answered with one of some statuses.
func (c *course) ask(key, method, path, body string, statuses ...int) string {
	var last string
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		answer, text, err := commandtest.Send(c.client, commandtest.NewRequest(key, method, c.url()+path, body))
		if err != nil {
			last = err.Error()
			continue
		}
		for _, status := range statuses {
			if answer.StatusCode == status {
				return string(text)
			}
		}
		last = answer.Status + " " + string(text)
	}
	c.t.Errorf("%s %s: %s", method, path, last)
	return ""
}

// run makes all changes in new worlds, and calls kill, with its number, after equal parts of them. The receiver has each change in
// order, at least once; exactly once where nothing is killed.
func (c *course) run(r *receiver, kills int, kill func(i int)) {
	c.kills = kills
	const control = "/_understudy/v1/"
	var running sync.WaitGroup
	changes := make(chan struct{}, c.worlds*c.requests*2)
	for world := range c.worlds {
		key := c.key(world)
		c.ask(key, "POST", control+"webhooks", `{"url":"http://`+r.addr+`/"}`, 201)
		running.Go(func() {
			for i := range c.requests {
				id := fmt.Sprintf("vr_%d_%d", world, i)
				c.ask(key, "POST", control+"verification-requests", `{"id":"`+id+`","state":"pending-approval"}`, 201, 409) // 409: done before a kill
				for _, state := range []string{"processing", "completed"} {
					c.ask(key, "PATCH", control+"verification-requests/"+id, `{"state":"`+state+`"}`, 200, 409)
					changes <- struct{}{}
				}
			}
		})
	}
	for i := range kills {
		for range cap(changes) / (kills + 1) {
			<-changes
		}
		kill(i)
	}
	running.Wait()
	for world := range c.worlds {
		left := "" // an advance has a deadline, and says what it has left
		for advances := 0; !strings.Contains(left, `"due":0`) && advances < 5; advances++ {
			left = c.ask(c.key(world), "POST", control+"clock/advance", `{"by":"72h"}`, 200)
		}
		if !strings.Contains(left, `"due":0`) {
			c.t.Errorf("at the end: %s", left)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	inOrder, more := regexp.MustCompile(`^(processing )+(completed )+$`), 0
	for world := range c.worlds {
		for i := range c.requests {
			id := fmt.Sprintf("vr_%d_%d", world, i)
			states := r.states[id]
			if !inOrder.MatchString(states) || kills == 0 && states != "processing completed " {
				c.t.Errorf("%s: %q", id, states)
			}
			more += strings.Count(states, " ") - 2
		}
	}
	c.t.Logf("%d of %d changes came once more", more, c.worlds*c.requests*2)
}

// scale returns the worlds, the requests in each and the kills of a course: 1,000 changes and 60 kills with CI=true.
func scale() (worlds, requests, kills int) {
	if commandtest.Thorough() {
		return 20, 25, 60
	}
	return 4, 5, 4
}

// Each webhook comes at least once, and in order, while receiver and server are killed; exactly once while nothing is.
func TestWebhooksKilled(t *testing.T) {
	t.Parallel()
	worlds, requests, kills := scale()
	args := []string{"--store", "file:" + t.TempDir() + "/worlds.db", "--clock", "2025-01-15T09:30:00Z"}
	var server atomic.Pointer[commandtest.Server]
	server.Store(new(commandtest.StartProcess(t, args...)))
	c := &course{t: t, worlds: worlds, requests: requests, client: &http.Client{Timeout: time.Minute}, url: func() string { return server.Load().URL }}
	c.run(receive(t), 0, nil)
	r := receive(t)
	c.run(r, kills, func(i int) {
		if i%2 == 0 {
			r.kill(t)
			return
		}
		server.Load().Kill()
		server.Store(new(commandtest.StartProcess(t, args...)))
	})
}
