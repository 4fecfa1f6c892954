package journal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

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
		for _, text := range []string{string(written), e.Path, e.Query, fmt.Sprint(e.Headers), string(e.request.text())} {
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

// Of a number that the end of what is kept cuts in two nothing is known, and nothing kept.
func TestANumberThatIsCutIsNotKept(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"123-45-6789", "123456789"} {
		for inside := range len(number) {
			body := strings.Repeat("x", MaxBody-inside) + number + " tail"
			e := NewEntry(Asked{Body: []byte(body), Size: int64(len(body))}, nil)
			if text := string(e.request.text()); strings.ContainsAny(text, "123456789") {
				t.Errorf("%d of %s inside: …%s", inside, number, text[len(text)-12:])
			}
		}
	}
}
