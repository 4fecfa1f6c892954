package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

func TestParseSSN(t *testing.T) {
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

func TestSSN(t *testing.T) {
	t.Parallel()
	for text, real := range map[string]bool{
		"000-12-3456": false, "666-12-3456": false, "900-12-3456": false, "999-12-3456": false,
		"123-00-3456": false, "123-45-0000": false,
		"123-45-6789": true, "001-01-0001": true, "899-99-9999": true, "665-12-3456": true, "667-12-3456": true,
	} {
		ssn, err := api.ParseSSN(text)
		digits, digitsErr := api.ParseSSN(strings.ReplaceAll(text, "-", ""))
		if err != nil || digitsErr != nil || ssn != digits {
			t.Errorf("%s and its digits differ: %v, %v", text, err, digitsErr)
		}
		if (ssn.CouldBeReal() != "") != real {
			t.Errorf("%s could be real: %t, want %t", text, !real, real)
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			if shown := strings.Trim(fmt.Sprintf(verb, ssn), `"`); shown != "***-**-"+text[7:] {
				t.Errorf("%s shows %s", verb, shown)
			}
		}
	}
}

// Of a line, only numbers that could be real are masked.
func TestMaskLine(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"ssn: 123-45-6789": "ssn: *******6789", "ssn: 000-00-1007, 666-12-3456, 900123456": "ssn: 000-00-1007, 666-12-3456, 900123456",
		"ssn: １２３４５６７８９": "ssn: *****６７８９", "name: svc_sk_test_abc": "name: svc_sk_********",
	} {
		if got := api.MaskLine(line); got != want {
			t.Errorf("MaskLine(%s) = %s, want %s", line, got, want)
		}
	}
}
