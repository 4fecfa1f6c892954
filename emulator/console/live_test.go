package console_test

import "testing"

// live is what an open page asks for, again and again.
const live = `hx-get="([^"]*/live[^"]*)"`

func TestOpenPage(t *testing.T) {
	cases{
		"is told once what has changed": func(t *testing.T, v *visitor) {
			ask := v.get(v.request("vr_lifecycle_timed")).find(live)
			v.get(ask).says(204)
			v.post(v.world+"/clock/advance", "by", "10m").says(303)
			ask = v.get(ask).says(200, "It becomes processing in 50 min").lacks("This has changed").find(live) // the clock alone has moved
			v.get(ask).says(204)
			v.post(v.world + "/clock/next").says(303)
			moved := v.get(ask).says(200, "processing now", "This has changed since it was opened. Reload").
				has(`<span id="state" hx-swap-oob="true">`, `<div id="changed" hx-swap-oob="innerHTML">`)
			v.get(moved.find(live)).says(204)
		},
		"is told that its resource is gone": func(t *testing.T, v *visitor) {
			v.ask("POST", prefix+"v1/verification-requests", `{"id":"vr_mine","scenario":"lifecycle"}`).says(201)
			v.get(v.request("vr_mine")).says(200)
			v.post(v.request("vr_mine"), "do", "forget").says(303)
			v.get(v.request("vr_mine")+"/live?said=1&told=2").says(200, "The world has this no more.").lacks("hx-get")
		},
		"of what does not move is told of what is set": func(t *testing.T, v *visitor) {
			for page, fields := range map[string]string{"/tenant-properties/tp_default": `{"name":"Quay"}`, "/qualification-checks/qc_qualified": `{"metadata":{"unit":"4B"}}`} {
				ask := v.get(v.world + page).find(live)
				v.get(ask).says(204)
				v.post(v.world+page, "do", "set", "fields", fields).says(303)
				v.get(ask).says(200, "This has changed since it was opened.")
			}
		},
		// A session is shown by what becomes of its request.
		"of a session moves with its request": func(t *testing.T, v *visitor) {
			page := v.get(v.world+"/credentials-sessions/"+v.session("000-00-1001")).says(200, "pending approval now")
			v.get(page.find(live)).says(204)
			for range 2 {
				v.ask("GET", page.find(`(/verification-requests/[^"/]+)">`), "").says(200)
			}
			v.get(page.find(live)).says(200, "processing now")
		},
	}.run(t)
}
