package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/store"
)

// A page that was open while the emulator got another token asks to log in, and is shown again then.
func TestBrowserOtherToken(t *testing.T) {
	t.Parallel()
	onlyInCI(t)
	b := look(t, emulator.WithControlToken("correct-horse"))
	b.expect("401", "htmx:responseError", "[object Event]")
	for _, page := range []string{prefix + "worlds?q=a", b.world + "/clock", prefix} {
		b.open(page)
		if value[bool](b, `document.querySelector("[name=token]") !== null`) {
			b.fill("[name=token]", "correct-horse")
			b.follow("Log in")
		}
		_, port, _ := strings.Cut(strings.TrimPrefix(b.url, "http://"), ":")
		command(b, network.SetCookie, network.SetCookieParams{Name: "understudy_console_" + port, Value: "proof-of-another", URL: b.url + prefix, Path: prefix})
		if strings.Contains(page, "worlds?") { // a page without polls
			b.open(page)
		} else {
			b.look()
			b.reads("#line[role=status]", "The emulator was started with another token.")
			b.follow("Log in")
		}
		b.reads("main", "You were logged in with another token.")
		b.fill("[name=token]", "correct-horse")
		b.follow("Log in")
		if at := value[string](b, "location.pathname + location.search"); at != page {
			t.Errorf("after the login one is at %s, not at %s", at, page)
		}
	}
}

// A long id widens no page, and no table beyond its frame.
func TestBrowserLongIDs(t *testing.T) {
	t.Parallel()
	onlyInCI(t)
	b := look(t)
	b.expect("404")
	long := strings.Repeat("0123456789", 12)
	b.ask("POST", prefix+"v1/verification-requests", `{"id":"vr_`+long+`","state":"completed"}`).shows(201)
	asked := b.ask("GET", "/verification-requests/vr_"+long+long+"?fields="+long, "")
	b.ask("PUT", "/tenant-properties/tp_"+long, `{"name":"`+long+`"}`)
	b.ask("GET", "/"+long+long+"/vr_"+long, "")
	b.post(b.world+"/faults", "id", "vr_"+long, "rule", "{on: get, respond: {status: 500}, times: 3}")
	all := []string{
		prefix, prefix + "worlds", prefix + "worlds?q=" + long, prefix + "search?q=" + long, prefix + "search?q=vr_" + long + "&world=" + b.world[len(prefix+"worlds/"):], prefix + "catalogue/" + long, prefix + long,
		b.world, b.world + "?kind=tenant-properties", b.world + "/clock", b.world + "/faults", b.world + "/snapshot", b.world + "/journal/",
		b.entry(asked), b.request("vr_" + long), b.request("vr_" + long + "_unknown"), b.world + "/tenant-properties/tp_" + long,
	}
	for _, path := range all {
		run(b, chromedp.EmulateViewport(1280, 844))
		b.open(path)
		for _, width := range []int64{1280, 390} {
			run(b, chromedp.EmulateViewport(width, 844))
			if got := value[int64](b, "document.documentElement.scrollWidth"); got > width {
				t.Errorf("%.60s is %d pixels wide at %d:\n%s", path, got, width, strings.Join(value[[]string](b, fmt.Sprintf(beyond, width)), "\n"))
			}
			if framed := value[[]string](b, `[...document.querySelectorAll(".scroll, .latest")].filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map((e) => e.outerHTML.slice(0, 160))`); width > 800 && len(framed) > 0 {
				t.Errorf("%.60s: wider than its frame: %s", path, framed)
			}
		}
	}
}

// beyond are the first elements that end beyond a width.
const beyond = `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right + scrollX > %d && !e.closest(".clock, .scroll, pre")).slice(0, 3).map((e) => e.outerHTML.slice(0, 120))`

// A page is shown, with a way on, also while the store cannot be used.
func TestPageWithoutStore(t *testing.T) {
	t.Parallel()
	s, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	v := visit(t, emulator.WithStore(s))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	v.get(prefix).shows(200, "not ready", "the store cannot be used").has(`href="` + prefix + `catalogue"`)
	v.get(v.world).shows(500, "Internal error: see the log").has(`<nav aria-label=`, `href="`+prefix+`"`, `href="">Try again`)
	v.get(prefix+"home/live").shows(500, "Internal error")
}

// A form that needs a login leads back to its page.
func TestLoginAfterForm(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithControlToken("correct-horse"))
	page := v.world + "/clock"
	v.send("POST", page+"/freeze", "", "Referer", v.url+page+"?a=b").shows(401, "The form was not read: log in, and send it again").
		has(`name="back" value="` + page + `?a=b"`).lacks("You were logged in")
	v.send("POST", page+"/freeze", "", "Referer", "https://page.example/x").shows(401).has(`name="back" value="` + prefix + `"`)
	v.get(prefix + "login?back=" + page).shows(200).has(`name="back" value="` + page + `"`)
}
