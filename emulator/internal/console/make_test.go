package console_test

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/scenarios"
)

var (
	control  = regexp.MustCompile(`<input (?:type="(hidden|checkbox)" )?name="([^"]*)"[^>]*?value="([^"]*)"([^>]*)>`)
	choice   = regexp.MustCompile(`(?s)<select name="([^"]*)".*?</select>`)
	selected = regexp.MustCompile(`<option value="([^"]*)" selected>`)
	area     = regexp.MustCompile(`<textarea name="([^"]*)"[^>]*>([^<]*)</textarea>`)
)

// filled returns what a browser sends of the form to make something, as name, value, name, value, and then more fields.
func filled(a answer, more ...string) (fields []string) {
	a.t.Helper()
	form := a.find(`(?s)(<form method="post"[^>]* id="make".*?)<div id="preview"`)
	for _, found := range control.FindAllStringSubmatch(form, -1) {
		if found[1] != "checkbox" || strings.Contains(found[4], " checked") {
			fields = append(fields, found[2], html.UnescapeString(found[3]))
		}
	}
	for _, found := range choice.FindAllStringSubmatch(form, -1) {
		if value := selected.FindStringSubmatch(found[0]); value != nil {
			fields = append(fields, found[1], value[1])
		}
	}
	for _, found := range area.FindAllStringSubmatch(form, -1) {
		fields = append(fields, found[1], html.UnescapeString(found[2]))
	}
	for i := 0; i < len(fields); { // more comes in place of what the form has
		at := slices.Index(more, fields[i])
		if at >= 0 && at%2 == 0 {
			fields = slices.Delete(fields, i, i+2)
		} else {
			i += 2
		}
	}
	return append(fields, more...)
}

// likes are the scenarios that the page of a kind offers to start from.
func likes(a answer) (all []string) {
	for _, found := range regexp.MustCompile(`<option value="([^"]+)"`).FindAllStringSubmatch(a.find(`(?s)(<select name="like".*?</select>)`), -1) {
		all = append(all, found[1])
	}
	return all
}

const article = `(?s)(<article class="report".*</article>)`

