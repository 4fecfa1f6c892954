package world_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

func reset(ctx context.Context, worlds *world.Worlds, name string) error {
	_, err := keyOf(worlds, name).Reset(ctx)
	return err
}

// refusing is a stepping scenario that also counts the reads of its request by a rule.
const refusing = stepping + "rules: [{on: get, times: 3, respond: {status: 503}}]\n"

// evaluateAndRead reads a request as the emulated API does.
func evaluateAndRead(tx *world.Tx, id string) (v api.VerificationRequest, refused bool, err error) {
	r, err := tx.Find(scenarios.VerificationRequestID, id)
	if err != nil {
		return v, false, err
	}
	d, err := tx.Evaluate(api.Operation{Verb: "get", Resource: "verification request"}, r)
	if err != nil || d.Prevents() {
		return v, d.Prevents(), err
	}
	v, err = readIn(tx, id)
	return v, false, err
}

func TestDo(t *testing.T) {
	t.Parallel()
	t.Run("function that only reads makes no update", func(t *testing.T) {
		t.Parallel()
		config, _ := configure(t, stepping)
		counted := &storetest.Counting{Store: config.Store}
		config.Store = counted
		worlds := start(t, config)
		open(t, worlds, "a")
		before := counted.Updates.Load()
		inspect(t, worlds, "vr_a")
		if n := counted.Updates.Load() - before; before != 1 || n != 0 {
			t.Errorf("%d updates make the world and %d a look at it, want 1 and 0", before, n)
		}
	})
	t.Run("world is not made by its id", func(t *testing.T) {
		t.Parallel()
		worlds := startFile(t, stepping)
		for _, id := range []string{idOf("a"), "no id"} {
			w := worlds.ByID(id)
			for _, in := range []func(context.Context, func(*world.Tx) error) error{w.Do, w.Update, w.Preview} {
				err := in(t.Context(), func(*world.Tx) error {
					t.Errorf("the function is run in world %q", id)
					return nil
				})
				wantStatus(t, err, http.StatusNotFound)
			}
		}
	})
	t.Run("error leaves no new world", func(t *testing.T) {
		t.Parallel()
		worlds := startFile(t, stepping)
		failed := errors.New("failed")
		if err := keyOf(worlds, "a").Do(t.Context(), func(*world.Tx) error { return failed }); !errors.Is(err, failed) {
			t.Errorf("error %v", err)
		}
		if all := entries(t, worlds.Config().Store); len(all) != 0 || worlds.Created() != 0 {
			t.Errorf("stored: %q; %d worlds are counted as made", all, worlds.Created())
		}
	})
}

// The counters of rules and the step of the resource commit together, or not at all.
func TestUpdateError(t *testing.T) {
	t.Parallel()
	worlds := startFile(t, stepping+"rules: [{on: get, times: 3, delay: {fixed: 1ms}}]\n")
	addFault(t, worlds, "{on: get, times: 3, delay: {fixed: 1ms}}")
	before := entries(t, worlds.Config().Store)
	failed := errors.New("failed")
	w := keyOf(worlds, "a")
	for name, in := range map[string]func(context.Context, func(*world.Tx) error) error{"Do": w.Do, "Update": w.Update} {
		err := in(t.Context(), func(tx *world.Tx) error {
			if _, _, err := evaluateAndRead(tx, "vr_a"); err != nil {
				return err
			}
			return failed
		})
		if !errors.Is(err, failed) {
			t.Errorf("%s: error %v", name, err)
		}
		if diff := cmp.Diff(before, entries(t, worlds.Config().Store)); diff != "" {
			t.Errorf("%s leaves:\n%s", name, diff)
		}
	}
	do(t, worlds, "a", func(tx *world.Tx) error {
		_, _, err := evaluateAndRead(tx, "vr_a")
		return err
	})
	if n := len(entries(t, worlds.Config().Store)) - len(before); n != 3 { // two counters and the request
		t.Errorf("without an error %d keys are stored, want 3", n)
	}
}

