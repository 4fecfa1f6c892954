//go:build unix

package run

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/coverage"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// clientIn returns the command line of a client in a language with a mistake, which is right with "none".
func clientIn(t *testing.T, language, mistake string) []string {
	t.Helper()
	if language == "go" {
		binary, err := os.Executable()
		commandtest.NoError(t, err)
		return []string{commandtest.Need(t, "env"), asClient + "=" + mistake, binary}
	}
	folder, err := filepath.Abs("testdata/clients")
	commandtest.NoError(t, err)
	client := []string{commandtest.Need(t, "env"), "MISTAKE=" + mistake}
	switch language {
	case "node":
		return append(client, commandtest.Need(t, "node"), filepath.Join(folder, "client.mjs"))
	case "python":
		return append(client, commandtest.Need(t, "python3"), "-I", "-S", filepath.Join(folder, "client.py"))
	}
	classes := t.TempDir()
	if text, err := exec.Command(commandtest.Need(t, "javac"), "-d", classes, filepath.Join(folder, "Client.java")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return append(client, commandtest.Need(t, "java"), "-Xint", "-XX:+UseSerialGC", "-cp", classes, "Client") // for short runs
}

// tryClient tries a client, and returns the outcomes after that of the baseline.
func tryClient(t *testing.T, language, mistake string, flags ...string) (commandtest.Result, []outcome) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	args := append([]string{"run", "--trial", "--report", file}, flags...)
	var stdout, stderr bytes.Buffer
	code := commandtest.Execute(t.Context(), &stdout, &stderr, append(append(args, "--"), clientIn(t, language, mistake)...)...)
	got := commandtest.Result{Code: code, Stdout: stdout.String(), Stderr: stderr.String()}
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("%+v, want a trial", got)
	}
	return got, readReport(t, file)[1:]
}

// Each mistake is found in its part, under its verdict; the client without it, which runs with CI=true, is right there.
func TestTrialMistakes(t *testing.T) {
	t.Parallel()
	type planted struct {
		mistake, part string
		found, good   verdict
	}
	for language, all := range map[string][]planted{
		"go": {
			{"no retry of a lost answer", "get verification_request: connection-reset, first call", reports, survives},
			{"every answer is JSON", "get verification_request: outage-502, first call", reports, survives},
			{"Retry-After is needed", "get verification_request: limited-bare, first call", reports, survives},
			{"null is not expected", "get verification_request: nulls", reports, survives},
			{"an unknown key is refused", "grease: on", reports, survives},
			{"Retry-After is ignored", "get verification_request: 429, all calls", insists, reports},
			{"a 451 is taken for a 500", "get verification_request: 451, all calls", insists, reports},
			{"a 403 is sent again", "cancel: 403, all calls", insists, reports},
			{"polling without end", "state: action-required", hangs, reports},
			{"a lost answer to a cancel is a failure", "cancel: truncated, first call", disagrees, survives},
			{"a second session after a lost answer", "create: truncated, first call", disagrees, reports},
			{"an empty 200 is taken for success", "cancel: outage-200-empty, first call", disagrees, survives},
			{"an error is swallowed", "cancel: 500, all calls", disagrees, reports},
			{"an event is handled twice", "webhook: twice", disagrees, survives},
			{"the last event is trusted", "webhook: out-of-order", reports, survives},
		},
		"node": {
			{"no retry of a lost answer", "get verification_request: connection-reset, first call", reports, survives},
			{"every answer is JSON", "get verification_request: outage-502, first call", reports, survives},
			{"half a body is taken for a whole", "cancel: truncated, first call", disagrees, survives},
			{"the token is thrown away", "session: nobody uses the token", reports, survives},
			{"Retry-After is ignored", "get verification_request: 429, all calls", insists, reports},
		},
		"python": {
			{"null is not expected", "get verification_request: nulls", reports, survives},
			{"an unknown key is refused", "grease: on", reports, survives},
			{"Retry-After is needed", "get verification_request: limited-bare, first call", reports, survives},
			{"a 403 is sent again", "get verification_request: 403, all calls", insists, reports},
			{"an error is swallowed", "cancel: 500, all calls", disagrees, reports},
			{"a value is not expected", "get verification_request: reports.*.employee.status_detail = retired", reports, survives},
		},
		"java": {
			{"polling without end", "state: action-required", hangs, reports},
			{"a second session after a lost answer", "create: truncated, first call", disagrees, reports},
			{"a lost answer to a cancel is a failure", "cancel: truncated, first call", disagrees, survives},
			{"a 451 is taken for a 500", "get verification_request: 451, all calls", insists, reports},
			{"Retry-After is ignored", "cancel: 429, all calls", insists, reports},
		},
	} {
		for _, tt := range all {
			t.Run(language+" "+tt.mistake, func(t *testing.T) {
				t.Parallel()
				if language != "go" && !commandtest.Thorough() {
					t.Skip("the same with another client: set CI=true")
				}
				right, limit := "none", "60s"
				if strings.Contains(tt.mistake, "event") {
					right = "none, by events"
				}
				if tt.found == hangs {
					limit = "8s"
				}
				clients := map[string]verdict{tt.mistake: tt.found}
				if commandtest.Thorough() {
					clients[right] = tt.good
				}
				for mistake, want := range clients {
					got, outcomes := tryClient(t, language, mistake, "--only", tt.part, "--limit", limit)
					o, wantCode := outcomes[0], map[bool]int{true: command.ExitFailed}[want.bad()]
					if o.Part != tt.part || o.Verdict != want || got.Code != wantCode {
						t.Errorf("%s: exit code %d, %s %s (%s), want %s\n%s%s", mistake, got.Code, o.Part, o.Verdict, o.Why, want, got.Stdout, got.Stderr)
					}
				}
			})
		}
	}
}

