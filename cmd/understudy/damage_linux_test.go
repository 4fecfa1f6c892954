package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// question is a request that moves nothing, and the key that it is asked with.
type question struct{ key, path string }

// answer is what a question is answered.
type answer struct {
	status int
	body   string
}

// frozen starts the program on a store, its worlds' clocks standing still.
func frozen(t *testing.T, path string) (*exec.Cmd, *stream) {
	t.Helper()
	return process(t, "serve", "--addr", "127.0.0.1:0", "--clock", "2025-01-15T09:00:00Z", "--store", "file:"+path)
}

// lived makes a store with worlds in which much was asked, and returns its file, and what there is to ask of it.
func lived(t *testing.T) (file storetest.File, questions []question) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "understudy.db")
	c, stderr := frozen(t, path)
	url := stderr.find(t, listening)
	for world := range 8 {
		w := &writer{key: fmt.Sprintf("svc_sk_test_damage-%d", world)}
		for range 24 {
			if !w.write(t, url) {
				t.Fatal("a write is not answered")
			}
		}
		w.send(t, url, "PUT", "/_understudy/v1/scenarios/mine", `{"name":"mine","title":"Mine","magic":{"verification_request":"vr_mine"}}`)
		w.send(t, url, "POST", "/_understudy/v1/faults", `{"rule":{"on":"create","respond":{"status":451},"every":5}}`)
		for _, list := range []string{"tenant-properties", "verification-requests?limit=1000", "credentials-sessions", "faults", "scenarios/mine", "clock"} {
			questions = append(questions, question{w.key, "/_understudy/v1/" + list})
		}
		for _, session := range w.sessions {
			id := strings.Replace(session, "cs_", "vr_", 1)
			questions = append(questions, question{w.key, "/verification-requests/" + id}, question{w.key, "/_understudy/v1/verification-requests/" + id})
		}
	}
	end(t, c, stderr)
	return storetest.Read(t, path), questions
}

// ask asks all, in an order of its own.
func ask(t *testing.T, r *rand.Rand, url string, questions []question) map[question]answer {
	t.Helper()
	answers := make(map[question]answer)
	for _, i := range r.Perm(len(questions)) {
		q := questions[i]
		got := apitest.New(t, url, q.key).Get(q.path)
		answers[q] = answer{got.Status, string(got.Body)}
	}
	return answers
}

// knows returns what a whole store knows, or a new one where there are no pages.
func knows(t *testing.T, pages []byte, questions []question) map[question]answer {
	t.Helper()
	c, stderr := frozen(t, written(t, pages))
	answers := ask(t, rand.New(rand.NewPCG(0, 0)), stderr.find(t, listening), questions)
	end(t, c, stderr)
	return answers
}