// addFault adds a fault to the world of the key a.
func addFault(t *testing.T, worlds *world.Worlds, rule string) {
	t.Helper()
	if _, err := keyOf(worlds, "a").AddFault(t.Context(), rule); err != nil {
		t.Error(err)
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	read := func(tx *world.Tx) (any, error) {
		v, refused, err := evaluateAndRead(tx, "vr_a")
		return []any{v, refused}, err
	}
	for name, act := range map[string]func(*world.Tx) (any, error){
		"read that is refused": read,
		"read that steps": func(tx *world.Tx) (any, error) {
			for range 3 {
				if _, err := read(tx); err != nil {
					return nil, err
				}
			}
			return read(tx)
		},
		"session": func(tx *world.Tx) (any, error) {
			session, scenario, err := tx.CreateSession(api.NewCredentialsSession{Target: api.SessionTarget{FirstName: "Ada"}})
			return []any{session, scenario}, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, _ := configure(t, refusing+"---\nname: s\ntitle: s\nmagic: {ssn: any}\n")
			config.Store = uncollected{config.Store}
			worlds := start(t, config)
			for round := range 3 { // the world is new in the first
				before := entries(t, worlds.Config().Store)
				var want, got any
				err := keyOf(worlds, "a").Preview(t.Context(), func(tx *world.Tx) (err error) {
					want, err = act(tx)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(before, entries(t, worlds.Config().Store)); diff != "" || worlds.Created() != uint64(min(round, 1)) {
					t.Errorf("round %d: %d worlds are counted as made; stored:\n%s", round, worlds.Created(), diff)
				}
				do(t, worlds, "a", func(tx *world.Tx) (err error) {
					got, err = act(tx)
					return err
				})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("round %d: the dry run shows (-), the request then (+):\n%s", round, diff)
				}
			}
		})
	}
}

func TestDry(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]func(w *world.World) (any, error){
		"verification request": func(w *world.World) (any, error) {
			v, err := w.CreateVerificationRequest(t.Context(), "verification_request: {timeline: [{state: processing}, {state: completed, after: {reads: 1}}]}")
			return v.Document, err
		},
		"qualification check": func(w *world.World) (any, error) {
			return w.CreateQualificationCheck(t.Context(), "reports: [{pay: {base: 52000.00}}]")
		},
		"tenant property": func(w *world.World) (any, error) { return w.CreateTenantProperty(t.Context(), "id: tp_a") },
		"invalid text":    func(w *world.World) (any, error) { return w.CreateTenantProperty(t.Context(), "id: {}") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, _ := configure(t, refusing)
			config.Store = uncollected{config.Store}
			w := keyOf(start(t, config), "a")
			before := entries(t, config.Store)
			want, wantErr := create(w.Dry())
			if diff := cmp.Diff(before, entries(t, config.Store)); diff != "" {
				t.Errorf("stored:\n%s", diff)
			}
			got, err := create(w)
			if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(wantErr) != fmt.Sprint(err) {
				t.Errorf("the dry run shows (-) %v, the creation then (+) %v:\n%s", wantErr, err, diff)
			}
		})
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	worlds := startFile(t, stepping)
	w := keyOf(worlds, "a")
	for name, valid := range map[string]bool{
		"Payroll team, 2": true, "é": true, strings.Repeat("ü", 64): true, strings.Repeat("x", 65): false, "a\nb": false, "a\u202eb": false,
		" a": false, "a ": false, " ": false, "\xff": false, "123-45-6789": false, "svc_sk_test_a": false,
	} {
		switch status, err := w.Rename(t.Context(), name); {
		case !valid:
			wantStatus(t, err, http.StatusBadRequest)
		case err != nil || status.Name != name:
			t.Errorf("%q becomes %q, %v", name, status.Name, err)
		}
	}
	if _, err := w.Rename(t.Context(), "kept"); err != nil {
		t.Fatal(err)
	}
	s := snapshot(t, worlds, "a")
	if err := restore(t, keyOf(worlds, "b"), s.text()); err != nil {
		t.Error(err)
	}
	if err := errors.Join(reset(t.Context(), worlds, "a"), restore(t, w, s.text())); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{"a": "kept", "b": "b"} { // a snapshot has no name
		if status, err := keyOf(worlds, name).Status(t.Context()); err != nil || status.Name != want {
			t.Errorf("%s has the name %q, want %q (%v)", name, status.Name, want, err)
		}
	}
	if status, err := w.Rename(t.Context(), ""); err != nil || status.Name != "" {
		t.Errorf("%q, %v", status.Name, err)
	}
	_, err := worlds.ByID(idOf("none")).Rename(t.Context(), "x")
	wantStatus(t, err, http.StatusNotFound)
}

