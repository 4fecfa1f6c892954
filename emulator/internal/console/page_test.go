package console_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// pages lists all kinds of pages of a used world.
func pages(v *visitor) []string {
	v.t.Helper()
	for _, asked := range []string{
		"verification-requests/vr_action_required", "verification-requests/vr_error_500", "verification-requests/vr_flaky",
		"verification-requests/vr_lifecycle?fields=idd", "qualification-checks/qc_nowhere",
	} {
		v.ask("GET", "/"+asked, "")
	}
	session := v.session("000-00-0000")
	v.ask("PUT", "/tenant-properties/tp_default", `{"name":"Quay"}`)
	v.post(v.world+"/faults", "rule", "{on: update, respond: {status: 500}, times: 3}")
	first, second := v.ask("GET", "/verification-requests/vr_error_451", ""), v.ask("POST", "/credentials/session", `{"permissible_purpose":"none"}`)
	compared := "?with=" + first.header.Get("Understudy-Request-Id")
	all := []string{v.entry(first), v.entry(second) + compared, v.entry(first) + compared + "&edit=yes", prefix + "catalogue/lifecycle-timed?world=" + v.world[len(prefix+"worlds/"):]}
	for _, path := range []string{"", "catalogue", "search", "search?q=451", "search?q=promtion", "search?q=xyzzy", "catalogue/lifecycle-timed", "catalogue/flaky", "runs", "worlds", "worlds?sort=errors"} {
		all = append(all, prefix+path)
	}
	for _, path := range []string{
		"", "?kind=qualification-checks", "?kind=tenant-properties", "?kind=credentials-sessions", "?state=completed", "?q=vr_nothing",
		"/clock", "/faults", "/faults?id=vr_processing&rule=x", "/snapshot", "/reset", "/delete", "/journal/", "/journal/?status=4xx", "/journal/?status=418", "/journal/clear",
		"/qualification-checks/qc_qualified", "/qualification-checks/qc_not_enough_information", "/qualification-checks/qc_guarantor_not_qualified",
		"/qualification-checks/qc_document_requirements", "/tenant-properties/tp_default", "/credentials-sessions/" + session,
		"/compose", "/compose?from=two-jobs-with-a-gap", "/compose?from=qualified", "/compose?from=tenant-property", "/compose?from=flaky",
	} {
		all = append(all, v.world+path)
	}
	for _, id := range []string{
		"lifecycle_timed", "completed", "multiple_reports?report=2", "reversal", "large", "all_null", "multiple_reports", "no_paystubs", "zero_income", "disputed",
	} {
		all = append(all, v.request("vr_"+id))
	}
	return all
}

var (
	tag         = regexp.MustCompile(`<[a-zA-Z][^>]*>`)
	values      = regexp.MustCompile(`="[^"]*"|='[^']*'`)
	inline      = regexp.MustCompile(`(?i)<script[^>]*>[^<]|<style`)
	attribute   = regexp.MustCompile(`(?i)\s(on[a-z]+|style|srcset|srcdoc)\b`)
	bareHeading = regexp.MustCompile(`<th( class="[^"]*")?>`)
	foreign     = regexp.MustCompile(`(?i)(src|href|action)="\s*([a-z]+:|//)`)
)

// unsafe returns a script, style or link of a page that violates the policy, "" for none.
func unsafe(body string) string {
	for _, t := range tag.FindAllString(body, -1) {
		if found := attribute.FindString(values.ReplaceAllString(t, "")) + foreign.FindString(t); found != "" {
			return t
		}
	}
	return inline.FindString(body)
}

