package console_test

import (
	"fmt"
	"strings"
	"testing"
)

// as sends a request with another key, and returns the page of its world.
func (v *visitor) as(key string) string {
	v.t.Helper()
	asked := v.send("GET", "/verification-requests/vr_completed", "", "Authorization", "Bearer "+key)
	return prefix + "worlds/" + asked.header.Get("Understudy-World")
}

func TestWorld(t *testing.T) {
	cases{
		"is found by its key": func(t *testing.T, v *visitor) {
			other := v.as("svc_sk_test_of-somebody-else")
			for key, world := range map[string]string{
				key: v.world, "svc_sk_test_of-somebody-else": other, "of-somebody-else": other, "  svc_sk_test_of-somebody-else\n": other,
			} {
				v.post(prefix+"worlds", "key", key).leads(world)
			}
			for _, key := range []string{"svc_sk_test_never-used", "never-used", "svc_sk_live_never-used", "<b>never-used"} {
				v.post(prefix+"worlds", "key", key).alerts(404, "No world has that key").lacks("never-used")
			}
		},
		"filter by masked key and id": func(t *testing.T, v *visitor) {
			for i := range 120 {
				v.as(fmt.Sprintf("svc_sk_test_many-worlds-%04d", i))
			}
			id := strings.TrimPrefix(v.world, prefix+"worlds/")
			for query, worlds := range map[string]int{
				"?q=ESTS": 1, "?q=%23" + id[:4]: 1, "?q=" + id: 1, "?q=" + id[6:]: 1, "?q=…0077": 1, "?q=…00": 50, "?q=many-worlds": 0, "": 50,
			} {
				v.get(prefix+"worlds"+query).shows(200).counts(worlds, `<th scope="row">`)
			}
			v.get(prefix+"worlds?q=…00").shows(200, "Next page").has("q=%E2%80%A600")
			v.get(prefix+"worlds?q=nothing").shows(200, "No such world")
			v.get(prefix+"worlds").shows(200, "the last four characters of a key", "the first four of its world's id, which is a hash of the key")
		},
		"open resource by id": func(t *testing.T, v *visitor) {
			for id, page := range map[string]string{
				"vr_completed": "/verification-requests/vr_completed", "qc_qualified": "/qualification-checks/qc_qualified",
				"tp_default": "/tenant-properties/tp_default", "cs_1": "/credentials-sessions/cs_1", "mine": "/tenant-properties/mine",
				"a/b": "/tenant-properties/a%2Fb",
			} {
				v.get(v.world + "/open?kind=tenant-properties&id=" + id).leads(v.world + page)
			}
			v.get(v.world+"/open?id=+").alerts(400, "an id such as vr_completed")
		},
		"deletion asks for confirmation": func(t *testing.T, v *visitor) {
			v.get(v.world+"/reset").shows(200, "Reset this world?", "This cannot be undone")
			v.get(v.world).shows(200, "vr_lifecycle_timed")
			v.follow(v.post(v.world+"/reset")).shows(200, "The world is as new.", "No verification request yet")
			v.get(v.world+"/journal").shows(200, "No request yet").has(`href="` + v.world + `/journal/clear"`)
			v.get(v.world+"/journal/clear").shows(200, "Clear this world's journal?", "This cannot be undone").has(`action="` + v.world + `/journal/clear"`)

			v.get(v.world+"/delete").shows(200, "Delete this world?")
			v.follow(v.post(v.world+"/delete")).shows(200, "The world was deleted.", "No request yet")
			v.get(v.world).shows(404, "There is no world")
			v.post(v.world+"/delete").shows(404, "There is no world")
		},
	}.run(t)
}

// upload sends a file as a form of the snapshot page does, with the boxes that are checked.
func (v *visitor) upload(name, text string, boxes ...string) answer {
	v.t.Helper()
	body := "--b\r\nContent-Disposition: form-data; name=\"snapshot\"; filename=\"" + name + "\"\r\n\r\n" + text + "\r\n"
	for _, box := range boxes {
		body += "--b\r\nContent-Disposition: form-data; name=\"" + box + "\"\r\n\r\nyes\r\n"
	}
	return v.send("POST", v.world+"/snapshot", body+"--b--\r\n", "Content-Type", "multipart/form-data; boundary=b")
}

func TestSnapshot(t *testing.T) {
	cases{
		"download and restore": func(t *testing.T, v *visitor) {
			taken := v.get(v.world + "/snapshot/file")
			if got := taken.header.Get("Content-Disposition"); !strings.HasPrefix(got, `attachment; filename="understudy-`) || !strings.HasSuffix(got, `-20250115T093000Z.json"`) {
				t.Errorf("Content-Disposition: %s", got)
			}
			v.post(v.world + "/reset").shows(303)
			v.get(v.world).shows(200, "No verification request yet")
			v.follow(v.upload("world.json", taken.body, "sure")).shows(200, "The world is what the snapshot says.", "vr_lifecycle_timed")
			v.get(v.world+"/journal").shows(200, "/verification-requests/vr_lifecycle_timed")
			if second := v.get(v.world + "/snapshot/file"); second.body != taken.body {
				t.Errorf("the world is another: %s", second.body)
			}
		},
		"invalid file is refused": func(t *testing.T, v *visitor) {
			v.upload("world.json", "{}", "sure").alerts(400, "snapshot")
			v.upload("world.json", "", "sure").alerts(400, "")
			taken := v.get(v.world + "/snapshot/file").body
			with := func(entry string) string {
				return taken[:strings.Index(taken, `"entries":`)] + `"entries":[` + entry + `]}}`
			}
			for text, what := range map[string]string{
				`[]`: "it must be an object, not an array", `PK`: "not valid JSON at byte 0: a value, or a key in quotes, must begin here",
				with(`3`):                     `"/journal/entries/0" must be an object, not a number`,
				with(`{"status":"x"}`):        `"/journal/entries/0/status" must be a number, not a string`,
				with(`{"time":"noon"}`):       `"/journal/entries/0/time" is not an instant such as 2025-01-15T09:00:00Z`,
				with(`{"x":1}`):               `unknown key at "/journal/entries/0/x"`,
				`{"understudy_snapshot":1.5}`: `"/understudy_snapshot" must be a whole number`,
			} {
				v.upload("world.json", text, "sure").alerts(400, "it cannot be read: "+what)
			}
			v.upload("", "{}", "sure").alerts(400, "No file was chosen")
			v.upload("world.json", v.get(v.world+"/snapshot/file").body).alerts(400, "replaces everything in this world: check the box")
			v.post(v.world+"/snapshot", "snapshot", "{}").alerts(400, "The form has no file")
			v.get(v.world).shows(200, "vr_lifecycle_timed")
		},
	}.run(t)
}
