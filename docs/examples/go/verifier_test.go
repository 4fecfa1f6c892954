package verifier

import (
	"errors"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

var (
	atOnce  = Applicant{"Ada", "Example", "000-00-0000", "1990-02-28"}
	inADay  = Applicant{"Ada", "Example", "000-00-1002", "1990-02-28"}
	frozen  = Applicant{"Ada", "Example", "000-00-0451", "1990-02-28"}
	refuses = Applicant{"Ada", "Example", "000-77-0002", "1990-02-28"}
)

// setting is a verifier that receives the events of a world of its own: where it waits, the wait is recorded.
type setting struct {
	*testing.T
	*Verifier
	*emulatortest.World
	waits []time.Duration
}

func start(t *testing.T) *setting {
	t.Parallel()
	server := emulatortest.Run(t)
	s := &setting{T: t, World: server.World(t)}
	s.Verifier = &Verifier{URL: server.URL, Key: server.Key(t), Now: s.World.Now, Wait: func(d time.Duration) { s.waits = append(s.waits, d) }}
	listener := httptest.NewServer(s.Verifier)
	t.Cleanup(listener.Close)
	s.Secret = s.Webhook(listener.URL).Token
	return s
}

func (s *setting) begin(a Applicant) (token string) {
	s.Helper()
	token, err := s.Begin(a)
	if err != nil {
		s.Fatal(err)
	}
	return token
}

// wantIncome checks that a session has ended with an income.
func (s *setting) wantIncome(token string) {
	s.Helper()
	if income, err := s.Result(token); err != nil || income.AsOf == "" || income.GrossPay == "" || income.Employer == "" {
		s.Errorf("the income is %+v: %v", income, err)
	}
}

// wantError checks that a session has no income, for a reason.
func (s *setting) wantError(token string, want error) {
	s.Helper()
	if _, err := s.Result(token); !errors.Is(err, want) {
		s.Errorf("the error is %v, want %v", err, want)
	}
}

// wantTaken checks how often a webhook was taken.
func (s *setting) wantTaken(count int) {
	s.Helper()
	s.Verify(emulator.Expectation{Kind: "webhook", Match: emulator.Match{Status: "204"}, Times: emulator.Times{Exactly: &count}})
}

func TestCompletes(t *testing.T) {
	s := start(t)
	token := s.begin(inADay)
	s.wantError(token, ErrPending)
	s.Advance(24 * time.Hour)
	s.wantIncome(token)
	s.wantTaken(3) // processing, completed, and the session's success
}

func TestReceivesAnEventTwice(t *testing.T) {
	s := start(t)
	s.AddFault(`{on: webhook, deliver: twice}`)
	token := s.begin(atOnce)
	s.Advance(0) // sends what is due
	s.wantIncome(token)
	s.wantTaken(6)
}

func TestReceivesAnEventLate(t *testing.T) {
	s := start(t)
	s.AddFault(`{on: webhook, state: [completed], deliver: {late: 2h}}`)
	token := s.begin(inADay)
	s.Advance(24 * time.Hour)
	s.wantError(token, ErrPending)
	s.Advance(2 * time.Hour)
	s.wantIncome(token)
}

func TestReceivesEventsOutOfOrder(t *testing.T) {
	s := start(t)
	s.AddFault(`{on: webhook, state: [processing], deliver: out-of-order}`)
	token := s.begin(inADay)
	s.Advance(24 * time.Hour)
	s.wantIncome(token)
	s.wantTaken(3)
}

func TestReceivesAnEventBeforeTheAnswer(t *testing.T) {
	s := start(t)
	s.AddFault(`{on: webhook, deliver: before-answer}`)
	s.wantIncome(s.begin(atOnce))
}

func TestReceivesAnEventAfterAFailure(t *testing.T) {
	s := start(t)
	s.AddFault(`{on: get, respond: {status: 500}, times: 3}`)
	token := s.begin(atOnce)
	s.Advance(0)
	s.wantError(token, ErrPending)
	s.Advance(time.Minute)
	s.wantIncome(token)
}

func TestRefusesAnotherToken(t *testing.T) {
	s := start(t)
	s.AddFault(`{on: webhook, deliver: wrong-token}`)
	token := s.begin(atOnce)
	s.Advance(0)
	s.wantError(token, ErrPending)
	s.wantTaken(0)
}

func TestUnavailable(t *testing.T) {
	if _, err := start(t).Begin(frozen); !errors.Is(err, ErrUnavailable) {
		t.Errorf("the error is %v", err)
	}
}

func TestCanceled(t *testing.T) {
	s := start(t)
	token := s.begin(refuses)
	s.Advance(0)
	s.wantError(token, ErrCanceled)
}

func TestRetriesAfterTooManyRequests(t *testing.T) {
	for _, after := range []string{`headers: {Retry-After: "7"}`, `dates: {Retry-After: 7s}`} {
		t.Run(after, func(t *testing.T) {
			s := start(t)
			s.AddFault(`{on: get, respond: {status: 429, ` + after + `}, times: 1}`)
			token := s.begin(atOnce)
			s.Advance(0)
			s.wantIncome(token)
			if !slices.Equal(s.waits, []time.Duration{7 * time.Second}) {
				t.Errorf("it waited %v, not 7s", s.waits)
			}
		})
	}
}

func TestDoesNotWaitForAnHour(t *testing.T) {
	s := start(t)
	token := s.begin(atOnce)
	s.Advance(0)
	s.AddFault(`{on: get, respond: {status: 429, headers: {Retry-After: "3600"}}}`)
	s.wantError(token, ErrGaveUp)
	if len(s.waits) > 0 {
		t.Errorf("it waited %v", s.waits)
	}
}

// A read is sent again when its answer is lost; a session is not, since the lost one may be there.
func TestLostAnswers(t *testing.T) {
	s := start(t)
	s.AddFault(`{on: create, fault: truncated, times: 1}`)
	if _, err := s.Begin(atOnce); err == nil {
		t.Error("a session was begun twice")
	}
	token := s.begin(inADay)
	s.Advance(24 * time.Hour)
	s.AddFault(`{on: get, fault: truncated, times: 1}`)
	s.AddFault(`{on: get, respond: {status: 502}, times: 1}`)
	s.wantIncome(token)
}

func TestGivesUp(t *testing.T) {
	s := start(t)
	token := s.begin(atOnce)
	s.Advance(0)
	s.AddFault(`{on: get, respond: {status: 500}}`)
	s.wantError(token, ErrGaveUp)
	s.Verify(emulator.Expectation{Operation: "getVerificationRequest", Match: emulator.Match{Status: "500"}, Times: emulator.Times{Exactly: new(3)}})
}

func TestExpires(t *testing.T) {
	s := start(t)
	token := s.begin(inADay)
	s.Advance(32 * 24 * time.Hour)
	s.wantError(token, ErrExpired)
}