func TestPage(t *testing.T) {
	cases{
		// Pages have a strict policy, nothing inline, and nothing from other hosts.
		"has a strict content security policy": func(t *testing.T, v *visitor) {
			for _, path := range walked(pages(v)) {
				a := v.get(path).shows(200).has(`<html lang="en">`, `<main id="main"`, "</html>", "<h1>")
				for name, want := range map[string]string{
					"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff",
					"Referrer-Policy": "same-origin", "Cache-Control": "no-store",
				} {
					if got := a.header.Get(name); got != want {
						t.Errorf("%s: %s: %q, want %q", path, name, got, want)
					}
				}
				if found := unsafe(a.body) + bareHeading.FindString(a.body); found != "" {
					t.Errorf("%s has %s", path, found)
				}
				if tables, captions := strings.Count(a.body, "<table"), strings.Count(a.body, "<caption"); tables != captions {
					t.Errorf("%s: %d tables, %d captions", path, tables, captions)
				}
				if head := v.send("HEAD", path, ""); head.status != 200 || head.body != "" || head.header.Get("Content-Security-Policy") != policy {
					t.Errorf("HEAD %s: %d %v", path, head.status, head.header)
				}
			}
		},
		// The navigation, and the bar of telephones, mark where a page is.
		"navigation marks where it is": func(t *testing.T, v *visitor) {
			of := "?world=" + v.world[len(prefix+"worlds/"):]
			for path, want := range map[string]string{
				prefix: prefix, prefix + "catalogue": prefix + "catalogue", prefix + "catalogue/lifecycle" + of: prefix + "catalogue" + of, prefix + "worlds": prefix + "worlds",
				v.world: v.world, v.request("vr_completed"): v.world, v.world + "/tenant-properties/tp_default": v.world, v.world + "/clock": v.world + "/clock",
				v.entry(v.ask("GET", "/verification-requests/vr_completed", "")): v.world + "/journal/",
			} {
				current := v.get(path).all(`<a href="([^"]*)" aria-current="page"><svg`)
				if !slices.Equal(current, []string{want, want}) {
					t.Errorf("%s: %v", path, current)
				}
			}
			if current := v.get(v.world + "/reset").all(`(aria-current="page")><svg`); current != nil {
				t.Error("the question before a reset is in the navigation")
			}
		},
		// The pages of all worlds keep the world that one comes from, though another was used later.
		"world is kept": func(t *testing.T, v *visitor) {
			of := "?world=" + v.world[len(prefix+"worlds/"):]
			latest := v.as("svc_sk_test_latest")
			for _, path := range []string{"", "catalogue", "worlds"} {
				v.get(v.world + "/clock").has(`<a href="` + prefix + path + of + `"`)
				v.get(prefix+path+of).has(`<a href="`+v.world+`/faults">`, `<a href="`+prefix+of+`"`).lacks(`<a href="` + latest + `/faults">`)
				v.get(prefix + path).has(`<a href="` + latest + `/faults">`)
			}
			v.get(v.get(prefix + "worlds" + of).find(`href="([^"]*sort=name[^"]*)"`)).has(`<a href="` + v.world + `/faults">`)
			v.post(v.world + "/delete").shows(303)
			v.get(prefix + of).has(`<a href="` + latest + `/faults">`)
		},
		"unknown page is 404": func(t *testing.T, v *visitor) {
			for _, path := range []string{prefix + "nothing", prefix + "catalogue/none/x", v.world + "/nothing", prefix + "v2/health"} {
				v.get(path).shows(404, "There is no such page")
			}
			v.get(prefix+"worlds/none").shows(404, `There is no world`)
			v.get(prefix+"catalogue/lifecycel").shows(404, "did you mean lifecycle?")
			v.get(v.request("vr_complted")).shows(404, "did you mean vr_completed?")
			v.get(v.world+"/journal/none").shows(404, "it has the last 1000")
			v.post(v.world+"/clock/backwards").shows(404, "There is no such page")
		},
		// What is chosen on the page of a refused form leads back to the page with the form, which GET finds.
		"refused form leads back": func(t *testing.T, v *visitor) {
			refused := v.send("POST", v.world+"/clock/advance", "by=x", "Content-Type", "application/x-www-form-urlencoded", "Referer", v.url+v.world+"/faults?rule=x").alerts(400, "")
			back := refused.find(`(?s)class="themes">.*?name="back" value="([^"]*)"`)
			v.post(prefix+"theme", "theme", "dark", "back", back).leads(v.world + "/faults?rule=x")
		},
		"wrong method is 405": func(t *testing.T, v *visitor) {
			for _, tt := range []struct{ method, path, allow string }{
				{"POST", prefix + "catalogue", "GET, HEAD"},
				{"DELETE", v.world, "GET, HEAD"},
				{"PUT", v.world + "/faults", "GET, HEAD, POST"},
				{"OPTIONS", v.world + "/clock", "GET, HEAD"},
				{"GET", v.world + "/faults/remove", "POST"},
			} {
				if a := v.send(tt.method, tt.path, "").shows(405, "This page takes "+tt.allow+" only"); a.header.Get("Allow") != tt.allow {
					t.Errorf("%s %s: Allow: %s", tt.method, tt.path, a.header.Get("Allow"))
				}
			}
		},
		"list has pages": func(t *testing.T, v *visitor) {
			for i := range 60 {
				v.ask("POST", prefix+"v1/verification-requests", fmt.Sprintf(`{"id":"vr_page_%02d","state":"processing"}`, i)).shows(201)
			}
			v.get(v.world+"?state=processing").shows(200, "vr_page_00", "vr_page_49", "Next page").lacks("vr_page_50", "vr_lifecycle_timed").
				has(`href="` + v.world + `?after=vr_page_49&amp;state=processing"`)
			v.get(v.world+"?after=vr_page_49&state=processing").shows(200, "vr_page_50", "vr_page_59").lacks("Next page")
			v.get(v.world+"?state=complete").shows(400, "for state: did you mean completed?")
		},
	}.run(t)
}

