package scenarios_test

import (
	"testing"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func FuzzParseLimit(f *testing.F) {
	f.Add("10/s")
	f.Add("5/10s")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := scenarios.ParseLimit(text)
		if err != nil {
			return
		}
		if reread, err := scenarios.ParseLimit(l.String()); err != nil || reread != l {
			t.Errorf("%q reads as %v, which reads as %v, %v", text, l, reread, err)
		}
	})
}
