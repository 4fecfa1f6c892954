package etcd

import (
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// told returns how often a log has a text.
func told(log *storetest.Log, text string) int { return strings.Count(log.String(), text) }

// openLogged opens a store as the command does.
func openLogged(t *testing.T, endpoint string) (*Store, *storetest.Log) {
	t.Helper()
	log := &storetest.Log{}
	s, err := Open(t.Context(), scheme+endpoint+"/logged", nothing, WithLogger(slog.New(slog.NewTextHandler(log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, log
}

// Who runs replicas learns of one that is away from its own log and from those of the others, once.
func TestThatAReplicaIsAwayIsLoggedOnce(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	link := etcdtest.NewLink(t, cluster.Endpoints())
	one, ofOne := openLogged(t, cluster.Endpoints())
	other, ofOther := openLogged(t, link.Endpoint)
	if err := one.Amend(t.Context(), "a", storetest.Increment); err != nil {
		t.Fatal(err)
	}
	link.Cut()
	var amending sync.WaitGroup
	for _, key := range []string{"a", "b", "c"} {
		amending.Go(func() {
			if err := one.Amend(t.Context(), key, storetest.Increment); err != nil {
				t.Error(err)
			}
		})
	}
	amending.Wait()
	poll(t, "the replica has left", func() bool { return told(ofOther, "\n") > 0 })
	link.Heal()
	poll(t, "the replica is back", func() bool { return other.group.absent.rejoined.Load() > 0 })
	for text, log := range map[string]*storetest.Log{
		`level=WARN msg="this replica has left its group: until it is back it asks etcd for everything" cause=`:    ofOther,
		`level=INFO msg="this replica is back in its group" after=`:                                                ofOther,
		`level=WARN msg="amendments wait for a replica, for as long as it has its lease: see whether it is overlo`: ofOne,
	} {
		poll(t, "it is told", func() bool { return told(log, text) > 0 })
		if n := told(log, text); n != 1 {
			t.Errorf("%d times: %s", n, text)
		}
	}
	if told(ofOne, `for="replica `+other.group.self) != 1 || told(ofOne, "\n") != 1 || told(ofOther, "\n") != 2 {
		t.Errorf("of one: %s\nof the other: %s", ofOne, ofOther)
	}
}
