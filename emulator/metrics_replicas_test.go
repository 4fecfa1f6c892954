package emulator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// Contract 6: GET /_understudy/metrics. Of a replica it tells its part in the group, and the journal that it has written.
func TestTheMetricsTellOfTheGroupAndTheSharedJournal(t *testing.T) {
	t.Parallel()
	url, _ := pair(t, etcdtest.Run(t, 1))
	c := apitest.New(t, url, key)
	var text string
	figure := func(name string) (value float64) {
		t.Helper()
		_, behind, found := strings.Cut("\n"+text, "\n"+name+" ")
		if _, err := fmt.Sscan(behind, &value); !found || err != nil {
			t.Fatalf("there is no %s in\n%s", name, text)
		}
		return value
	}
	const recalls = `understudy_store_recalls_total{from="%s"}`
	for ok := false; !ok && t.Context().Err() == nil; { // it hears a little later that it is in the group
		read(t, c, "vr_completed")
		text = string(c.Get("/_understudy/metrics").Body)
		ok = figure("understudy_store_group_joined") == 1 && figure(fmt.Sprintf(recalls, "memory")) > 0
	}
	if asked, again := figure(fmt.Sprintf(recalls, "etcd")), figure("understudy_store_group_rejoins_total"); asked == 0 || again != 0 {
		t.Errorf("%v recalls asked etcd, and it came back %v times", asked, again)
	}
	requests := len(journalOf(t, c))
	text = string(c.Get("/_understudy/metrics").Body)
	if written, gathered := figure("understudy_journal_written_total"), figure("understudy_journal_gathered"); int(written) != requests || gathered != 0 {
		t.Errorf("of %d requests %v are written, %v gathered", requests, written, gathered)
	}
	for _, operation := range []string{"append", "read_log", "settle"} {
		if figure(`understudy_store_duration_seconds_count{engine="etcd",operation="`+operation+`"}`) == 0 {
			t.Errorf("%s is not timed", operation)
		}
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	noError(t, err)
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}
