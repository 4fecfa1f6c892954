package emulator_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// Contract 6: ready is 200 when it can serve. A request whose journal entry is not taken is not answered; without a journal,
// what etcd holds is served on. All heals without a restart.
func TestAReplicaWhoseEtcdIsFullIsNotReadyAndTellsTheMend(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	log, option := logged(slog.LevelInfo)
	url, _ := pair(t, cluster, option)
	c := apitest.New(t, url, key)
	unrecorded, _ := pair(t, cluster, emulator.WithJournalSize(0))
	read(t, c, "vr_completed")
	cluster.Fill(t)
	wantStatus(t, c.Post(control+"reset", ""), 500, "Internal server error")
	const mend = "compact and defragment etcd, or raise its quota, and disarm the alarm"
	if !strings.Contains(log.String(), mend) {
		t.Errorf("the log does not say %s:\n%s", mend, log)
	}
	if r := c.Get(control + "ready"); r.Status != 503 || !strings.Contains(r.ErrorMessage(), mend) {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	r := c.Get("/verification-requests/vr_completed")
	wantStatus(t, r, 500, "Internal server error")
	wantDiagnosis(t, r, "the journal could not be written")
	read(t, apitest.New(t, unrecorded, key), "vr_completed")
	cluster.MakeRoom(t)
	wantStatus(t, c.Get(control+"ready"), 200, "")
	wantStatus(t, c.Post(control+"reset", ""), 200, "")
	read(t, c, "vr_completed")
}