func TestMake(t *testing.T) {
	cases{
		// The preview, the saved resource and that of the scenario file say the same, whatever the form starts from.
		"preview, resource and scenario file agree": func(t *testing.T, v *visitor) {
			other, folder := visit(t), t.TempDir()
			for _, kind := range []string{"", "/check", "/property"} {
				page := v.world + "/make" + kind
				for _, like := range append(likes(v.get(page)), "") {
					form := v.get(page + "?like=" + like).shows(200)
					preview := v.post(page, filled(form, "do", "preview")...).shows(200).lacks("To be corrected")
					file := v.post(page, filled(form, "do", "file")...).shows(200)
					made := v.post(page, filled(form, "do", "save")...).shows(303).header.Get("Location")
					if shown := v.get(made); strings.Contains(shown.body, "<article") && shown.find(article) != preview.find(article) {
						t.Errorf("%s: the preview differs from the resource", like)
					}
					path := made[len(v.world):]
					path, _, _ = strings.Cut(path, "?")
					if err := os.WriteFile(filepath.Join(folder, filepath.Base(path)+".yaml"), []byte(file.body), 0o600); err != nil {
						t.Fatal(err)
					}
					method, body := "GET", ""
					if kind == "/property" {
						method, body = "PUT", `{"name":"Quay"}`
					}
					other.ask("PUT", prefix+"v1/scenarios/"+file.find(`name: (\S+)`), file.body).shows(200)
					for range 3 {
						if a, b := v.ask(method, path, body).shows(200), other.ask(method, path, body).shows(200); a.body != b.body {
							t.Errorf("%s: the resource is\n%s\nand that of the scenario file is\n%s", like, a.body, b.body)
						}
					}
				}
			}
			catalogue, err := scenarios.Load(folder)
			if err != nil {
				t.Fatal(err)
			}
			if warnings := catalogue.Warnings(); len(warnings) > 0 {
				t.Error(warnings)
			}
		},
		"every field is in the file": func(t *testing.T, v *visitor) {
			v.post(v.world+"/make", "do", "file", "magic.verification_request", "vr_all",
				"title", `It's "all": yes`, "person.first_name", "0451", "person.last_four", "0451", "person.last_name", "null and # void",
				"verification_request.type", "employment-income", "verification_request.documents", "a.pdf, b: c.pdf", "verification_request.metadata", "case: \"7\"\nnote: x",
				"verification_request.set", "{loan_id: null}", "reports.0.employee.hired", "2000 days ago",
				"reports.0.employee.leaves.0.from", "200 days ago", "reports.0.employee.leaves.0.to", "120 days ago",
				"reports.0.pay.base", "62000.00", "reports.0.pay.extra_period", "true", "reports.1.", "", "unknown", "left out",
			).shows(200, "name: vr-all", `title: "It's \"all\": yes"`, `last_four: "0451"`, `documents: [a.pdf, "b: c.pdf"]`, `metadata: case: "7" note: x`,
				"set: {loan_id: null}", "leaves: - {from: 200 days ago, to: 120 days ago}", "pay: {base: 62000.00, extra_period: true}", "- {}").lacks("left out")
		},
		"error is at its field": func(t *testing.T, v *visitor) {
			for _, tt := range []struct{ field, value, message string }{
				{"magic.verification_request", "vr_completed", "The id vr_completed is taken: choose another"},
				{"magic.verification_request", "no id", "is not an id"},
				{"magic.verification_request", "", "a scenario needs a magic value"},
				{"title", "x\x07", "a scenario needs a title"},
				{"reports.0.pay.base", "much", "is not an amount of money"},
				{"reports.0.pay.base", "1", "must be a year's pay"},
				{"reports.0.pay.hours_per_week", "90", "must be from 1 to 80"},
				{"reports.1.employee.hired", "in 3 days", "must be a day of the last 45 years"},
				{"reports.0.employee.status_detail", "asleep", "unknown value"},
				{"reports.0.pay.events.0.amount", "5", "is missing: use one of"},
				{"reports.0.set", "{respondent: {", ""},
				{"reports.0.set", "{nothing: 1}", "nothing"},
				{"person.date_of_birth", "soon", "is not"},
				{"person.email", "nope", "is not an e-mail address"},
				{"company.state", "Oregon", "is not the code of a state: write OR"},
				{"verification_request.timeline.1.state", "completed", "a step needs after"},
				{"verification_request.timeline.1.after.elapsed", "2 days", "48h or 7d"},
			} {
				form := []string{"magic.verification_request", "vr_x", "reports.0.pay.frequency", "weekly", "verification_request.timeline.0.state", "processing", tt.field, tt.value}
				if tt.field == "magic.verification_request" || !strings.Contains(tt.field, "timeline") {
					form = append(form[:4:4], tt.field, tt.value)
				}
				if tt.field == "magic.verification_request" {
					form = form[2:]
				}
				id := `id="` + strings.ReplaceAll(tt.field, ".", "-") + `-error"`
				slot := regexp.MustCompile(id + `[^>]*>([^<]*` + regexp.QuoteMeta(html.EscapeString(tt.message)) + `[^<]*)<`)
				for _, do := range []string{"preview", "save", "file"} {
					a := v.post(v.world+"/make", append(form, "do", do)...)
					if want := map[string]int{"preview": 200}[do]; a.status != max(want, 200) && a.status != 400 || !slot.MatchString(a.body) {
						t.Errorf("%s of %s %q: %d %s", do, tt.field, tt.value, a.status, a.text())
					}
				}
			}
		},
		"corrected field has no error": func(t *testing.T, v *visitor) {
			v.post(v.world+"/make", "do", "preview", "magic.verification_request", "vr_x", "reports.0.pay.base", "50000", "failed", "reports.0.pay.base").
				has(`<p class="field-error" id="reports-0-pay-base-error" hx-swap-oob="true"></p>`)
		},
		"groups are added and removed": func(t *testing.T, v *visitor) {
			page := v.world + "/make"
			a := v.post(page, filled(v.get(page), "reports.0.pay.base", "50000", "add", "reports")...).shows(200, "Employer 1", "Employer 2").has(`id="reports-1-employee-status_detail" aria-describedby="reports-1-employee-status_detail-help reports-1-employee-status_detail-error" autofocus`)
			a = v.post(page, filled(a, "reports.1.pay.base", "60000", "add", "reports.1.pay.events")...).shows(200, "Pay event 1")
			a = v.post(page, filled(a, "drop", "reports.0")...).shows(200, "Pay event 1").lacks("Employer 2", "50000").has(`id="reports-0-pay-base" value="60000"`)
			for _, no := range []string{"reports.7", "reports.-1", "nothing", ".", "reports.99999999999"} {
				v.post(page, filled(a, "drop", no)...).shows(200, "Employer 1")
				v.post(page, filled(a, "add", no, "reports.99999999.x", "1")...).shows(200, "Employer 1").lacks("Employer 99")
			}
		},
		"starts from any scenario": func(t *testing.T, v *visitor) {
			page := v.world + "/make"
			v.get(page + "?like=qualified").leads(page + "/check?like=qualified")
			v.get(page + "/property?like=completed").leads(page + "?like=completed")
			v.get(page+"?like=flaky").shows(200, "The rules of flaky are left out").has(`<option value="flaky" selected>`)
			v.get(page + "?like=person-active-hourly").shows(200).has(`value="hourly" selected`)
			v.get(page+"?like=complete").shows(404, "did you mean completed?")
			v.get(page+"/nothing").shows(404, "There is no such page")
			v.post(page, filled(v.get(page), "do", "save")...).leads(v.request("vr_mine"))
			v.get(page).has(`value="vr_mine_2"`)
			v.ask("PUT", prefix+"v1/scenarios/own", `{"name":"own","title":"Own","magic":{"verification_request":"vr_own"},"person":{"first_name":"Grace"}}`).shows(200)
			v.get(page + "?like=own").shows(200).has(`value="Grace"`)
		},
		"every scenario can be copied": func(t *testing.T, v *visitor) {
			all, err := scenarios.Load()
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range all.All() {
				a := v.get(v.world + "/make?like=" + s.Name)
				if a.status == 303 {
					a = v.follow(a)
				}
				a.shows(200).lacks("To be corrected")
			}
		},
		"hostile texts are texts": func(t *testing.T, v *visitor) {
			const hostile = "\"><script>alert(1)</script>\n---\nname: other"
			for _, field := range []string{"magic.verification_request", "title", "person.first_name", "verification_request.set", "reports.0.set", "failed", "like", "report"} {
				for _, do := range []string{"preview", "show", "save"} {
					if found := unsafe(v.post(v.world+"/make", "do", do, field, hostile, "magic.verification_request", "vr_x").body); found != "" {
						t.Errorf("%s of %s has %s", do, field, found)
					}
				}
			}
			v.post(v.world+"/make", "do", "file", "magic.verification_request", "vr_y", "person.first_name", hostile).shows(200).counts(1, "\nmagic: ").lacks("\n---").
				has(`first_name: "\"\u003e\u003cscript`)
		},
		"leads to a world": func(t *testing.T, v *visitor) {
			v.get(prefix + "make").leads(v.world + "/make")
			like := v.world + "/make?like=two-jobs"
			v.get(v.get(prefix + "catalogue/two-jobs").find(`href="([^"]*)">Make one like this`)).leads(like)
			v.get(prefix + "catalogue/two-jobs?world=" + v.world[len(prefix+"worlds/"):]).has(`href="` + like + `">Make one like this`)
			v.post(v.world + "/delete").shows(303)
			v.follow(v.get(prefix+"make")).shows(200, "Make a verification request")
		},
		"preview changes nothing": func(t *testing.T, v *visitor) {
			v.post(v.world+"/make", "do", "preview", "magic.verification_request", "vr_x").shows(200)
			v.get(v.request("vr_x")).shows(404)
		},
	}.run(t)
}