func readReport(t *testing.T, file string) (outcomes []outcome) {
	t.Helper()
	text, err := os.ReadFile(file)
	commandtest.NoError(t, err)
	commandtest.NoError(t, json.Unmarshal(text, &outcomes))
	return outcomes
}

// A client without a mistake passes, whatever is played, and its report is the same whatever runs side by side.
func TestTrialGoodClient(t *testing.T) {
	t.Parallel()
	if !commandtest.Thorough() {
		t.Skip("the client runs some hundred times: set CI=true")
	}
	folder := t.TempDir()
	junit, first := filepath.Join(folder, "report.xml"), filepath.Join(folder, "report.json")
	got, outcomes := tryClient(t, "go", "none", "--patience", "2s", "--jobs", "8", "--report", junit, "--report", first)
	if got.Code != command.ExitOK || strings.Count(got.Stdout, "\n") > 50 {
		t.Fatalf("%+v, want exit code 0 and a screen", got)
	}
	var suite struct {
		Failures int `xml:"failures,attr"`
		Cases    []struct {
			Name string `xml:"name,attr"`
		} `xml:"testcase"`
	}
	text, err := os.ReadFile(junit)
	commandtest.NoError(t, err)
	commandtest.NoError(t, xml.Unmarshal(text, &suite))
	if suite.Failures != 0 || len(suite.Cases) != len(outcomes)+1 || len(outcomes) < 100 {
		t.Errorf("%d failures of %d cases, want none of %d", suite.Failures, len(suite.Cases), len(outcomes)+1)
	}
	second, _ := tryClient(t, "go", "none", "--patience", "2s", "--jobs", "4", "--expect", first)
	if second.Code != command.ExitOK || second.Stdout != got.Stdout {
		t.Errorf("%+v, want the same table:\n%s", second, got.Stdout)
	}
}

