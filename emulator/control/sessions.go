package control

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// sessionView is a credentials session and where it leads.
type sessionView struct {
	ID                  string    `json:"id"`
	Created             time.Time `json:"created"`
	VerificationRequest string    `json:"verification_request_id"`
	State               api.State `json:"state"` // of the verification request
	Scenario            string    `json:"scenario"`
}

func viewSession(v world.Verification) sessionView {
	return sessionView{ID: v.SessionID, Created: v.Progress.Created, VerificationRequest: v.ID, State: v.Progress.State, Scenario: v.Name}
}

// listSessions shows the credentials sessions in the order of their verification requests.
func listSessions(x *exchange) (any, error) {
	after, limit, err := x.span(world.ValidSessionID)
	if err != nil {
		return nil, err
	}
	found, err := x.world.Sessions(x.context(), after, limit+1)
	if err != nil {
		return nil, err
	}
	var sessions []sessionView
	for _, v := range found {
		sessions = append(sessions, viewSession(v))
	}
	return page(sessions, limit, func(s sessionView) string { return s.ID }), nil
}

func showSession(x *exchange) (any, error) {
	v, err := x.world.Session(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	return viewSession(v), nil
}
