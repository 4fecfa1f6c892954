package world_test

import (
	"bufio"
	"fmt"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab/replicas"
	"github.com/understudy-sandbox/understudy/store/etcd"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// These are all the requests to etcd that a request causes: reads of its world, its resource and the counters of its rules,
// and one write if it changes anything.
func TestReplicasEtcdRequests(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	url := lab.Serve(t, emulator.WithStore(replicas.Store(t, cluster)), emulator.WithJournalSize(0))
	const lifecycle = "/verification-requests/vr_lifecycle"
	for i, tt := range []struct {
		what, method, path, body string
		before                   []string // requests that are sent once before it
		reads, writes            int
	}{
		{what: "a still resource", path: "/verification-requests/vr_completed", reads: 2},
		{what: "a still resource with analytics", path: "/verification-requests/vr_completed?income_analytics=true", reads: 2},
		{what: "a resource that is not there", path: "/verification-requests/vr_none", reads: 2},
		{what: "a qualification check", path: "/qualification-checks/qc_qualified", reads: 2},
		{what: "one that has come to its end", path: lifecycle, before: []string{lifecycle, lifecycle, lifecycle}, reads: 2},
		{what: "one that moves with time", path: "/verification-requests/vr_lifecycle_timed", before: []string{"/verification-requests/vr_lifecycle_timed"}, reads: 2},
		{what: "a step that a read takes", path: "/verification-requests/vr_service_canceled", before: []string{"/verification-requests/vr_service_canceled"}, reads: 4, writes: 1},
		{what: "a tenant property", method: "PUT", path: "/tenant-properties/tp_default", body: `{"name":"Elm Court"}`, reads: 2, writes: 1},
		{what: "a cancel", method: "PUT", path: "/verification-requests/vr_processing/cancel", body: lab.CancelOther, reads: 2, writes: 1},
	} {
		if tt.method == "" {
			tt.method = "GET"
		}
		reads, writes := math.MaxInt, math.MaxInt
		for attempt := range 3 { // the background reads the store, too, but not in every attempt
			c := apitest.New(t, url, fmt.Sprintf("%s_%d_%d", lab.Key, i, attempt))
			for _, path := range append(tt.before, "/verification-requests/vr_completed", "/qualification-checks/qc_qualified") {
				c.Get(path) // opens the world and fills the caches
			}
			readsBefore, writesBefore := asksOf(t, cluster.Members[0], "Range"), asksOf(t, cluster.Members[0], "Txn")
			c.Send(tt.method, tt.path, lab.BodyOf(tt.body))
			reads = min(reads, asksOf(t, cluster.Members[0], "Range")-readsBefore)
			writes = min(writes, asksOf(t, cluster.Members[0], "Txn")-writesBefore)
		}
		if reads > tt.reads || writes != tt.writes {
			t.Errorf("%s: %d reads and %d writes, want at most %d, and %d", tt.what, reads, writes, tt.reads, tt.writes)
		}
	}
}

// asksOf returns the number of calls of a method that a member of etcd has counted.
func asksOf(t *testing.T, m *etcdtest.Member, method string) (n int) {
	t.Helper()
	r, err := http.Get("http://" + m.Endpoint + "/metrics")
	lab.NoError(t, err)
	defer r.Body.Close()
	for lines := bufio.NewScanner(r.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), "} ")
		if !strings.HasPrefix(name, "grpc_server_handled_total{") || !strings.Contains(name, `grpc_code="OK"`) {
			continue
		}
		if strings.Contains(name, `grpc_method="`+method+`"`) {
			count, err := strconv.Atoi(value)
			lab.NoError(t, err)
			n += count
		}
	}
	return n
}

// A magic request whose scenario has changed begins again on every replica.
func TestReplicasChangedScenario(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	a, b := replicas.Clients(t, cluster)
	const file = `PUT scenarios/mine {"name":"mine","title":"mine","magic":{"verification_request":"vr_mine"},"verification_request":{"timeline":[{"state":"processing"},{"state":"%s","after":{"reads":1}}]}} → 200`
	lab.PlayScript(t, a, fmt.Sprintf(file, "completed"))
	lab.WantStates(t, a, "vr_mine", "processing", "completed")
	lab.WantStates(t, b, "vr_mine", "completed", "completed")
	lab.WantStates(t, a, "vr_mine", "completed")
	lab.PlayScript(t, b, fmt.Sprintf(file, "pending-approval"))
	lab.WantStates(t, a, "vr_mine", "processing", "pending-approval")
	for _, replica := range []*apitest.Client{a, b} {
		lab.PlayScript(t, replica, `GET verification-requests/vr_mine → 200 state=pending-approval`)
	}
}

// While etcd's user has no rights, requests are 500, and the replica is not ready.
func TestReplicaRights(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	allow := cluster.RequireUser(t, "/sandbox/")
	s, err := etcd.Open(t.Context(), "etcd://"+cluster.Endpoints()+"/sandbox?user=understudy&password=sesame", os.Getenv)
	lab.NoError(t, err)
	c := lab.Start(t, emulator.WithStore(s))
	const served, refused = `
		GET /verification-requests/vr_completed → 200
		GET ready → 200 {"status":"ready"}`, `
		GET /verification-requests/vr_completed → 500
		GET ready → 503 …permission denied: let the user read and write all keys below the prefix`
	for _, rights := range []string{"rw", "", "rw", "r", "rw"} {
		allow(rights)
		script := served
		if rights != "rw" {
			script = refused
		}
		lab.PlayScript(t, c, script)
	}
}
