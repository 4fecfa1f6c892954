package emulator_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// tour is a series of requests that touches every operation and changes what it can. It returns all bodies, and the
// headers that are not about the key or the request itself.
func tour(c *apitest.Client) []byte {
	var said bytes.Buffer
	say := func(r *apitest.Response) *apitest.Response {
		said.WriteString(r.Header.Get("Date") + " " + r.Header.Get("Understudy-Scenario") + " " + r.Header.Get("Understudy-Diagnosis") + "\n")
		said.Write(r.Body)
		said.WriteByte('\n')
		return r
	}
	for range 4 {
		say(c.Get("/verification-requests/vr_lifecycle?income_analytics=true"))
	}
	say(c.Get("/verification-requests/vr_completed"))
	say(c.Put("/verification-requests/vr_processing/cancel", cancelOther))
	say(c.Get("/verification-requests/vr_processing"))
	say(c.Put("/tenant-properties/tp_default", `{"name":"Quay"}`))
	for _, ssn := range []string{"000-12-3456", "666-12-3456", "000-12-3456"} {
		var s api.CredentialsSession
		say(c.Post("/credentials/session", session(ssn))).JSON(&s)
		say(c.Get("/verification-requests/" + requestOf(s) + "?income_analytics=1"))
	}
	say(c.Get("/qualification-checks/qc_qualified"))
	say(c.Get("/qualification-checks/qc_nothing"))
	return said.Bytes()
}

func TestTwoFreshWorldsGivenTheSameRequestsAnswerWithTheSameBytes(t *testing.T) {
	t.Parallel()
	first, second := serve(t), serve(t)
	want := tour(apitest.New(t, first, "svc_sk_test_a"))
	for name, c := range map[string]*apitest.Client{
		"another key of the same process": apitest.New(t, first, "svc_sk_test_b"),
		"another process":                 apitest.New(t, second, "svc_sk_test_c"),
	} {
		if got := tour(c); !bytes.Equal(want, got) {
			t.Errorf("%s answers otherwise:\n%s\nand not\n%s", name, got, want)
		}
	}
	if other := tour(start(t, emulator.WithSeed(2))); bytes.Equal(want, other) {
		t.Error("another seed answers with the same bytes")
	}
}

func TestWhatAFrozenWorldAnswersDoesNotDependOnTheTimeOfDay(t *testing.T) {
	t.Parallel()
	wall := time.Date(2031, time.July, 1, 12, 0, 0, 0, time.UTC)
	clock := emulator.FrozenAt(epoch)
	clock.Wall = func() time.Time {
		wall = wall.Add(37 * time.Hour)
		return wall
	}
	if !bytes.Equal(tour(start(t)), tour(start(t, emulator.WithClock(clock)))) {
		t.Error("the machine's clock shows under a frozen one")
	}
}

func TestStillResourcesStayAsTheyAreWhileTheClockRuns(t *testing.T) {
	t.Parallel()
	now := epoch
	c := start(t, emulator.WithClock(emulator.Clock{Wall: func() time.Time { return now }}))
	for _, path := range []string{"/verification-requests/vr_completed", "/verification-requests/vr_processing", "/qualification-checks/qc_qualified"} {
		now = epoch
		before := c.Get(path)
		now = epoch.AddDate(0, 3, 0)
		if after := c.Get(path); !bytes.Equal(before.Body, after.Body) {
			t.Errorf("%s: three months later\n%s\nand before\n%s", path, after.Body, before.Body)
		}
	}
}

func TestGoldenAnswers(t *testing.T) {
	t.Parallel()
	c := start(t)
	for name, path := range map[string]string{
		"vr_completed": "/verification-requests/vr_completed?income_analytics=true",
		"vr_canceled":  "/verification-requests/vr_canceled",
		"qc_qualified": "/qualification-checks/qc_qualified",
	} {
		t.Run(name, func(t *testing.T) {
			got := append(c.Get(path).Body, '\n')
			file := filepath.Join("testdata", "golden", name+".json")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, got) {
				t.Errorf("%s drifted; if that is meant, run go test ./emulator -update\ngot  %s\nwant %s", path, got, want)
			}
		})
	}
}
