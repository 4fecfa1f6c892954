package emulator_test

import (
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// Spec 4.4 lists no 500 for an id that somebody gave away: a session, and what is made by hand, has the next one.
func TestAnIDThatWasGivenByHandIsPassedOver(t *testing.T) {
	t.Parallel()
	url := serve(t)
	first, second := apitest.New(t, url, key), apitest.New(t, url, "svc_sk_test_other") // worlds that draw the same ids
	id := requestOf(create(t, first, session("000-12-3456")))
	wantStatus(t, second.Post(control+"verification-requests", `{"id":"`+id+`","state":"invalid"}`), 201, "")
	if passed := requestOf(create(t, second, session("000-12-3456"))); passed == id {
		t.Errorf("both are %s", id)
	}
	for _, kind := range []string{"verification-requests", "tenant-properties", "qualification-checks"} {
		var made, given, passed struct {
			ID string `json:"id"`
		}
		first.Post(control+kind, `{}`).JSON(&made)
		second.Post(control+kind, `{"id":"`+made.ID+`"}`).JSON(&given)
		second.Post(control+kind, `{}`).JSON(&passed)
		if made.ID == "" || given.ID != made.ID || passed.ID == "" || passed.ID == made.ID {
			t.Errorf("%s: %q made, %q given, then %q", kind, made, given, passed)
		}
	}
}
