package console_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
)

// wanted are queries, and the scenario that a person means: it is the first result, or one of the first three where others
// are meant as well.
var wanted = []struct {
	query, scenario string
	among           int
}{
	{"451", "error-451", 1},
	{"429", "error-429", 1},
	{"vr_error_451", "error-451", 1},
	{"how do I get a 451", "error-451", 1},
	{"legal", "error-451", 1},
	{"too many requests", "error-429", 1},
	{"rate limit", "error-429", 4},
	{"429 once", "flaky", 1},
	{"retry", "flaky", 1},
	{"wrong key", "error-401", 1},
	{"forbidden", "error-403", 1},
	{"session 500", "session-error-0500", 1},
	{"cancel 404", "cancel-error-404", 1},
	{"tenant 404", "tenant-property-error-404", 1},
	{"canceling fails", "cancel-error-400", 1},
	{"4xx", "error-404", 4},
	{"frozen", "error-451", 1},
	{"frozen ssn", "session-error-0451", 1},
	{"clock", "lifecycle-timed", 1},
	{"webhook", "webhook-twice", 1},
	{"polling", "lifecycle", 1},
	{"happy path", "lifecycle", 1},
	{"stuck", "processing", 3},
	{"pending", "pending-approval", 1},
	{"consent", "target-approval", 1},
	{"cancelled", "canceled", 1},
	{"slow", "slow", 1},
	{"slwo", "slow", 1},
	{"timeout", "slow", 1},
	{"connection reset", "fault-reset", 1},
	{"econnreset", "fault-reset", 1},
	{"half body", "fault-truncated", 1},
	{"ssn", "credentials-session", 1},
	{"000-00-1002", "lifecycle-timed", 1},
	{"000001002", "lifecycle-timed", 1},
	{"co-borrower", "co-borrower-3001", 1},
	{"two jobs", "two-jobs", 1},
	{"several employers", "two-jobs", 2},
	{"former employer", "multiple-reports", 3},
	{"part time", "status-part-time", 1},
	{"parttime", "status-part-time", 1},
	{"laid off", "status-lay-off", 1},
	{"fired", "status-separated", 3},
	{"maternity leave", "leave-return", 1},
	{"on leave", "status-on-leave", 1},
	{"self-employed", "contractor", 1},
	{"1099", "contractor", 1},
	{"recently hired", "new-hire", 1},
	{"promtion", "promotion", 1},
	{"commission", "variable-income", 2},
	{"no income", "zero-income", 1},
	{"old data", "stale", 3},
	{"big report", "large", 1},
	{"unqualified", "not-qualified", 1},
	{"landlord", "tenant-property", 2},
	{"gap", "summer-rehire", 2},
	{"expired token", "error-401", 2},
	{"wrong version", "error-406", 1},
	{"frozen social security", "session-error-0451", 1},
	{"rent", "tenant-property", 2},
}

