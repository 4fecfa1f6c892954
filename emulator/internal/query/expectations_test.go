package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// converse sends the requests that the tests of verify count.
func converse(c *apitest.Client) {
	c = c.With("Accept", "application/json").With("User-Agent", "acme/1.2")
	c.Get("/verification-requests/vr_completed?fields=id,state")
	c.Get("/verification-requests/vr_completed/")
	c.Put("/verification-requests/vr_processing/cancel", `{"cancellation_reason":"other","cancellation_details":"late"}`)
	c.Put("/verification-requests/vr_processing/cancel", `{"cancellation_reason":"competitor"}`)
	c.Post("/credentials/session", lab.Session("000-12-3456"))
	c.Post("/credentials/session", lab.Session("000123457"))
}

func TestVerifyCount(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	converse(c)
	for expected, count := range map[string]int{
		`{}`:                                     6,
		`{"operation":"getVerificationRequest"}`: 2,
		`{"match":{"method":"put"}}`:             2,
		`{"match":{"path":"/verification-requests/vr_completed"}}`:                                           2,
		`{"match":{"path":{"matches":"/cancel$"},"status":403}}`:                                             1,
		`{"match":{"status":"2xx"}}`:                                                                         5,
		`{"match":{"query":{"fields":"id,state"}}}`:                                                          1,
		`{"match":{"query":{"fields":{"contains":"state"}}}}`:                                                1,
		`{"operation":"getVerificationRequest","match":{"query":{"fields":{"absent":true}}}}`:                1,
		`{"match":{"headers":{"user-agent":{"matches":"^acme/"},"Accept":"application/json"}}}`:              6,
		`{"match":{"body":{"equals":{"cancellation_details":"late","cancellation_reason":"other"}}}}`:        1,
		`{"match":{"body":{"equals":{"cancellation_reason":"other"}}},"times":{"exactly":0}}`:                0,
		`{"match":{"body":{"contains":{"cancellation_reason":"other"}}}}`:                                    1,
		`{"match":{"body":{"contains":{"target":{"company":{"name":"Example Mill"}}}}}}`:                     2,
		`{"match":{"body":{"matches":{"target.first_name":"^A","/use_case":"mort"}}},"times":{"at_most":2}}`: 2,
		`{"operation":"cancelVerificationRequest","match":{"body":{"absent":["cancellation_details"]}}}`:     1,
		`{"operation":"getVerificationRequest","match":{"body":{"absent":["cancellation_details"]}}}`:        2, // a get has no body
		`{"match":{"body":{"contains":{"target":{"company":null}}}},"times":{"exactly":0}}`:                  0,
		`{"match":{"body":{"contains":{"target":{"social_security_number":"000-12-3456"}}}}}`:                1,
		`{"match":{"body":{"contains":{"target":{"social_security_number":"***-**-3457"}}}}}`:                1,
		`{"operation":"updateTenantProperty","times":{"at_most":0}}`:                                         0,
		`{"times":{"at_least":2,"at_most":6}}`:                                                               6,
	} {
		r := c.Post(lab.Control+"journal/verify", expected)
		if want := fmt.Sprintf(`{"count":%d,"dropped":0,"nearest":[]}`, count); r.Status != 200 || string(r.Body) != want {
			t.Errorf("%s: %d %s", expected, r.Status, r.Body)
		}
	}
}

