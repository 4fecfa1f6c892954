package query_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
)

var w1 = journal.Ref{World: "w1", Generation: 1}

func expectation(t *testing.T, text string) (x query.Expectation) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return x
}

// conversation returns the journal of five cancellations and one session.
func conversation(t *testing.T) *journal.Journal {
	t.Helper()
	j := journal.New(journal.Config{Size: 10})
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		e := journal.NewEntry(journal.Request{
			Method: "PUT", Path: "/verification-requests/" + id + "/cancel", Query: "a=b", Header: http.Header{"Accept": {"application/json"}},
			Body: []byte(`{"cancellation_reason":"other"}`), Size: 31,
		}, []byte(`{"id":"`+id+`"}`), nil)
		e.ID, e.Operation, e.Status = id, "cancelVerificationRequest", 200
		if err := j.Append(t.Context(), w1, e); err != nil {
			t.Fatal(err)
		}
	}
	const body = `{"target":{"last_name":"Example","social_security_number":"000-12-3456","tags":["x",{"k":1,"l":2}]}}`
	e := journal.NewEntry(journal.Request{Method: "POST", Path: "/credentials/session", Body: []byte(body), Size: int64(len(body))}, nil, nil)
	e.ID, e.Operation, e.Status = "f", "createCredentialsSession", 201
	if err := j.Append(t.Context(), w1, e); err != nil {
		t.Fatal(err)
	}
	return j
}