// wantLatest checks the order of all worlds: the ends of their keys.
func wantLatest(t *testing.T, worlds *world.Worlds, want ...string) {
	t.Helper()
	all, err := worlds.Latest(t.Context(), 10, nil)
	var got, ids []string
	for _, s := range all {
		got = append(got, s.ID)
	}
	for _, name := range want {
		ids = append(ids, idOf(name))
	}
	if diff := cmp.Diff(ids, got); diff != "" || err != nil {
		t.Errorf("want %q: %v %s", want, err, diff)
	}
}

func TestLatest(t *testing.T) {
	t.Parallel()
	config, machine := configure(t, stepping)
	config.Clock.Frozen = time.Time{}
	worlds, replica := start(t, config), start(t, config)
	for _, name := range []string{"a", "b", "c"} {
		open(t, worlds, name)
		machine.pass(time.Hour)
	}
	wantLatest(t, worlds, "c", "b", "a")
	open(t, worlds, "a")
	wantLatest(t, worlds, "a", "c", "b")
	removeUse(t, config.Store, "c") // behind the back of this process
	wantLatest(t, worlds, "a", "c", "b")
	machine.pass(2 * time.Second)
	wantLatest(t, worlds, "a", "b", "c")
	open(t, replica, "b")
	machine.pass(2 * time.Second)
	wantLatest(t, worlds, "b", "a", "c")
	if _, err := keyOf(worlds, "c").Rename(t.Context(), "named"); err != nil {
		t.Error(err)
	}
	if err := keyOf(worlds, "b").Delete(t.Context()); err != nil {
		t.Error(err)
	}
	wantLatest(t, worlds, "c", "a")
	machine.pass(500 * time.Millisecond) // not read again: the clock goes on
	found, err := worlds.Latest(t.Context(), 1, func(s world.Status) bool { return s.Name == "a" })
	if err != nil || len(found) != 1 || found[0].ID != idOf("a") || !found[0].Now.Equal(machine.now()) {
		t.Errorf("%v %v, want a at %s", err, found, machine.now())
	}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	config, _ := configure(t, stepping)
	config.Store = uncollected{config.Store}
	worlds := start(t, config)
	read(t, worlds, "from", "vr_a")
	text, err := keyOf(worlds, "from").Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	create := func(name string, snapshot string) (world.Status, error) {
		return worlds.Create(t.Context(), "svc_sk_test_"+name, name, strings.NewReader(snapshot))
	}
	status, err := create("copy", string(text))
	if err != nil || status.Name != "copy" || status.ID != idOf("copy") {
		t.Errorf("%+v, %v", status, err)
	}
	if state := read(t, worlds, "copy", "vr_a").State; state != api.StateProcessing {
		t.Errorf("the second read of the copy finds %s", state)
	}
	for name, status := range map[string]int{"from": http.StatusConflict, "copy": http.StatusConflict, "": http.StatusBadRequest} {
		_, err := create(name, string(text))
		wantStatus(t, err, status)
	}
	if status, err := worlds.Create(t.Context(), "svc_sk_test_new", "new", nil); err != nil || status.Name != "new" {
		t.Errorf("%+v, %v", status, err)
	}
	_, err = create("broken", "{}")
	wantStatus(t, err, http.StatusBadRequest)
	wantLatest(t, worlds, sorted("from", "copy", "new")...)
}

// sorted sorts the ends of keys by the ids of their worlds.
func sorted(names ...string) []string {
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(idOf(a), idOf(b)) })
	return names
}
