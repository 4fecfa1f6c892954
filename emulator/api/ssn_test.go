package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

func TestDigitsOnlyAndDashedFormsAreTheSameSSN(t *testing.T) {
	t.Parallel()
	dashed, err := api.ParseSSN("000-00-0451")
	if err != nil {
		t.Fatal(err)
	}
	digits, err := api.ParseSSN("000000451")
	if err != nil {
		t.Fatal(err)
	}
	if dashed != digits {
		t.Error("000-00-0451 and 000000451 differ")
	}
}

func TestParseSSNRefusesOtherFormsWithoutRepeatingThem(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "12345678", "1234567890", "123-456-789", "123-45-678x", "12345678９", "123 45 6789", "abc-de-fghi"} {
		_, err := api.ParseSSN(text)
		if err == nil {
			t.Errorf("ParseSSN(%q) succeeds", text)
		} else if text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("ParseSSN(%q) repeats it: %v", text, err)
		}
	}
}

func TestPrintingAnSSNShowsItsLastFourDigitsOnly(t *testing.T) {
	t.Parallel()
	ssn, err := api.ParseSSN("666-45-6789")
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if shown := strings.Trim(fmt.Sprintf(verb, ssn), `"`); shown != "***-**-6789" {
			t.Errorf("%s shows %s", verb, shown)
		}
	}
}

func TestCouldBeRealFollowsTheRulesOfIssue(t *testing.T) {
	t.Parallel()
	for text, real := range map[string]bool{
		"000-12-3456": false, "666-12-3456": false, "900-12-3456": false, "999-12-3456": false,
		"123-00-3456": false, "123-45-0000": false,
		"123-45-6789": true, "001-01-0001": true, "899-99-9999": true, "665-12-3456": true, "667-12-3456": true,
	} {
		ssn, err := api.ParseSSN(text)
		if err != nil {
			t.Fatal(err)
		}
		if ssn.CouldBeReal() != real {
			t.Errorf("%s could be real: %t, want %t", text, !real, real)
		}
	}
}