func TestVerifyNearestAnswer(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	converse(c)
	for expected, parts := range map[string][]string{
		`{"operation":"cancelVerificationRequest","match":{"body":{"contains":{"cancellation_reason":"wrong-info"}}}}`: {
			"No request matched cancelVerificationRequest; expected at least 1",
			`Nearest is PUT /verification-requests/vr_processing/cancel (`,
			`body.cancellation_reason is \"competitor\", not \"wrong-info\"`,
		},
		`{"operation":"getVerificationRequest","times":{"exactly":3}}`: {
			"2 requests matched getVerificationRequest; expected exactly 3", "operation is ",
		},
		`{"match":{"method":"PUT"},"times":{"at_most":1}}`:                                  {"2 requests matched; expected at most 1: 01"},
		`{"match":{"path":"/verification-requests/vr_complete"},"times":{"exactly":1}}`:     {`path is \"/verification-requests/vr_completed\", not \"/verification-requests/vr_complete\"`},
		`{"match":{"query":{"fields":{"matches":"^reports"}}}}`:                             {`query.fields is \"id,state\", which does not match \"^reports\"`, "query.fields is absent"},
		`{"match":{"headers":{"Accept":{"absent":true}},"body":{"equals":{"a":[1,true]}}}}`: {`header Accept is \"application/json\", not absent`, "body.a is absent"},
		`{"match":{"body":{"absent":["target.company"],"matches":{"target.last_name":"^B","target.company.name":"^Old"}}}}`: {
			`body.target.company is {\"name\":\"Example Mill\"}, not absent`, `body.target.last_name is \"Example\", which does not match \"^B\"`, `body.target.company.name is \"Example Mill\", which does not match \"^Old\"`,
		},
	} {
		r := c.Post(lab.Control+"journal/verify", expected)
		if r.Status != 409 {
			t.Errorf("%s: %d %s", expected, r.Status, r.Body)
		}
		for _, part := range parts {
			if !strings.Contains(string(r.Body), part) {
				t.Errorf("%s: %s does not say %s", expected, r.Body, part)
			}
		}
	}
}

func TestVerifyRefusals(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	for expected, message := range map[string]string{
		`{"operation":"readVerification"}`:                                                `There is no operation "readVerification": it is one of `,
		`{"match":{"headers":{"Authorization":"Bearer"}}}`:                                `The journal does not record the header "Authorization": it records Accept, `,
		`{"times":{"exactly":1,"at_least":1}}`:                                            `The times are exactly n, at_least n, `,
		`{"times":{"at_most":-1}}`:                                                        `The times are exactly n, at_least n, `,
		`{"times":{"at_least":3,"at_most":2}}`:                                            `The times are exactly n, at_least n, `,
		`{"match":{"path":{"matches":"("}}}`:                                              "The body cannot be read: \"/match/path/matches\" is not a regular expression: ",
		`{"status":200}`:                                                                  `The body cannot be read: "/status" must be in match: {"match":{"status":...}}`,
		`{"path":{"matches":"x"},"match":{}}`:                                             `The body cannot be read: "/path" must be in match: {"match":{"path":...}}`,
		`{"match":{"exactly":2}}`:                                                         `The body cannot be read: "/match/exactly" must be in times: {"times":{"exactly":...}}`,
		`{"opeartion":"x"}`:                                                               `The body cannot be read: unknown key at "/opeartion"`,
		`{"match":{"path":{"like":"x"}}}`:                                                 "The body cannot be read: unknown key at \"/match/path/like\"",
		`{"match":{"path":{"matches":"` + strings.Repeat("(a|b|", 1000) + `"}}}`:          "The body cannot be read: \"/match/path/matches\" is longer than 4096 bytes, the limit of a regular expression",
		`{"match":{"body":{"matches":{"name":"` + strings.Repeat("(a|b)", 1000) + `"}}}}`: "The body cannot be read: \"/match/body/matches/name\" is longer than 4096 bytes, the limit of a regular expression",
		`{"match":{"path":{"matches":"(a{1000}){10}"}}}`:                                  "The body cannot be read: \"/match/path/matches\" is not a regular expression",
		`{"match":{"body":{"matches":{"name":"(a{1000}){10}"}}}}`:                         "The body cannot be read: \"/match/body/matches/name\" is not a regular expression",
		`{"match":{"path":{"matches":"` + strings.Repeat("a{1000}", 10) + `"}}}`:          "The body cannot be read: \"/match/path/matches\" is too expensive to match: use smaller repetition counts {n,m}",
		`{"match":{"body":{"matches":{"name":"` + strings.Repeat("a{1000}", 10) + `"}}}}`: "The body cannot be read: \"/match/body/matches/name\" is too expensive to match: use smaller repetition counts {n,m}",
		`{"match":{"status":"fine"}}`:                                                     `The status "fine" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection, nor made of them as in >=400, 400,406 and -200`,
		` null `:                                                                          "The body is null: give it a value",
		`{"match":{"body":{"equals":null}}}`:                                              "The body cannot be read: match.body.equals is null: give it a value, or omit it",
		`{"match":{"body":{"contains":null,"absent":["a"]}}}`:                             "The body cannot be read: match.body.contains is null: give it a value, or omit it",
		`{"match":{"query":{"fields":null}}}`:                                             "The body cannot be read: match.query.fields is null: give it a value, or omit it",
		`{"match":{"path":null}}`:                                                         "The body cannot be read: match.path is null: give it a value, or omit it",
		`{"match":{"status":null}}`:                                                       "The body cannot be read: match.status is null: give it a value, or omit it",
		`{"times":{"exactly":null}}`:                                                      "The body cannot be read: times.exactly is null: give it a value, or omit it",
		`{"match":{"body":{}}}`:                                                           `The matcher of body is empty: give it "equals", "contains", "matches" or "absent", or omit it`,
		`{"match":{"body":{"absent":[]}}}`:                                                `The matcher of body is empty: `,
		`{"match":{"path":{}}}`:                                                           `The matcher of path is empty: give it a text, "equals", `,
		`{"match":{"query":{"fields":{"absent":false}}}}`:                                 `The matcher of query.fields is empty: `,
		`{"match":{"headers":{"Accept":{}}}}`:                                             `The matcher of headers.Accept is empty: `,
		`{"match":{"headers":{"X-Tenant":"a"}}}`:                                          `The journal does not record the header "X-Tenant": it records Accept, `,
		`{"operation":""}`:                                                                `The body cannot be read: operation is "": give it a value, or omit it`,
		`{"match":{"method":""}}`:                                                         `The body cannot be read: match.method is "": give it a value, or omit it`,
		`{"match":{"method":"PUTT"}}`:                                                     `No operation has the method "PUTT": did you mean PUT?`,
		`{"match":{"method":"DELETE"}}`:                                                   `No operation has the method "DELETE": it is one of PUT, GET, POST`,
		`{"match":{"path":{"contains":""}}}`:                                              `The matcher of path is empty: `,
		`{"match":{"path":{"matches":""}}}`:                                               `The matcher of path is empty: `,
		`{"match":{"path":{"absent":true}}}`:                                              `The matcher of path is empty: `,
		`{"match":{"path":"credentials"}}`:                                                `The path "credentials" does not begin with /: write it as in /verification-requests/vr_completed`,
		`{"match":{"path":"/credentials?a=b"}}`:                                           `The path "/credentials?a=b" contains a query: omit it and the ?`,
		`{"match":{"body":{"contain":{}}}}`:                                               "The body cannot be read: unknown key at \"/match/body/contain\"",
	} {
		if r := c.Post(lab.Control+"journal/verify", expected); r.Status != 400 || !strings.HasPrefix(r.ErrorMessage(), message) {
			t.Errorf("%s: %d %s", expected, r.Status, r.Body)
		}
	}
}

