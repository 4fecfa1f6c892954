//go:build unix

package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"time"
)

// asClient makes the test binary run a client of the emulated API, with the mistake that it names; "none" is without one.
const asClient = "TEST_AS_CLIENT"

func init() {
	if mistake := os.Getenv(asClient); mistake != "" {
		c := caller{mistake}
		work := c.work
		if strings.Contains(mistake, "event") {
			work = c.listen
		}
		if err := work(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// caller creates a session, waits for its request and one by its id, cancels another, and updates a property.
type caller struct{ mistake string }

const session = `{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",` +
	`"target":{"first_name":"Ada","last_name":"Example","date_of_birth":"1985-04-12","social_security_number":"000-00-0000"}}`

func (c caller) work() error {
	if err := c.createSession(); err != nil {
		return err
	}
	if err := c.await("vr_frequency_weekly"); err != nil {
		return err
	}
	if err := c.cancel("vr_processing"); err != nil && c.mistake != "an error is swallowed" {
		return err
	}
	updated, err := c.retry("PUT", "/tenant-properties/tp_default", "2023-10-30", `{"name":"Quay House","city":"Oakland","state":"CA"}`)
	if err == nil && updated["id"] != "tp_default" {
		err = errors.New("it is not updated")
	}
	return err
}

func (c caller) createSession() error {
	const path, version = "/credentials/session", "2022-08-01"
	created, err := c.send("POST", path, version, session)
	if refused := (refusal{}); c.mistake == "a second session after a lost answer" && err != nil && !errors.As(err, &refused) {
		created, err = c.send("POST", path, version, session)
	}
	if err == nil && created["token"] == nil {
		err = errors.New("the session has no token")
	}
	return err
}

// listen creates a session when an event says that a request is completed, which it reads.
func (c caller) listen() error {
	events := make(chan string, 16)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var event struct {
			Data struct {
				State string
				ID    string `json:"verification_request_id"`
			}
		}
		if json.NewDecoder(r.Body).Decode(&event) == nil && event.Data.ID == "vr_lifecycle" {
			events <- event.Data.State
		}
	}))
	defer receiver.Close()
	if _, err := c.send("POST", "/_understudy/v1/webhooks", "2023-10-30", `{"url":"`+receiver.URL+`"}`); err != nil {
		return err
	}
	for range 3 {
		if _, err := c.retry("GET", "/verification-requests/vr_lifecycle", "2019-10-15", ""); err != nil {
			return err
		}
	}
	handled, last := false, ""
	for patience := 2 * time.Second; ; patience = 500 * time.Millisecond { // for a second one
		select {
		case last = <-events:
			if last != "completed" || handled && c.mistake != "an event is handled twice" {
				continue
			}
			handled = true
			if err := c.createSession(); err != nil {
				return err
			}
			continue
		case <-time.After(patience):
		}
		switch {
		case !handled:
			return errors.New("no event said that the request is completed")
		case c.mistake == "the last event is trusted" && last != "completed":
			return errors.New("the request is " + last)
		}
		return nil
	}
}

// await polls a request until it has ended, at most five times.
func (c caller) await(id string) error {
	for n := 0; n < 5 || c.mistake == "polling without end"; n++ {
		read, err := c.retry("GET", "/verification-requests/"+id, "2019-10-15", "")
		if err != nil {
			return err
		}
		switch state, _ := read["state"].(string); state {
		case "":
			return errors.New("the request has no state")
		case "completed":
			return c.use(read)
		case "canceled", "invalid":
			return nil
		}
		c.wait(10 * time.Millisecond)
	}
	return errors.New(id + " has not ended in time")
}

// use reads a report.
func (c caller) use(read map[string]any) error {
	for _, report := range read["reports"].([]any) {
		respondent := report.(map[string]any)["respondent"]
		if _, ok := respondent.(map[string]any); !ok && c.mistake == "null is not expected" {
			return errors.New("the respondent is no object")
		}
	}
	return nil
}

