package console_test

import "testing"

func TestWorld(t *testing.T) {
	cases{
		"deletion asks for confirmation": func(t *testing.T, v *visitor) {
			v.get(v.world+"/reset").shows(200, "Reset this world?", "Undo brings back what it is now")
			v.get(v.world).shows(200, "vr_lifecycle_timed")
			v.follow(v.post(v.world+"/reset")).shows(200, "World reset.", "No verification request yet")
			v.get(v.world+"/journal/").shows(200, "No request yet").has(`href="` + v.world + `/journal/clear"`)
			v.get(v.world+"/journal/clear").shows(200, "Clear this world's journal?", "This cannot be undone").has(`action="` + v.world + `/journal/clear"`)

			v.get(v.world+"/delete").shows(200, "Delete this world?")
			v.follow(v.post(v.world+"/delete")).shows(200, "World deleted.", "No request yet")
			v.get(v.world).shows(404, "There is no world")
			v.post(v.world+"/delete").shows(404, "There is no world")
		},
	}.run(t)
}
