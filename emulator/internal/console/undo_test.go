package console_test

import (
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
)

func TestUndo(t *testing.T) {
	cases{
		"brings the world back, with its requests": func(t *testing.T, v *visitor) {
			v.post(v.world+"/clock/advance", "by", "1h").shows(303)
			before := v.get(v.world + "/snapshot/file").body
			v.follow(v.post(v.world+"/reset")).shows(200, "World reset.", "This world was reset", "Undo", "No verification request yet").has(`action="` + v.world + `/undo"`)
			v.ask("PUT", "/tenant-properties/tp_default", `{"name":"after"}`).shows(200)
			v.follow(v.post(v.world+"/undo", "back", v.world)).shows(200, "The reset is undone.", "vr_lifecycle_timed").lacks("was reset", v.world+"/undo")
			if after := v.get(v.world + "/snapshot/file").body; after != before {
				t.Errorf("the world was\n%s\nand is\n%s", before, after)
			}
			v.post(v.world+"/undo").alerts(409, "There is no reset to undo")
		},
		"reset by the control plane, in the midst of others": func(t *testing.T, v *visitor) {
			before := v.get(v.world + "/snapshot/file").body
			asked := v.ask("GET", "/verification-requests/vr_error_451", "")
			v.ask("POST", prefix+"v1/reset", "").shows(200)
			v.ask("GET", "/verification-requests/vr_completed", "").shows(200)
			v.get(v.world+"/journal/").shows(200, "This world was reset", "Undo", "vr_completed").lacks("vr_error_451")
			v.get(v.entry(asked)).shows(200, "The request is from before.", "451 by vr_error_451")
			v.follow(v.post(v.world+"/undo", "back", v.world)).shows(200, "vr_lifecycle_timed").lacks("was reset")
			v.get(v.entry(asked)).shows(200, "451 by vr_error_451").lacks("is from before")
			if after := v.get(v.world + "/snapshot/file").body; !strings.HasPrefix(after, before[:strings.Index(before, `{"key":"journal/`)]) {
				t.Errorf("the world was\n%s\nand is\n%s", before, after)
			}
		},
		"clock of a world that runs goes on from its reset": func(t *testing.T, v *visitor) {
			v.post(v.world + "/clock/run").shows(303)
			v.post(v.world+"/clock/advance", "by", "1000h").shows(303)
			v.ask("POST", prefix+"v1/reset", "").shows(200)
			v.follow(v.post(v.world+"/undo", "back", v.world)).shows(200, "26 Feb 2025").has(`class="badge running"`)
		},
		"unused world is as new": func(t *testing.T, v *visitor) {
			other := v.send("POST", prefix+"v1/reset", "", "Authorization", "Bearer svc_sk_test_other").shows(200).find(`"id":"([0-9a-f]{24})"`)
			v.get(prefix + "worlds/" + other).shows(200).lacks("was reset")
		},
		"link to a request works after a reset": func(t *testing.T, v *visitor) {
			asked := v.ask("GET", "/verification-requests/vr_error_451", "")
			v.post(v.world + "/reset").shows(303)
			v.get(v.entry(asked)).shows(200, "This world was reset", "The request is from before. Undo", "451 by vr_error_451", "The social security number is frozen").
				has(`action="` + v.world + `/undo"`)
			v.follow(v.post(v.entry(asked), "do", "resend")).shows(200, "Request sent again: this is the new one.").lacks("is from before")
			v.follow(v.post(v.world+"/undo", "back", v.entry(asked))).shows(200, "451 by vr_error_451").lacks("is from before")
			v.post(v.world + "/reset").shows(303)
			v.post(v.world + "/reset").shows(303) // one snapshot is kept
			v.get(v.entry(asked)).shows(404, "has no request")
		},
		"snapshot and deletion leave out what is kept": func(t *testing.T, v *visitor) {
			v.post(v.world + "/reset").shows(303)
			v.get(v.world + "/snapshot/file").lacks("before/")
			v.post(v.world + "/delete").shows(303)
			v.get(v.world).shows(404)
		},
	}.run(t)
}

func TestUndoWithoutJournal(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithJournalSize(0), emulator.WithClock(emulator.FrozenAt(epoch.Add(time.Hour))))
	v.ask("PUT", "/tenant-properties/tp_default", `{"name":"before"}`).shows(200)
	v.post(v.world + "/reset").shows(303)
	v.follow(v.post(v.world+"/undo", "back", v.world+"?kind=tenant-properties")).shows(200, "The reset is undone.", "before")
}
