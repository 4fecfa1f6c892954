package mask_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/internal/mask"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab/unmask"
)

// writings returns ways to write an SSN, each with and without dashes.
func writings() map[string]string {
	const dashed, digits = "123-45-6789", "123456789"
	each := func(text, format string) string {
		var out strings.Builder
		for _, c := range []byte(text) {
			fmt.Fprintf(&out, format, c)
		}
		return out.String()
	}
	all := map[string]string{"soft hyphens": "123\u00ad45\u00ad6789", "no-break spaces": "123\u00a045\u00a06789", "en dashes": "123–45–6789", "minus signs": "123−45−6789",
		"named references": "123&ndash;45&nbsp;6789", "dots": "123.45.6789", "slashes": "123/45/6789", "a zero-width space": "1234\u200b56789"}
	for name, text := range map[string]string{"dashed": dashed, "digits": digits} {
		all[name] = text
		for writing, format := range map[string]string{
			"percent": "%%%02x", "double percent": "%%25%02x", "triple percent": "%%2525%02x", "JSON": `\u%04x`, "double JSON": `\\u%04x`, "JSON within percent": "%%5Cu%04x",
			"references": "&#%d;", "hex references": "&#x%x;", "double references": "&amp;#%d;", "references within percent": "%%26%%23%d%%3B", "joiners": "%c\u200d", "marks": "%c\ufe0f\u20e3",
		} {
			all[name+" "+writing] = each(text, format)
		}
		for script, zero := range unmask.Zeros {
			other := strings.Map(func(r rune) rune {
				if r == '-' {
					return r
				}
				return zero + r - '0'
			}, text)
			all[name+" "+script], all[name+" "+script+" percent"] = other, each(other, "%%%02X")
		}
	}
	return all
}

// No reader of a masked text finds the SSN, whatever it decodes.
func TestMaskWritings(t *testing.T) {
	t.Parallel()
	for name, ssn := range writings() {
		if unmask.SSN(ssn) == "" {
			t.Errorf("%s: nobody reads %s", name, ssn)
		}
		for _, text := range []string{ssn, "/" + ssn + "/x", "a=" + ssn + "&b=1", `{"a":"` + ssn + `"}`} {
			for how, masked := range map[string]string{"Text": mask.Text(text), "Body": string(mask.Body([]byte(text))), "Query": mask.Query(text)} {
				if unmask.SSN(masked) != "" {
					t.Errorf("%s: %s(%s) = %s", name, how, text, masked)
				}
			}
		}
	}
}
