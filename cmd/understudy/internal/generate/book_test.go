package generate

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// written is a book that was written and read.
type written struct {
	folder        string
	people, truth []map[string]string // by column
	requests      []string
}

// writtenBook writes a book and reads it.
func writtenBook(t *testing.T, args ...string) (b written) {
	t.Helper()
	b.folder = filepath.Join(t.TempDir(), "book")
	commandtest.Understudy(t, append([]string{"book", "--out", b.folder}, args...)...).Want(t, command.ExitOK, " people, ", "manifest.json\n")
	rows := func(name string) (all []map[string]string) {
		lines, err := csv.NewReader(strings.NewReader(string(commandtest.ReadFile(t, filepath.Join(b.folder, name))))).ReadAll()
		commandtest.NoError(t, err)
		for _, cells := range lines[1:] {
			row := map[string]string{}
			for i, name := range lines[0] {
				row[name] = cells[i]
			}
			all = append(all, row)
		}
		return all
	}
	b.people, b.truth = rows("people.csv"), rows("truth.csv")
	text := commandtest.ReadFile(t, filepath.Join(b.folder, "requests.ndjson"))
	b.requests = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(b.people) != len(b.requests) || len(b.truth) != len(b.requests) {
		t.Fatalf("%d people, %d truths, %d requests", len(b.people), len(b.truth), len(b.requests))
	}
	return b
}

// Two books of one command have the same bytes, and the manifest sums its files up. Nobody is there twice.
func TestBookBytes(t *testing.T) {
	t.Parallel()
	args := []string{"--count", "300", "--seed", "7", "--tamper", "10%"}
	b, second := writtenBook(t, args...), writtenBook(t, args...)
	m := commandtest.Decoded[manifest](t, commandtest.ReadFile(t, filepath.Join(b.folder, "manifest.json")))
	if len(m.Files) != 4 || m.Count != 300 || m.Seed != 7 || m.Population != "mix" || m.Version == "" {
		t.Errorf("%+v", m)
	}
	for name, want := range m.Files {
		text := commandtest.ReadFile(t, filepath.Join(b.folder, name))
		hash := sha256.Sum256(text)
		if is := (summary{int64(len(text)), hex.EncodeToString(hash[:])}); is != want {
			t.Errorf("%s is %+v, in the manifest %+v", name, is, want)
		}
		if string(text) != string(commandtest.ReadFile(t, filepath.Join(second.folder, name))) {
			t.Errorf("%s has other bytes in a second book", name)
		}
	}
	numbers, tampered, households := map[string]bool{}, 0, map[string][]int{}
	for i, p := range b.people {
		numbers[p["number"]] = true
		if home := commandtest.Decoded[api.VerificationRequest](t, b.requests[i]).Metadata["application"]; home != p["household"] {
			t.Errorf("%s is of the household %q, and asks for that of %q", p["number"], p["household"], home)
		} else if home != "" {
			households[home] = append(households[home], i)
		}
		if b.truth[i]["number"] != p["number"] {
			t.Fatalf("row %d is of %s in people.csv, of %s in truth.csv", i, p["number"], b.truth[i]["number"])
		}
		if b.truth[i]["defect"] != "" {
			tampered++
		}
	}
	if len(numbers) != 300 || tampered != m.Tampered || tampered < 10 {
		t.Errorf("%d numbers, %d tampered with, in the manifest %d", len(numbers), tampered, m.Tampered)
	}
	for home, rows := range households {
		if len(rows) != 2 || rows[0]%2 != 0 || rows[1] != rows[0]+1 {
			t.Errorf("the household %s has the rows %v", home, rows)
		}
	}
	if len(households) < 30 {
		t.Errorf("%d of 300 people are couples", 2*len(households))
	}
	text := commandtest.Understudy(t, "book", "population").Stdout
	if m.Described != fmt.Sprintf("%x", sha256.Sum256([]byte(text))) {
		t.Errorf("the population has the checksum %s", m.Described)
	}
	commandtest.Understudy(t, "book", "--out", b.folder).Want(t, command.ExitFailed, "people.csv exists: name another folder with --out, or remove it")
}