// A change of a verdict fails, for better or worse, as a part that is no longer played does, and a bad verdict that is expected does not.
func TestTrialExpect(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "report.json")
	update := func(flag string) commandtest.Result {
		return commandtest.Understudy(t, "run", "--trial", "--patience", "100ms", flag, file, "--", commandtest.Need(t, "sh"), "-c",
			commandtest.Need(t, "curl")+` -s -m 2 -f -o /dev/null -X PUT --json '{"name":"Quay"}' -H "Authorization: Bearer $UNDERSTUDY_KEY" "$UNDERSTUDY_URL/tenant-properties/tp_default" || :`)
	}
	if got := update("--report"); got.Code != command.ExitFailed || !strings.Contains(got.Stdout, "\ndisagrees  ") {
		t.Fatalf("%+v, want a swallowed error", got)
	}
	update("--expect").Want(t, command.ExitOK)
	outcomes := readReport(t, file)
	was := outcomes[3]
	outcomes[3].Verdict = hangs
	text, err := json.Marshal(outcomes[:len(outcomes)-1])
	commandtest.NoError(t, err)
	commandtest.NoError(t, os.WriteFile(file, text, 0o600))
	got := update("--expect")
	for _, want := range []string{was.Part + ": " + string(was.Verdict) + ", expected was hangs", "expected was is not played", "changed   2 parts"} {
		if got.Code != command.ExitFailed || !strings.Contains(got.Stdout, want) {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}

// What the contract allows becomes a part by itself: each status, fault and outage at the first call and at all calls.
func TestTrialParts(t *testing.T) {
	t.Parallel()
	for _, op := range api.Operations() {
		all, err := acts(op, 1)
		commandtest.NoError(t, err)
		var statuses []int
		var names []string
		for _, a := range all {
			names = append(names, a.name)
			if a.status != 0 {
				statuses = append(statuses, a.status)
			}
		}
		if !slices.Equal(statuses, op.Errors) {
			t.Errorf("%s: the statuses are %d, want %d", op.Name, statuses, op.Errors)
		}
		for _, fault := range scenarios.NoFault.Values() {
			if !slices.Contains(names, string(fault)) {
				t.Errorf("%s: no part has the fault %s", op.Name, fault)
			}
		}
		for _, outage := range strings.Fields("slow outage-502 outage-503 outage-504 outage-500-empty outage-200-empty outage-200-html outage-then-fine limited-bare limited-date limited-long wrong-shape wrong-type") {
			if !slices.Contains(names, outage) {
				t.Errorf("%s: no part has the outage %s", op.Name, outage)
			}
		}
	}
}

// Each value of the document, in a field that the baseline has, becomes a part by itself, and is played together with others.
func TestTrialValues(t *testing.T) {
	t.Parallel()
	e, err := emulator.New()
	commandtest.NoError(t, err)
	defer e.Close()
	covered, err := coverage.New()
	commandtest.NoError(t, err)
	w, err := e.World(e.Key("me"))
	commandtest.NoError(t, err)
	for _, op := range api.Operations() {
		id, reads := map[string]string{"getVerificationRequest": "vr_completed", "getQualificationCheck": "qc_qualified"}[op.Name]
		if !reads {
			continue
		}
		r, answer := httptest.NewRequest(op.Method, strings.Replace(op.Path, ":id", id, 1), nil), httptest.NewRecorder()
		r.Header.Set("Authorization", "Bearer "+e.Key("me"))
		e.ServeHTTP(answer, r)
		covered.Meet(op.Method, r.URL.Path, answer.Code, answer.Body.Bytes(), "")
		entries, _, err := w.JournalEntries(t.Context())
		commandtest.NoError(t, err)
		groups, _, err := (&trial{emulator: e, coverage: covered}).values(t.Context(), op, attempt{world: w, entries: entries})
		commandtest.NoError(t, err)
		played := make(map[string]int)
		for _, group := range groups {
			if len(group) > 1 != group[0].together {
				t.Errorf("%s is one of %d parts", group[0].name, len(group))
			}
			for _, p := range group {
				played[p.name]++
			}
		}
		for path, field := range covered.Fields(op) {
			has := func(word string) bool { return covered.Met(path, word) }
			if path == "state" || !slices.ContainsFunc(field.Words, has) {
				continue
			}
			for _, word := range field.Words {
				if n := played[nameOf(op)+": "+coverage.ValueName(path, word)]; n != map[bool]int{false: 1}[has(word)] {
					t.Errorf("%s = %s is %d parts; met is %v", path, word, n, has(word))
				}
			}
		}
	}
}

// Colours are for terminals alone.
func TestTrialColors(t *testing.T) {
	t.Parallel()
	for colors, want := range map[bool]string{false: "\ndisagrees  1 part\n", true: "\n\x1b[31mdisagrees\x1b[0m  1 part\n"} {
		var out bytes.Buffer
		printOutcomes(&out, []outcome{{Part: "cancel: slow, first call", Verdict: disagrees}}, colors)
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("%q, want %q", out.String(), want)
		}
	}
}

// One part is repeated with its requests, its output and its world.
func TestTrialOnly(t *testing.T) {
	t.Parallel()
	world := filepath.Join(t.TempDir(), "world")
	const part = "cancel: truncated, first call"
	got, _ := tryClient(t, "go", "a lost answer to a cancel is a failure", "--only", part, "--keep", world)
	for _, want := range []string{
		"\ndisagrees  " + part + "\n      your cancel of vr_processing was answered by half a body, and the command ended with an error: the service has canceled it\n",
		"\nPUT /verification-requests/vr_processing/cancel -> 200 (truncated)\n    scenario fault-1 has the fault truncated", "\ncancel: unexpected EOF\n",
	} {
		if !strings.Contains(got.Stdout, want) {
			t.Errorf("no %q in\n%s", want, got.Stdout)
		}
	}
	if snapshot := string(commandtest.ReadFile(t, world)); !strings.HasPrefix(snapshot, `{"understudy_snapshot":2,`) || !strings.Contains(snapshot, "vr_processing") {
		t.Errorf("the world is\n%s", snapshot)
	}
	commandtest.Understudy(t, append([]string{"run", "--trial", "--only", "cancel: truncatd, first call", "--"}, clientIn(t, "go", "none")...)...).
		Want(t, command.ExitFailed, `--only "cancel: truncatd, first call" is no part of this command: did you mean cancel: truncated, first call?`)
}

