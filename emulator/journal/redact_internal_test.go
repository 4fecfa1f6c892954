package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRedactLeavesTheLastFourDigitsOfANumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"social_security_number":"123-45-6789"}`:   `{"social_security_number":"***-**-6789"}`,
		`{"social_security_number":"123456789"}`:     `{"social_security_number":"***-**-6789"}`,
		`{"social_security_number":123456789`:        `{"social_security_number":***-**-6789`,
		`{"social_security_number": "12-34-56-78`:    `{"social_security_number": "***-**-5678`,
		`{"SSN":["123", 45, "6789"], "pay": 12345`:   `{"SSN":["***-**-6789"], "pay": 12345`,
		`ssn=1.2345&next=12345678`:                   `ssn=***-**-2345&next=12345678`,
		`Social Security Number: 1 2 3 4 5 6 7 8 9.`: `Social Security Number: ***-**-6789.`,
		`a class nine, ssn 6789, ssn ***-**-6789`:    `a class nine, ssn 6789, ssn ***-**-6789`,
		`\uca222222222`:                               `\uca***-**-2222`,
		`%123-45-6789`:                                `%***-**-6789`,
		`/x/123%2D45%2D6789`:                          `/x/***-**-6789`,
		`/x/%31%32%33%34%35%36%37%38%39?`:             `/x/***-**-6789?`,
		`a=123%252D45%252D6789&b=1`:                   `a=***-**-6789&b=1`,
		`"\u0031\u003223\u002d45-6789"`:               `"***-**-6789"`,
		`"123\/45\/6789"`:                             `"***-**-6789"`,
		`666 - 12 - 3456, 666–12–3456, 666.12.3456`:   `***-**-3456, ***-**-3456, ***-**-3456`,
		`+12025550123`:                                `+*******0123`,
		`１２３４５６７８９`:                                   `***-**-６７８９`,
		`ssn123456789x`:                               `ssn***-**-6789x`,
		`{"date":"1990-02-28","pay":"1234567.89"}`:    `{"date":"1990-02-28","pay":"1234567.89"}`,
		`["123","45","6789"]`:                         `["123","45","6789"]`,
		`{"id":"12-3456789","type":"us-fein"}`:        `{"id":"12-3456789","type":"us-fein"}`,
		`vr_01JHM2Z9Q5 2025-01-15T09:30:00Z 12345678`: `vr_01JHM2Z9Q5 2025-01-15T09:30:00Z 12345678`,
		`{"key":"svc_sk_test_a-b_c","next":1}`:        `{"key":"svc###","next":1}`,
		`svc%5Fsk%5Ftest_private/x`:                   `svc###`,
		`"svc\u005fsk_test_private"`:                  `"svc###"`,
		`k=acme_pk_private&b=1`:                       `k=acme###&b=1`,
		`task_1 risk_assessment 100% a\b`:             `task_1 risk_assessment 100% a\b`,
		`***-**-6789 svc###`:                          `***-**-6789 svc###`,
	} {
		if got := redact(text); got != want {
			t.Errorf("redact(%s) = %s, want %s", text, got, want)
		}
	}
}

func TestRedactedJSONIsJSONAsItWasWithoutItsNumbers(t *testing.T) {
	t.Parallel()
	const masked = `"***-**-6789"`
	for body, want := range map[string]string{
		`{"social_security_number": "123-45-6789", "a": 1}`: `{"social_security_number": ` + masked + `, "a": 1}`,
		`{"social_security_number":123456789}`:              `{"social_security_number":` + masked + `}`,
		`{"social_security_number":1.23456789e8}`:           `{"social_security_number":` + masked + `}`,
		`{"social_security_number":123.456789}`:             `{"social_security_number":` + masked + `}`,
		`{"social_security_number":"12\u0033-45-6789"}`:     `{"social_security_number":` + masked + `}`,
		`{"social_security_number":"12 34 56 789"}`:         `{"social_security_number":` + masked + `}`,
		`{"social_security_number":["1234",56,{"x":789}]}`:  `{"social_security_number":` + masked + `}`,
		`{"social_\u0073ecurity_number":"12-345-6789"}`:     `{"social_\u0073ecurity_number":` + masked + `}`,
		`{"ssn":12356789}`:                                  `{"ssn":` + masked + `}`,
		`{"applicantSsn":"1235 6789"}`:                      `{"applicantSsn":` + masked + `}`,
		`{"ssn":{"number":"6789","of":"svc_sk_test_a"}}`:    `{"ssn":{"number":"6789","of":"svc###"}}`,
		`{"ssn":null,"other":123456789,"pay":"1234567.89"}`: `{"ssn":null,"other":` + masked + `,"pay":"1234567.89"}`,
		`[1.23456789e8, 123456789012, 12345678]`:            `[` + masked + `, "********9012", 12345678]`,
		`000-00-0001`:                                       `***-**-0001`, // ten numbers, to who reads JSON without spaces
		`123456789 "9"`:                                     `***-**-6789 "9"`,
		`{"123-45-6789":"svc_sk_test_a"} {"b":"123456789"}`: `{` + masked + `:"svc###"} {"b":` + masked + `}`,
		`{"title":"\uca222222222","at":"2025-01-15"}`:       `{"title":"\uca222222222","at":"2025-01-15"}`,
		`{"a":"{\"ssn\":\"12345678\"}"}`:                    `{"a":"{\"ssn\":\"***-**-5678\"}"}`,
	} {
		if got := string(redactBody([]byte(body))); got != want {
			t.Errorf("redactBody(%s) = %s, want %s", body, got, want)
		}
		if got := string(redactBody([]byte(want))); got != want {
			t.Errorf("%s is redacted once more, to %s", want, got)
		}
	}
}

func TestARedactedQueryIsReadAsBefore(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		`fields=id&ssn=123-45-6789`:     `fields=id&ssn=***-**-6789`,
		`a=1%20123456789&b=%C3%A9+c`:    `a=1+***-**-6789&b=%C3%A9+c`,
		`ssn=12345678&date=2025-01-15`:  `ssn=***-**-5678&date=2025-01-15`,
		`k=svc%5Fsk_test_a%26b&next=%2`: `k=svc%23%23%23%26b&next=%2`,
		`n=%zz123456789`:                `n=%zz***-**-6789`,
		`123456789`:                     `***-**-6789`,
	} {
		if got := redactQuery(query); got != want {
			t.Errorf("redactQuery(%s) = %s, want %s", query, got, want)
		}
	}
}

// spell writes a secret in one of the ways in which it can stand in a request.
func spell(t *rapid.T, secret string) string {
	switch rapid.IntRange(0, 3).Draw(t, "spelling") {
	case 1:
		for range rapid.IntRange(1, 3).Draw(t, "times") {
			secret = url.PathEscape(strings.ReplaceAll(secret, "-", "%2D"))
		}
	case 2:
		var escaped strings.Builder
		for _, c := range []byte(secret) {
			fmt.Fprintf(&escaped, "%%%02x", c)
		}
		return escaped.String()
	case 3:
		var escaped strings.Builder
		for _, c := range []byte(secret) {
			fmt.Fprintf(&escaped, `\u%04x`, c)
		}
		return escaped.String()
	}
	return secret
}

// readings are what a text says, read in each way in which somebody may.
func readings(text string) []string {
	all := []string{text}
	for range 4 {
		decoded, err := url.PathUnescape(text)
		if err != nil {
			break
		}
		all, text = append(all, decoded), decoded
	}
	for _, text := range all {
		var plain string
		if json.Unmarshal([]byte(`"`+text+`"`), &plain) == nil {
			all = append(all, plain)
		}
	}
	return all
}

// Contract 3 and 5: raw keys are never stored, numbers appear only as ***-**-1234.
func TestNoEntryHasAKeyOrANumberOfItsRequest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`[0-9]{9}`).Draw(t, "number")
		dashed := number[:3] + "-" + number[3:5] + "-" + number[5:]
		key := "svc_sk_test_" + rapid.StringMatching(`[A-Za-z0-9_-]{6,40}`).Draw(t, "key")
		context := rapid.StringMatching(`[a-z0-9 "{}:,/&=.-]{0,20}`)
		body := context.Draw(t, "before")
		for _, secret := range []string{number, dashed, key} {
			body += spell(t, secret) + context.Draw(t, "between") + " "
		}
		e := NewEntry(Asked{
			Method: "POST", Path: body, Query: body, Header: http.Header{"User-Agent": {body}, "Authorization": {key}},
			Body: []byte(body), Size: int64(len(body)),
		}, []byte(body))
		written, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{string(written), e.Path, e.Query, fmt.Sprint(e.Headers), string(e.request.text)} {
			for _, reading := range readings(text) {
				for _, secret := range []string{number, dashed, key} {
					if strings.Contains(reading, secret) {
						t.Fatalf("%s is in %s", secret, reading)
					}
				}
			}
		}
	})
}

func FuzzRedact(f *testing.F) {
	f.Add(`{"social_security_number":"123-45-6789"}`)
	f.Add(`%25%32%35_sk_%`)
	f.Add(`\u0031\`)
	f.Add(`\uca222222222`)
	f.Add(`[{"ssn":[1,2.5e9,"\u0031"],"ssn":123456789}]`)
	f.Fuzz(func(t *testing.T, text string) {
		once := redact(text)
		if again := redact(once); again != once {
			t.Errorf("%q is redacted to %q, and that to %q", text, once, again)
		}
		if hasNumber(once) || dashed.MatchString(once) {
			t.Errorf("%q has a number", once)
		}
		body := redactBody([]byte(text))
		if again := redactBody(body); string(again) != string(body) {
			t.Errorf("%q is redacted to %q, and that to %q", text, body, again)
		}
		if !json.Valid([]byte(text)) {
			return
		}
		var value any
		in := json.NewDecoder(bytes.NewReader(body))
		in.UseNumber()
		if err := in.Decode(&value); err != nil {
			t.Errorf("%q is JSON, and %q is not: %v", text, body, err)
		}
		for _, said := range texts(value) {
			if hasNumber(said) || dashed.MatchString(said) {
				t.Errorf("%q has a number", body)
			}
		}
		if dashed.Match(body) {
			t.Errorf("%q has a number", body)
		}
		redactQuery(text)
	})
}

// dashed finds a number as people write it.
var dashed = regexp.MustCompile(`[0-9]{3}-[0-9]{2}-[0-9]{4}`)

// hasNumber reports whether a text has nine digits in a row.
func hasNumber(text string) bool {
	digits := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			digits = 0
		} else if digits++; digits == 9 {
			return true
		}
	}
	return false
}

// texts are what a JSON value says.
func texts(value any) (all []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case json.Number:
		return []string{v.String()}
	case []any:
		for _, inner := range v {
			all = append(all, texts(inner)...)
		}
	case map[string]any:
		for name, inner := range v {
			all = append(append(all, name), texts(inner)...)
		}
	}
	return all
}

// Of a number that the end of what is kept cuts in two nothing is known, and nothing kept.
func TestANumberThatIsCutIsNotKept(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"123-45-6789", "123456789"} {
		for inside := range len(number) {
			body := strings.Repeat("x", MaxBody-inside) + number + " tail"
			e := NewEntry(Asked{Body: []byte(body), Size: int64(len(body))}, nil)
			if text := string(e.request.text); strings.ContainsAny(text, "123456789") {
				t.Errorf("%d of %s inside: …%s", inside, number, text[len(text)-12:])
			}
		}
	}
}

// nested is a body in which each object names a number, whose value is the next one, and has what is to be left out.
func nested(levels int) []byte {
	return []byte(strings.Repeat(`{"ssn":[`, levels) + `"a_sk_x"` + strings.Repeat(`]}`, levels))
}

func TestNamesInNamesAreRedactedToTheirInnermost(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		string(nested(1600)): strings.ReplaceAll(string(nested(1600)), "a_sk_x", "a###"),
		`{"ssn":[{"ssn":{"ssn":1e9}},{"ssn":"12\u0033"}],"a":123456789}`: `{"ssn":"***-**-0033","a":"***-**-6789"}`,
		`{"ssn":[{"ssn":{"ssn":1e9}},{"ssn":[1,23]}],"a":123456789}`:     `{"ssn":"***-**-9123","a":"***-**-6789"}`,
		`{"ssn":[{"ssn":{"ssn":1e9}},{"ssn":[]}],"a":123456789}`:         `{"ssn":[{"ssn":{"ssn":"***-**-0000"}},{"ssn":[]}],"a":"***-**-6789"}`,
		`{"ssn":[{"ssn":1234}],"b":{"ssn":[12345]}}`:                     `{"ssn":[{"ssn":1234}],"b":{"ssn":"***-**-2345"}}`,
		`{"ssn":{"a":[{"ssn":"x_sk_y"}],"ssn":"1 2 3 4"}}`:               `{"ssn":{"a":[{"ssn":"x###"}],"ssn":"1 2 3 4"}}`,
	} {
		if got := string(redactBody([]byte(body))); got != want {
			t.Errorf("redactBody(%.80s) = %.120s, want %.120s", body, got, want)
		}
	}
}
