package decode_test

import (
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func TestDecodeSettings(t *testing.T) {
	t.Parallel()
	shape := fixtures.ReportShape{Pay: fixtures.PayShape{Base: 62_000_00, Paystubs: new(4)}}
	settings := []string{"pay.frequency=weekly", "employee.hired=420 days ago", "set.respondent.title=Owner", "set.additional_notes=null", "pay.paystubs=3"}
	if err := scenarios.DecodeSettings(settings, &shape); err != nil {
		t.Fatal(err)
	}
	if shape.Pay.Frequency != api.PayWeekly || shape.Pay.Base != 62_000_00 || *shape.Pay.Paystubs != 3 || *shape.Employee.Hired != 420 {
		t.Errorf("%+v", shape)
	}
	if !shape.Set.Sets("respondent") || !shape.Set.Sets("additional_notes") {
		t.Errorf("set: %v", shape.Set)
	}
}

func TestDecodeSettingsProblem(t *testing.T) {
	t.Parallel()
	for setting, message := range map[string]string{
		"pay.frequency":           `"pay.frequency" is not of the form KEY=VALUE, such as pay.frequency=weekly`,
		"=weekly":                 `"=weekly" is not of the form KEY=VALUE, such as pay.frequency=weekly`,
		"pay.frequency=weakly":    `unknown value "weakly" for frequency: did you mean weekly?`,
		"pay.frequncy=weekly":     `unknown key "frequncy": did you mean frequency?`,
		"employee.hired=tomorrow": `hired "tomorrow" is not a day such as 2022-01-10, 420 days ago, today or in 14 days`,
		"pay.base=1":              "base must be a year's pay, from 1000.00 to 100000000.00",
		"set.respondant=null":     `unknown field "respondant": did you mean respondent?`,
		"pay=5":                   `pay takes a mapping, not "5": write pay: {rate: 5}`,
	} {
		if err := scenarios.DecodeSettings([]string{setting}, new(fixtures.ReportShape)); err == nil || err.Error() != message {
			t.Errorf("%s: %v, want %s", setting, err, message)
		}
	}
	twice := []string{"pay.base=62000", "pay.base=62001"}
	if err := scenarios.DecodeSettings(twice, new(fixtures.ReportShape)); err == nil || err.Error() != `"pay.base" is set twice, or is a part of another setting` {
		t.Errorf("%v", err)
	}
}
