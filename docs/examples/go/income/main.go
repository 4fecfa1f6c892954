// Income prints what an applicant earns, whose social security number is its argument. It learns by a webhook of the service at
// UNDERSTUDY_URL when the verification has ended.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	verifier "github.com/understudy-sandbox/understudy/docs/examples/go"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: income SSN")
	}
	v := &verifier.Verifier{URL: os.Getenv("UNDERSTUDY_URL"), Key: os.Getenv("UNDERSTUDY_KEY"), Secret: "whsec_made_up", Wait: time.Sleep, Now: now}
	listener := httptest.NewServer(v)
	defer listener.Close()
	if err := subscribe(v, listener.URL); err != nil {
		log.Fatal(err)
	}
	income, err := verify(v, verifier.Applicant{FirstName: "Ada", LastName: "Example", SSN: os.Args[1], DateOfBirth: "1990-02-28"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s pays %s (%s)\n", income.Employer, income.GrossPay, income.AsOf)
}

// now is the instant at which a trial's worlds stand.
func now() time.Time { return time.Date(2025, 1, 15, 9, 30, 0, 0, time.UTC) }

// subscribe has the emulator send events, as an operator does at the real service.
func subscribe(v *verifier.Verifier, receiver string) error {
	body, err := json.Marshal(map[string]string{"url": receiver, "token": v.Secret})
	if err != nil {
		return err
	}
	call, err := http.NewRequest(http.MethodPost, v.URL+"/_understudy/v1/webhooks", bytes.NewReader(body))
	if err != nil {
		return err
	}
	call.Header.Set("Authorization", "Bearer "+v.Key)
	answer, err := http.DefaultClient.Do(call)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		return fmt.Errorf("the webhook is refused: %s", answer.Status)
	}
	return nil
}

// verify begins a verification, and waits four seconds for its end.
func verify(v *verifier.Verifier, applicant verifier.Applicant) (verifier.Income, error) {
	token, err := v.Begin(applicant)
	if err != nil {
		return verifier.Income{}, err
	}
	for range 80 {
		income, err := v.Result(token)
		if !errors.Is(err, verifier.ErrPending) {
			return income, err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return verifier.Income{}, verifier.ErrPending
}