// cancel cancels a request. When the answer is unclear, it reads the request.
func (c caller) cancel(id string) error {
	path := "/verification-requests/" + id
	for range 2 {
		canceled, err := c.send("PUT", path+"/cancel", "2022-08-01", `{"cancellation_reason":"immediate"}`)
		switch {
		case err == nil && (canceled["state"] == "canceled" || c.mistake == "an empty 200 is taken for success"):
			return nil
		case c.mistake == "a lost answer to a cancel is a failure":
			return fmt.Errorf("cancel: %w", err)
		case c.mistake == "a 403 is sent again" && errors.Is(err, refusal{403, 0}):
			for range 3 {
				c.send("PUT", path+"/cancel", "2022-08-01", `{"cancellation_reason":"immediate"}`)
			}
			return err
		}
		after, limited := c.mayRetry(err)
		if refused := (refusal{}); errors.As(err, &refused) && refused.status == 429 && !limited {
			return err
		}
		c.wait(after)
		read, failed := c.retry("GET", path, "2019-10-15", "")
		if failed != nil {
			return failed
		}
		if read["state"] == "canceled" {
			return nil
		}
	}
	return errors.New("it is not canceled")
}

// refusal is an answer with another status than 200 and 201.
type refusal struct {
	status int
	after  time.Duration // as Retry-After asks
}

func (r refusal) Error() string { return "status " + strconv.Itoa(r.status) }

// mayRetry reports whether a request may be sent again after an error, and when.
func (c caller) mayRetry(err error) (after time.Duration, ok bool) {
	refused := refusal{}
	if !errors.As(err, &refused) {
		return 0, c.mistake != "no retry of a lost answer"
	}
	switch {
	case refused.status == 429 && c.mistake == "Retry-After is ignored":
		return 0, true
	case refused.status == 429 && c.mistake == "Retry-After is needed" && refused.after == 0:
		return 0, false
	case refused.status == 451 && c.mistake == "a 451 is taken for a 500":
		return 0, true
	}
	return refused.after, refused.status == 429 && refused.after < 3*time.Second || refused.status >= 500 && refused.status != 501
}

// retry sends a request that may be sent twice, up to three times.
func (c caller) retry(method, path, version, body string) (answer map[string]any, err error) {
	for range 3 {
		if answer, err = c.send(method, path, version, body); err == nil {
			return answer, nil
		}
		after, ok := c.mayRetry(err)
		if !ok {
			break
		}
		c.wait(after)
	}
	return nil, err
}

// wait waits between two requests: clients do so in real time.
func (c caller) wait(span time.Duration) { <-time.After(span) }

func (c caller) send(method, path, version, body string) (answer map[string]any, err error) {
	r, err := http.NewRequest(method, os.Getenv("UNDERSTUDY_URL")+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = http.Header{
		"Authorization": {"Bearer " + os.Getenv("UNDERSTUDY_KEY")}, "Content-Type": {"application/json"}, "Accept": {"application/json; version=" + version},
	}
	r.GetBody = nil // the library sends nothing again by itself
	sent, err := (&http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return nil, err
	}
	defer sent.Body.Close()
	text, err := io.ReadAll(sent.Body)
	if err != nil {
		return nil, err
	}
	if sent.StatusCode > 201 {
		if c.mistake == "every answer is JSON" && json.Unmarshal(text, &answer) != nil {
			panic("the answer is no JSON")
		}
		return nil, refusal{sent.StatusCode, retryAfterOf(sent.Header)}
	}
	if c.mistake == "an empty 200 is taken for success" && len(text) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if c.mistake == "an unknown key is refused" {
		var document struct {
			ID, Token string
		}
		decoder.DisallowUnknownFields()
		if method == "POST" {
			return map[string]any{"token": document.Token}, decoder.Decode(&document)
		}
	}
	return answer, decoder.Decode(&answer)
}

// retryAfterOf returns the time for which an answer asks to wait. A date counts from that of the answer.
func retryAfterOf(header http.Header) time.Duration {
	after := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(after); err == nil {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(after)
	from, failed := http.ParseTime(header.Get("Date"))
	if err != nil || failed != nil {
		return 0
	}
	return until.Sub(from)
}
