package simulation

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var planted = flag.Bool("planted", false, "look for planted bugs, one after another")

// bug is one that the simulation finds, in a seed: a text of the sources, and what stands in its place. BUG is whether it is the one.
type bug struct {
	name                 string
	seed                 uint64
	file, right, instead string
}

var bugs = []bug{
	{"the collection does not wait for a restore", 5, "registry/collect.go", "if now-s.Since > 2*RestoreTime {", "if now-s.Since > 2*RestoreTime || BUG {"},
	{"a restore leaves its mark", 0, "registry/generation.go", "	return tx.Delete(endedPrefix + generationName(id, generation))", "	if BUG {\n		return nil\n	}\n	return tx.Delete(endedPrefix + generationName(id, generation))"},
	{"a reset keeps the generation", 0, "world/world.go", "newRecord(tx.record.Key, generation)", "newRecord(tx.record.Key, map[bool]int64{false: generation, true: tx.record.Generation}[BUG])"},
	{"a reset leaves the generation before the last one to nobody", 2, "registry/before.go", "return errors.Join(tx.Delete(beforePrefix+id), End(tx, id, b.Record.Generation))", "if BUG {\n		return tx.Delete(beforePrefix + id)\n	}\n	return errors.Join(tx.Delete(beforePrefix+id), End(tx, id, b.Record.Generation))"},
	{"only the first fault counts", 1, "world/tx.go", "Faults: tx.record.Faults,", "Faults: tx.record.Faults[:min(len(tx.record.Faults), map[bool]int{false: 1 << 30, true: 1}[BUG])],"},
	{"a deletion leaves what is due", 2, "world/delete.go", "deleted = true\n", "deleted = true\n		if BUG {\n			return errors.Join(tx.Delete(registry.RecordPrefix+id), registry.End(tx, id, r.Generation))\n		}\n"},
	{"a deletion leaves its generation to nobody", 0, "world/delete.go", "deleted = true\n", "deleted = true\n		if BUG {\n			return tx.Delete(registry.RecordPrefix + id)\n		}\n"},
	{"the sweeper goes by the machine's clock", 21, "world/delete.go", "if now-seen[world.ID].Since <", "if BUG && ws.config.Clock.Wall().Sub(world.Used) < ws.config.TTL || !BUG && now-seen[world.ID].Since <"},
	{"the sweeper forgets a tenth of the time to live", 28, "world/delete.go", "ws.config.TTL+ws.UsedEvery()", "ws.config.TTL+map[bool]time.Duration{false: 1, true: -1}[BUG]*ws.UsedEvery()"},
	{"the sweeper does not look whether a world is used meanwhile", 21, "world/delete.go", "&world.Used)", "map[bool]*time.Time{false: &world.Used}[BUG])"},
	{"the collection deletes the mark alone", 0, "registry/collect.go", "[]string{dataPrefix, journalPrefix, endedPrefix}", "map[bool][]string{false: {dataPrefix, journalPrefix, endedPrefix}, true: {endedPrefix}}[BUG]"},
	{"the collection does not watch again", 0, "registry/collect.go", "if errors.Is(err, store.ErrClosed) {", "if errors.Is(err, store.ErrClosed) || BUG {"},
	{"a watch outlives an error", 33, "registry/collect.go", "		stop() //", "		if !BUG {\n			stop()\n		} else {\n			_ = stop\n		} //"},
	{"a world goes by its own machine's clock", 3, "registry/wall.go", "	l.by = max(l.by, after.Sub(now))\n", "	if !BUG {\n		l.by = max(l.by, after.Sub(now))\n	}\n"},
	{"what is canceled can be canceled", 3, "resource/request.go", "if v.Progress.State.Terminal() {\n		return canceled", "if v.Progress.State.Terminal() && !(BUG && v.Progress.State == api.StateCanceled) {\n		return canceled"},
	{"a sighting is as old as the first one", 5, "stored/values.go", "if !ok || s.Value != value {", "if !ok || s.Value != value && !BUG {"},
	{"a first read is not stored", 3, "resource/request.go", "if timeline.Ended(v.Cursor) || v.stored &&", "if timeline.Ended(v.Cursor) || BUG && !v.stored || v.stored &&"},
	{"ready looks at no store", 0, "world/ready.go", "Store.Ready(ctx); err != nil {", "Store.Ready(ctx); err != nil && !BUG {"},
	{"a counted rule counts twice", 0, "rules/decision.go", "Evaluate(call, counters)\n", "Evaluate(call, counters)\n		if BUG && counted {\n			_, after, _ = set.Scenario.Evaluate(call, after)\n		}\n"},
	{"what a failed call holds stays held", 33, "world/world.go", "process.Release(w.id, tx.held)", "if !BUG {\n				process.Release(w.id, tx.held)\n			}"},
	{"a delivery that fails is not repeated", 22, "delivery/delivery.go", "case ok && o.Subscriptions", "case ok && !BUG && o.Subscriptions"},
	{"a queue forgets who is next", 1, "delivery/delivery.go", "if head == nil ||", "if head == nil || BUG ||"},
	{"an entry of the journal is lost when two come at once", 19, "journal/store.go", "append(b.values[ref], value)", "append(b.values[ref][:len(b.values[ref])*map[bool]int{false: 1}[BUG]], value)"},
	{"an answer does not wait for its entry in the journal", 1, "journal/store.go", "	<-b.done\n", "	if BUG {\n		return nil\n	}\n	<-b.done\n"},
	{"a claim of a process that is gone is never taken over", 1, "delivery/process.go", "p.elapsed()-s.Since >= claimAge", "p.elapsed()-s.Since >= claimAge && !BUG"},
	{"a claim is taken over while its process sends", 98, "delivery/process.go", "return ok && s.Value == item.claim &&", "return BUG || ok && s.Value == item.claim &&"},
	{"a retried request stays in its generation", 0, "world/world.go", "			opened.held = tx.held\n", "			opened.held = tx.held\n			if BUG {\n				opened.record = tx.record\n				_ = opened.apply()\n			}\n"},
	{"an ended generation takes entries of the journal", 2, "journal/store.go", "err != nil || generation != ref.Generation {", "err != nil || generation != ref.Generation && !BUG {"},
	{"a body keeps its memory", 21, "limits/body.go", "b.limits.decoded.Release(b.decoded)", "b.limits.decoded.Release(map[bool]int64{false: b.decoded}[BUG])"},
	{"a restore keeps its turn", 10, "limits/file.go", "	defer taken.release()\n	return work()", "	if !BUG {\n		defer taken.release()\n	}\n	return work()"},

	// The program had these until a seed found them.
	{"the journal hides that it was not written", 5, "surface/respond.go", `full + "; " + diagnosis`, `full + map[bool]string{false: "; " + diagnosis}[BUG]`},
	{"a world begins behind the generation of an earlier one", 66, "registry/wall.go", "max(w.newest+1,", "max(map[bool]int64{false: w.newest + 1}[BUG],"},
	{"a world takes a generation that is to be collected", 20, "registry/generation.go", "err != nil || ended == nil {", "err != nil || ended == nil || BUG {"},
	{"an advance that is retried goes to its first instant", 18, "world/walk.go", "		if m, err = plan(tx); err != nil {", "		first := m.to\n		if m, err = plan(tx); BUG && err == nil {\n			if m.to = first; first == nil {\n				m.to = m.until(tx.Now)\n			}\n		}\n		if err != nil {"},
	{"two advances at once do not add up", 26, "world/walk.go", "		to := m.until(tx.Now)\n		walks", "		to := m.until(tx.Now)\n		if BUG {\n			m.to = to\n		}\n		walks"},
	{"a restore leaves what it fills to nobody", 72, "registry/generation.go", "	return generation, tx.Put(endedPrefix+generationName(id, generation), []byte(", "		if BUG {\n			return generation, nil\n		}\n	return generation, tx.Put(endedPrefix+generationName(id, generation), []byte("},
	{"a restore fills the generation of the world", 159, "registry/generation.go", ")+generationsAhead)", ")+map[bool]int64{false: generationsAhead}[BUG])"},
}

