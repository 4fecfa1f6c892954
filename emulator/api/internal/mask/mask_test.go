package mask_test

import (
	"bytes"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/understudy-sandbox/understudy/emulator/api/internal/mask"
)

func TestMask(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"social_security_number":"123-45-6789"}`:   `{"social_security_number":"***-**-6789"}`,
		`{"social_security_number":"123456789"}`:     `{"social_security_number":"***-**-6789"}`,
		`{"social_security_number":123456789`:        `{"social_security_number":***-**-6789`,
		`{"social_security_number": "12-34-56-78`:    `{"social_security_number": "***-**-5678`,
		`{"social_\u0073ecurity_number":"12345678`:   `{"social_\u0073ecurity_number":"***-**-5678`,
		`{"SSN":["123", 45, "6789"], "pay": 12345`:   `{"SSN":["***-**-6789"], "pay": 12345`,
		`ssn=1.2345&next=12345678`:                   `ssn=***-**-2345&next=12345678`,
		`social+security%20number=12345678`:          `social+security%20number=***-**-5678`,
		`Social Security Number: 1 2 3 4 5 6 7 8 9.`: `Social Security Number: ***-**-6789.`,
		`a class nine, ssn 6789, ssn ***-**-6789`:    `a class nine, ssn 6789, ssn ***-**-6789`,
		`ssn123456789x`:                                `ssn***-**-6789x`,
		"\u017f\u017fn 12345":                          "\u017f\u017fn ***-**-2345", // other letters for s
		`\uca222222222`:                                `\uca***-**-2222`,
		`%123-45-6789`:                                 `%***-**-6789`,
		`/x/123%2D45%2D6789`:                           `/x/***-**-6789`,
		`/x/%31%32%33%34%35%36%37%38%39?`:              `/x/***-**-6789?`,
		`a=123%252D45%252D6789&b=1`:                    `a=***-**-6789&b=1`,
		`%25%33%31%25%33%32345-67-8901`:                `***-**-8901`, // two layers of escapes
		`%EF%BC%9123456789`:                            `***-**-6789`, // a fullwidth 1
		`"\u0031\u003223\u002d45-6789"`:                `"***-**-6789"`,
		`"123\/45\/6789"`:                              `"***-**-6789"`,
		`666 - 12 - 3456, 666–12–3456, 666.12.3456`:    `***-**-3456, ***-**-3456, ***-**-3456`,
		`123-45-6789-12-3456`:                          `***-**-3456`,
		"123        45-6789":                           `***-**-6789`, // a gap has up to eight characters
		"123         45-6789":                          "123         45-6789",
		`+12025550123`:                                 `+*******0123`,
		`１２３４５６７８９`:                                    `***-**-６７８９`,
		`&#49;&#50;&#51;-45-6789 &amp; more`:           `***-**-6789 &amp; more`,
		`&amp;#x31;23-45-6789`:                         `***-**-6789`,
		`%26%2349%3B23-45-6789`:                        `***-**-6789`,
		`123&ndash;45&nbsp;6789`:                       `***-**-6789`,
		"1\u200b2\u200b3\u200b4\u200b56789":            `***-**-6789`, // zero-width spaces
		"123\u00ad45\u00ad6789, 123\u00a045\u00a06789": `***-**-6789, ***-**-6789`,
		"caf\u00e9 na\u0308ive 12345 &c; &#49;":        "caf\u00e9 na\u0308ive 12345 &c; &#49;",
		`१२३-४५-६७८९`:                                  `***-**-६७८९`,
		`{"date":"1990-02-28","pay":"1234567.89"}`:     `{"date":"1990-02-28","pay":"1234567.89"}`,
		`["123","45","6789"]`:                          `["123","45","6789"]`,
		`{"id":"12-3456789","type":"us-fein"}`:         `{"id":"12-3456789","type":"us-fein"}`,
		`vr_01JHM2Z9Q5 2025-01-15T09:30:00Z 12345678`:  `vr_01JHM2Z9Q5 2025-01-15T09:30:00Z 12345678`,
		`{"key":"svc_sk_test_a-b_c","next":1}`:         `{"key":"svc###","next":1}`,
		`svc_sk_test_1\u0032/3 4`:                      `svc### 4`,
		`svc%5Fsk%5Ftest_private/x`:                    `svc###`,
		`"svc\u005fsk_test_private"`:                   `"svc###"`,
		`k=acme_pk_private&b=1`:                        `k=acme###&b=1`,
		`task_1 risk_assessment 100% a\b`:              `task_1 risk_assessment 100% a\b`,
		`***-**-6789 svc###`:                           `***-**-6789 svc###`,
		"%" + strings.Repeat("25", 3) + "41 b":         "%" + strings.Repeat("25", 3) + "41 b",
		"a %" + strings.Repeat("25", 8) + "41 b":       "###", // more layers than are decoded
	} {
		if got := mask.Text(text); got != want {
			t.Errorf("Text(%s) = %s, want %s", text, got, want)
		}
	}
}

func TestMaskBody(t *testing.T) {
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
		`000-00-0001`:                                       `***-**-0001`, // ten numbers for a JSON reader
		`123456789 "9"`:                                     `***-**-6789 "9"`,
		`{"123-45-6789":"svc_sk_test_a"} {"b":"123456789"}`: `{` + masked + `:"svc###"} {"b":` + masked + `}`,
		`{"title":"\uca222222222","at":"2025-01-15"}`:       `{"title":"\uca222222222","at":"2025-01-15"}`,
		`{"a":"{\"ssn\":\"12345678\"}"}`:                    `{"a":"{\"ssn\":\"***-**-5678\"}"}`,
		`{"a":"123\-45-6789","ssn":{"n":123,"m":45}}`:       `{"a":` + masked + `,"ssn":"***-**-2345"}`, // JSON only after masking
		``: ``,

		// names in names
		string(nested(1600)): strings.ReplaceAll(string(nested(1600)), "a_sk_x", "a###"),
		`{"ssn":[{"ssn":{"ssn":1e9}},{"ssn":"12\u0033"}],"a":123456789}`: `{"ssn":"***-**-0123","a":` + masked + `}`,
		`{"ssn":[{"ssn":{"ssn":1e9}},{"ssn":[]}],"a":123456789}`:         `{"ssn":"***-**-0000","a":` + masked + `}`,
		`{"ssn":[{"ssn":1234}],"b":{"ssn":[12345]}}`:                     `{"ssn":[{"ssn":1234}],"b":{"ssn":"***-**-2345"}}`,
		`{"ssn":{"a":[{"ssn":"x_sk_y"}],"ssn":"1 2 3 4"}}`:               `{"ssn":{"a":[{"ssn":"x###"}],"ssn":"1 2 3 4"}}`,
		`{"ssn":1234,"b":{"ssn":"12"},"ssn":[5678]}`:                     `{"ssn":1234,"b":{"ssn":"12"},"ssn":[5678]}`, // each counts its own digits
	} {
		if got := string(mask.Body([]byte(body))); got != want {
			t.Errorf("Body(%.80s) = %.120s, want %.120s", body, got, want)
		}
		if got := string(mask.Body([]byte(want))); got != want {
			t.Errorf("%.80s is masked once more, to %.120s", want, got)
		}
	}
}

// nested is a body of nested objects, each named ssn, with a secret inside.
func nested(levels int) []byte {
	return []byte(strings.Repeat(`{"ssn":[`, levels) + `"a_sk_x"` + strings.Repeat(`]}`, levels))
}

func TestMaskQuery(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		`fields=id&ssn=123-45-6789`:     `fields=id&ssn=***-**-6789`,
		`a=1%20123456789&b=%C3%A9+c`:    `a=1+***-**-6789&b=%C3%A9+c`,
		`a=1=2%26123456789`:             `a=1=2%26***-**-6789`,
		`ssn=12345678&date=2025-01-15`:  `ssn=***-**-5678&date=2025-01-15`,
		`k=svc%5Fsk_test_a%26b&next=%2`: `k=svc%23%23%23%26b&next=%2`,
		`n=%zz123456789`:                `n=%zz***-**-6789`,
		`123456789`:                     `***-**-6789`,
		`a=&#49;&#50;&#51;456789`:       `a=***-**-6789`,
		`%123-45-6789`:                  `%***-**-6789`,
	} {
		if got := mask.Query(query); got != want {
			t.Errorf("Query(%s) = %s, want %s", query, got, want)
		}
	}
}

// isReal takes the numbers of the areas 000 and 666 for synthetic ones.
func isReal(digits string) bool {
	return !strings.HasPrefix(digits, "000") && !strings.HasPrefix(digits, "666")
}

func TestMaskLine(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`magic: {ssn: 123-45-6789} # 000-00-1007`: `magic: {ssn: *******6789} # 000-00-1007`,
		`ssn: 123456789 # 12`:                     `ssn: *****6789 # 12`,
		`ssn: 1 2 3 4 5 6 7 8 9`:                  `ssn: *************6789`,
		`ssn: 000-12-345x`:                        `ssn: 000-12-345x`,
		`1 123-45-6789`:                           `1 *******6789`,
		`/x/123%2D45%2D6789`:                      `/x/***********6789`,
		`666–12–3456, 123–45–6789`:                `666–12–3456, *******6789`,
		`１２３４５６７８９`:                               `*****６７８９`,
		`phone: 2025550123`:                       `phone: 2025550123`,
		`at: 2025-01-15T09:30:00Z, 12-3456789`:    `at: 2025-01-15T09:30:00Z, 12-3456789`,
		`name: svc_sk_test_abc # svc_sk_`:         `name: svc_sk_******** # svc_sk_`,
		`k: "svc_sk_123 45 6789"`:                 `k: "svc_sk_***********"`, // a key may have spaces
	} {
		if got := mask.Line(line, isReal); got != want {
			t.Errorf("Line(%s) = %s, want %s", line, got, want)
		}
	}
}

func FuzzMask(f *testing.F) {
	f.Add(`{"social_security_number":"123-45-6789"}`)
	f.Add(`%25%32%35_sk_%`)
	f.Add(`\u0031\`)
	f.Add(`\uca222222222`)
	f.Add(`[{"ssn":[1,2.5e9,"\u0031"],"ssn":123456789}]`)
	f.Add(`ssn 12_sk_x 3456`)
	f.Add(`&#x31;&amp;#50;%26%2351;`)
	f.Add("1\u00ad2\u200b3\ufe0f４")
	f.Add(`00ssn000000000000A0!0000000`)
	f.Fuzz(func(t *testing.T, text string) {
		masked := mask.Text(text)
		if twice := mask.Text(masked); twice != masked {
			t.Errorf("%q is masked as %q, and that as %q", text, masked, twice)
		}
		all := readings(masked)
		if query, err := url.QueryUnescape(mask.Query(text)); err == nil {
			all = append(all, readings(query)...)
		}
		for _, reading := range all {
			if found := secret(reading); found != "" {
				t.Errorf("%q, masked as %q, has %q", text, masked, found)
			}
		}
		if line := mask.Line(text, isReal); utf8.RuneCountInString(line) != utf8.RuneCountInString(text) {
			t.Errorf("%q has another length than %q", line, text)
		}
		checkMaskedBody(t, []byte(text))
	})
}

// checkMaskedBody checks that a JSON body stays JSON.
func checkMaskedBody(t *testing.T, body []byte) {
	masked := mask.Body(body)
	if twice := mask.Body(masked); !bytes.Equal(twice, masked) {
		t.Errorf("%q is masked as %q, and that as %q", body, masked, twice)
	}
	if !json.Valid(body) {
		return
	}
	var value any
	in := json.NewDecoder(bytes.NewReader(masked))
	in.UseNumber()
	if err := in.Decode(&value); err != nil {
		t.Errorf("%q is JSON, and %q is not: %v", body, masked, err)
	}
	for _, text := range texts(value) {
		if found := secret(text); found != "" {
			t.Errorf("%q has %q", masked, found)
		}
	}
}

// readings returns a text and its decoded forms.
func readings(text string) []string {
	all := []string{text}
	var plain string
	if json.Unmarshal([]byte(`"`+text+`"`), &plain) == nil {
		all = append(all, plain)
	}
	for range 4 {
		decoded, err := url.PathUnescape(text)
		if err != nil {
			break
		}
		all, text = append(all, decoded), decoded
	}
	for _, reading := range all {
		all = append(all, visible(html.UnescapeString(reading)))
	}
	return all
}

// visible returns a text without invisible characters, and with fullwidth digits as others.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '０' <= r && r <= '９':
			return '0' + r - '０'
		case r >= utf8.RuneSelf && unicode.In(r, unicode.Cf, unicode.M):
			return -1
		}
		return r
	}, text)
}

var anySecret = regexp.MustCompile(`[0-9]{9}|[0-9]{3}-[0-9]{2}-[0-9]{4}|_[sp]k_`)

func secret(text string) string { return anySecret.FindString(text) }

// texts returns the texts of a JSON value.
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
