package scenarios_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

const plain = "name: a\ntitle: a\nmagic: {verification_request: v}\n"

// unsupported begins the problem of the parts of YAML that the language does not have.
const unsupported = "anchors (&), aliases (*), merge keys (<<), tags (!) and ? are not supported: write the value in full"

// All problems of a file are reported together, each at its position, without their consequences.
func TestProblemCause(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want []string // the beginning of each problem
	}{
		"violations beside a bad word": {plain + "reports:\n  - pay: {frequency: bewekly, paystubs: 100000, hours_per_week: 500}\n",
			[]string{`5:22: unknown value "bewekly"`, "5:31: paystubs must be from 0 to 520", "5:49: hours_per_week must be from 1 to 80"}},
		"violations that name a bad word": {plain + "reports:\n  - employee: {status_detail: seprated, on_leave: 3 days ago, positions: 12}\n",
			[]string{`5:31: unknown value "seprated"`, "5:63: positions must be from 1 to 5"}},
		"violations beside an unknown field of set": {plain + "verification_request: {set: {state: completed, brunch: a}}\n",
			[]string{"4:30: set may not set state", `4:48: unknown field "brunch"`}},
		"a field that may not be set": {plain + "verification_request:\n  set:\n    loan_id: a\n    state: completed\n",
			[]string{"7:5: set may not set state"}},
		"a status of no final answer":       {plain + "rules:\n  - {on: get, respond: {status: 101}}\n", []string{"5:33: status 101 is not a status"}},
		"an odd status":                     {plain + "rules:\n  - {on: get, respond: {status: 503}}\n", []string{"5:33: 503 is not among"}},
		"a header's name":                   {plain + "rules:\n  - {on: get, respond: {status: 500, headers: {Date: a}}}\n", []string{"5:48: the header Date"}},
		"every and times backwards":         {plain + "rules:\n  - {on: get, every: -1, times: -1, fault: empty}\n", []string{"5:22: every may not", "5:33: times may not"}},
		"an id with a space":                {strings.Replace(plain, ": v}", ": v w}", 1), []string{`3:31: verification_request "v w" is not an id`}},
		"a pattern with a space":            {"name: a\ntitle: a\nmagic: {api_key: 'a b'}\nrules: [{on: get, fault: empty}]\n", []string{"3:18: api_key \"a b\" is not a pattern"}},
		"misspelt keys of a rule":           {plain + "rules: [{onn: get, respnd: {status: 500}}]\n", []string{"4:10: unknown key", "4:20: unknown key"}},
		"a number that could be real":       {"name: a\ntitle: a\nmagic: {ssn: 123-45-6789}\n", []string{`3:14: ssn "*******6789" could have been`}},
		"an invalid span":                   {plain + "verification_request: {timeline: [{state: processing}, {state: completed, after: {elapsed: soon}}]}\n", []string{`4:92: elapsed "soon" is not a span`}},
		"a text as a document":              {"hello\n", []string{"1:1: must be a mapping"}},
		"a misspelt title":                  {strings.Replace(plain, "title", "titel", 1), []string{"2:1: unknown key"}},
		"a title of two lines":              {strings.Replace(plain, "title: a", `title: "a\nb"`, 1), []string{"2:8: a scenario needs a title"}},
		"a title that moves a cursor":       {strings.Replace(plain, "title: a", `title: "a\e[2J"`, 1), []string{"2:8: a scenario needs a title"}},
		"times 0":                           {plain + "rules: [{on: get, times: 0, fault: empty}]\n", []string{"4:26: times must not be 0"}},
		"every 0":                           {plain + "rules: [{on: get, every: 0, fault: empty}]\n", []string{"4:26: every must not be 0"}},
		"no states":                         {plain + "rules: [{on: get, state: [], fault: empty}]\n", []string{"4:26: state must not be empty"}},
		"no timeline":                       {plain + "verification_request: {timeline: []}\n", []string{"4:34: timeline must not be empty"}},
		"no reports":                        {plain + "reports: []\n", []string{"4:10: reports must not be empty"}},
		"no rules":                          {plain + "rules: []\n", []string{"4:8: rules must not be empty"}},
		"too many reports":                  {plain + "reports:\n" + strings.Repeat("  - pay: {paystubs: 520}\n", 21), []string{"25:5: reports may be 20 at most, these are 21"}},
		"a problem in all rows of a matrix": {"matrix: {n: [1, 2, 3]}\nname: a<n>\ntitle: a\ncolour: red\nmagic: {tenant_property: t<n>}\n", []string{"4:1: unknown key"}},
		"a misspelt variable of a matrix":   {"matrix: {status: [400]}\nname: a\ntitle: a\nmagic: {tenant_property: t<statsu>}\n", []string{"4:26: the matrix has no variable for <statsu>"}},
		// Spec 4: each operation has its own list, and a rule has one warning for all.
		"statuses that the spec does not list": {"name: a\ntitle: a\nrules:\n  - {on: any, respond: {status: 503}}\n  - {on: any, respond: {status: 404}}\n", []string{
			"4:33: 503 is not among the statuses that the spec lists for get, cancel, update and create: 400, 401, 403, 406, 429, 451, 500, 501",
			"5:33: 404 is not among the statuses that the spec lists for create: 400, 401, 403, 406, 429, 451, 500, 501",
		}},
		"an anchor":                      {"name: a\ntitle: a\nmagic: &m {tenant_property: t}\n", []string{"3:8: " + unsupported}},
		"an alias":                       {"name: a\ntitle: a\nmagic: {api_key: *_down}\n", []string{"3:18: " + unsupported}},
		"a merge key":                    {"name: a\ntitle: a\n<<: {magic: {tenant_property: t}}\n", []string{"3:1: " + unsupported}},
		"a tag":                          {"name: a\ntitle: a\nmagic: !!map {tenant_property: t}\n", []string{"3:8: " + unsupported}},
		"an explicit key":                {"name: a\ntitle: a\n? magic\n: {tenant_property: t}\n", []string{"3:1: " + unsupported}},
		"a large file":                   {strings.Repeat("# filler\n", 10_000), []string{"1:1: a scenario file may have 65536 bytes (64 KiB), this one has 90000"}},
		"deep nesting in flow style":     {"name: a\nrules: " + strings.Repeat("[", 60_000), []string{"2:40: lists and mappings are nested deeper than 32"}},
		"deep nesting beside quotes":     {`a: ["]",` + strings.Repeat(`["]",`, 10_000), []string{"1:"}},
		"deep nesting with dashes":       {strings.Repeat("- ", 30_000), []string{"1:1001: a line may have 500 words and punctuation characters"}},
		"a long line":                    {"a: {" + strings.Repeat("b: 1,", 10_000) + "}", []string{"1:"}},
		"brackets in comments and texts": {strings.Repeat("# see [1\n", 50) + strings.Replace(whole, "Nobody", strings.Repeat("[", 50), 1), nil},
		"the maximum of reports":         {plain + "reports:\n" + strings.Repeat("  - pay: {paystubs: 520}\n", 20), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := scenarios.Parse("f.yaml", []byte(tt.text))
			right := len(problems) == len(tt.want)
			for i := range min(len(problems), len(tt.want)) {
				p := problems[i]
				right = right && strings.HasPrefix(fmt.Sprintf("%d:%d: %s", p.At.Line, p.At.Column, p.What), tt.want[i])
			}
			if !right {
				t.Errorf("%v\nwant\n%s", problems, strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestProblemNoName(t *testing.T) {
	t.Parallel()
	_, err := scenarios.Load(folder(t, map[string]string{"a.yaml": "title: a\nmagic: {tenant_property: a}\n---\ntitle: b\nmagic: {tenant_property: b}\n"}))
	if err == nil || strings.Contains(err.Error(), "taken") || strings.Count(err.Error(), "needs a name") != 2 {
		t.Error(err)
	}
}

// Nine digits could be a social security number, and are masked.
func TestProblemMasksSSN(t *testing.T) {
	t.Parallel()
	for value, shown := range map[string]string{
		"2020-13-01": "2020-13-01", "62000.001": "62000.001", "420 dayz": "420 dayz", "1234567890": "1234567890", "000 12 3456": "000 12 3456",
		"123-45-6789": "*******6789", "123.45.6789": "*******6789", "123 45 6789": "*******6789", "123456789": "*****6789", "vr_123456789": "vr_*****6789",
	} {
		_, problems := scenarios.Parse("f.yaml", []byte(plain+"reports:\n  - employee: {hired: "+value+"}\n"))
		if len(problems) != 1 || !strings.HasPrefix(problems[0].What, `hired "`+shown+`" `) || strings.Contains(problems.Error(), value) != (value == shown) {
			t.Errorf("%s: %v", value, problems)
		}
	}
}

// The bodies of the control plane are decoded by the same rules.
func TestDecodeReports(t *testing.T) {
	t.Parallel()
	var body struct {
		Reports []fixtures.ReportShape `yaml:"reports"`
	}
	problems := scenarios.Decode("body", []byte(`{"reports":[{}`+strings.Repeat(",{}", 20)+`]}`), &body)
	if !strings.Contains(problems.Error(), "reports may be 20 at most, these are 21") {
		t.Errorf("%v", problems)
	}
}

// A matrix repeats each problem. Finding their consequences must not take much longer.
func BenchmarkParseProblems(b *testing.B) {
	for name, rules := range map[string]string{
		"unknown keys": strings.Repeat("  - {onn: gte, x: [], calls: z}\n", 700),
		"wrong kinds":  strings.Repeat("  - a\n", 4000),
	} {
		text := []byte("matrix: {n: [" + strings.Repeat("1,\n ", 299) + "1]}\nname: a<n>\nrules:\n" + rules)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				scenarios.Parse("m.yaml", text)
			}
		})
	}
}
