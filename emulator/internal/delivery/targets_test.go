package delivery_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

func TestTargets(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, emulator.WithWebhooks(emulator.Webhooks{Hosts: []string{"hooks.example.test"}}))
	for url, want := range map[string]string{
		"http://127.0.0.1:1/":                           "",
		"https://[::1]/hooks?shop=1":                    "",
		"http://10.1.2.3/":                              "",
		"http://[fd00::1]/":                             "",
		"http://receiver:3000/":                         "",
		"http://[::ffff:192.168.1.1]/":                  "",
		"http://hooks.example.test/":                    "",
		"http://hooks.example.org/":                     "--webhook-host",
		"http://8.8.8.8/":                               "--webhook-host",
		"http://[::ffff:8.8.8.8]/":                      "--webhook-host",
		"http://169.254.169.254/":                       "--webhook-host",
		"http://[fe80::1]/":                             "--webhook-host",
		"http://0.0.0.0/":                               "--webhook-host",
		"http://[::]/":                                  "--webhook-host",
		"http://224.0.0.1/":                             "--webhook-host",
		"http://127.1/":                                 "--webhook-host",
		"http://me:secret@127.0.0.1/":                   "user information",
		"http://127.0.0.1/#part":                        "fragment",
		"ftp://127.0.0.1/":                              "not the address of a receiver",
		"127.0.0.1:3000":                                "not the address of a receiver",
		"http:///hooks":                                 "not the address of a receiver",
		"http://127.0.0.1/" + strings.Repeat("a", 2100): "2048 at most",
	} {
		r := c.Post(lab.Control+"webhooks", `{"url":"`+url+`"}`)
		if want == "" {
			lab.WantStatus(t, r, 201, "")
			lab.PlayScript(t, c, "POST reset → 200")
			continue
		}
		if r.Status != 400 || !strings.Contains(string(r.Body), want) {
			t.Errorf("%s: %d %s, want %s", url, r.Status, r.Body, want)
		}
	}
	for range 10 {
		lab.Subscribe(t, c, "http://127.0.0.1:1/")
	}
	lab.PlayScript(t, c, `POST webhooks {"url":"http://127.0.0.1:1/"} → 409 …at most
		POST webhooks {"url":"http://127.0.0.1:1/","events":["session"]} → 400 …unknown event
		POST webhooks {"url":"http://127.0.0.1:1/","token":"a b"} → 400 …no spaces
		POST webhooks {"url":"http://127.0.0.1:1/","version":"2021-01-01"} → 400 …must be one of
		DELETE webhooks/11 → 404 …There is no webhook 11`)
}

// A name that is allowed may have any address of a network, and no other, in whatever form.
func TestAddresses(t *testing.T) {
	t.Parallel()
	to := delivery.Targets{Hosts: []string{"hooks.example.test"}}
	for text, want := range map[string]bool{
		"203.0.113.7": true, "::ffff:203.0.113.7": true, "10.0.0.1": true, "0.0.0.0": false, "::ffff:0.0.0.0": false, "::": false, "169.254.169.254": false,
	} {
		if got := to.Allows("HOOKS.example.test", netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// A server that sends no webhooks refuses subscriptions.
func TestOff(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, emulator.WithWebhooks(emulator.Webhooks{Off: true}))
	lab.PlayScript(t, c, `POST webhooks {"url":"http://127.0.0.1:1/"} → 409 …start it without --no-webhooks`)
}
