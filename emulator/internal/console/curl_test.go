package console_test

import (
	"html"
	"strings"
	"testing"
)

// asCurl returns the curl command in the page of an answer's request, and the text of that section.
func (v *visitor) asCurl(asked answer) (curl, beside string) {
	v.t.Helper()
	section := answer{t: v.t, body: v.get(v.entry(asked)).shows(200).find(`(?s)(<h3 id="as-code">.*?</section>)`)}
	return html.UnescapeString(tags.ReplaceAllString(section.find(`(?s)data-language="curl".*?<code>(.*?)</code>`), "")), section.text()
}

const (
	unlike    = "It differs from the request that came"
	freshSSN  = `{"target":{"social_security_number":"000-00-1002"},"note":"it's"}`
	binaryTwo = "\xff\x00"
)

func TestCurl(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, tt := range []struct {
		name, method, path, body string
		has, want                []string
	}{
		{"a read", "GET", "/verification-requests/vr_completed?fields=id", "",
			[]string{"curl '" + v.url + "/verification-requests/vr_completed?fields=id' \\\n  -H 'Authorization: Bearer svc_sk_test_YOUR-KEY'"}, nil},
		{"a slash in an id", "GET", "/verification-requests/a%2Fb%3Fc%25", "", []string{"/verification-requests/a%2Fb%3Fc%25'"}, nil},
		{"a slash in an id, and one behind it", "GET", "/verification-requests/a%2Fb/", "", []string{"/verification-requests/a%2Fb/'"}, nil},
		{"a cancel of an id with a slash", "PUT", "/verification-requests/a%2Fcancel/cancel", "{}", []string{"/verification-requests/a%2Fcancel/cancel'"}, nil},
		{"an id named cancel", "GET", "/verification-requests/cancel", "", []string{"/verification-requests/cancel'"}, nil},
		{"an id of dots", "GET", "/verification-requests/%2E%2E", "", []string{"curl --path-as-is '", "/verification-requests/..'"}, []string{unlike, "Python and Node take the id for a step"}},
		{"brackets in a query", "GET", "/verification-requests/vr_completed?a[]={1}", "", []string{"?a%5B%5D=%7B1%7D'"}, nil},
		{"a query that cannot be decoded", "GET", "/verification-requests/vr_completed?a=%zz%41", "", []string{"?a=%25zz%41'"}, []string{unlike, "few clients can send"}},
		{"a body of a shell's signs", "PUT", "/tenant-properties/tp_default", "{\"name\":\"it's $(x)`y`\\\\\"}", []string{"--data-raw '{\"name\":\"it'\\''s $(x)`y`\\\\\"}'"}, nil},
		{"a number of a test person", "POST", "/credentials/session", freshSSN,
			[]string{"'" + v.url + "/credentials/session'", `"social_security_number":"000-00-1002"`}, []string{unlike, "The body had a social security number", "000-00-"}},
		{"a number in the path", "GET", "/verification-requests/123-45-6789", "", []string{"/verification-requests/000-00-6789'"}, []string{unlike, "The path had a social security number"}},
		{"a key in the query", "GET", "/verification-requests/vr_completed?key=svc_sk_test_abc", "", nil, []string{unlike, "The query had a secret that the journal does not have"}},
		{"a long body", "PUT", "/tenant-properties/tp_default", `{"name":"` + strings.Repeat("x", 20<<10) + `"}`,
			[]string{"--data-binary @body"}, []string{unlike, "Only the beginning of the body, 20.0 kB"}},
		{"a binary body", "PUT", "/tenant-properties/tp_default", binaryTwo, []string{"--data-binary @body"}, []string{unlike, "is not text"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			curl, beside := v.asCurl(v.ask(tt.method, tt.path, tt.body))
			for _, part := range tt.has {
				if !strings.Contains(curl, part) {
					t.Errorf("has no %s:\n%s", part, curl)
				}
			}
			for _, part := range tt.want {
				if !strings.Contains(beside, part) {
					t.Errorf("does not say %q: %s", part, beside)
				}
			}
			if tt.want == nil && strings.Contains(beside, unlike) {
				t.Errorf("want what is not so: %s", beside)
			}
			if strings.Contains(curl, "***") || strings.Contains(curl, "xxxx") {
				t.Errorf("offers what cannot be sent:\n%s", curl)
			}
		})
	}
}

func TestCurlWithoutContentType(t *testing.T) {
	t.Parallel()
	v := visit(t)
	curl, _ := v.asCurl(v.send("PUT", "/tenant-properties/tp_default", `{"name":"a"}`, "Authorization", "Bearer "+key))
	if !strings.Contains(curl, "-H 'Content-Type:'") { // or curl would send its own
		t.Errorf("has no place for the type that was not sent:\n%s", curl)
	}
}