// Ten detectors find each defect of a book, and nothing where there is none.
func TestBookDetectors(t *testing.T) {
	t.Parallel()
	count := "1500"
	if commandtest.Thorough() {
		count = "20000"
	}
	b := writtenBook(t, "--count", count, "--tamper", "20%")
	laid := map[string]int{}
	for i, line := range b.requests {
		v, defect := commandtest.Decoded[requestPage](t, line), b.truth[i]["defect"]
		laid[defect]++
		for _, name := range slices.Sorted(maps.Keys(detectors)) {
			if found := detectors[name](v); found != (name == defect) {
				t.Errorf("%s: found %v, and the defect is %q", name, found, defect)
			}
		}
	}
	for name := range detectors {
		if laid[name] == 0 {
			t.Errorf("no report has the defect %s", name)
		}
	}
	if len(detectors) != len((fixtures.ReportShape{}).Tamper.Values()) {
		t.Errorf("%d detectors", len(detectors))
	}
	t.Log(laid)
}

// The magic values of a defect show it to a reader of the id and to a session, and no other. The served documents do not name it.
func TestTamperedValues(t *testing.T) {
	t.Parallel()
	server := commandtest.StartServer(t)
	ada := map[string]string{"first_name": "Ada", "last_name": "Example", "date_of_birth": "1980-01-01", "contact_email": "ada@example.com", "phone_number": "503-555-0100"}
	asked := api.VerificationRequest{PermissiblePurpose: "credit-application", Type: api.TypeEmploymentIncome, UseCase: "mortgage"}
	for i, defect := range (fixtures.ReportShape{}).Tamper.Values() {
		ada["number"] = fmt.Sprintf("000-00-50%02d", i+1)
		for by, text := range map[string]string{
			"id":     string(server.API(t).Get("/verification-requests/vr_tampered_" + strings.ReplaceAll(string(defect), "-", "_")).Body),
			"number": verified(t, server, ada, asked),
		} {
			v := commandtest.Decoded[requestPage](t, text)
			for name, finds := range detectors {
				if found := finds(v); found != (name == string(defect)) {
					t.Errorf("%s %s: the detector of %s says %v", defect, by, name, found)
				}
			}
			if strings.Contains(strings.ReplaceAll(text, v.ID, ""), "tamper") {
				t.Errorf("%s %s is labelled", defect, by)
			}
		}
	}
}

// A change by the control plane tampers with a report, until another one takes the defect away. Its words are those of scenario files.
func TestTamperLater(t *testing.T) {
	t.Parallel()
	c := commandtest.StartServer(t, "--clock", command.GeneratedAt).API(t)
	const read, control = "/verification-requests/vr_two_jobs", "/_understudy/v1/verification-requests/vr_two_jobs"
	truth := string(c.Get(read).Body)
	for _, defect := range []string{"net", "ein", "duplicate", "none"} {
		commandtest.WantStatus(t, c.Send("PATCH", control, fmt.Sprintf(`{"reports":[{"tamper":%q}]}`, defect)), 200)
		text := string(c.Get(read).Body)
		for name, finds := range detectors {
			if found := finds(commandtest.Decoded[requestPage](t, text)); found != (name == defect) {
				t.Errorf("%s: the detector of %s says %v", defect, name, found)
			}
		}
		diagnosed := strings.Contains(string(c.Get(control).Body), "reports.0 is tampered with ("+defect)
		if (text == truth) != (defect == "none") || diagnosed != (defect != "none") || strings.Contains(text, "tamper") {
			t.Errorf("%s: diagnosed %v, %s", defect, diagnosed, text)
		}
		commandtest.WantStatus(t, c.Send("PATCH", control, `{"reports":[{}]}`), 200)
		if unchanged := string(c.Get(read).Body); unchanged != text {
			t.Errorf("an empty change of a report with %s: %s", defect, unchanged)
		}
	}
	for body, want := range map[string]string{
		`{"reports":[{"tamper":"nets"}]}`:      `unknown value \"nets\" for tamper: did you mean net?`,
		`{"reports":[{},{},{"tamper":"net"}]}`: "reports has 3 elements, and the request has 2: leave the others out",
		`{"reports":[{"tamper":null}]}`:        "tamper needs a value",
	} {
		if r := c.Send("PATCH", control, body); r.Status != 400 || !strings.Contains(string(r.Body), want) {
			t.Errorf("%s: %d %s, want %s", body, r.Status, r.Body, want)
		}
	}
}