func TestVerify(t *testing.T) {
	t.Parallel()
	j := conversation(t)
	for text, want := range map[string]string{
		`{"times":{"at_most":2}}`: "6 false 6 requests matched; expected at most 2: f, e, d, ...",
		`{"times":{"exactly":7}}`: "6 false 6 requests matched; expected exactly 7. The journal of this world has no other request",
		`{"operation":"getVerificationRequest"}`: "0 false No request matched getVerificationRequest; expected at least 1. " +
			"Nearest is POST /credentials/session (f): operation is createCredentialsSession, not getVerificationRequest",
		`{"match":{"method":"GET"}}`: "0 false No request matched; expected at least 1. Nearest is POST /credentials/session (f): " +
			`method is POST, not "GET"`,
		`{"match":{"path":"/verification-requests/a/cancel/"}}`:                           "1 true ",
		`{"match":{"path":{"matches":"/[ab]/"},"query":{"a":"b"}},"times":{"exactly":2}}`: "2 true ",
		`{"match":{"body":{"contains":{"target":{"tags":[{"l":2},"x"]}}}}}`:               "1 true ",
		`{"match":{"body":{"matches":{"target.last_name":"^E","/target/tags/1/k":"1"}}}}`: "1 true ",
		`{"operation":"createCredentialsSession","match":{"body":{"contains":{"target":{"last_name":"Exampl","tags":["x",["y"]],"none":1}}}}}`: "0 false No request matched createCredentialsSession; expected at least 1. " +
			`Nearest is POST /credentials/session (f): body.target.last_name is "Example", not "Exampl"; body.target.none is absent; body.target.tags has no element ["y"]`,
		`{"match":{"body":{"equals":{"target":{"last_name":"Example"}}}}}`: "0 false No request matched; expected at least 1. " +
			`Nearest is POST /credentials/session (f): body.target.social_security_number is "***-**-3456", not absent; body.target.tags is ["x",{"k":1,"l":2}], not absent`,
	} {
		result, err := query.Verify(t.Context(), j, w1, expectation(t, text))
		if diff := cmp.Diff(want, fmt.Sprint(result.Count, " ", result.Holds, " ", result.Message)); diff != "" || err != nil || (result.Err() == nil) != result.Holds {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
}

// The nearest requests are those of the same operation that differ in the fewest fields, the latest first.
func TestVerifyNearest(t *testing.T) {
	t.Parallel()
	const get, cancel, session = "getVerificationRequest GET /verification-requests/", "cancelVerificationRequest PUT /verification-requests/", "createCredentialsSession POST /credentials/session "
	for name, tt := range map[string]struct {
		sent     []string // operation, method, path and body
		expected string
		nearest  string // numbers of what was sent
		differs  string // the first of them
	}{
		"another operation is farther than all of the same": {
			[]string{get + "vr_a", session + `{"a":1}`, session + `{"a":2}`},
			`{"operation":"getVerificationRequest","match":{"path":"/verification-requests/vr_b","status":500,"query":{"fields":"id"}}}`,
			"0", `status is 0, not 500; path is "/verification-requests/vr_a", not "/verification-requests/vr_b"; query.fields is absent`,
		},
		"the method names the operation": {
			[]string{cancel + "vr_a/cancel", get + "vr_b"}, `{"match":{"method":"PUT","status":500}}`, "0", "status is 0, not 500",
		},
		"the path names the operation": {
			[]string{get + "vr_a", cancel + "vr_a/cancel"}, `{"match":{"path":"/verification-requests/vr_b"}}`, "0", `path is "/verification-requests/vr_a", not "/verification-requests/vr_b"`,
		},
		"others, where none is of the same operation": {
			[]string{get + "vr_a", cancel + "vr_a/cancel"}, `{"operation":"createCredentialsSession"}`, "1 0", "operation is cancelVerificationRequest, not createCredentialsSession",
		},
		"the latest of those that differ in as many fields": {
			[]string{get + "vr_a?fields=id", get + "vr_b", get + "vr_c", get + "vr_d"},
			`{"operation":"getVerificationRequest","match":{"path":"/verification-requests/vr_x","query":{"fields":"id"}}}`,
			"0 3 2", `path is "/verification-requests/vr_a", not "/verification-requests/vr_x"`,
		},
		"each value of a body is a field": {
			[]string{session + `{"target":{"first_name":"Ada","last_name":"L"}}`, session + `{"target":{"first_name":"Eva","last_name":"M"}}`},
			`{"match":{"body":{"contains":{"target":{"first_name":"Ada","last_name":"Lovelace"}}}}}`,
			"0 1", `body.target.last_name is "L", not "Lovelace"`,
		},
		"a misspelled key is named": {
			[]string{cancel + `vr_a/cancel {"cancelation_reason":"other"}`}, `{"match":{"body":{"contains":{"cancellation_reason":"other"}}}}`,
			"0", `body.cancellation_reason is absent, and "cancelation_reason" is there`,
		},
		"a misspelled parameter is named": {
			[]string{get + "vr_a?feilds=id"}, `{"match":{"query":{"fields":"id"}}}`, "0", `query.fields is absent, and "feilds" is there`,
		},
		"another value is nearer than none": {
			[]string{get + "vr_a?fields=id", get + "vr_b?fields=state", get + "vr_c"}, `{"match":{"query":{"fields":"id,state"}}}`,
			"1 0 2", `query.fields is "state", not "id,state"`,
		},
		"a body that cannot be compared is last": {
			[]string{session + `{"a":1,"b":2,"c":3}`, session + `{"a"`, session + `{"a":"` + strings.Repeat("x", journal.MaxBody) + `"}`, get + "vr_a"},
			`{"operation":"createCredentialsSession","match":{"body":{"contains":{"a":9,"b":9,"c":9}}}}`,
			"0 2 1", "body.a is 1, not 9; body.b is 2, not 9; body.c is 3, not 9",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := journal.New(journal.Config{Size: 10})
			for i, sent := range tt.sent {
				record := strings.SplitN(sent, " ", 4)
				path, query, _ := strings.Cut(record[2], "?")
				body := strings.Join(record[3:], "")
				e := journal.NewEntry(journal.Request{Method: record[1], Path: path, Query: query, Body: []byte(body), Size: int64(len(body))}, nil, nil)
				e.ID, e.Operation = fmt.Sprint(i), record[0]
				if err := j.Append(t.Context(), w1, e); err != nil {
					t.Fatal(err)
				}
			}
			result, err := query.Verify(t.Context(), j, w1, expectation(t, tt.expected))
			var nearest []string
			for _, near := range result.Nearest {
				nearest = append(nearest, near.Entry.ID)
			}
			if got := strings.Join(nearest, " "); got != tt.nearest || err != nil {
				t.Fatalf("nearest are %q, want %q; %v", got, tt.nearest, err)
			}
			if got := strings.Join(result.Nearest[0].Differences, "; "); got != tt.differs {
				t.Errorf("it differs by %s\nwant %s", got, tt.differs)
			}
		})
	}
}

// All keys of one matcher must hold.
func TestVerifyAllKeysOfMatcher(t *testing.T) {
	t.Parallel()
	j := conversation(t)
	for path, want := range map[string]int{
		`{"equals":"/verification-requests/a/cancel","contains":"/a/"}`:             1,
		`{"equals":"/verification-requests/a/cancel","contains":"/b/"}`:             0,
		`{"equals":"/verification-requests/a/cancel","matches":"b"}`:                0,
		`{"contains":"/a/","matches":"^/verification.*cancel$"}`:                    1,
		`{"contains":"cancel","matches":"/[bc]/"}`:                                  2,
		`{"equals":"/verification-requests/a/cancel","contains":"a","matches":"z"}`: 0,
	} {
		if result, err := query.Verify(t.Context(), j, w1, expectation(t, `{"match":{"path":`+path+`}}`)); err != nil || result.Count != want {
			t.Errorf("%s: %d match, want %d; %v", path, result.Count, want, err)
		}
	}
}

// Only the latest requests are compared in full, however many there are.
func TestVerifyNearestOfLatest(t *testing.T) {
	t.Parallel()
	expected := expectation(t, `{"match":{"path":"/verification-requests/b","query":{"a":"1"}}}`)
	for sent, want := range map[int]string{100: "0", 101: "100"} { // the first one differs least
		j := journal.New(journal.Config{Size: 1000})
		for i := range sent {
			appendEntry(t, j, journal.Request{Method: "GET", Path: "/verification-requests/a", Query: map[bool]string{true: "a=1"}[i == 0]}, fmt.Sprint(i))
		}
		if result, err := query.Verify(t.Context(), j, w1, expected); err != nil || result.Nearest[0].Entry.ID != want {
			t.Errorf("of %d, %s is nearest, want %s; %v", sent, result.Nearest[0].Entry.ID, want, err)
		}
	}
}

func TestPattern(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		strings.Repeat("(a|b|", 1000): "is longer than 4096 bytes, the limit of a regular expression",
		"(":                           "is not a regular expression: error parsing regexp: missing closing ): `(`",
		strings.Repeat("a{1000}", 10): "is too expensive to match: use smaller repetition counts {n,m}",
		strings.Repeat("a", 4096):     "",
		"^a.{0,1000}z$":               "",
	} {
		var p query.Pattern
		if err := p.UnmarshalText([]byte(pattern)); fmt.Sprint(err) != want && (err != nil || want != "") {
			t.Errorf("%.20s: %v", pattern, err)
		}
	}
}

