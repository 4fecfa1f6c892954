package emulator_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// A misspelled parameter would be left out of account, and the caller would not know.
func TestAQueryParameterThatACallDoesNotHaveIsRefused(t *testing.T) {
	t.Parallel()
	c := start(t)
	for path, message := range map[string]string{
		"verification-requests?sate=completed": `There is no query parameter "sate": did you mean state?`,
		"verification-requests?worlds=a":       `There is no query parameter "worlds": did you mean world?`,
		"tenant-properties?state=completed":    `There is no query parameter "state": this call has world, limit, after`,
		"worlds?limits=3":                      `There is no query parameter "limits": did you mean limit?`,
		"worlds?world=a":                       `There is no query parameter "world": this call has limit, after`,
		"clock?now=1":                          `There is no query parameter "now": this call has world`,
		"journal?statsu=404":                   `There is no query parameter "statsu": did you mean status?`,
		"journal/stream?operaton=a":            `There is no query parameter "operaton": did you mean operation?`,
		"info?verbose=1":                       `There is no query parameter "verbose": this call has none`,
		"clock?world=%zz":                      "The query cannot be read: write it as name=value, with & between two",
	} {
		wantStatus(t, c.Get(control+path), 400, message)
	}
	wantStatus(t, c.Post(control+"reset?word=a", nil), 400, `There is no query parameter "word": did you mean world?`)
	wantStatus(t, c.Get("/verification-requests/vr_completed?verbose=1"), 200, "") // the service's own are only diagnosed
}

func TestAListIsOfAScenarioAndBehindAnIDThatCanBe(t *testing.T) {
	t.Parallel()
	c := start(t).Without(apitest.SSN)
	read(t, c, "vr_lifecycle")
	wantStatus(t, c.Put(control+"scenarios/mine", ownLifecycle), 200, "")
	wantStatus(t, c.Post(control+"verification-requests", `{"id":"vr_left","scenario":"mine"}`), 201, "")
	wantStatus(t, c.Send("DELETE", control+"scenarios/mine", nil), 204, "")
	const after = "after is the next of the page before, an id, which "
	for path, message := range map[string]string{
		"verification-requests?scenario=lifecicle": `There is no scenario "lifecicle": did you mean lifecycle?`,
		"verification-requests?scenario=nope":      `There is no scenario "nope"`,
		"verification-requests?after=vr+left":      after + `"vr left" cannot be`,
		"verification-requests?after=..":           after + `".." cannot be`,
		"tenant-properties?after=a/b":              after + `"a/b" cannot be`,
		"qualification-checks?after=a/b":           after + `"a/b" cannot be`,
		"credentials-sessions?after=vr_left":       after + `"vr_left" cannot be`,
		"worlds?after=first":                       after + `"first" cannot be`,
		"journal?after=7":                          after + `"7" cannot be`,
	} {
		wantStatus(t, c.Get(control+path), 400, message)
	}
	for _, path := range []string{
		"verification-requests?after=vr_gone", "tenant-properties?after=tp_gone", "qualification-checks?after=qc_gone",
		"credentials-sessions?after=cs_gone", "worlds?after=0123456789abcdef01234567", "journal?after=01JHMK1SM0X7FN8H22EASHJHYY",
		"verification-requests?scenario=flaky",
	} {
		wantStatus(t, c.Get(control+path), 200, "")
	}
	if r := c.Get(control + "verification-requests?scenario=mine"); !strings.Contains(string(r.Body), `"vr_left"`) {
		t.Errorf("of a scenario that is gone: %s", r.Body)
	}
}

func TestAResetTakesNoBody(t *testing.T) {
	t.Parallel()
	c := start(t)
	read(t, c, "vr_lifecycle")
	for _, body := range []string{`{"resources":true}`, `[]`, `null`, `true`, `{`, `{} {}`} {
		wantStatus(t, c.Post(control+"reset", body), 400, "This call takes no body: leave it out, or send {}")
	}
	wantStatus(t, c.Post(control+"reset", strings.Repeat(" ", 2<<20)), 413, "The body is larger than 1048576 bytes")
	wantStatus(t, c.Get(control+"tenant-properties"), 200, "")
	if r := c.Get(control + "verification-requests"); !strings.Contains(string(r.Body), "vr_lifecycle") {
		t.Errorf("it is reset all the same: %s", r.Body)
	}
	for _, body := range []string{``, `{}`, " {\n} "} {
		wantStatus(t, c.Post(control+"reset", body), 200, "")
	}
}