func written(t *testing.T, pages []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "understudy.db")
	if err := os.WriteFile(path, pages, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantRight wants each answer to be right, or a 500 in the envelope, and returns how many are that.
func wantRight(t *testing.T, got map[question]answer, right func(question, answer) bool) (refused int) {
	t.Helper()
	for q, a := range got {
		if right(q, a) {
			continue
		}
		var refusal api.ErrorEnvelope
		if err := json.Unmarshal([]byte(a.body), &refusal); err != nil || a.status != http.StatusInternalServerError || refusal.Error.Message != "Internal server error" {
			t.Errorf("%s is answered %d %s", q.path, a.status, a.body)
		}
		refused++
	}
	return refused
}

// isPart reports whether an answer is a list of which each item is in another.
func isPart(a, of answer) bool {
	var part, whole struct{ Items []json.RawMessage }
	if json.Unmarshal([]byte(a.body), &part) != nil || json.Unmarshal([]byte(of.body), &whole) != nil || part.Items == nil {
		return false
	}
	return a.status == of.status && !slices.ContainsFunc(part.Items, func(item json.RawMessage) bool {
		return !slices.ContainsFunc(whole.Items, func(other json.RawMessage) bool { return string(other) == string(item) })
	})
}

// wantEnd stops a server that may be on a damaged file. It ends in time and has no panic to tell of.
func wantEnd(t *testing.T, c *exec.Cmd, stderr *stream) {
	t.Helper()
	late := time.AfterFunc(2*grace, func() { _ = c.Process.Kill() })
	defer late.Stop()
	end(t, c, stderr)
	if said := stderr.String(); strings.Contains(said, "goroutine ") || strings.Contains(said, "panic") {
		t.Errorf("it said %s", said)
	}
}

// damagedFiles is how many files each of the tests here damages: 300 where CI=true.
func damagedFiles() uint64 {
	if os.Getenv("CI") == "true" && !testing.Short() {
		return 300
	}
	return 12
}

// A store file that was truncated, or of which bytes or pages are wrong: it is refused in one line and left as it is, or
// every answer is right. The seed of one that is not is said, and the file stays.
func TestAServerOnADamagedFileRefusesItOrIsRight(t *testing.T) {
	t.Parallel()
	file, questions := lived(t)
	right := knows(t, file.Pages, questions)
	refused := 0
	for seed := range damagedFiles() {
		r := rand.New(rand.NewPCG(seed, 2))
		spoiled, how := file.Spoil(r)
		path := written(t, spoiled)
		c, stderr := frozen(t, path)
		said := stderr.find(t, `(?s)(store file .*\n|url=\S+|panic.*|fatal error.*)`)
		if url, serves := strings.CutPrefix(said, "url="); serves {
			wantRight(t, ask(t, r, url, questions), func(q question, a answer) bool { return a == right[q] })
			wantServing(t, url)
			wantEnd(t, c, stderr)
		} else {
			refused++
			wantRefusal(t, c, stderr, path)
			if after, err := os.ReadFile(path); err != nil || string(after) != string(spoiled) {
				t.Error("the file has changed")
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s: the file stays as %s", seed, how, keep(t, spoiled))
		}
	}
	t.Logf("of %d damaged files %d were refused", damagedFiles(), refused)
}

// keep leaves a file behind for whoever finds out what is wrong with it.
func keep(t *testing.T, content []byte) (path string) {
	t.Helper()
	f, err := os.CreateTemp("", "understudy-damaged-*.db")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(content); err != nil {
		t.Error(err)
	}
	return f.Name()
}

// wantRefusal wants the program to end with one line, that says which file it does not serve and how to mend it.
func wantRefusal(t *testing.T, c *exec.Cmd, stderr *stream, path string) {
	t.Helper()
	_ = c.Wait() // its exit code tells
	said := stderr.String()
	if c.ProcessState.ExitCode() != exitFailed || strings.Count(said, "\n") != 1 || !strings.Contains(said, "store file "+path+" ") || !strings.Contains(said, "name another file") {
		t.Errorf("exit code %d: %s", c.ProcessState.ExitCode(), said)
	}
}

// The same under a server that has the file open already: what it answers is right, or 500, or as if something had never
// been asked, which who does not read all cannot tell. Once it has seen the damage it says so, and says nothing else.
func TestAServerWhoseFileIsDamagedUnderItSaysSo(t *testing.T) {
	t.Parallel()
	file, questions := lived(t)
	whole, fresh := knows(t, file.Pages, questions), knows(t, nil, questions)
	right := func(q question, a answer) bool { return a == whole[q] || a == fresh[q] || isPart(a, whole[q]) }
	saw := 0
	for seed := range damagedFiles() / 3 {
		r := rand.New(rand.NewPCG(seed, 3))
		path := written(t, file.Pages)
		c, stderr := frozen(t, path)
		url := stderr.find(t, listening)
		spoiled, how := file.Spoil(r)
		overwrite(t, path, spoiled)
		failed := wantRight(t, ask(t, r, url, questions), right)
		nobody := apitest.New(t, url, "")
		ready := nobody.Get("/_understudy/v1/ready")
		if failed > 0 {
			saw++
			if ready.Status != http.StatusServiceUnavailable || !strings.HasPrefix(ready.ErrorMessage(), "The store cannot be used: store file "+path+" is damaged (") {
				t.Errorf("it says that it is ready: %d %s", ready.Status, ready.Body)
			}
			if again := wantRight(t, ask(t, r, url, questions), func(question, answer) bool { return false }); again != len(questions) {
				t.Errorf("of %d questions it answers %d still", len(questions), len(questions)-again)
			}
			stderr.find(t, `(is damaged .*stop, and restore it, or name another file)`)
		}
		if status, err := cancel(url, key); err != nil || status != http.StatusOK && status != http.StatusInternalServerError {
			t.Errorf("a write is answered %d, %v", status, err)
		}
		wantEnd(t, c, stderr)
		if t.Failed() {
			t.Fatalf("seed %d: %s: the file stays as %s", seed, how, keep(t, spoiled))
		}
	}
	t.Logf("of %d files damaged under a server %d were seen to be", damagedFiles()/3, saw)
}

// overwrite changes a file in its place.
func overwrite(t *testing.T, path string, content []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(int64(len(content))); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(content, 0); err != nil {
		t.Fatal(err)
	}
}