// Null is a value of a body alone. Values may be many and deep.
func TestVerifyNull(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"match":null}`, `{"match":{"path":null}}`, `{"match":{"query":{"a":{"equals":null}}}}`, `{"match":{"body":{"equals":null}}}`, `{"match":{"body":{"absent":[null]}}}`,
	} {
		if err := json.Unmarshal([]byte(text), new(query.Expectation)); err == nil || !strings.Contains(err.Error(), " is null: give it a value") {
			t.Errorf("%s: %v", text, err)
		}
	}
	expectation(t, `{"match":{"body":{"contains":{"a":null,"b":[null,{"c":null}]}}}}`)
	deep := strings.Repeat("[", 9000) + strings.Repeat("null,", 100_000) + "null" + strings.Repeat("]", 9000)
	expectation(t, `{"match":{"body":{"contains":`+deep+`}}}`)
}

// A body has many lists in lists, and members: comparing stops at the first difference, and takes no time of their square.
func TestVerifyLargeBody(t *testing.T) {
	t.Parallel()
	many := func(n int, format string) string {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprintf(format, i))
		}
		return strings.Join(parts, ",")
	}
	j := journal.New(journal.Config{Size: 1000})
	body := fmt.Sprintf(`{"rows":[%s],"members":{%s}}`, many(20, "[%d,1,2,3,4,5,6,7,8,9]"), many(30, `"member %d":"value"`))
	for i := range 200 {
		appendEntry(t, j, journal.Request{Method: "PUT", Path: "/x", Body: []byte(body), Size: int64(len(body))}, fmt.Sprint(i))
	}
	for name, tt := range map[string]struct{ match, difference string }{
		"thirty misspelled names": {fmt.Sprintf(`{"body":{"contains":{"members":{%s}}}}`, many(30, `"membre %d":"value"`)), `body.members.membre 0 is absent, and "member 0" is there`},
		"thirty other values":     {fmt.Sprintf(`{"body":{"equals":{"members":{%s}}}}`, many(30, `"member %d":"other"`)), `body.members.member 0 is "value", not "other"`},
		"400 rows":                {fmt.Sprintf(`{"body":{"contains":{"rows":[%s]}}}`, many(400, "[%d,-1]")), "body.rows has no element [0,-1]"},
		"5000 query parameters":   {fmt.Sprintf(`{"query":{%s}}`, many(5000, `"q%d":"x"`)), "query.q0 is absent"},
		"a long array":            {fmt.Sprintf(`{"body":{"equals":{"rows":[%s]}}}`, many(50_000, "%d")), "body.members is {"},
		"thirty expressions":      {fmt.Sprintf(`{"body":{"matches":{%s}}}`, many(30, `"members.member %d":"^(other){1,3}$"`)), `body.members.member 0 is "value", which does not match "^(other){1,3}$"`},
		"a long path":             {fmt.Sprintf(`{"path":%q}`, "/verification-requests/"+strings.Repeat("a", 60_000)), `path is "/x", not `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := query.Verify(t.Context(), j, w1, expectation(t, `{"match":`+tt.match+`}`))
			if err != nil || result.Count != 0 || len(result.Nearest) != 3 {
				t.Fatalf("%d match, %d are nearest, %v", result.Count, len(result.Nearest), err)
			}
			if found := result.Nearest[0].Differences; !strings.HasPrefix(found[0], tt.difference) && !strings.HasPrefix(found[len(found)-1], tt.difference) || len(found) > 20 {
				t.Errorf("%d differences: %.200q", len(found), found)
			}
		})
	}
}

func appendEntry(t *testing.T, j *journal.Journal, r journal.Request, id string) {
	t.Helper()
	e := journal.NewEntry(r, nil, nil)
	e.ID = id
	if err := j.Append(t.Context(), w1, e); err != nil {
		t.Fatal(err)
	}
}

// What a client that has left asked for ends.
func TestVerifyCanceled(t *testing.T) {
	t.Parallel()
	j := conversation(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := query.Verify(gone, j, w1, expectation(t, `{}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("Verify: %v", err)
	}
	entries, _, err := j.Read(t.Context(), w1)
	if _, canceled := (query.Filter{}).Select(gone, entries); err != nil || !errors.Is(canceled, context.Canceled) {
		t.Errorf("Select: %v, %v", err, canceled)
	}
}
