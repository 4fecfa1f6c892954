// Package verifier finds out what an applicant earns. It is an example of a program that uses the verification API; its
// tests show how such a program is tested.
package verifier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const (
	pollEvery  = 6 * time.Hour
	polls      = 40                  // ten days
	retries    = 3                   // of one call
	retryAfter = 2 * time.Second     // where an answer does not say
	expireIn   = 30 * 24 * time.Hour // what was true a month ago counts no more
)

var (
	ErrUnavailable = errors.New("the applicant has frozen their data")
	ErrExpired     = errors.New("the data is too old: order a new verification")
	ErrGaveUp      = errors.New("the service does not answer")
	ErrPending     = errors.New("the verification takes too long")
	ErrCanceled    = errors.New("the verification was canceled")
)

// Verifier asks the API at a base URL with a key.
type Verifier struct {
	URL, Key string
	Wait     func(time.Duration)
	Now      func() time.Time
}

// Income is what the latest report says of a person.
type Income struct {
	Employer string
	GrossPay string
	AsOf     string // YYYY-MM-DD
}

// Income waits until a verification request is completed, and returns its income.
func (v *Verifier) Income(ctx context.Context, id string) (Income, error) {
	for range polls {
		request, err := v.get(ctx, id)
		if err != nil {
			return Income{}, err
		}
		switch request.State {
		case "completed":
			return v.fresh(request)
		case "canceled":
			return Income{}, ErrCanceled
		}
		v.Wait(pollEvery)
	}
	return Income{}, ErrPending
}

// fresh returns the income of the first report, unless it has expired.
func (v *Verifier) fresh(request verification) (Income, error) {
	if len(request.Reports) == 0 {
		return Income{}, errors.New("the verification has no report")
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

// get reads a verification request. It sends it again after 429 and 500.
func (v *Verifier) get(ctx context.Context, id string) (verification, error) {
	for range retries {
		request, answer, err := v.send(ctx, id)
		if err != nil {
			return verification{}, err
		}
		switch answer.StatusCode {
		case http.StatusOK:
			return request, nil
		case http.StatusUnavailableForLegalReasons:
			return verification{}, ErrUnavailable
		case http.StatusTooManyRequests, http.StatusInternalServerError:
			v.Wait(pause(answer))
		default:
			return verification{}, fmt.Errorf("the service answers %s", answer.Status)
		}
	}
	return verification{}, ErrGaveUp
}

// send sends the call once. Only an answer with status 200 has a verification request; its body is read.
func (v *Verifier) send(ctx context.Context, id string) (found verification, answer *http.Response, err error) {
	call, err := http.NewRequestWithContext(ctx, http.MethodGet, v.URL+"/verification-requests/"+id, nil)
	if err != nil {
		return found, nil, err
	}
	call.Header.Set("Authorization", "Bearer "+v.Key)
	if answer, err = http.DefaultClient.Do(call); err != nil {
		return found, nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		err = json.NewDecoder(answer.Body).Decode(&found)
	}
	return found, answer, err
}

// pause is how long to wait before a call is sent again.
func pause(answer *http.Response) time.Duration {
	seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	if err != nil {
		return retryAfter
	}
	return time.Duration(seconds) * time.Second
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
