package console

import "github.com/understudy-sandbox/understudy/emulator/world"

// sessionPage is what pages/session.html shows.
type sessionPage struct {
	world.Verification
	liveView
	Link   string // to the verification request
	Target []fact
}

// showSession shows a credentials session by what has become of its verification request.
func showSession(x *exchange) (answer, error) {
	v, err := x.world.Session(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	live, err := x.liveVerification(v, v.ID+" "+v.Name, x.here("credentials-sessions", v.SessionID))
	if err != nil {
		return nil, err
	}
	return page{name: "session", title: v.SessionID, data: sessionPage{
		Verification: v, liveView: live, Link: x.here("verification-requests", v.ID), Target: aboutTarget(v.Document.Target),
	}}, nil
}
