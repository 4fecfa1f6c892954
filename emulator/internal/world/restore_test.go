package world_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// A world that is restored from a snapshot answers like the world that the snapshot was taken of.
func TestSnapshotRestore(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	c := apitest.New(t, url, lab.Key).Without(apitest.SSN)
	lab.Lively(t, c)
	taken := c.Get(lab.Control + "snapshot")
	lab.WantStatus(t, taken, 200, "")
	if strings.Contains(string(taken.Body), "svc_sk") || strings.Contains(string(taken.Body), "000-12-3456") {
		t.Error("the snapshot contains a key or an SSN")
	}
	client := manyClients(t)
	goOn := func(url, key string) string {
		answers, _, _ := strings.Cut(travel(client, key, time.Minute, url), "POST reset") // a reset discards the restored world
		return answers
	}
	want := goOn(url, lab.Key)
	for name, at := range map[string][2]string{
		"another key of the same server":     {url, "svc_sk_test_another"},
		"another server, of another seed":    {lab.Serve(t, emulator.WithSeed(9)), lab.Key},
		"another server, whose clock stands": {lab.Serve(t, emulator.WithClock(emulator.FrozenAt(lab.Epoch.AddDate(1, 0, 0)))), lab.Key},
		"the same world":                     {url, lab.Key},
	} {
		c := apitest.New(t, at[0], at[1]).Without(apitest.SSN)
		lab.WantStatus(t, c.Put(lab.Control+"snapshot", taken.Body), 200, "")
		if second := c.Get(lab.Control + "snapshot"); string(second.Body) != string(taken.Body) {
			t.Errorf("%s: taken again it is\n%s\nand was\n%s", name, second.Body, taken.Body)
		}
		if diff := cmp.Diff(want, goOn(at[0], at[1])); diff != "" {
			t.Errorf("%s goes on otherwise:\n%s", name, diff)
		}
	}
}

// The largest value that a client can have stored is restored: what is escaped in JSON takes six bytes for each.
