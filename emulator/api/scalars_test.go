package api_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

func TestDatetime(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z"$`)
	render := func(at time.Time) string {
		text, err := api.Render(api.DatetimeOf(at))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	t.Run("any instant has the form, keeps its order and is read as it was", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			zone := time.FixedZone("", 60*rapid.IntRange(-14*60, 14*60).Draw(t, "zone in minutes"))
			at := time.Unix(rapid.Int64Range(-2_000_000_000, 250_000_000_000).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanosecond")).In(zone)
			later := at.Add(time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "later")))
			shown := render(at)
			if !form.MatchString(shown) || render(later) < shown {
				t.Fatalf("%s is shown as %s, %s as %s", at, shown, later, render(later))
			}
			var read api.Datetime
			if err := json.Unmarshal([]byte(shown), &read); err != nil || !read.Equal(at.Truncate(time.Microsecond)) {
				t.Fatalf("%s is read as %s: %v", shown, read, err)
			}
		})
	})
	const example = "2025-01-15T09:30:00.000000Z"
	for text, want := range map[string]string{
		"2025-01-15T09:30:00Z":              example,
		"2025-01-15T09:30:00.5Z":            "2025-01-15T09:30:00.500000Z",
		"2025-01-15T10:30:00.123456+01:00":  "2025-01-15T09:30:00.123456Z",
		"2025-01-15T09:30:00.123456000Z":    "2025-01-15T09:30:00.123456Z",
		"2025-01-15T09:30:00.1234567Z":      "has more than six digits of a second, which the API does not show: cut it to 2025-01-15T09:30:00.123456Z",
		"2025-01-15T09:30:00.000000001Z":    "has more than six digits of a second, which the API does not show: cut it to " + example,
		"2025-01-15":                        "is not an instant such as " + example,
		"9999-12-31T23:59:59-05:00":         "is not an instant such as " + example,
		"0000-01-01T00:00:00.000000+14:00 ": "is not an instant such as " + example,
	} {
		t.Run(strings.ReplaceAll(text, ":", ""), func(t *testing.T) {
			t.Parallel()
			var inText, inJSON api.Datetime
			textErr, jsonErr := inText.UnmarshalText([]byte(text)), json.Unmarshal([]byte(`"`+text+`"`), &inJSON)
			got := []string{inText.String(), inJSON.String()}
			for i, err := range []error{textErr, jsonErr} {
				if err != nil {
					got[i] = err.Error()
				}
			}
			if got[0] != want || got[1] != want {
				t.Errorf("read as %q, want %q", got, want)
			}
		})
	}
}
