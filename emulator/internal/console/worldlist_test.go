package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
)

// as sends a request with another key, and returns the page of its world.
func (v *visitor) as(key string) string {
	v.t.Helper()
	asked := v.send("GET", "/verification-requests/vr_completed", "", "Authorization", "Bearer "+key)
	return prefix + "worlds/" + asked.header.Get("Understudy-World")
}

func TestWorldList(t *testing.T) {
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
				"?q=ESTS": 1, "?q=%23" + id[:4]: 1, "?q=" + id: 1, "?q=" + id[6:]: 1, "?q=…0077": 1, "?q=…00": 50, "?q=many-worlds": 50, "": 50,
			} {
				v.get(prefix+"worlds"+query).shows(200).counts(worlds, `<th scope="row">`)
			}
			v.get(prefix+"worlds?q=…00").shows(200, "Next page").has("q=%E2%80%A600")
			v.get(prefix+"worlds?q=nothing").shows(200, "No such world")
			v.get(prefix+"worlds").shows(200, "the last four characters of a key", "the first four of its world's id, which is a hash of the key")
		},
		"worlds used last are first, on every page": func(t *testing.T, v *visitor) {
			var worlds []string // those used last first
			for i := range 120 {
				worlds = append([]string{v.as(fmt.Sprintf("svc_sk_test_many-worlds-%04d", i))}, worlds...)
			}
			worlds = append(worlds, v.world)
			for page, path := 0, prefix+"worlds"; page < 3; page++ {
				a := v.get(path).shows(200)
				for i, world := range worlds[50*page : min(50*page+50, len(worlds))] {
					if at := strings.Index(a.body, `<th scope="row"><div class="named"><a href="`+world+`"`); at < 0 {
						t.Errorf("page %d has no world %d", page, i)
					} else {
						a.body = a.body[at+1:]
					}
				}
				if page < 2 {
					path = v.get(path).find(`href="([^"]*)" rel="next"`)
				} else {
					a.lacks(`rel="next"`)
				}
			}
			v.get(prefix + "worlds?after=nonsense").shows(200).has(worlds[0])
		},
		"rename": func(t *testing.T, v *visitor) {
			list := prefix + "worlds?q=ests"
			renamed := v.post(v.world+"/name", "name", "  Payroll <team> ", "back", list)
			v.follow(renamed).shows(200, "World renamed.", "Payroll <team>", "just now").lacks("<team>")
			v.get(prefix+"worlds?q=PAYROLL").shows(200).counts(1, `<th scope="row">`)
			v.get(v.world+"/clock").shows(200, "Payroll <team>") // in the list to choose from
			for _, name := range []string{strings.Repeat("x", 65), "a\tb"} {
				v.post(v.world+"/name", "name", name).alerts(400, "A world name has 1 to 64 visible characters").has(`href="` + v.world + `"`)
			}
			v.post(v.world + "/reset").shows(303)
			v.get(prefix+"worlds").shows(200, "Payroll <team>")
			v.post(v.world+"/name", "name", "", "back", "//elsewhere.example").leads(prefix)
			v.get(prefix + "worlds").lacks("Payroll")
			v.post(prefix+"worlds/000000000000000000000000/name", "name", "x").shows(404, "There is no world")
		},
		"a row has requests, errors and the clock": func(t *testing.T, v *visitor) {
			other := v.as("svc_sk_test_busy")
			for range 3 {
				v.ask("GET", "/verification-requests/vr_error_451", "")
			}
			v.post(v.world+"/clock/advance", "by", "3h").shows(303)
			list := v.get(prefix+"worlds").shows(200, "Requests: 4 Errors: 3 just now request vr_error_451", "451 by vr_error_451 (", "frozen").
				has(`href="` + v.world + `/journal/?status=%3E%3D400%2C0"`)
			if list := v.get(prefix + "worlds?sort=errors").has(`aria-sort="descending"><a href="` + prefix + `worlds?sort=errors"`).body; strings.Index(list, `id="world-`+v.world[len(prefix+"worlds/"):]) > strings.Index(list, `id="world-`+other[len(prefix+"worlds/"):]) {
				t.Error("the world with errors is not the first")
			}
			if turns := list.all(`class="world-name hue-(.)" data-initial="B"`); turns[0] == list.all(`class="world-name hue-(.)" data-initial="C"`)[0] {
				t.Error("two worlds have one colour")
			}
			part := v.send("GET", list.find(`id="worlds"[^>]* hx-get="([^"]*)"`), "", "HX-Target", "worlds").shows(200).lacks("<html")
			part.has(`<div id="worlds"`)
		},
		"many are deleted at once": func(t *testing.T, v *visitor) {
			first, second := v.as("svc_sk_test_one")[len(prefix+"worlds/"):], v.as("svc_sk_test_two")[len(prefix+"worlds/"):]
			v.post(prefix+"delete-worlds").alerts(400, "No world is chosen: tick those to delete")
			v.post(prefix+"delete-worlds", "id", first, "id", second).shows(200, "Delete 2 worlds?", "one", "two").lacks(`value="` + v.world[len(prefix+"worlds/"):])
			v.get(prefix+"worlds?q=one").counts(1, `<th scope="row">`)
			v.follow(v.post(prefix+"delete-worlds", "id", first, "id", second, "sure", "yes")).shows(200, "Worlds deleted.").counts(1, `<th scope="row">`)
		},
		"fault is counted": func(t *testing.T, v *visitor) {
			v.get(prefix + "worlds").lacks("1 on")
			v.post(v.world+"/faults", "rule", "{on: get, respond: {status: 500}, times: 1}").shows(303)
			v.get(prefix+"worlds").shows(200, "1 on")
			v.ask("GET", "/verification-requests/vr_completed", "").shows(500)
			v.get(prefix + "worlds").lacks("1 on") // it is used up
		},
	}.run(t)
	t.Run("a running clock that was moved by a day", func(t *testing.T) {
		v := visit(t, emulator.WithClock(emulator.Clock{}))
		v.get(prefix+"worlds").shows(200, "real time")
		v.post(v.world+"/clock/advance", "by", "24h").shows(303)
		v.get(prefix+"worlds").shows(200, "+1 d ")
	})
}