// What no request can be is refused: otherwise none is found of a mistyped one, as expected.
func TestVerifyImpossible(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	converse(c)
	const paths = ": the paths are /verification-requests/{id}/cancel, /verification-requests/{id}, /tenant-properties/{id}, /credentials/session, /qualification-checks/{id}, /verification-requests, /verification-requests/{id}/report, /verification-requests/{id}/reverify, /companies"
	for expected, message := range map[string]string{
		`"match":{"path":"/verification-requests/vr_processing/cancle"}`:                                      `No operation has the path "/verification-requests/vr_processing/cancle": did you mean "/verification-requests/vr_processing/cancel"?`,
		`"match":{"path":"/verification-requests/vr_processing/cancel/"}`:                                     "",
		`"match":{"path":"/v1/verification-requests/vr_1"}`:                                                   `No operation has the path "/v1/verification-requests/vr_1"` + paths,
		`"match":{"path":{"contains":"cancle"}}`:                                                              "", // an id may have it
		`"operation":"getVerificationRequest","match":{"path":"/verification-requests/vr_processing/cancel"}`: `getVerificationRequest never has the path "/verification-requests/vr_processing/cancel": did you mean cancelVerificationRequest?`,
		`"operation":"getVerificationRequest","match":{"method":"PUT"}`:                                       `getVerificationRequest never has the method "PUT": did you mean cancelVerificationRequest or updateTenantProperty or reverify?`,
		`"match":{"method":"get","path":"/verification-requests/vr_1/cancel"}`:                                `getVerificationRequest or getQualificationCheck or listVerifications or getReport or listCompanies never has the path "/verification-requests/vr_1/cancel": did you mean cancelVerificationRequest?`,
		`"match":{"status":199}`:   `The status "199" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection, nor made of them as in >=400, 400,406 and -200`,
		`"match":{"status":"1xx"}`: `The status "1xx" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection, nor made of them as in >=400, 400,406 and -200`,
		`"operation":"createCredentialsSession","match":{"status":"2XX"}`:                                                  "",
		`"operation":"getVerificationRequest","match":{"status":204}`:                                                      "", // a rule may answer it
		`"operation":"getVerificationRequest","match":{"path":{"matches":"."},"status":"0"}`:                               "",
		`"operation":"cancelVerificationRequest","match":{"path":{"equals":"/verification-requests/vr_1","contains":"/"}}`: `cancelVerificationRequest never has the path "/verification-requests/vr_1": did you mean getVerificationRequest?`,
	} {
		r := c.Post(lab.Control+"journal/verify", "{"+expected+`,"times":{"at_least":0}}`)
		if message == "" && r.Status != 200 || message != "" && (r.Status != 400 || r.ErrorMessage() != message) {
			t.Errorf("%s: %d %s", expected, r.Status, r.Body)
		}
	}
}

