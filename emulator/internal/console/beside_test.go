package console_test

import "testing"

func TestBeside(t *testing.T) {
	cases{
		"two reports of a request": func(t *testing.T, v *visitor) {
			v.get(v.request("vr_multiple_reports") + "?report=3").has(`href="?report=3&amp;beside=1"`)
			v.get(v.request("vr_multiple_reports")+"?report=1&beside=2").
				shows(200, "Two reports side by side", "vr_multiple_reports, report 1", "vr_multiple_reports, report 2", "facts differ", "Employment ended ≠").
				has(`<tr class="differs">`, `value="2"`).lacks("The request")
		},
		"reports of two requests": func(t *testing.T, v *visitor) {
			v.get(v.request("vr_completed")).has(`href="?report=1&amp;beside="`)
			v.ask("POST", prefix+"v1/verification-requests", `{"id":"vr_mine","scenario":"completed"}`).shows(201)
			v.get(v.request("vr_completed")+"?beside=").shows(200, "Choose another request with a report").has(`<option value="vr_mine">`, `href="?report=1&amp;beside=vr_mine"`)
			v.get(v.request("vr_completed")+"?beside=vr_variable_income").shows(200, "vr_variable_income, report 1", "Income varies").
				has(`href="` + v.request("vr_variable_income") + `?report=1"`)
			v.get(v.request("vr_completed")+"?beside=vr_completed").shows(200, "No fact differs.").lacks(`class="differs"`)
		},
		"nothing to compare with": func(t *testing.T, v *visitor) {
			v.get(v.request("vr_completed")+"?beside=vr_processing").shows(404, "vr_processing has no report 1 to compare with: it is processing, and has 0 reports")
			v.get(v.request("vr_completed")+"?beside=7").shows(404, "has no report 7")
			v.get(v.request("vr_completed")+"?beside=vr_complted").shows(404, "did you mean vr_completed?")
			v.get(v.request("vr_processing")+"?beside=vr_completed").shows(200, "Reports are there once it is completed")
		},
	}.run(t)
}
