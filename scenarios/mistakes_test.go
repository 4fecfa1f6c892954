package scenarios_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// base is a valid scenario, to which the functions below add one key.
const base = "name: a\ntitle: A title\nmagic: {verification_request: vr_a}\n"

func request(text string) string { return base + "verification_request:\n  " + text + "\n" }
func step(text string) string    { return request("timeline:\n    - state: processing\n    - " + text) }
func rule(text string) string    { return base + "rules:\n  - " + text + "\n" }
func report(text string) string  { return base + "reports:\n  - " + text + "\n" }

// Each mistake has one problem, which names the key and shows the right form.
func TestProblem(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"unit that does not exist":            {step("{state: completed, after: {elapsed: 10min}}"), `7:43: elapsed "10min" is not a span of time such as 90s, 10m, 48h or 7d`},
		"span in words":                       {step("{state: completed, after: {elapsed: 2 days}}"), `7:43: elapsed "2 days" is not a span of time such as 90s, 10m, 48h or 7d`},
		"span without unit":                   {step("{state: completed, after: {elapsed: 10}}"), `7:43: elapsed "10" is not a span of time such as 90s, 10m, 48h or 7d`},
		"two conditions in after":             {step("{state: completed, after: {reads: 1, elapsed: 10m}}"), "7:7: a step needs after, which takes one of {reads: 1}, {elapsed: 10m} and {manual: true}: write after: {elapsed: 10m}"},
		"step without after":                  {step("{state: completed}"), "7:7: a step needs after, which takes one of {reads: 1}, {elapsed: 10m} and {manual: true}: write after: {elapsed: 10m}"},
		"step without state":                  {step("{after: {reads: 1}}"), "7:7: a step needs a state, such as {state: processing, after: {reads: 2}}: one of pending-approval, action-required, invalid, processing, completed, canceled"},
		"reason without cancellation":         {step("{state: completed, after: {reads: 1}, cancellation_reason: other}"), "7:7: only a canceled request has a cancellation reason and details: leave them out, or write state: canceled"},
		"month for completed":                 {request("completed: 2025-01"), `5:14: completed "2025-01" is not a day such as 2022-01-10, 420 days ago, today or in 14 days`},
		"state in set":                        {request("set: {state: completed}"), "5:9: set may not set state: it follows from elsewhere"},
		"date without time in set":            {request("set: {created: 2025-01-15}"), `5:18: created "2025-01-15" is not an instant such as 2025-01-15T09:30:00.000000Z`},
		"amount without cents in set":         {request("set: {price: {amount: 49}}"), "5:25: price.amount must have two decimals, such as 49.95"},
		"status against status_detail":        {report("set: {employee: {status_detail: retired, status: active}}"), "5:46: set.employee.status is active, and the status_detail retired belongs to inactive (spec 2.3): leave one of them out"},
		"completion before creation":          {request(`set: {created: "2025-01-02T00:00:00Z", date_of_completion: "2025-01-01T00:00:00Z"}`), "5:42: set.date_of_completion is before created: set a later one"},
		"derived field in set":                {report("{pay: {paystubs: 2}, set: {paid_through_date: 2020-01-31}}"), "5:51: warning: paid_through_date contradicts the paystubs, from which 2025-01-05 follows: it is shown as it is set"},
		"paystubs of a part of a year":        {report(`set: {paystubs: [{id: a, pay_date: "2024-07-05"}]}`), "5:21: warning: paystubs are not all of 2024, so that the earnings of 2024 are not their sum: set employee.earnings, or earlier paystubs"},
		"paystubs of a type without pay":      {request("type: assets\nreports:\n  - set: {paystubs: [{id: a}]}"), "7:21: warning: paystubs is not shown: a request of the type assets has no pay"},
		"key twice":                           {request("type: employment\n  type: assets"), "6:3: not valid YAML: the key type is on line 5 already: leave one of them out"},
		"respond without status":              {rule("{on: get, respond: {message: Oops}}"), "5:24: respond needs a status from 200 to 599: write respond: {status: 500}"},
		"body without status":                 {rule("{on: get, respond: {body: none}}"), "5:24: respond needs a status from 200 to 599: write respond: {status: 500}"},
		"status of no final answer":           {rule("{on: get, respond: {status: 101}}"), "5:33: status 101 is not a status from 200 to 599: write status: 500"},
		"success without a body":              {rule("{on: get, respond: {status: 200}}"), "5:33: status 200 needs a body, which may be none: write respond: {status: 200, body: none}, or leave status out for the answer of the call itself"},
		"body that cannot be sent":            {rule("{on: get, respond: {status: 204, body: a}}"), "5:44: status 204 never has a body: write body: none"},
		"empty body":                          {rule(`{on: get, respond: {status: 200, body: ""}}`), `5:44: body "" is empty: write body: none`},
		"message beside a body":               {rule("{on: get, respond: {status: 500, message: a, body: b}}"), "5:38: message is that of an error from 400, which body replaces: leave it out"},
		"content type among the headers":      {rule("{on: get, respond: {status: 500, headers: {content-type: text/html}}}"), "5:48: the header Content-Type has a key of its own: write content_type: text/html"},
		"content type in two lines":           {rule(`{on: get, respond: {status: 500, content_type: "a\nb"}}`), "5:52: content_type may have up to 1000 printable ASCII characters, such as content_type: text/html"},
		"date of a header of the emulator":    {rule("{on: get, respond: {status: 500, dates: {Date: 1s}}}"), "5:46: the header Date is set by the emulator: leave it out"},
		"date that is no span":                {rule("{on: get, respond: {status: 500, dates: {Retry-After: 1}}}"), `5:59: Retry-After "1" is not a span of time such as 90s, 10m, 48h or 7d`},
		"between the wrong way round":         {rule("{on: get, between: [3h, 2h], respond: {status: 500}}"), `5:24: between takes two spans of time since the world began, the shorter first: write between: [2h, 3h]`},
		"between before the beginning":        {rule("{on: get, between: [-1h, 2h], respond: {status: 500}}"), `5:25: between "-1h" is not a span of time such as 90s, 10m, 48h or 7d`},
		"number for fixed":                    {rule("{on: get, delay: {fixed: 500}}"), `5:30: fixed "500" is not a span of time such as 90s, 10m, 48h or 7d`},
		"kind that the scenario has not":      {rule("{on: get qualification_check, respond: {status: 500}}"), "5:10: the magic values of this scenario have no operation get qualification_check, only get, cancel, report, reverify: write on: get"},
		"operation that the resource has not": {rule("{on: update, respond: {status: 500}}"), "5:10: the magic values of this scenario have no operation update, only get, cancel, report, reverify: write on: get"},
		"rule without operation":              {rule("{respond: {status: 500}}"), "5:5: a rule needs an operation (any, get, cancel, update, create, list, report or reverify), such as on: get, or on: webhook"},
		"rule with two answers":               {rule("{on: get, respond: {status: 500}, fault: empty}"), "5:5: a rule has one answer: write respond or fault, and the other in a rule of its own, such as - {on: get, fault: empty}"},
		"rule without effect":                 {rule("{on: get, calls: 1}"), "5:5: a rule needs an effect, such as respond: {status: 500}, delay: {fixed: 1s} or fault: connection-reset"},
		"times negative":                      {rule("{on: get, times: -1, fault: empty}"), "5:22: times may not be negative: write times: 3 for a rule that applies to three calls"},
		"calls in words":                      {rule("{on: get, calls: first, fault: empty}"), `5:22: calls "first" is not a call number such as 1, a range such as 2-3, or 4- for all from the fourth on`},
		"percentage for probability":          {rule("{on: get, probability: 10%, fault: empty}"), `5:28: probability "10%" is not a probability above 0 and up to 1, such as 0.1`},
		"limit without time":                  {rule("{on: get, limit: 10}"), `5:22: limit "10" is not a rate limit: write requests/time, such as 10/s, 600/m or 5/10s`},
		"date that does not exist":            {report("employee: {hired: 2023-02-29}"), `5:23: hired "2023-02-29" is not a day such as 2022-01-10, 420 days ago, today or in 14 days`},
		"dates out of order":                  {report("employee: {hired: 2023-02-28, terminated: 2022-02-28}"), `5:35: terminated must not be before hired`},
		"number for hired":                    {report("employee: {hired: 420}"), `5:23: hired "420" is not a day such as 2022-01-10, 420 days ago, today or in 14 days`},
		"abbreviated amount":                  {report("pay: {base: 62k}"), `5:17: base "62k" is not an amount of money such as 62000 or 62000.00`},
		"paystubs over the limit":             {report("pay: {paystubs: 1000}"), "5:11: paystubs must be from 0 to 520"},
		"variable that the matrix has not":    {"matrix: {state: [processing]}\nname: a\ntitle: A title\nmagic: {verification_request: vr_<stat>}\n", "4:31: the matrix has no variable for <stat>: write matrix: {stat: [one, two]}"},
		"one employer for two reports":        {strings.Replace(base, "vr_a}\n", "vr_a}\nverification_request: {employer_filter: target-employer}\nreports: [{}, {}]\n", 1), "4:41: warning: target-employer asks about one employer, and there are 2 reports: for several employers, write employer_filter: all-employers"},
		"one employer set for two reports":    {strings.Replace(base, "vr_a}\n", "vr_a}\nverification_request: {set: {request_parameters: {employer_filter: target-employer}}}\nreports: [{}, {}]\n", 1), "4:68: warning: target-employer asks about one employer, and there are 2 reports: for several employers, write employer_filter: all-employers"},
		"prefix of another kind":              {strings.Replace(base, "vr_a", "qc_a", 1), `3:31: warning: verification_request "qc_a" begins like the id of another kind of resource: if that is meant, write qualification_check: qc_a`},
		"id with a space":                     {strings.Replace(base, "vr_a", "vr a", 1), `3:31: verification_request "vr a" is not an id of 1 to 128 of A-Z a-z 0-9 . _ ~ - (. and .. are none), such as verification_request: vr_example`},
		"ssn that could be real":              {strings.Replace(base, "verification_request: vr_a", "ssn: 123-45-6789", 1), `3:14: ssn "*******6789" could have been issued to a person: use an area of 000, 666 or 900 to 999`},
		"ssn that is too short":               {strings.Replace(base, "verification_request: vr_a", "ssn: 000-1", 1), `3:14: ssn "000-1" must be a social security number: nine digits, or 000-00-0000`},
		"no magic value":                      {strings.Replace(base, "magic: {verification_request: vr_a}\n", "", 1), "1:1: a scenario needs a magic value, such as magic: {verification_request: vr_slow_approval}, or rules for every call, settings or webhooks"},
		"no name":                             {strings.Replace(base, "name: a\n", "", 1), "1:1: a scenario needs a name of 1 to 64 of a-z 0-9 . _ -, the first a letter or a digit, such as name: slow-approval"},
		"name with capitals":                  {strings.Replace(base, "name: a", "name: My Scenario", 1), `1:7: name "My Scenario" is not a name of 1 to 64 of a-z 0-9 . _ -, the first a letter or a digit, such as name: slow-approval`},
		"no title":                            {strings.Replace(base, "title: A title\n", "", 1), "1:1: a scenario needs a title, one line of printable characters, such as title: The target approves late"},
		"colon in a text":                     {strings.Replace(base, "A title", "Slow: late", 1), `2:8: not valid YAML: a colon that is out of place: quote a text with a colon, such as title: "Late: after a day", and indent all keys of a mapping alike`},
		"wrong indent":                        {strings.Replace(base, "title", " title", 1), `2:2: not valid YAML: a wrong indent: indent all keys of a mapping, and all items of a list, alike`},
		"tab indent":                          {strings.Replace(base, "magic: {", "magic:\n\tverification_request: vr_a\nrules: {", 1), "4:1: a tab in the indent: indent with spaces"},
		"brace not closed":                    {strings.Replace(base, "vr_a}", "vr_a", 1), "3:8: not valid YAML: the { is not closed: write } at the end, such as magic: {verification_request: vr_slow_approval}"},
		"bracket not closed":                  {strings.Replace(base, "magic:", "rules: [\nmagic:", 1), "3:8: not valid YAML: the [ is not closed: write ] at the end, such as state: [processing, completed]"},
		"quote not closed":                    {strings.Replace(base, "A title", `"A title`, 1), `2:8: not valid YAML: the quote is not closed: write it at the end too, such as title: "The target approves late"`},
		"star without quotes":                 {strings.Replace(base, "verification_request: vr_a", "api_key: *_down", 1), `3:18: anchors (&), aliases (*), merge keys (<<), tags (!) and ? are not supported: write the value in full, or put a text in quotes, such as api_key: "*_down"`},
		"at sign without quotes":              {strings.Replace(base, "A title", "@home", 1), `2:8: not valid YAML: a text cannot begin with @: put it in quotes, such as title: "@home"`},
		"percent sign without quotes":         {strings.Replace(base, "A title", "%d of them", 1), `2:8: not valid YAML: a text cannot begin with %: put it in quotes, such as title: "%d of them"`},
		"colon without space":                 {strings.Replace(base, "name: a", "name:a", 1), "1:1: not valid YAML: a key needs a colon and a space, such as name: slow-approval"},
		"state by its name":                   {base + "company: {state: Oregon}\n", `4:11: company.state "Oregon" is not the code of a state: write OR`},
		"state by its misspelled name":        {base + "company: {state: Pensylvania}\n", `4:11: company.state "Pensylvania" is not the code of a state: write PA`},
		"state in small letters":              {base + "company: {state: tx}\n", `4:11: company.state "tx" is not the code of a state: write TX`},
		"state that is none":                  {base + "company: {state: ZZ}\n", `4:11: company.state "ZZ" is not the code of a state: write one of the two-letter codes, such as OR`},
		"ZIP code in letters":                 {base + "company: {zip_code: ABC}\n", `4:11: company.zip_code "ABC" is not a ZIP code: write five digits, such as 97204, or nine, such as 97204-1234`},
		"ZIP code that is too short":          {base + "company: {zip_code: 9720}\n", `4:11: company.zip_code "9720" is not a ZIP code: write five digits, such as 97204, or nine, such as 97204-1234`},
		"ZIP code of no state":                {base + "company: {zip_code: 00000}\n", `4:11: company.zip_code "00000" is not a ZIP code: write five digits, such as 97204, or nine, such as 97204-1234`},
		"ZIP code of another state":           {base + "company: {state: TX, zip_code: 97204}\n", `4:22: company.zip_code "97204" is in OR, not in TX: change one of them`},
		"telephone number in words":           {base + "company: {phone_number: hello}\n", `4:11: company.phone_number "hello" is not a telephone number: write ten digits, such as 503-555-0100`},
		"city that is blank":                  {base + `company: {city: " "}` + "\n", `4:11: company.city may not be blank: leave it out`},
		"telephone number that is too short":  {base + "person: {phone: 555-0100}\n", `4:10: person.phone "555-0100" is not a telephone number: write ten digits, such as 503-555-0100`},
		"e-mail address without @":            {base + "person: {email: nope}\n", `4:10: person.email "nope" is not an e-mail address: write one such as ada@example.com`},
		"last name that is blank":             {base + `person: {last_name: " "}` + "\n", `4:10: person.last_name may not be blank: leave it out`},
		"last name Null":                      {base + "person: {last_name: Null}\n", `4:21: last_name needs a value, and Null is none in YAML: put the text in quotes ("Null"), or leave it out`},
		"birth in the future":                 {base + "person: {date_of_birth: 2090-01-01}\n", `4:10: person.date_of_birth 2090-01-01 must be in the years 1900 to 2049`},
		"number sign in a text":               {strings.Replace(base, "A title", "Rate #7", 1), `2:13: warning: title ends before the #, which begins a comment: put the text in quotes, "Rate #7", or write a space after the #`},
		"hire in the future":                  {report("employee: {hired: in 1 day}"), "5:16: hired must be a day of the last 45 years, such as 420 days ago; a later day is for the status_detail future-employee"},
		"hire in the future beside a dispute": {report("{employee: {hired: in 1 day}, disputes: [{opened: 3 days ago}]}"), "5:17: hired must be a day of the last 45 years, such as 420 days ago; a later day is for the status_detail future-employee"},
		"JSON: string for a number":           {"{\"name\":\"a\",\"title\":\"A\",\"magic\":{\"verification_request\":\"vr_a\"},\n\"verification_request\":{\"timeline\":[{\"state\":\"processing\"},{\"state\":\"completed\",\"after\":{\"reads\":\"1\"}}]}}", `2:98: verification_request.timeline.1.after.reads must be a number, not a string: write "reads":2`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := scenarios.Parse("f.yaml", []byte(tt.text))
			if len(problems) != 1 {
				t.Fatalf("%d problems in\n%s\n%v", len(problems), tt.text, problems)
			}
			if got, _, _ := strings.Cut(problems[0].String(), "\n"); got != "f.yaml:"+tt.want {
				t.Errorf("got  %s\nwant f.yaml:%s", got, tt.want)
			}
		})
	}
}