// A command at the limit is ended with its children, and each run has a folder of its own.
func TestTrialEndsChildren(t *testing.T) {
	t.Parallel()
	processes := filepath.Join(t.TempDir(), "processes")
	get := commandtest.Need(t, "curl") + ` -s -m 5 -H "Authorization: Bearer $UNDERSTUDY_KEY" "$UNDERSTUDY_URL/verification-requests/vr_completed"`
	script := `test -z "$(ls "$UNDERSTUDY_TRIAL_DIR")" && touch "$UNDERSTUDY_TRIAL_DIR/mine" && ` + get + ` | grep -q completed && exit 0
sleep 600 & echo $$ $! >> ` + processes + `; wait`
	got := commandtest.Understudy(t, "run", "--trial", "--limit", "2s", "--only", "get verification_request: 500, first call", "--", commandtest.Need(t, "sh"), "-c", script)
	if got.Code != command.ExitFailed || !strings.Contains(got.Stdout, "hangs  get verification_request: 500, first call") {
		t.Errorf("%+v, want a command that hangs", got)
	}
	wantGone(t, string(commandtest.ReadFile(t, processes)))
}

// Each way in which a webhook goes wrong becomes a part where the command receives events.
func TestTrialWebhooks(t *testing.T) {
	t.Parallel()
	e, err := emulator.New()
	commandtest.NoError(t, err)
	defer e.Close()
	w, err := e.World(e.Key("me"))
	commandtest.NoError(t, err)
	groups, _, err := (&trial{emulator: e}).worlds(t.Context(), attempt{world: w, events: true})
	commandtest.NoError(t, err)
	var got []string
	for _, p := range slices.Concat(groups...) {
		if manner, ok := strings.CutPrefix(p.name, "webhook: "); ok {
			got = append(got, manner)
			commandtest.NoError(t, p.prepare(t.Context(), w))
		}
	}
	_, err = w.AddFault(t.Context(), "{on: webhook, deliver: nothing}") // which lists the words
	if words := strings.Join(got, ", "); err == nil || len(got) == 0 || !strings.Contains(err.Error(), words) {
		t.Errorf("%v, want %q", err, words)
	}
}

// A session's answer that the trial holds leaves as it is, before the webhooks that follow it.
func TestTrialHeldAnswer(t *testing.T) {
	t.Parallel()
	curl := commandtest.Need(t, "curl") + ` -s -o /dev/null -H "Authorization: Bearer $UNDERSTUDY_KEY" `
	create := `test "$(` + curl + `-w '%{http_code}' --json '` + session + `' "$UNDERSTUDY_URL/credentials/session")" = 201 && `
	commandtest.Understudy(t, "run", "--trial", "--only", "get verification_request: nulls", "--webhook", "http://127.0.0.1:9/", "--",
		commandtest.Need(t, "sh"), "-c", create+curl+`"$UNDERSTUDY_URL/verification-requests/vr_completed"`).
		Want(t, command.ExitOK, "survives")
}

func TestTrialRefused(t *testing.T) {
	t.Parallel()
	sh := commandtest.Need(t, "sh")
	for name, tt := range map[string]struct {
		flags  []string
		script string
		code   int
		want   string
	}{
		"a command that fails":         {nil, "exit 7", command.ExitFailed, "failed with exit code 7: correct it first"},
		"a command that hangs":         {[]string{"--limit", "100ms"}, "exec sleep 600", command.ExitFailed, "had not ended after 100ms: give it less to do, or more time with --limit"},
		"a command that calls nothing": {nil, "true", command.ExitFailed, "called no operation: have it use UNDERSTUDY_URL and UNDERSTUDY_KEY from its environment"},
		"no time":                      {[]string{"--patience", "0s"}, "true", command.ExitUsage, "--patience 0s is not a time above 0, such as 5s"},
		"no jobs":                      {[]string{"--jobs", "0"}, "true", command.ExitUsage, "--jobs 0 is not a number from 1 on"},
		"keep without a part":          {[]string{"--keep", "world"}, "true", command.ExitUsage, "--keep is for one part: name it with --only"},
		"no journal":                   {[]string{"--journal-size", "0"}, "true", command.ExitUsage, "a trial needs the journal"},
		"no report to expect":          {[]string{"--expect", "none.json"}, "exit 7", command.ExitFailed, "--expect none.json is no report of a trial, as --report writes it"},
		"no folder for a report":       {[]string{"--report", "none/report.xml"}, "exit 7", command.ExitUsage, "--report none/report.xml is in no folder that exists: create none"},
		"no share":                     {[]string{"--coverage-min", "most"}, "true", command.ExitUsage, `--coverage-min "most" is not a share such as 60%`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append(append([]string{"run", "--trial"}, tt.flags...), "--", sh, "-c", tt.script)
			commandtest.Understudy(t, args...).Want(t, tt.code, tt.want)
		})
	}
	commandtest.Understudy(t, "run", "--jobs", "2", "--", "true").Want(t, command.ExitUsage, "--jobs is for a trial: add --trial")
}