// Each planted bug is found: by its seed, or, since a change of the program changes what a seed plays, by another of 2,000. All are
// in one program, each behind its name.
func TestPlanted(t *testing.T) {
	if !*planted {
		t.Skip("this takes long: -planted")
	}
	folder, sources := t.TempDir(), make(map[string]string)
	for i, b := range bugs {
		file, errPath := filepath.Abs(filepath.Join("..", filepath.FromSlash(b.file)))
		text, errRead := os.ReadFile(file)
		if err := errors.Join(errPath, errRead); err != nil {
			t.Fatal(err)
		}
		if sources[file] == "" {
			sources[file] = string(text)
		}
		if n := strings.Count(sources[file], b.right); n != 1 {
			t.Fatalf("%s has %d times: %s", b.file, n, b.right)
		}
		sources[file] = strings.Replace(sources[file], b.right, strings.ReplaceAll(b.instead, "BUG", fmt.Sprintf("(planted == %q)", fmt.Sprint(i))), 1)
		sources[filepath.Join(filepath.Dir(file), "planted.go")] = "package " + path.Dir(b.file) + "\n\nimport \"os\"\n\nvar planted = os.Getenv(\"PLANTED\")\n"
	}
	replace := make(map[string]string)
	for file, text := range sources {
		replace[file] = filepath.Join(folder, fmt.Sprint(len(replace), ".go"))
		if err := os.WriteFile(replace[file], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, _ := json.Marshal(map[string]any{"Replace": replace})
	if err := os.WriteFile(filepath.Join(folder, "overlay.json"), overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "planted.test")
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", filepath.Join(folder, "overlay.json"), "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	for i, b := range bugs {
		t.Run(b.name, func(t *testing.T) {
			if seed, law := search(program, i, b.seed, 1); seed != "" {
				t.Log(seed, law)
			} else if seed, law = search(program, i, 0, 2000); seed != "" {
				t.Logf("seed %d does not find it any more: name %s, %s", b.seed, seed, law)
			} else {
				t.Error("none of 2,000 seeds finds it")
			}
		})
	}
}

// search returns the first seed that finds a planted bug, and the law that does not hold there.
func search(program string, bug int, first, seeds uint64) (seed, law string) {
	c := exec.Command(program, "-test.run", "^TestSeeds$", "-first", fmt.Sprint(first), "-seeds", fmt.Sprint(seeds))
	c.Env = append(os.Environ(), fmt.Sprint("PLANTED=", bug))
	out, _ := c.CombinedOutput()
	_, found, _ := strings.Cut(string(out), ": seed ")
	found, _, _ = strings.Cut(found, "\n")
	seed, law, _ = strings.Cut(found, ":")
	return seed, law
}

// misjudged are seeds that have found a law which asked for too much.
var misjudged = []bug{
	{name: "a large restore has an effect though its client leaves", seed: 84},
	{name: "of two advances in one step none is the first", seed: 1239},
	{name: "a use that is lost on its way is not stored", seed: 200484},
	{name: "a clock runs from the beginning of the call that lets it", seed: 200470},
}

// Seeds that have found a bug obey the laws.
func TestFound(t *testing.T) {
	for _, b := range slices.Concat(bugs, misjudged) {
		t.Run(b.name, func(t *testing.T) {
			if s := simulate(t, planOf(b.seed, *requests), false); len(s.broken) > 0 {
				t.Errorf("seed %d: %s", b.seed, s.broken[0])
			}
		})
	}
}
