package console_test

import "testing"

func TestIncome(t *testing.T) {
	cases{
		"total and sources of all jobs": func(t *testing.T, v *visitor) {
			v.ask("POST", prefix+"v1/verification-requests", `{"id":"vr_mine","reports":[
				{"employee":{"status_detail":"full-time","hired":"2021-04-21"},"pay":{"base":48000.00,"bonus":"none"}},
				{"employee":{"status_detail":"part-time","hired":"2022-01-10"},"pay":{"base":24000.00,"bonus":"none"}}]}`).shows(201)
			v.get(v.request("vr_mine")).shows(200, "Income of all jobs", "$6,000.00 a month", "$4,000.00", "$2,000.00", "Earned in 2025, by source", "Base").
				has(`id="employments-title"`).lacks("without a job")
		},
		"gaps are named": func(t *testing.T, v *visitor) {
			v.ask("POST", prefix+"v1/verification-requests", `{"id":"vr_mine","reports":[
				{"employee":{"status_detail":"full-time","hired":"2021-04-21"},"pay":{"base":48000.00,"bonus":"none"}},
				{"employee":{"status_detail":"separated","hired":"2016-03-01","terminated":"2020-08-31"}}]}`).shows(201)
			v.get(v.request("vr_mine")).shows(200, "$4,000.00 a month", "computed for active employees only", "8 months without a job, 1 Sep 2020 to 20 Apr 2021")
		},
		"one report has its own figures": func(t *testing.T, v *visitor) {
			v.get(v.request("vr_completed")).shows(200).lacks("Income of all jobs")
		},
	}.run(t)
}
