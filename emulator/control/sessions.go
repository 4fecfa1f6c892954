package control

import (
	"errors"
	"net/http"
	"strings"
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
	limit, err := x.limit()
	if err != nil {
		return nil, err
	}
	after := strings.Replace(x.request.URL.Query().Get("after"), "cs_", "vr_", 1)
	found, err := x.world.Verifications(x.context(), after, limit+1, func(v world.Verification) bool { return v.SessionID != "" })
	if err != nil {
		return nil, err
	}
	var sessions []sessionView
	for _, v := range found {
		sessions = append(sessions, viewSession(v))
	}
	return page(sessions, limit, func(s sessionView) string { return s.ID }), nil
}

// showSession shows a credentials session. Its verification request has its id, with vr_ for cs_.
func showSession(x *exchange) (any, error) {
	id := x.param("id")
	v, err := x.world.Inspect(x.context(), "vr_"+strings.TrimPrefix(id, "cs_"))
	if unknown := (*api.Error)(nil); err != nil && !errors.As(err, &unknown) {
		return nil, err
	}
	if err != nil || v.SessionID != id {
		return nil, api.Because(http.StatusNotFound, "There is no credentials session "+api.Quote(id))
	}
	return viewSession(v), nil
}
