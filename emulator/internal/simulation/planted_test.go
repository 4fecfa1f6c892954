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
	"strings"
	"testing"
)

var planted = flag.Bool("planted", false, "look for planted bugs, one after another")

// bug is one that the simulation has to find: a text of the sources, and what stands in its place. BUG is whether it is the one.
type bug struct{ name, file, right, instead string }

var bugs = []bug{
	{"a request is a dry run", "world/world.go", "fn)\n	if errors.Is(err, store.ErrReadOnly) {", "fn)\n	if BUG && errors.Is(err, store.ErrReadOnly) {\n		return w.Preview(ctx, fn)\n	}\n	if errors.Is(err, store.ErrReadOnly) {"},
	{"a reset leaves the clock", "world/world.go", "r.Name, r.Turn = tx.record.Name, tx.record.Turn\n", "r.Name, r.Turn = tx.record.Name, tx.record.Turn\n		if BUG {\n			r.Frozen = tx.record.Frozen\n		}\n"},
	{"a reset keeps the generation", "world/world.go", "newRecord(tx.record.Key, generation)", "newRecord(tx.record.Key, map[bool]int64{false: generation, true: tx.record.Generation}[BUG])"},
	{"a reset leaves the generation before the last one to nobody", "world/undo.go", "return errors.Join(tx.Delete(beforePrefix+id), endGeneration(tx, id, b.Record.Generation))", "if BUG {\n		return tx.Delete(beforePrefix + id)\n	}\n	return errors.Join(tx.Delete(beforePrefix+id), endGeneration(tx, id, b.Record.Generation))"},
	{"only the first fault counts", "world/tx.go", "Faults: tx.record.Faults,", "Faults: tx.record.Faults[:min(len(tx.record.Faults), map[bool]int{false: 1 << 30, true: 1}[BUG])],"},
	{"a deletion leaves what is due", "world/collect.go", "deleted = true\n", "deleted = true\n		if BUG {\n			return errors.Join(tx.Delete(recordPrefix+id), endGeneration(tx, id, r.Generation))\n		}\n"},
	{"a deletion leaves its generation to nobody", "world/collect.go", "deleted = true\n", "deleted = true\n		if BUG {\n			return tx.Delete(recordPrefix + id)\n		}\n"},
	{"the sweeper goes by the machine's clock", "world/collect.go", "if now-seen[world.ID].Since <", "if BUG && ws.config.Clock.Wall().Sub(world.Used) < ws.config.TTL || !BUG && now-seen[world.ID].Since <"},
	{"the sweeper forgets a tenth of the time to live", "world/collect.go", "ws.config.TTL+ws.config.usedEvery()", "ws.config.TTL+map[bool]time.Duration{false: 1, true: -1}[BUG]*ws.config.usedEvery()"},
	{"the sweeper does not look whether a world is used meanwhile", "world/collect.go", "&world.Used)", "map[bool]*time.Time{false: &world.Used}[BUG])"},
	{"the collection deletes the mark alone", "world/collect.go", "[]string{dataPrefix, journalPrefix, endedPrefix}", "map[bool][]string{false: {dataPrefix, journalPrefix, endedPrefix}, true: {endedPrefix}}[BUG]"},
	{"the collection does not watch again", "world/collect.go", "if errors.Is(err, store.ErrClosed) {", "if errors.Is(err, store.ErrClosed) || BUG {"},
	{"a watch outlives an error", "world/collect.go", "		stop() //", "		if !BUG {\n			stop()\n		} else {\n			_ = stop\n		} //"},
	{"a world goes by its own machine's clock", "world/clock.go", "if r.Used.Sub(now) > l.by {", "if r.Used.Sub(now) > l.by && !BUG {"},
	{"what is canceled can be canceled", "world/verification.go", "if v.Progress.State.Terminal() {\n		return canceled", "if v.Progress.State.Terminal() && !(BUG && v.Progress.State == api.StateCanceled) {\n		return canceled"},
	{"a cancel is not stored", "world/verification.go", "	_, err = tx.saveVerification(&v)\n	return canceled", "	if !BUG {\n		_, err = tx.saveVerification(&v)\n	}\n	return canceled"},
	{"a first read is not stored", "world/verification.go", "r.stored == nil && !timeline.Ended(v.Cursor) {", "!BUG && r.stored == nil && !timeline.Ended(v.Cursor) {"},
	{"ready looks at no store", "world/ready.go", "Store.Ready(ctx); err != nil {", "Store.Ready(ctx); err != nil && !BUG {"},
	{"a counted rule counts twice", "rules/decision.go", "Evaluate(call, counters)\n", "Evaluate(call, counters)\n		if BUG && counted {\n			_, after, _ = set.Scenario.Evaluate(call, after)\n		}\n"},
	{"the counters of a rule are lost", "rules/decision.go", "		if counted {\n", "		if counted && !BUG {\n"},
	{"a delivery that fails is not repeated", "delivery/delivery.go", "case ok && o.Subscriptions", "case ok && !BUG && o.Subscriptions"},
	{"a queue forgets who is next", "delivery/delivery.go", "if head == nil ||", "if head == nil || BUG ||"},
	{"an entry of the journal is lost when two come at once", "journal/store.go", "append(b.values[ref], value)", "append(b.values[ref][:len(b.values[ref])*map[bool]int{false: 1}[BUG]], value)"},
	{"an answer does not wait for its entry in the journal", "journal/store.go", "	<-b.done\n", "	if BUG {\n		return nil\n	}\n	<-b.done\n"},
	{"the journal hides that it was not written", "surface/respond.go", `full + "; " + diagnosis`, `full + map[bool]string{false: "; " + diagnosis}[BUG]`},
}

// Each planted bug is found within 200 seeds, all of which pass without it. All are in one program, each behind its name.
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
			search := exec.Command(program, "-test.run", "^TestSeeds$", "-seeds", "200")
			search.Env = append(os.Environ(), fmt.Sprint("PLANTED=", i))
			out, err := search.CombinedOutput()
			_, found, ok := strings.Cut(string(out), ": seed ")
			if err == nil || !ok {
				t.Fatalf("not found: %s", out[max(0, len(out)-1000):])
			}
			found, _, _ = strings.Cut(found, "\n")
			t.Log("seed", found)
		})
	}
}