// Nothing was found of what may have been sent to a wrong path: the answer says so.
func TestVerifyNamesUnmatched(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	const none = `{"operation":"cancelVerificationRequest","times":{"exactly":0}}`
	lab.WantStatus(t, c.Post(lab.Control+"journal/verify", none), 200, "")
	c.Get("/verification-requests/vr_completed")
	c.Put("/v1/verification-requests/vr_processing/cancel", `{"cancellation_reason":"other"}`)
	id := c.Put("/verification-requests/vr_processing/cancle", `{"cancellation_reason":"other"}`).Header.Get("Understudy-Request-Id")
	const path = `no operation has this path: did you mean \"/verification-requests/vr_processing/cancel\"?`
	note := `Requests that reached no world: 2, the last is PUT /verification-requests/vr_processing/cancle (` + id + `): ` + path
	if r := c.Post(lab.Control+"journal/verify", none); r.Status != 200 || string(r.Body) != `{"count":0,"dropped":0,"nearest":[],"note":"`+note+`"}` {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	r := c.Post(lab.Control+"journal/verify", `{"operation":"cancelVerificationRequest"}`)
	if r.Status != 409 || !strings.HasSuffix(strings.TrimPrefix(string(r.Body), `{"error":{"message":"No request matched `), `,"note":"`+note+`"}`) ||
		!strings.Contains(string(r.Body), `operation is getVerificationRequest, not cancelVerificationRequest. `+note+`"}`) {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := c.Post(lab.Control+"journal/verify", `{"operation":"getVerificationRequest"}`); strings.Contains(string(r.Body), "note") {
		t.Errorf("of what was found: %s", r.Body)
	}
}

// A failed expectation says how many entries were dropped, because they may have matched.
func TestVerifyDroppedEntries(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, emulator.WithJournalSize(3))
	converse(c)
	const note = " (3 earlier requests were dropped and may have matched: see --journal-size)"
	lab.WantStatus(t, c.Post(lab.Control+"journal/verify", `{"operation":"createCredentialsSession","times":{"exactly":2}}`), 409,
		"2 requests matched createCredentialsSession; expected exactly 2"+note)
	lab.WantStatus(t, c.Post(lab.Control+"journal/verify", `{"operation":"getQualificationCheck","times":{"at_most":0}}`), 409,
		"No request matched getQualificationCheck; expected exactly 0"+note)
	lab.WantStatus(t, c.Post(lab.Control+"journal/verify", `{"operation":"createCredentialsSession"}`), 200, "")
}

func TestVerifyDocumentedHeaders(t *testing.T) {
	t.Parallel()
	for _, name := range journal.Headers() {
		if !strings.Contains(string(api.Parts{Control: true, Extensions: true}.YAML()), "`"+name+"`") {
			t.Errorf("it does not name %s", name)
		}
	}
}
