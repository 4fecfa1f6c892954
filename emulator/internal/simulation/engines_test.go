package simulation

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab/replicas"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// freeStore returns a simulated store of one machine of some, outside a bubble.
func freeStore(machines int) store.Store {
	return &machine{sim: &simulation{plan: plan{machines: machines}, disk: newDisk(), free: true}}
}

// The simulated store obeys the contract that the engines obey.
func TestContract(t *testing.T) {
	for machines, name := range []string{1: "one process", 2: "several"} {
		if name != "" {
			t.Run(name, func(t *testing.T) {
				storetest.Contract(t, func(*testing.T) store.Store { return freeStore(machines) })
			})
		}
	}
}

// A history has the same answers on the simulated store and on the engines.
func TestEngines(t *testing.T) {
	for engine, open := range map[string]func(*testing.T) store.Store{
		"temp": func(t *testing.T) store.Store { return lab.Opened(t, "temp") },
		"file": func(t *testing.T) store.Store { return lab.Opened(t, "file:") },
		"etcd": func(t *testing.T) store.Store { return replicas.Store(t, etcdtest.Run(t, 1)) },
	} {
		t.Run(engine, func(t *testing.T) {
			want := play(t, freeStore(2))
			if diff := cmp.Diff(want, play(t, open(t))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// play returns the answers to random requests, one after another, and the keys that are left of their world once it is deleted.
func play(t *testing.T, s store.Store) (answers []string) {
	r := rand.New(rand.NewPCG(36, 0))
	e := lab.Launch(t, (&lab.Pauses{}).Option(), emulator.WithStore(s))
	for range 300 {
		op := modelOperation(r.Uint64())
		reply, err := answerOf(lab.Direct(e, modelKey, op.method, op.path, op.body))
		answers = append(answers, fmt.Sprint(op, ": ", reply, err))
	}
	lab.NoError(t, e.WorldByID(world.IDOf(modelKey)).Delete(t.Context()))
	lab.Until(t, "the keys of the world are collected", func() bool { return len(keysOf(t, s)) == 0 })
	return answers
}

func keysOf(t *testing.T, s store.Store) (keys []string) {
	lab.NoError(t, s.View(t.Context(), func(tx store.Tx) error {
		keys = nil
		for entry, err := range tx.Scan("", "") {
			if err != nil {
				return err
			}
			keys = append(keys, entry.Key)
		}
		return nil
	}))
	return keys
}