// A book that is read a year later has the same people, whose lives went on; an emulator answers with the same people at both times.
func TestBookLater(t *testing.T) {
	t.Parallel()
	const count = 30
	file := filepath.Join(t.TempDir(), "mine.yaml")
	commandtest.NoError(t, os.WriteFile(file, []byte("states: {OR: 1, CA: 1}\nsecond_job: 50\n"), 0o644))
	now := writtenBook(t, "--count", fmt.Sprint(count), "--population", file)
	later := writtenBook(t, "--count", fmt.Sprint(count), "--population", file, "--at", "2026-01-15T09:00:00Z")
	server := commandtest.StartServer(t, "--population", file, "--clock", command.GeneratedAt)
	for i, b := range []written{now, later} {
		if i == 1 {
			commandtest.WantStatus(t, server.API(t).Send("PUT", "/_understudy/v1/clock", `{"now":"2026-01-15T09:00:00Z"}`), 200)
		}
		for n, p := range b.people {
			if diff := gocmp.Diff(now.people[n], p); diff != "" {
				t.Errorf("a year later:\n%s", diff)
			}
			v := commandtest.Decoded[api.VerificationRequest](t, b.requests[n])
			if v.State != api.StateCompleted {
				continue
			}
			if diff := gocmp.Diff(sameForAll(v), sameForAll(commandtest.Decoded[api.VerificationRequest](t, verified(t, server, p, v)))); diff != "" {
				t.Errorf("book (-), emulator (+) of %s:\n%s", p["number"], diff)
			}
		}
	}
	grown := 0
	for n := range now.requests {
		before, after := commandtest.Decoded[api.VerificationRequest](t, now.requests[n]), commandtest.Decoded[api.VerificationRequest](t, later.requests[n])
		if before.State != after.State || before.State != api.StateCompleted {
			continue
		}
		was, is := before.Reports[0], after.Reports[0]
		if *was.Employee.HiredDate != *is.Employee.HiredDate || was.Employer.Name != is.Employer.Name {
			t.Errorf("%s: hired %s by %s, later %s by %s", now.people[n]["number"], was.Employee.HiredDate, was.Employer.Name, is.Employee.HiredDate, is.Employer.Name)
		}
		if len(is.Paystubs) > 0 && len(was.Paystubs) > 0 && *is.Paystubs[0].PayDate > *was.Paystubs[0].PayDate {
			grown++
		}
	}
	if grown < count/2 {
		t.Errorf("%d of %d people were paid again within a year", grown, count)
	}
}

// sameForAll returns what is so of a person whoever asks.
func sameForAll(v api.VerificationRequest) (of []any) {
	for _, r := range v.Reports {
		of = append(of, r.Employee, r.Employer, r.Paystubs)
	}
	return of
}

