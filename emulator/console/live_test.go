package console_test

import (
	"regexp"
	"strings"
	"testing"
)

// A page that is open is told what has become of the resource, once, and nothing as long as that is what it shows.
func TestAnOpenPageIsToldWhatHasChanged(t *testing.T) {
	t.Parallel()
	v := visit(t)
	news := regexp.MustCompile(`hx-get="([^"]*)"[^>]*hx-swap="outerHTML">\n<ol`)
	from := func(a answer) string {
		t.Helper()
		found := news.FindStringSubmatch(a.body)
		if found == nil {
			t.Fatalf("it does not ask for news: %s", a.body)
		}
		return strings.ReplaceAll(found[1], "&amp;", "&")
	}
	page := v.request("vr_lifecycle_timed")
	ask := from(v.get(page))
	v.get(ask).says(204)
	v.post(v.world+"/clock/advance", "by", "10m").says(303)
	later := v.get(ask).says(200, "It becomes processing in 50 min")
	if strings.Contains(later.body, "This has changed") {
		t.Error("the clock alone has moved, and the request is said to have changed")
	}
	ask = from(later)
	v.get(ask).says(204)
	v.post(v.world + "/clock/next").says(303)
	moved := v.get(ask).says(200, "processing now", "This has changed since it was opened. Reload").
		has(`<span id="state" hx-swap-oob="true">`, `<div id="changed" hx-swap-oob="innerHTML">`)
	v.get(from(moved)).says(204)
}

func TestAnOpenPageIsToldThatItsResourceIsGone(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.ask("POST", prefix+"v1/verification-requests", `{"id":"vr_mine","scenario":"lifecycle"}`).says(201)
	v.get(v.request("vr_mine")).says(200)
	v.post(v.request("vr_mine"), "do", "forget").says(303)
	gone := v.get(v.request("vr_mine")+"/live?said=1&told=2").says(200, "The world has this no more.")
	if strings.Contains(gone.body, "hx-get") {
		t.Error("the page is to ask on")
	}
}

func TestAnOpenPageOfWhatDoesNotMoveIsToldOfWhatIsSet(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for page, fields := range map[string]string{"/tenant-properties/tp_default": `{"name":"Quay"}`, "/qualification-checks/qc_qualified": `{"metadata":{"unit":"4B"}}`} {
		ask := strings.ReplaceAll(regexp.MustCompile(`hx-get="([^"]*/live[^"]*)"`).FindStringSubmatch(v.get(v.world + page).body)[1], "&amp;", "&")
		v.get(ask).says(204)
		v.post(v.world+page, "do", "set", "fields", fields).says(303)
		v.get(ask).says(200, "This has changed since it was opened.")
	}
}

// A session is shown by what becomes of its request, and so moves with that.
func TestAnOpenPageOfASessionMovesWithItsRequest(t *testing.T) {
	t.Parallel()
	v := visit(t)
	created := v.ask("POST", "/credentials/session", `{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",
		"target":{"first_name":"Ada","last_name":"Example","social_security_number":"000-00-1001","date_of_birth":"1990-02-28","company":{"name":"Example Mill"}}}`).says(201)
	page := v.get(v.world+"/credentials-sessions/"+regexp.MustCompile(`"id":"([^"]*)"`).FindStringSubmatch(created.body)[1]).says(200, "pending approval now")
	ask := strings.ReplaceAll(regexp.MustCompile(`hx-get="([^"]*/live[^"]*)"`).FindStringSubmatch(page.body)[1], "&amp;", "&")
	v.get(ask).says(204)
	id := regexp.MustCompile(`/verification-requests/([^"/]+)">`).FindStringSubmatch(page.body)[1]
	for range 2 {
		v.ask("GET", "/verification-requests/"+id, "").says(200)
	}
	v.get(ask).says(200, "processing now")
}
