package console_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func TestCatalogue(t *testing.T) {
	cases{
		"lists all scenarios": func(t *testing.T, v *visitor) {
			builtin, err := scenarios.Load()
			if err != nil {
				t.Fatal(err)
			}
			all := v.get(prefix+"catalogue").shows(200, "Verification requests", "Credentials sessions")
			for _, s := range builtin.All() {
				all.has(`href="` + prefix + "catalogue/" + s.Name + `"`)
				for _, m := range s.MagicValues() {
					all.has("<code data-copy>" + m.Value + "</code>")
				}
			}
			for _, s := range walked(builtin.All()) {
				v.get(prefix + "catalogue/" + s.Name).shows(200).has(`<span class="key">name</span>`)
			}
		},
		"order of groups and files": func(t *testing.T, v *visitor) {
			v.get(prefix+"catalogue").shows(200, "In state processing from the start", "status_detail is part-time").
				find("(?s)(Pending approval, then processing.*In state processing.*The first call fails with 500.*status_detail is active.*Qualified: the rent)")
		},
	}.run(t)
}

func TestScenario(t *testing.T) {
	cases{
		"shows magic values, timeline and source": func(t *testing.T, v *visitor) {
			v.get(prefix+"catalogue/lifecycle-timed").shows(200, "verification request vr_lifecycle_timed", "SSN 000-00-1002", "Try it in Compose",
				"pending approval after 1h processing after 23h completed", "the resource answers every request").
				has(`<span class="key">state</span>`, `<span class="text">pending-approval</span>`)
			v.get(prefix+"catalogue/error-451").shows(200, "/verification-requests/vr_error_451' \\ -H 'Authorization: Bearer svc_sk_test_YOUR-KEY")
			v.get(prefix+"catalogue/flaky").shows(200, "the first call: 500 Internal Server Error")
		},
		"world scenario is in its world's catalogue only": func(t *testing.T, v *visitor) {
			v.ask("PUT", prefix+"v1/scenarios/mine-alone", "name: mine-alone\ntitle: <b>Mine</b>\nmagic: {verification_request: vr_mine_alone}\n").shows(200)
			world := "?world=" + strings.TrimPrefix(v.world, prefix+"worlds/")
			v.get(prefix+"catalogue"+world).shows(200, "vr_mine_alone", "world scenario").has("&lt;b&gt;Mine&lt;/b&gt;")
			v.get(prefix+"catalogue/mine-alone"+world).shows(200, "A world scenario", "vr_mine_alone")
			v.get(prefix+"catalogue/mine-alone").shows(404, "There is no scenario")
			v.get(prefix+"catalogue?world=none").shows(404, "There is no world")
		},
	}.run(t)
}
