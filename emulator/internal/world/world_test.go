package world_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
	"github.com/understudy-sandbox/understudy/emulator/internal/inventory"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	snapshots "github.com/understudy-sandbox/understudy/emulator/internal/snapshot"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

var update = flag.Bool("update", false, "rewrite the golden file")

var epoch = time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC)

// stepping is a scenario whose request is pending at its first read only.
const stepping = `
name: a
title: a
magic: {verification_request: vr_a}
verification_request: {timeline: [{state: pending-approval}, {state: processing, after: {reads: 1}}]}
`

// wall is a machine's clock moved by the test.
type wall struct {
	nanoseconds, monotonic atomic.Int64
	tick                   time.Duration // passes whenever the clock is read
}

func (w *wall) now() time.Time            { return time.Unix(0, w.nanoseconds.Add(int64(w.tick))) }
func (w *wall) elapsed() time.Duration    { return time.Duration(w.monotonic.Load()) }
func (w *wall) change(span time.Duration) { w.nanoseconds.Add(int64(span)) }
func (w *wall) pass(span time.Duration) {
	w.change(span)
	w.monotonic.Add(int64(span))
}

// clock returns the clock of a machine whose new worlds run.
func (w *wall) clock() clock.Clock { return clock.Clock{Wall: w.now, Elapsed: w.elapsed} }

// configure returns a configuration on a temporary store whose catalogue is one scenario file, and its machine's clock.
func configure(t *testing.T, file string) (world.Config, *wall) {
	t.Helper()
	catalogue, err := scenarios.Files{}.With("s.yaml", []byte(file)).Over(nil)
	if err != nil {
		t.Fatal(err)
	}
	temp, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	machine := &wall{}
	machine.pass(time.Duration(epoch.UnixNano()))
	clock := machine.clock()
	clock.Frozen = epoch
	return world.Config{Store: temp, Journal: journal.New(journal.Config{}), Catalogue: catalogue, Seed: 1, Clock: clock}, machine
}

// start returns the worlds of a configuration, until the test ends. Several on one store stand for replicas.
func start(t *testing.T, config world.Config) *world.Worlds {
	t.Helper()
	worlds := world.New(config)
	t.Cleanup(func() {
		if err := worlds.Close(); err != nil {
			t.Error(err)
		}
	})
	return worlds
}

// startFile returns worlds whose catalogue is one scenario file.
func startFile(t *testing.T, file string) *world.Worlds {
	t.Helper()
	config, _ := configure(t, file)
	return start(t, config)
}

// uncollected is a store whose worlds collect nothing in the background.
type uncollected struct{ store.Store }

func (uncollected) Watch(ctx context.Context, _ string) (<-chan struct{}, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// keyOf returns the world of a key that ends with name.
func keyOf(worlds *world.Worlds, name string) *world.World {
	return worlds.ByKey("svc_sk_test_" + name)
}

func idOf(name string) string { return world.IDOf("svc_sk_test_" + name) }

// do runs fn in the world of a key.
func do(t *testing.T, worlds *world.Worlds, name string, fn func(*world.Tx) error) {
	t.Helper()
	if err := keyOf(worlds, name).Do(t.Context(), fn); err != nil {
		t.Error(err)
	}
}

// open opens the world of a key and does nothing in it.
func open(t *testing.T, worlds *world.Worlds, name string) {
	t.Helper()
	do(t, worlds, name, func(*world.Tx) error { return nil })
}

// readIn reads a verification request within a transaction.
func readIn(tx *world.Tx, id string) (v api.VerificationRequest, err error) {
	r, err := tx.Find(scenarios.VerificationRequestID, id)
	if err != nil {
		return v, err
	}
	body, _, err := tx.ReadVerification(r, false)
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(body, &v)
}

// find is Find that must not fail.
func find(t *testing.T, tx *world.Tx, kind scenarios.Kind, id string) inventory.Resource {
	t.Helper()
	r, err := tx.Find(kind, id)
	if err != nil {
		t.Error(err)
	}
	return r
}

// read reads a verification request in the world of a key.
func read(t *testing.T, worlds *world.Worlds, name, id string) (v api.VerificationRequest) {
	t.Helper()
	do(t, worlds, name, func(tx *world.Tx) (err error) {
		v, err = readIn(tx, id)
		return err
	})
	return v
}

// snapshot returns the snapshot of the world of a key.
func snapshot(t *testing.T, worlds *world.Worlds, name string) (s taken) {
	t.Helper()
	text, err := keyOf(worlds, name).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Stored = make(map[string]json.RawMessage)
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var stored struct {
			Key   string
			Value json.RawMessage
		}
		if i == 0 {
			err = json.Unmarshal(line, &s.Head)
		} else if err = json.Unmarshal(line, &stored); stored.Key != "end" {
			s.Stored[stored.Key] = stored.Value
		}
		if err != nil {
			t.Error(err)
		}
	}
	return s
}

