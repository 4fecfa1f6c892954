package journal_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

func expectation(t *testing.T, text string) (x journal.Expectation) {
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
	record(t, j, w1, "a", "b", "c", "d", "e")
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
		`{"operation":"x"}`:       "0 false No request matched x; expected at least 1. Nearest is POST /credentials/session (f): operation is createCredentialsSession, not x",
		`{"match":{"method":"GET"}}`: "0 false No request matched; expected at least 1. Nearest is PUT /verification-requests/e/cancel (e): " +
			`method is PUT, not "GET"`,
		`{"match":{"path":"/verification-requests/a/cancel/"}}`:                           "1 true ",
		`{"match":{"path":{"matches":"/[ab]/"},"query":{"a":"b"}},"times":{"exactly":2}}`: "2 true ",
		`{"match":{"body":{"contains":{"target":{"tags":[{"l":2},"x"]}}}}}`:               "1 true ",
		`{"match":{"body":{"matches":{"target.last_name":"^E","/target/tags/1/k":"1"}}}}`: "1 true ",
		`{"operation":"createCredentialsSession","match":{"body":{"contains":{"target":{"last_name":"Exampl","tags":["x",["y"]],"none":1}}}}}`: "0 false No request matched createCredentialsSession; expected at least 1. " +
			`Nearest is POST /credentials/session (f): body.target.last_name is "Example", not "Exampl"; body.target.none is absent; body.target.tags has no element ["y"]`,
		`{"match":{"body":{"equals":{"target":{"last_name":"Example"}}}}}`: "0 false No request matched; expected at least 1. " +
			`Nearest is POST /credentials/session (f): body.target.social_security_number is "***-**-3456", not absent; body.target.tags is ["x",{"k":1,"l":2}], not absent`,
	} {
		result, err := j.Verify(t.Context(), w1, expectation(t, text))
		if diff := cmp.Diff(want, fmt.Sprint(result.Count, " ", result.Holds, " ", result.Message)); diff != "" || err != nil || (result.Err() == nil) != result.Holds {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
}

func TestVerifyNearest(t *testing.T) {
	t.Parallel()
	result, err := conversation(t).Verify(t.Context(), w1, expectation(t, `{"match":{"path":"/verification-requests/c/cancel","status":500}}`))
	var got []string
	for _, near := range result.Nearest {
		got = append(got, near.Entry.ID)
	}
	if diff := cmp.Diff([]string{"c", "e", "d"}, got); diff != "" || err != nil {
		t.Error(err, diff)
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
		var p journal.Pattern
		if err := p.UnmarshalText([]byte(pattern)); fmt.Sprint(err) != want && (err != nil || want != "") {
			t.Errorf("%.20s: %v", pattern, err)
		}
	}
}

// ending is a context that ends after n calls of Err.
type ending struct {
	context.Context
	n     int
	after *int // later calls
}

func (e *ending) Err() error {
	if e.n--; e.n >= 0 {
		return nil
	}
	*e.after++
	return context.Canceled
}

// Null is a value of a body alone. Values may be many and deep.
func TestVerifyNull(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"match":null}`, `{"match":{"path":null}}`, `{"match":{"query":{"a":{"equals":null}}}}`, `{"match":{"body":{"equals":null}}}`, `{"match":{"body":{"absent":[null]}}}`,
	} {
		if err := json.Unmarshal([]byte(text), new(journal.Expectation)); err == nil || !strings.Contains(err.Error(), " is null: give it a value") {
			t.Errorf("%s: %v", text, err)
		}
	}
	expectation(t, `{"match":{"body":{"contains":{"a":null,"b":[null,{"c":null}]}}}}`)
	deep := strings.Repeat("[", 9000) + strings.Repeat("null,", 100_000) + "null" + strings.Repeat("]", 9000)
	expectation(t, `{"match":{"body":{"contains":`+deep+`}}}`)
}

// An expectation that would take minutes to compare is refused. One that names every value of a long body is not.
func TestVerifyEffort(t *testing.T) {
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
	for i := range j.Size() {
		e := journal.NewEntry(journal.Request{Method: "PUT", Path: "/x", Body: []byte(body), Size: int64(len(body))}, nil, nil)
		e.ID = fmt.Sprint(i)
		if err := j.Append(t.Context(), w1, e); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		match   string
		refused bool
	}{
		"thirty misspelled names": {fmt.Sprintf(`{"body":{"contains":{"members":{%s}}}}`, many(30, `"membre %d":"value"`)), false},
		"thirty other values":     {fmt.Sprintf(`{"body":{"equals":{"members":{%s}}}}`, many(30, `"member %d":"other"`)), false},
		"400 rows":                {fmt.Sprintf(`{"body":{"contains":{"rows":[%s]}}}`, many(400, "[%d,-1]")), true},
		"5000 query parameters":   {fmt.Sprintf(`{"query":{%s}}`, many(5000, `"q%d":"x"`)), true},
		"a long array":            {fmt.Sprintf(`{"body":{"equals":{"rows":[%s]}}}`, many(50_000, "%d")), true},
		"thirty expressions":      {fmt.Sprintf(`{"body":{"matches":{%s}}}`, many(30, `"members.member %d":"^(other|val){1,3}$"`)), false},
		"costly expressions":      {fmt.Sprintf(`{"body":{"matches":{%s}}}`, many(30, `"members.member %d":"`+strings.Repeat("(a|b|c|d)?", 200)+`z"`)), true},
		"a path of many segments": {fmt.Sprintf(`{"path":%q}`, "/"+strings.Repeat("a/", 30_000)), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := j.Verify(t.Context(), w1, expectation(t, `{"match":`+tt.match+`}`))
			if refused := err != nil && strings.Contains(err.Error(), "The expectation takes too long to compare"); refused != tt.refused || !refused && (err != nil || result.Holds) {
				t.Errorf("%v: %v", result.Holds, err)
			}
		})
	}
}

func TestVerifyContext(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Config{Size: 1000})
	body := "[" + strings.Repeat("[1,2],", 2000) + "3]"
	for range scaled(200, 1000) {
		e := journal.NewEntry(journal.Request{Method: "PUT", Path: "/x", Body: []byte(body), Size: int64(len(body))}, nil, nil)
		if err := j.Append(t.Context(), w1, e); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"expressions": `{"match":{"body":{"matches":{"0":"(.*,){400}","1":"(.*,){400}","2":"(.*,){400}"}}}}`,
		"elements":    `{"match":{"body":{"contains":[` + strings.Repeat(`[4],`, 5000) + `5]}}}`,
		"entries":     `{"match":{"status":500}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := &ending{Context: t.Context(), n: 100, after: new(int)}
			_, err := j.Verify(ctx, w1, expectation(t, text))
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("the error is %v", err)
			}
			if *ctx.after > 10 {
				t.Errorf("it continued %d times", *ctx.after)
			}
		})
	}
	ctx := &ending{Context: t.Context(), n: 100, after: new(int)}
	entries, _, err := j.Read(t.Context(), w1)
	if _, err2 := (journal.Filter{Status: "500"}).Select(ctx, entries); err != nil || !errors.Is(err2, context.Canceled) || *ctx.after != 1 {
		t.Errorf("Select: %v, %v, continued %d times", err, err2, *ctx.after)
	}
}
