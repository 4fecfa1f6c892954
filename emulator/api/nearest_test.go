package api_test

import (
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

func TestTheNearestWordIsThatWhichWasProbablyMeant(t *testing.T) {
	t.Parallel()
	words := []string{"pending-approval", "processing", "biweekly", "weekly", "vr_one", "vr_two"}
	for typed, meant := range map[string]string{
		"procesing": "processing", "bewekly": "biweekly", "weekyl": "weekly",
		"WEEKLY": "weekly", "Processing": "processing", "PROCESING": "processing", // in any case
		"pending": "pending-approval", "Pend": "pending-approval", // a beginning
		"vr_": "", "pe": "", "sleeping": "", "": "", // of several, too short, far from all
	} {
		if got, ok := api.Nearest(typed, words); got != meant || ok != (meant != "") {
			t.Errorf("%q is %q, want %q", typed, got, meant)
		}
	}
}
