package console_test

import "testing"

func TestResources(t *testing.T) {
	cases{
		"id opens its page": func(t *testing.T, v *visitor) {
			v.ask("PUT", "/tenant-properties/tp_default", `{"name":"Quay"}`).shows(200)
			for id, page := range map[string]string{
				"vr_completed": "/verification-requests/vr_completed", "qc_qualified": "/qualification-checks/qc_qualified", "tp_default": "/tenant-properties/tp_default",
			} {
				v.get(v.world + "?kind=tenant-properties&q=" + id).leads(v.world + page)
			}
			session := v.session("000-00-1001")
			v.get(v.world + "?q=" + session).leads(v.world + "/credentials-sessions/" + session)
		},
		"part of an id filters": func(t *testing.T, v *visitor) {
			v.ask("GET", "/verification-requests/vr_lifecycle", "").shows(200)
			v.get(v.world+"?q=fecycle_t").shows(200, "vr_lifecycle_timed").counts(1, `<th scope="row">`)
			v.get(v.world+"?q=vr_complted").shows(200, "No verification request here", "did you mean vr_completed?").has(`value="vr_complted"`)
			v.ask("PUT", "/tenant-properties/tp_default", `{"name":"Quay"}`).shows(200)
			v.get(v.world+"?kind=tenant-properties&q=defau").shows(200, "tp_default", "Quay")
			v.get(v.world+"?kind=tenant-properties&q=vr_").shows(200, "No tenant property here")
		},
		"states are chips": func(t *testing.T, v *visitor) {
			v.get(v.world+"?state=pending-approval&q=vr").shows(200, "vr_lifecycle_timed", "by the world's clock, UTC").
				has(`href="?q=vr&amp;state=completed"`, `href="?q=vr&amp;state=pending-approval" aria-current="true"`)
			v.get(v.world+"?state=completed").shows(200, "No verification request here").lacks(`vr_lifecycle_timed</code></a>`)
		},
	}.run(t)
}
