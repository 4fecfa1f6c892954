package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// Webhooks are added, fail on demand, are listed with their attempts among the requests and beside their resource, are sent
// again and removed, without scripts.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	v := visit(t)
	got := make(chan string, 10)
	hook := lab.ServeHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got <- r.Header.Get("X-Webhook-Token") }))
	here := v.world + "/webhooks"
	v.get(here).shows(200, "Nothing was sent yet", "Fail the next one").lacks("Remove")
	v.post(here, "do", "hooked", "url", "http://hooks.example.com/").alerts(400, "allow the name with --webhook-host")
	v.follow(v.post(here, "do", "hooked", "url", hook, "token", "open-sesame")).shows(200, "Webhook added.", hook, "open-sesame", "Remove")
	v.follow(v.post(here, "do", "misdelivered", "fail", "webhook-twice")).shows(200, "The next webhook will go wrong once.")
	v.post(here, "do", "misdelivered", "fail", "no-such").alerts(400, "no such button")
	v.follow(v.post(v.world+"/verification-requests/vr_processing", "do", "move", "state", "completed")).shows(200, "delivery-1", "delivery-2")
	for range 2 {
		if token := await(t, got); token != "open-sesame" {
			t.Errorf("the token is %q", token)
		}
	}
	lab.Until(t, "both are delivered", func() bool { return strings.Count(v.get(here).body, ">delivered<") >= 2 })
	v.get(v.world+"/journal/?kind=webhook").shows(200, "webhook http", hook)
	v.get(here).shows(200, "vr_processing", "completed")
	v.follow(v.post(here, "do", "redelivered", "id", "delivery-1")).shows(200, "Delivery sent again.")
	await(t, got)
	lab.Until(t, "the last attempt is shown", func() bool { return strings.Contains(v.get(here).text(), "200 attempt 2") })
	v.post(here, "do", "redelivered", "id", "delivery-9").alerts(404, "There is no delivery")
	v.follow(v.post(here, "do", "unhooked", "id", "1")).shows(200, "Webhook removed.").lacks("open-sesame")
	v.post(here, "do", "unhooked", "id", "1").alerts(404, "There is no webhook 1")
}

// await returns what a receiver gets.
func await(t *testing.T, got <-chan string) string {
	t.Helper()
	select {
	case token := <-got:
		return token
	case <-time.After(30 * time.Second):
		t.Fatal("no webhook came")
		return ""
	}
}