func TestPageHostileTexts(t *testing.T) {
	t.Parallel()
	v := visit(t)
	const (
		hostile = `"><img src=x onerror=alert(1)><script>alert(1)</script>{{.}}'`
		quoted  = `\"></pre><img src=x onerror=alert(1)><script>alert(1)</script>`
		escaped = `%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E`
	)
	v.header.Set("User-Agent", hostile)
	asked := v.ask("GET", "/verification-requests/"+escaped+"?fields=%3Cscript%3E", "")
	put := v.ask("PUT", "/tenant-properties/tp_default", `{"name":"`+quoted+`","city":"`+quoted+`"}`).shows(200)
	v.post(v.request("vr_completed"), "do", "set", "fields", `{"loan_id":"`+quoted+`","metadata":{"`+quoted+`":"`+quoted+`"}}`).shows(303)
	for _, path := range []string{
		v.world + "/journal/", v.entry(asked), v.entry(put), v.world + "?kind=tenant-properties", v.world + "/tenant-properties/tp_default",
		v.request("vr_completed"), v.request("vr_completed?report=" + escaped),
		v.request(escaped), v.world + "?q=" + escaped, v.request("vr_completed") + "?beside=" + escaped, v.world + "/journal/" + escaped,
		v.world + "?kind=" + escaped, v.world + "?state=" + escaped, v.world + "?after=" + escaped, v.world + "/journal/?path=" + escaped,
		prefix + "catalogue/" + escaped, prefix + "worlds/" + escaped, prefix + "?done=" + escaped,
	} {
		if found := unsafe(v.get(path).lacks("<img src=x", "<script>").body); found != "" {
			t.Errorf("%s has %s", path, found)
		}
	}
	v.post(v.world+"/faults", "rule", hostile).alerts(400, "The rule is invalid").has("&lt;img src=x onerror=alert(1)&gt;")
	v.post(v.request("vr_completed"), "do", "set", "fields", `</textarea><script>`).alerts(400, "").has("&lt;/textarea&gt;&lt;script&gt;")
}