// taken is a snapshot without a journal.
type taken struct {
	snapshots.Head
	Stored map[string]json.RawMessage
}

// text returns the snapshot as it is restored.
func (s taken) text() string {
	head, err := json.Marshal(s.Head)
	if err != nil {
		panic(err)
	}
	lines := []string{string(head)}
	keys := slices.SortedFunc(maps.Keys(s.Stored), func(a, b string) int {
		return strings.Compare(strings.Replace(a, "scenario/", "!", 1), strings.Replace(b, "scenario/", "!", 1)) // those first
	})
	for _, key := range keys {
		lines = append(lines, fmt.Sprintf(`{"key":%q,"value":%s}`, key, s.Stored[key]))
	}
	return strings.Join(append(lines, `{"key":"end","value":{"journal_dropped":0}}`), "\n")
}

// entries returns all that a store has.
func entries(t *testing.T, s store.Store) (all []store.Entry) {
	t.Helper()
	err := s.View(t.Context(), func(tx store.Tx) error {
		all = nil
		for entry, err := range tx.Scan("", "") {
			if err != nil {
				return err
			}
			all = append(all, store.Entry{Key: entry.Key, Value: []byte(string(entry.Value))})
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return all
}

// collected returns the keys of a store once all that ended generations have stored is deleted.
func collected(t *testing.T, worlds *world.Worlds) (keys []string) {
	t.Helper()
	if err := worlds.Collect(t.Context()); err != nil {
		t.Error(err)
	}
	for _, entry := range entries(t, worlds.Config().Store) {
		keys = append(keys, entry.Key)
	}
	return keys
}

// wantStatus checks that an error is an [*api.Error] with a status.
func wantStatus(t *testing.T, err error, status int) {
	t.Helper()
	refusal := (*api.Error)(nil)
	if !errors.As(err, &refusal) || refusal.Status != status {
		t.Errorf("error %v, want one with status %d", err, status)
	}
}

func TestReadVerification(t *testing.T) {
	t.Parallel()
	t.Run("cancellation without reason has the service's", func(t *testing.T) {
		t.Parallel()
		worlds := startFile(t, "name: a\ntitle: a\nmagic: {verification_request: a}\nverification_request: {timeline: [{state: canceled}]}\n")
		v := read(t, worlds, "a", "a")
		if v.State != api.StateCanceled || *v.CancellationReason != "other" || *v.CancellationDetails != "The service cannot process the request." {
			t.Errorf("state %s, reason %v, details %v", v.State, v.CancellationReason, v.CancellationDetails)
		}
	})
	t.Run("shares its id with a qualification check", func(t *testing.T) {
		t.Parallel()
		worlds := startFile(t, "name: a\ntitle: a\nmagic: {verification_request: a, qualification_check: a}\n")
		do(t, worlds, "a", func(tx *world.Tx) error {
			request, _, readErr := tx.ReadVerification(find(t, tx, scenarios.VerificationRequestID, "a"), false)
			check, _, checkErr := tx.ReadQualification(find(t, tx, scenarios.QualificationCheckID, "a"))
			if string(request) == string(check) {
				t.Errorf("the qualification check is the verification request: %s", check)
			}
			return errors.Join(readErr, checkErr)
		})
	})
}

func TestEvaluate(t *testing.T) {
	t.Parallel()
	worlds := startFile(t, "name: a\ntitle: a\nmagic: {ssn: any}\nverification_request: {timeline: [{state: processing}]}\n"+
		"rules: [{on: cancel, respond: {status: 500, message: Not today}}]\n")
	var session api.CredentialsSession
	do(t, worlds, "a", func(tx *world.Tx) (err error) {
		session, _, err = tx.CreateSession(api.NewCredentialsSession{
			Type: api.TypeEmployment, UseCase: "auto", PermissiblePurpose: "employment",
			Target: api.SessionTarget{FirstName: "Ada", LastName: "Example"},
		})
		return err
	})
	request, err := keyOf(worlds, "a").CredentialsSession(t.Context(), session.ID)
	noError(t, err)
	id := request.ID
	for name, tt := range map[string]struct {
		operation string
		status    int
	}{
		"rule of a session's scenario is met by its request": {"cancel", 500},
		"rule of another operation is not met":               {"get", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			do(t, worlds, "a", func(tx *world.Tx) error {
				d, err := tx.Evaluate(api.Operation{Verb: tt.operation, Resource: "verification request"}, find(t, tx, scenarios.VerificationRequestID, id))
				if d.Prevents() != (tt.status != 0) || d.Answer != nil && (d.Answer.Status != tt.status || d.Answer.Message != "Not today") {
					t.Errorf("decision %+v, want status %d", d, tt.status)
				}
				return err
			})
			if v := read(t, worlds, "a", id); v.State != api.StateProcessing {
				t.Errorf("the session's request is %s", v.State)
			}
		})
	}
}

// Keys are stored and shown masked, and different keys look different.
func TestStatus(t *testing.T) {
	t.Parallel()
	worlds := startFile(t, stepping)
	masked := make(map[string]string)
	for _, name := range []string{"a", "b", "me", "ci", "suite", "seven77", "suite_a_0003", "suite_b_0003"} {
		var shown string
		do(t, worlds, name, func(tx *world.Tx) error {
			shown = tx.Status().Key
			return nil
		})
		if strings.Contains(shown, name) || !strings.HasPrefix(shown, "svc_sk_test_…") || !strings.HasSuffix(shown, "#"+idOf(name)[:4]) {
			t.Errorf("%s is shown as %s", name, shown)
		}
		if other, taken := masked[shown]; taken {
			t.Errorf("%s and %s are both shown as %s", name, other, shown)
		}
		if masked[shown] = name; len(name) == 12 && !strings.Contains(shown, "…0003#") {
			t.Errorf("a long one is shown as %s, without its end", shown)
		}
	}
}

// A world has the name that follows _test_ in its key, where that reads as one, until it is renamed.
func TestName(t *testing.T) {
	t.Parallel()
	nameOf := func(t *testing.T, worlds *world.Worlds, name string) string {
		t.Helper()
		status, err := worlds.ByKey("svc_sk_test_" + name).Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return status.Name
	}
	worlds := startFile(t, stepping)
	for name, want := range map[string]bool{
		"me": true, "payroll-suite_2": true, "TestVerificationRequestExpires": true, "integrationtests2024": true, "NIGHTLYREGRESSIONS": true, "a_1b2c3d": true,
		"deadbeefcafe": false, "x-0123456789ab": false, "a1b2c3d4e5f6": false, "kJhGfDsAqWeRtYuI": false, "000123456": false,
		"a-name-of-more-than-forty-characters-that": false,
	} {
		if got := nameOf(t, worlds, name); (got == name) != want || got != "" && got != name {
			t.Errorf("the world of %s has the name %q", name, got)
		}
	}
	if _, err := worlds.ByKey("svc_sk_test_me").Rename(t.Context(), "Mine"); err != nil {
		t.Fatal(err)
	}
	if _, err := worlds.ByKey("svc_sk_test_me").Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := nameOf(t, worlds, "me"); got != "Mine" {
		t.Errorf("a renamed world has the name %q", got)
	}
	config, _ := configure(t, stepping)
	config.MaskKeys = true
	if got := nameOf(t, start(t, config), "me"); got != "" {
		t.Errorf("with masked keys a world has the name %q", got)
	}
}

// Later releases must read the keys of a file: store. A change of these bytes is a change of format.
func TestStoredForm(t *testing.T) {
	t.Parallel()
	worlds := startFile(t, "name: a\ntitle: a\nmagic: {ssn: any, verification_request: vr_a, tenant_property: tp_a}\n"+
		"verification_request: {timeline: [{state: pending-approval}, {state: processing, after: {reads: 2}}]}\n"+
		"reports: [{pay: {base: 62000.00, paystubs: 4}}]\n")
	ssn, err := api.ParseSSN("000-12-3456")
	if err != nil {
		t.Fatal(err)
	}
	do(t, worlds, "a", func(tx *world.Tx) error {
		_, _, readErr := tx.ReadVerification(find(t, tx, scenarios.VerificationRequestID, "vr_a"), false)
		_, _, cancelErr := tx.CancelVerification(find(t, tx, scenarios.VerificationRequestID, "vr_a"), api.Cancellation{Reason: "other", Details: new("late")})
		_, _, updateErr := tx.UpdateTenantProperty(find(t, tx, scenarios.TenantPropertyID, "tp_a"), api.TenantProperty{Name: "Quay", City: new("Portland")})
		_, _, createErr := tx.CreateSession(api.NewCredentialsSession{
			Type: api.TypeEmploymentIncome, UseCase: "auto", PermissiblePurpose: "employment",
			Metadata: map[string]string{"case": "7"},
			Target: api.SessionTarget{
				FirstName: "Ada", LastName: "Example", SocialSecurityNumber: ssn, DateOfBirth: new(api.NewDate(1990, time.February, 28)),
				Company: &api.Company{Name: new("Mill")},
			},
		})
		return errors.Join(readErr, cancelErr, updateErr, createErr)
	})
	var got strings.Builder
	for _, entry := range entries(t, worlds.Config().Store) {
		fmt.Fprintf(&got, "%s\n\t%s\n", entry.Key, entry.Value)
	}
	const file = "testdata/stored.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("if that is meant, run go test ./emulator/internal/world -run StoredForm -update\n%s", diff)
	}
}
