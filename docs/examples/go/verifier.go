// Package verifier finds out what an applicant earns. It is an example of a program that uses the verification API; its
// tests show how such a program is tested.
package verifier

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	calls      = 3                      // of one request
	retryAfter = 500 * time.Millisecond // where an answer does not say
	longest    = 10 * time.Second       // that an answer or a retry is waited for
	expireIn   = 30 * 24 * time.Hour    // what was true a month ago counts no more
)

var (
	ErrUnavailable = errors.New("the applicant has frozen their data")
	ErrExpired     = errors.New("the data is too old: order a new verification")
	ErrGaveUp      = errors.New("the service does not answer")
	ErrPending     = errors.New("the verification has not ended")
	ErrCanceled    = errors.New("the verification ended without a report")
)

// Verifier asks the API at a base URL with a key, and serves its webhook, which has a token.
type Verifier struct {
	URL, Key, Secret string
	Wait             func(time.Duration)
	Now              func() time.Time

	ended sync.Map // verification requests, by the tokens of their sessions
}

// Applicant is the person whose income is wanted.
type Applicant struct {
	FirstName   string `json:"first_name"`
	LastName    string `json:"last_name"`
	SSN         string `json:"social_security_number"`
	DateOfBirth string `json:"date_of_birth"`
}

// Income is what the latest report says of a person.
type Income struct {
	Employer string
	GrossPay string
	AsOf     string // YYYY-MM-DD
}

// Begin begins the verification of an applicant, and returns the token that the applicant's browser uses.
func (v *Verifier) Begin(applicant Applicant) (token string, err error) {
	var session struct{ Token string }
	err = v.call(http.MethodPost, "/credentials/session", map[string]any{
		"type": "employment-income", "use_case": "tenant", "permissible_purpose": "employee-request", "target": applicant,
	}, &session)
	return session.Token, err
}

// ServeHTTP serves the webhook. What fails is not taken, so that the service sends it again.
func (v *Verifier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var received event
	switch {
	case r.Header.Get("X-Webhook-Token") != v.Secret:
		w.WriteHeader(http.StatusUnauthorized)
	case json.NewDecoder(r.Body).Decode(&received) != nil || v.receive(received) != nil:
		w.WriteHeader(http.StatusServiceUnavailable)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// receive takes an event. It may come twice, late, after a later one, or before the answer that has the session's token: so what
// counts is not what it says, but what the request says now.
func (v *Verifier) receive(e event) error {
	if e.Hook.Event != "verification_request.state.change" {
		return nil
	}
	request, err := v.get(e.Data.Request)
	switch request.State {
	case "completed", "canceled", "invalid":
		v.ended.Store(e.Data.Token, e.Data.Request)
	}
	return err
}

// Result returns the income that the session with a token has shown.
func (v *Verifier) Result(token string) (Income, error) {
	id, ok := v.ended.Load(token)
	if !ok {
		return Income{}, ErrPending
	}
	request, err := v.get(id.(string))
	if err != nil {
		return Income{}, err
	}
	if len(request.Reports) == 0 {
		return Income{}, ErrCanceled
	}
	report := request.Reports[0]
	asOf, err := time.Parse(time.DateOnly, report.CurrentAsOf)
	if err != nil {
		return Income{}, fmt.Errorf("current_as_of: %w", err)
	}
	if v.Now().Sub(asOf) > expireIn {
		return Income{}, ErrExpired
	}
	return Income{report.Employer.Name, report.Employee.Salary.GrossPay, report.CurrentAsOf}, nil
}

func (v *Verifier) get(id string) (found verification, err error) {
	return found, v.call(http.MethodGet, "/verification-requests/"+id, nil, &found)
}

// call sends a request, and decodes the answer. It sends the request again after an answer that asks for it, and a read after
// any failure of the service or of the connection: what a lost answer to another request has done is not known.
func (v *Verifier) call(method, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	read := method == http.MethodGet
	for range calls {
		after := retryAfter
		switch answer, err := v.send(method, path, text, into); {
		case err != nil && !read:
			return err
		case err != nil || read && answer.StatusCode >= http.StatusBadGateway:
		case answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusInternalServerError:
			after = pause(answer)
		case answer.StatusCode == http.StatusUnavailableForLegalReasons:
			return ErrUnavailable
		case answer.StatusCode >= http.StatusBadRequest:
			return fmt.Errorf("the service answers %s", answer.Status)
		default:
			return nil
		}
		if after > longest {
			return ErrGaveUp
		}
		v.Wait(after)
	}
	return ErrGaveUp
}

var client = http.Client{Timeout: longest}

// send sends a request once. Only the answer of a success is decoded.
func (v *Verifier) send(method, path string, body []byte, into any) (answer *http.Response, err error) {
	call, err := http.NewRequest(method, v.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	call.Header.Set("Authorization", "Bearer "+v.Key)
	call.Header.Set("Content-Type", "application/json")
	if answer, err = client.Do(call); err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode < http.StatusBadRequest {
		err = json.NewDecoder(answer.Body).Decode(into)
	}
	return answer, err
}

// pause is how long to wait before a request is sent again: Retry-After is a number of seconds, or an instant by the clock of Date.
func pause(answer *http.Response) time.Duration {
	after := answer.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(after); err == nil {
		return time.Duration(seconds) * time.Second
	}
	now, err := http.ParseTime(answer.Header.Get("Date"))
	if at, parsed := http.ParseTime(after); err == nil && parsed == nil {
		return at.Sub(now)
	}
	return retryAfter
}

// event has what this program reads of an event.
type event struct {
	Hook struct{ Event string }
	Data struct {
		Request string `json:"verification_request_id"`
		Token   string `json:"credentials_session_token"`
	}
}

// verification has the fields of a verification request that this program reads.
type verification struct {
	State   string
	Reports []struct {
		CurrentAsOf string `json:"current_as_of"`
		Employee    struct {
			Salary struct {
				GrossPay string `json:"gross_pay"`
			}
		}
		Employer struct{ Name string }
	}
}
