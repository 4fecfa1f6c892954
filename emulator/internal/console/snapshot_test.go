package console_test

import (
	"strings"
	"testing"
)

// upload sends a form with a snapshot file, "" for none, and fields as name, value, name, value.
func (v *visitor) upload(path, file, text string, fields ...string) answer {
	v.t.Helper()
	body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + file + "\"\r\n\r\n" + text + "\r\n"
	for i := 0; i+1 < len(fields); i += 2 {
		body += "--b\r\nContent-Disposition: form-data; name=\"" + fields[i] + "\"\r\n\r\n" + fields[i+1] + "\r\n"
	}
	return v.send("POST", path, body+"--b--\r\n", "Content-Type", "multipart/form-data; boundary=b")
}

func TestSnapshot(t *testing.T) {
	cases{
		"download and restore": func(t *testing.T, v *visitor) {
			taken := v.get(v.world + "/snapshot/file")
			if got := taken.header.Get("Content-Disposition"); !strings.HasPrefix(got, `attachment; filename="understudy-`) || !strings.HasSuffix(got, `-20250115T093000Z.ndjson"`) {
				t.Errorf("Content-Disposition: %s", got)
			}
			v.post(v.world + "/reset").shows(303)
			v.get(v.world).shows(200, "No verification request yet")
			v.follow(v.upload(v.world+"/snapshot", "world.json", taken.body, "sure", "yes")).shows(200, "Snapshot restored.", "vr_lifecycle_timed")
			v.get(v.world+"/journal/").shows(200, "request vr_lifecycle_timed")
			if second := v.get(v.world + "/snapshot/file"); second.body != taken.body {
				t.Errorf("the world is another: %s", second.body)
			}
		},
		"invalid file is refused": func(t *testing.T, v *visitor) {
			v.upload(v.world+"/snapshot", "world.json", "{}", "sure", "yes").alerts(400, "snapshot")
			v.upload(v.world+"/snapshot", "world.json", "", "sure", "yes").alerts(400, "")
			taken := v.get(v.world + "/snapshot/file").body
			with := func(entry string) string {
				return taken[:strings.Index(taken, `{"key":"journal/`)] + `{"key":"journal/1","value":` + entry + `}`
			}
			for text, what := range map[string]string{
				`[]`: "line 1 cannot be read: it must be an object, not an array", `PK`: "not valid JSON at byte 0: a value, or a key in quotes, must begin here",
				with(`3`):                     `it must be an object, not a number`,
				with(`{"status":"x"}`):        `"/status" must be a number, not a string`,
				with(`{"time":"noon"}`):       `"/time" is not an instant such as 2025-01-15T09:00:00Z`,
				with(`{"x":1}`):               `unknown key at "/x"`,
				`{"understudy_snapshot":1.5}`: `"/understudy_snapshot" must be a whole number`,
			} {
				v.upload(v.world+"/snapshot", "world.json", text, "sure", "yes").alerts(400, what)
			}
			v.upload(v.world+"/snapshot", "", "{}", "sure", "yes").alerts(400, "No file was chosen")
			v.upload(v.world+"/snapshot", "world.json", v.get(v.world+"/snapshot/file").body).alerts(400, "replaces everything in this world: check the box")
			v.post(v.world+"/snapshot", "snapshot", "{}").alerts(400, "The form has no file")
			v.get(v.world).shows(200, "vr_lifecycle_timed")
		},
		"restore into a new world": func(t *testing.T, v *visitor) {
			v.post(v.world+"/clock/advance", "by", "1h").shows(303)
			taken := v.get(v.world + "/snapshot/file").body
			v.post(v.world + "/reset").shows(303)
			made := v.upload(prefix+"new-world", "world.json", taken, "name", "april_2")
			v.follow(made).shows(200, "World created. Its key: svc_sk_test_april_2", "vr_lifecycle_timed")
			world := v.as("svc_sk_test_april_2")
			if got := made.header.Get("Location"); !strings.HasPrefix(got, world) {
				t.Errorf("it is at %s, not %s", world, got)
			}
			v.get(world+"/clock").shows(200, "15 Jan 2025, 10:30:00 UTC")
			v.upload(prefix+"new-world", "world.json", taken, "name", "april_2").alerts(409, "A world with this key already exists").has(`value="april_2"`)
			v.get(v.world).shows(200, "No verification request yet")
		},
		"new world is refused": func(t *testing.T, v *visitor) {
			taken := v.get(v.world + "/snapshot/file").body
			for name, why := range map[string]string{
				"":                      "The name would make no key of a world: after \"svc_sk_test_\" come 1 to 128 characters",
				"a b":                   "The name would make no key of a world: after",
				"<b>":                   "The name would make no key of a world: after",
				"expired":               "The name would make no key of a world: this magic key acts as an expired key",
				"run-123456789":         "A world's name is shown to everybody",
				strings.Repeat("x", 65): "A world name has 1 to 64 visible characters",
			} {
				v.upload(prefix+"new-world", "world.json", taken, "name", name).alerts(400, why)
				v.post(v.world+"/snapshot/copy", "name", name).alerts(400, why)
				v.upload(prefix+"new-world", "", "", "name", name).alerts(400, why)
			}
			v.upload(prefix+"new-world", "world.json", "{}", "name", "broken").alerts(400, "The snapshot is refused")
			v.post(prefix+"worlds", "key", "broken").alerts(404, "No world has that key")
		},
		"duplicate": func(t *testing.T, v *visitor) {
			v.follow(v.post(v.world+"/snapshot/copy", "name", "twin")).shows(200, "Its key: svc_sk_test_twin", "vr_lifecycle_timed")
			v.post(v.world+"/snapshot/copy", "name", "twin").alerts(409, "A world with this key already exists")
			v.post(v.world + "/reset").shows(303)
			v.get(v.as("svc_sk_test_twin")).shows(200, "vr_lifecycle_timed", "twin")
		},
		"new world without a snapshot": func(t *testing.T, v *visitor) {
			v.post(v.world + "/delete").shows(303)
			v.get(prefix+"worlds").shows(200, "No request yet", "New world")
			v.follow(v.upload(prefix+"new-world", "", "", "name", "first")).shows(200, "Its key: svc_sk_test_first", "No verification request yet")
			v.get(prefix+"worlds").shows(200, "svc_sk_test_ …", "frozen").counts(1, `<th scope="row">`)
		},
	}.run(t)
}