func TestSearch(t *testing.T) {
	cases{
		"finds the scenario that is meant": func(t *testing.T, v *visitor) {
			for _, w := range wanted {
				a := v.get(prefix + "search?q=" + url.QueryEscape(w.query)).shows(200)
				found := a.all(`class="hit" href="` + prefix + `catalogue/([^"?]*)"`)
				if !slices.Contains(found[:min(len(found), w.among)], w.scenario) {
					t.Errorf("%s: %v, want %s", w.query, found, w.scenario)
				}
			}
		},
		"all scenarios are found": func(t *testing.T, v *visitor) {
			v.get(prefix+"search?q=error").shows(200, " more").find(`(?s)</ul>.*<details class="more">.*class="hit" href="` + prefix + `(catalogue/)`)
		},
		"nothing found offers the nearest": func(t *testing.T, v *visitor) {
			v.get(prefix+"search?q=promtion").shows(200, "Nothing matches “promtion”. The nearest:", "vr_promotion")
			v.get(prefix+"search?q=xyzzy").shows(200, "Nothing is like “xyzzy”.", "Try other words").has(`href="` + prefix + `search?q=two%20jobs"`)
			v.get(prefix+"search").shows(200, "What are you looking for?")
		},
		"first result has the focus": func(t *testing.T, v *visitor) {
			v.get(prefix+"search?q=451").has(`catalogue/error-451" autofocus>`).counts(1, " autofocus")
			v.send("GET", prefix+"search?q=451", "", "HX-Request", "true").shows(200).lacks(" autofocus") // one is still typing
		},
		"pages and controls by name": func(t *testing.T, v *visitor) {
			world := "&world=" + v.world[len(prefix+"worlds/"):]
			for q, path := range map[string]string{
				"clock": "/clock", "Faults": "/faults", "compose": "/compose", "429 once": "/faults", "connection reset": "/faults", "snapshots": "/snapshot",
			} {
				v.get(prefix + "search?q=" + url.QueryEscape(q) + world).shows(200).has(`class="hit" href="` + v.world + path + `" autofocus>`)
			}
			v.get(prefix + "search?q=frozen" + world).has(`class="hit" href="` + v.world + `/clock"`)
			to := v.get(prefix + "search?q=503" + world).find(`class="hit" href="(` + v.world + `/faults\?[^"]*)"`)
			v.get(to).has("{on: any, respond: {status: 503}}</textarea>")
			for _, word := range []string{"make", "playground", "editor"} {
				v.get(prefix + "search?q=" + word + world).has(`class="hit" href="` + v.world + `/compose"`)
			}
		},
		"controls of the world by what they do": func(t *testing.T, v *visitor) {
			world := "&world=" + v.world[len(prefix+"worlds/"):]
			for q, path := range map[string]string{
				"how do I reset": "/reset", "reset this world": "/reset", "advance 1 day": "/clock", "freeze": "/clock", "clear the requests": "/journal/clear", "undo": "/snapshot",
			} {
				first := v.get(prefix + "search?q=" + url.QueryEscape(q) + world).shows(200).find(`class="hit" href="([^"]*)"`)
				if first != v.world+path {
					t.Errorf("%s: %s, want %s", q, first, path)
				}
				v.get(first).shows(200)
			}
		},
		"an id that the page's world does not have": func(t *testing.T, v *visitor) {
			asked := v.ask("GET", "/verification-requests/vr_completed", "")
			other := v.send("GET", "/verification-requests/vr_lifecycle", "", "Authorization", "Bearer svc_sk_test_other").header.Get("Understudy-World")
			v.get(prefix + "search?world=" + other + "&q=" + asked.header.Get("Understudy-Request-Id")).has(`href="` + v.entry(asked) + `" autofocus>`)
			v.get(prefix+"search?world="+other+"&q="+v.session("000-00-0000")).shows(200, "201 session")
		},
		"an id of a world that was not used for long": func(t *testing.T, v *visitor) {
			asked := v.ask("GET", "/verification-requests/vr_completed", "")
			for i := range 15 {
				v.send("GET", "/verification-requests/vr_completed", "", "Authorization", fmt.Sprintf("Bearer svc_sk_test_%d", i))
			}
			v.get(prefix + "search?q=" + asked.header.Get("Understudy-Request-Id")).has(`href="` + v.entry(asked) + `" autofocus>`)
		},
		"the reason of a request of another world, or of none": func(t *testing.T, v *visitor) {
			other := v.as("svc_sk_test_other")[len(prefix+"worlds/"):]
			asked := v.ask("GET", "/verification-requests/vr_completd", "").shows(400)
			stray := v.send("GET", "/verification-requests/vr_completed", "", "Authorization", "Bearer acme_sk_test_x").shows(401)
			v.get(prefix+"search?q=did+you+mean&world="+other).shows(200, "Requests in world").has(`href="` + v.entry(asked) + `"`)
			v.get(prefix+"search?q=key+must+begin&world="+other).shows(200, "Requests outside any world").has(`href="` + prefix + "worlds/none/journal/" + stray.header.Get("Understudy-Request-Id") + `"`)
		},
		"a request that reached no world": func(t *testing.T, v *visitor) {
			stray := v.send("GET", "/verification-requests/vr_stray", "", "Authorization", "Bearer wrong").shows(401)
			page := prefix + "worlds/none/journal/" + stray.header.Get("Understudy-Request-Id")
			for _, q := range []string{"vr_stray", stray.header.Get("Understudy-Request-Id")} {
				v.get(prefix+"search?q="+q).shows(200, "Requests outside any world").has(`href="` + page + `" autofocus>`)
			}
		},
		"requests and scenarios with the words": func(t *testing.T, v *visitor) {
			asked := v.ask("GET", "/verification-requests/vr_two_jobs", "")
			v.get(prefix+"search?q=jobs").shows(200, "Scenarios", "Requests in world").has(`href="`+v.entry(asked)+`"`, `href="`+prefix+`catalogue/two-jobs"`)
		},
		"resource and its requests by an id": func(t *testing.T, v *visitor) {
			world := "&world=" + v.world[len(prefix+"worlds/"):]
			id := v.session("000-00-0000")
			first := v.ask("GET", "/verification-requests/vr_completed", "")
			request := first.header.Get("Understudy-Request-Id")

			v.get(prefix+"search?q=vr_completed"+world).shows(200, "The verification request in world", "Requests in world").
				has(`href="`+v.request("vr_completed")+`" autofocus>`, `href="`+v.entry(first)+`"`)
			for _, q := range []string{id, id + world} {
				v.get(prefix+"search?q="+q).shows(200, "201 session").has(`href="` + v.world + "/credentials-sessions/" + id + `" autofocus>`)
			}
			for _, q := range []string{request, request + world} {
				v.get(prefix + "search?q=" + q).has(`href="` + v.entry(first) + `" autofocus>`)
			}
			v.get(prefix + "search?q=vr_nowhere" + world).shows(200).lacks(v.request("vr_nowhere"))
		},
		"requests by a status": func(t *testing.T, v *visitor) {
			refused := v.ask("GET", "/verification-requests/vr_error_451", "").shows(451)
			a := v.get(prefix+"search?q=451&world="+v.world[len(prefix+"worlds/"):]).shows(200, "Requests in world").has(`href="` + v.entry(refused) + `"`)
			a.find(`(?s)(catalogue/error-451.*` + v.entry(refused) + `)`)
			v.get(prefix+"search?q=4xx").shows(200, "Requests in world").has(`href="` + v.entry(refused) + `"`)
			v.get(prefix + "search?q=451").shows(200).has(`href="` + v.entry(refused) + `"`)
			for range 6 {
				v.ask("GET", "/verification-requests/vr_error_451", "")
			}
			other := v.ask("GET", "/verification-requests/vr_451", "").shows(400)
			v.get(prefix + "search?q=451").has(`href="` + v.world + `/journal/?status=451"`).lacks(v.entry(other))
		},
	}.run(t)
	t.Run("without a journal", func(t *testing.T) {
		visit(t, emulator.WithJournalSize(0)).get(prefix+"search?q=vr_completed").shows(200, "vr_completed")
	})
}
