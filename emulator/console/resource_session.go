package console

import "github.com/understudy-sandbox/understudy/emulator/world"

// sessionPage is what pages/session.html shows.
type sessionPage struct {
	world.Verification
	Timeline timelineView
	Target   []fact
}

// showSession shows a credentials session by what has become of its verification request.
func showSession(x *exchange) (answer, error) {
	v, err := x.world.Session(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	return page{name: "session", title: v.SessionID, data: sessionPage{
		Verification: v, Timeline: x.viewTimeline(v), Target: aboutTarget(v.Document.Target),
	}}, nil
}
