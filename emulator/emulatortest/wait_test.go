package emulatortest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

func TestWaitFor(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t)
	for name, tt := range map[string]struct {
		id   string
		want time.Duration // by which the clock has moved
	}{
		"steps by the clock move the clock":       {"vr_lifecycle_timed", 24 * time.Hour},
		"steps by reads wait for who polls":       {"vr_lifecycle", 0},
		"state that is there is returned at once": {"vr_completed", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, client := s.World(t), s.Client(t)
			polled := make(chan bool)
			go func() {
				defer close(polled)
				for t.Context().Err() == nil && stateOf(client, s.URL, tt.id) != "completed" {
				}
			}()
			if v := w.WaitFor(tt.id, api.StateCompleted, time.Minute); v.Document.State != api.StateCompleted {
				t.Errorf("it is %s", v.Document.State)
			}
			<-polled
			if moved := w.Now().Sub(emulatortest.Epoch); moved != tt.want {
				t.Errorf("the clock has moved by %s", moved)
			}
		})
	}
}

func TestUnmatched(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t)
	stateOf(http.DefaultClient, s.URL, "vr_completed")
	if all := s.Unmatched(t); len(all) != 1 || all[0].Status != 401 {
		t.Errorf("%+v", all)
	}
}

func TestCredentialsSession(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t, emulator.WithSessionFlow("manual"))
	w := s.World(t)
	answer, err := s.Client(t).Post(s.URL+"/credentials/session", "application/json", strings.NewReader(`{"permissible_purpose": "credit-application",
		"type": "employment-income", "use_case": "mortgage", "target": {"first_name": "Ada", "last_name": "Example", "date_of_birth": "1990-02-28",
		"social_security_number": "000-00-0000"}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var made struct{ ID string }
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil {
		t.Fatal(err)
	}
	session := w.CredentialsSession(made.ID)
	if v := w.VerificationRequest(session.VerificationRequestID); session.ID != made.ID || v.SessionID != made.ID || v.Name != session.Scenario || session.Outcome != "" || session.Flow != "manual" || session.FlowURL == "" {
		t.Errorf("%+v", session)
	}
	if done := w.FinishSession(made.ID, "failure"); done.Outcome != "failure" || done.State != api.StateCanceled {
		t.Errorf("%+v", done)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	w := emulatortest.Run(t, emulator.WithGrease("on")).World(t)
	if s := w.SetSettings("{session_flow: manual, account: {types: [employment]}}"); s.Grease != "on" || s.SessionFlow != "manual" || len(s.Account.Types) != 1 {
		t.Errorf("%+v", s)
	}
	if s := w.SetSettings("{}"); s != w.Settings() || s.SessionFlow != "auto" || s.Account != nil {
		t.Errorf("as the options have it: %+v", s)
	}
}