// verified makes a session for a person of people.csv that asks for what a request does, and reads it until it is completed.
func verified(t *testing.T, server commandtest.Server, p map[string]string, as api.VerificationRequest) (text string) {
	t.Helper()
	c := server.API(t)
	target := map[string]any{"social_security_number": p["number"]}
	for _, key := range []string{"first_name", "last_name", "date_of_birth", "contact_email", "phone_number"} {
		target[key] = p[key]
	}
	if p["company"] != "" {
		target["company"] = map[string]string{"name": p["company"]}
	}
	body, err := json.Marshal(map[string]any{"permissible_purpose": as.PermissiblePurpose, "type": as.Type, "use_case": as.UseCase, "target": target})
	commandtest.NoError(t, err)
	r := c.Post("/credentials/session", string(body))
	commandtest.WantStatus(t, r, 201)
	session := commandtest.Decoded[api.CredentialsSession](t, r.Body)
	of := commandtest.Decoded[struct {
		ID string `json:"verification_request_id"`
	}](t, c.Get("/_understudy/v1/credentials-sessions/"+session.ID).Body)
	for range 5 {
		if text = string(c.Get("/verification-requests/" + of.ID).Body); strings.Contains(text, `"state":"completed"`) {
			return text
		}
	}
	t.Fatalf("%s is not completed: %s", of.ID, text)
	return ""
}

// show prints the person of a number as the book has it.
func TestBookShow(t *testing.T) {
	t.Parallel()
	b := writtenBook(t, "--count", "40", "--tamper", "50%", "--rent", "1400")
	for i, p := range b.people {
		got := commandtest.Understudy(t, "book", "show", p["number"], "--tamper", "50%", "--rent", "1400")
		got.Want(t, command.ExitOK, p["last_name"], b.truth[i]["decision"], b.truth[i]["annual_income"], b.truth[i]["request"])
		if shows := strings.Contains(got.Stdout, "\ndefect "); shows != (b.truth[i]["defect"] != "") {
			t.Errorf("%s has the defect %q:\n%s", p["number"], b.truth[i]["defect"], got.Stdout)
		}
	}
}

func TestBookRefusals(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	commandtest.NoError(t, os.WriteFile(file, nil, 0o644))
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	commandtest.NoError(t, os.WriteFile(bad, []byte("gig: 200\n"), 0o644))
	for line, want := range map[string]string{
		"book":                                   "book has no --out: name the folder for its files",
		"book --out x --count 0":                 `--count "0" is not a whole number from 1 to 500000`,
		"book --out x --tamper 3":                `--tamper "3" is not a share from 0% to 100%, such as 3%`,
		"book --out x --tamper 101%":             `--tamper "101%" is not a share from 0% to 100%, such as 3%`,
		"book --out x --rent much":               `--rent "much" is not a month's rent such as 1850.00`,
		"book --out x --at soon":                 `--at "soon" is not an RFC 3339 instant such as ` + command.GeneratedAt,
		"book --out x --at 2024-01-15T09:00:00Z": `--at "2024-01-15T09:00:00Z" is before --began: nobody is known earlier than ` + command.GeneratedAt,
		"book --out x --population plain":        `--population "plain" has nobody: take mix or a file`,
		"book population --population no.yaml":   `--population: "no.yaml" is neither plain nor mix nor a file`,
		"book show":                              "whom, by a number of people.csv such as 000-01-0001",
		"book show 1234":                         "NUMBER ",
	} {
		commandtest.Understudy(t, strings.Fields(line)...).Want(t, command.ExitUsage, want)
	}
	for _, line := range []string{"generate report", "serve", "book --out x", "book show 000-01-0001"} {
		got := commandtest.Understudy(t, append(strings.Fields(line), "--population", bad)...)
		if got.Code != command.ExitUsage || !strings.Contains(got.Stderr, "--population: "+bad+":1:1: gig must be from 0 to 100\n  1 | gig: 200\n") {
			t.Errorf("%s: exit code %d, %s", line, got.Code, got.Stderr)
		}
	}
	commandtest.Understudy(t, "book", "--count", "1", "--out", file).Want(t, command.ExitFailed, "file")
}
