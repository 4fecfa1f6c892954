// Package production has a client of the verification API, a suite of twenty tests for it, and a table of bugs. Each bug changes
// one habit of the client, and the test of this package finds out which of the twenty notice it.
package production

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// client finds out what an applicant earns.
type client struct {
	base, key string
	http      *http.Client
	now       func() time.Time
	wait      func(time.Duration)
	person    func(token string)          // lets the applicant use the token of a session
	request   func(session string) string // the id of a session's verification request
	habits
}

type object map[string]any

var (
	errFrozen      = errors.New("the applicant has frozen their data")
	errUnavailable = errors.New("the service does not answer")
	errUnclear     = errors.New("no answer came, and the service may have done it")
	errNoAnswer    = errors.New("this is not an answer of the API")
	errPending     = errors.New("the verification takes too long")
	errEnded       = errors.New("the verification has ended without a report")
	errNoIncome    = errors.New("no report states an income")
)

// refusal is an answer that is an error. The status is 0 when no whole answer came.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the service answers %d %s", r.status, r.message)
}

// verify creates a session for a person, waits for its verification request, and returns the income a year in cents.
func (c *client) verify(ctx context.Context, number string) (int64, error) {
	body := object{"target": object{"first_name": "Ada", "last_name": "Example", "social_security_number": number, "date_of_birth": "1990-02-28"}}
	for key, value := range c.session {
		body[key] = value
	}
	var made session
	if err := c.call(ctx, http.MethodPost, "/credentials/session", nil, body, &made); err != nil {
		return 0, err
	}
	if err := errors.Join(c.id("cs_", made.ID), c.id("cst_", made.Token)); err != nil {
		return 0, err
	}
	if c.usesToken {
		c.person(made.Token)
	}
	return c.income(ctx, c.request(made.ID))
}

// income waits until a verification request is completed, and returns the income a year in cents.
func (c *client) income(ctx context.Context, id string) (int64, error) {
	for began := c.now(); ; c.wait(c.every) {
		var v verification
		err := c.call(ctx, http.MethodGet, "/verification-requests/"+url.PathEscape(id), c.query, nil, &v)
		if err == nil {
			err = c.id("vr_", v.ID)
		}
		switch {
		case err != nil:
			return 0, err
		case v.State == "completed":
			return c.sum(v)
		case v.State == "canceled" || v.State == "invalid":
			return 0, errEnded
		case !c.polls || c.within > 0 && c.now().Sub(began) >= c.within:
			return 0, errPending
		}
	}
}

// sum adds up the income of a completed verification request.
func (c *client) sum(v verification) (total int64, err error) {
	created, err := c.instant(v.Created)
	if err != nil {
		return 0, err
	}
	if completed, err := c.instant(v.Completed); err != nil || completed.Before(created) {
		return 0, errors.Join(errNoAnswer, err)
	}
	stated := false
	for _, r := range c.counted(v.Reports) {
		if err := c.word(r.Employee.Salary.Frequency); err != nil {
			return 0, err
		}
		if amount := c.annual(r); amount != "" {
			cents, err := c.cents(amount)
			if err != nil {
				return 0, err
			}
			stated, total = true, total+cents
		}
	}
	if !stated {
		return 0, errNoIncome
	}
	return total, nil
}

// cancel cancels a verification request.
func (c *client) cancel(ctx context.Context, id, reason string) (canceled cancellation, err error) {
	path := "/verification-requests/" + url.PathEscape(id) + "/cancel"
	err = c.call(ctx, http.MethodPut, path, nil, object{"cancellation_reason": reason}, &canceled)
	return canceled, err
}

// attempts is how often one call is sent at most.
const attempts = 3

// call sends a call, again where that does no harm, and reads its answer.
func (c *client) call(ctx context.Context, method, path string, query url.Values, body object, into any) error {
	for attempt := 1; ; attempt++ {
		status, header, text := c.send(ctx, method, path, query, body)
		err := error(&refusal{status: status})
		if status != 0 {
			err = c.read(status, text, into)
		}
		var refused *refusal
		if !errors.As(err, &refused) {
			return err
		}
		if !c.retry(method, status) {
			return c.failure(method, refused)
		}
		pause, err := c.pause(status, header, c.now())
		switch {
		case err != nil:
			return err
		case attempt == attempts:
			return errUnavailable
		}
		c.wait(pause)
	}
}

// versions are those that the specification gives to the operations, by method.
var versions = map[string]string{http.MethodGet: "2019-10-15", http.MethodPost: "2022-08-01", http.MethodPut: "2022-08-01"}

// send sends a call once. The status is 0 when no whole answer comes.
func (c *client) send(ctx context.Context, method, path string, query url.Values, body object) (int, http.Header, []byte) {
	if c.timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, c.timeout)
		defer cancel()
		ctx = limited
	}
	var sent io.Reader
	if text, err := json.Marshal(body); err != nil {
		panic(err)
	} else if body != nil {
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+path+"?"+c.parameters(c.key, query).Encode(), sent)
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Accept", "application/json; version="+versions[method])
	if body != nil && c.contentType != "" {
		r.Header.Set("Content-Type", c.contentType)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return 0, nil, nil
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil, nil
	}
	return answer.StatusCode, answer.Header, text
}

// The answers, as far as the client reads them.
type (
	session struct {
		ID    string
		Token string
	}
	verification struct {
		ID        string
		State     string
		Created   string
		Completed string `json:"date_of_completion"`
		Reports   []report
	}
	report struct {
		Employee struct {
			Status string
			Salary struct {
				Frequency string `json:"pay_frequency"`
			}
			Earnings []struct{ Total string }
		}
		Analytics struct {
			Income struct {
				Amount money
				Gross  money `json:"gross_amount"`
				Base   money `json:"base_amount"`
			} `json:"annualized_income"`
		} `json:"income_analytics"`
	}
	money        struct{ Amount string }
	cancellation struct {
		State  string
		Reason string `json:"cancellation_reason"`
	}
)
