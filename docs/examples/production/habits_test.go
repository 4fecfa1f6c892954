package production

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// habits are what a client decides for itself.
type habits struct {
	// What it sends.
	contentType string
	session     object // the body of a session without its target
	query       url.Values
	parameters  func(key string, query url.Values) url.Values

	// How it sends.
	timeout time.Duration                                                              // of one call; 0: none
	retry   func(method string, status int) bool                                       // whether it sends a call again; status 0: no answer came
	pause   func(status int, header http.Header, now time.Time) (time.Duration, error) // before it sends a call again

	// How it reads.
	read    func(status int, body []byte, into any) error
	failure func(method string, refused *refusal) error
	id      func(prefix, id string) error
	instant func(text string) (time.Time, error)
	word    func(frequency string) error
	cents   func(amount string) (int64, error)

	// How it waits for a request.
	usesToken bool
	polls     bool
	every     time.Duration
	within    time.Duration // 0: for ever

	// What it takes for income.
	counted func(all []report) []report
	annual  func(report) string
}

// right returns the habits of a right client.
func right() habits {
	return habits{
		contentType: "application/json",
		session:     object{"type": "employment-income", "use_case": "tenant", "permissible_purpose": "employee-request"},
		query:       url.Values{"income_analytics": {"true"}, "fields": {"id,state,created,date_of_completion,reports"}},
		parameters:  func(_ string, query url.Values) url.Values { return query },
		timeout:     time.Minute,
		retry:       harmless,
		pause:       retryAfter,
		read:        statusFirst,
		failure:     meaning,
		id:          notBlank,
		instant:     func(text string) (time.Time, error) { return time.Parse(time.RFC3339Nano, text) },
		word:        func(string) error { return nil },
		cents:       exact,
		usesToken:   true,
		polls:       true,
		every:       time.Hour,
		within:      72 * time.Hour,
		counted:     active,
		annual:      grossOrBase,
	}
}

// harmless repeats a read that the service could not answer, and any call that came too early.
func harmless(method string, status int) bool {
	switch status {
	case http.StatusTooManyRequests:
		return true
	case 0, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return method == http.MethodGet
	}
	return false
}

// retryAfter waits as long as the service says, in seconds or until a date, else two seconds.
func retryAfter(_ int, header http.Header, now time.Time) (time.Duration, error) {
	after := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(after); err == nil {
		return time.Duration(seconds) * time.Second, nil
	}
	if date, err := http.ParseTime(after); err == nil && date.After(now) {
		return date.Sub(now), nil
	}
	return 2 * time.Second, nil
}

// envelope is the body of an error.
type envelope struct{ Error *struct{ Message string } }

// statusFirst reads the body of an answer whose status says that it has one. The message of an error is only for people.
func statusFirst(status int, body []byte, into any) error {
	if status >= 300 {
		var e envelope
		if json.Unmarshal(body, &e) != nil || e.Error == nil {
			return &refusal{status: status}
		}
		return &refusal{status, e.Error.Message}
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	return nil
}

// meaning returns what a refusal means for the program.
func meaning(method string, refused *refusal) error {
	switch {
	case refused.status == http.StatusUnavailableForLegalReasons:
		return errFrozen
	case method != http.MethodGet && harmless(http.MethodGet, refused.status):
		return errUnclear
	}
	return refused
}

func notBlank(_, id string) error {
	if id == "" {
		return fmt.Errorf("%w: it has no id", errNoAnswer)
	}
	return nil
}

// exact reads an amount with two decimals.
func exact(amount string) (int64, error) {
	dollars, cents, ok := strings.Cut(amount, ".")
	if !ok || len(cents) != 2 {
		return 0, fmt.Errorf("%w: the amount %q", errNoAnswer, amount)
	}
	return strconv.ParseInt(dollars+cents, 10, 64)
}

// active selects the reports of present jobs.
func active(all []report) (present []report) {
	for _, r := range all {
		if r.Employee.Status == "active" {
			present = append(present, r)
		}
	}
	return present
}

// grossOrBase returns the income a year, and what the latest year earned where nothing is computed, "" for none.
func grossOrBase(r report) string {
	income := cmp.Or(r.Analytics.Income.Gross.Amount, r.Analytics.Income.Base.Amount)
	if income == "" && len(r.Employee.Earnings) > 0 {
		return r.Employee.Earnings[0].Total
	}
	return income
}
