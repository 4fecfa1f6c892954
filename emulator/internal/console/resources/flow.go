package resources

import (
	"errors"
	"math"
	"net/http"
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// flowPage is the data of pages/flow.html.
type flowPage struct {
	Worlds  []world.Status      // that have the token, those used last first: worlds of one seed have the same tokens
	Session *world.Verification // of the token in one of them; nil: none has it
}

// session finds the session of ?token=, in the world of ?world= or in all of them.
func session(x *frame.Exchange) (p flowPage, err error) {
	all := []world.Status{{ID: x.Request.URL.Query().Get("world")}}
	if all[0].ID == "" {
		if all, err = x.Worlds.List(x.Context(), "", math.MaxInt); err != nil {
			return p, err
		}
		slices.SortFunc(all, world.ByUse)
	}
	for _, in := range all {
		var v world.Verification
		find := func(tx *world.Tx) (err error) { v, err = tx.SessionOfToken(x.Value("token")); return err }
		err := x.Worlds.ByID(in.ID).Preview(x.Context(), find) // a look-up is no use of the world
		if unknown := (*api.Error)(nil); errors.As(err, &unknown) && unknown.Status == http.StatusNotFound {
			continue
		}
		if err != nil {
			return p, err
		}
		p.Worlds, p.Session = append(p.Worlds, in), &v
	}
	return p, nil
}

// showFlow shows the page on which a person uses the token of a credentials session. The token admits to this session alone.
func showFlow(x *frame.Exchange) (frame.Answer, error) {
	p, err := session(x)
	shown := frame.Page{Name: "flow", Title: "Share your data", Data: p}
	if p.Session == nil {
		shown.Title, shown.Status = "Unknown token", http.StatusNotFound
	}
	return shown, err
}

// finishFlow finishes the session with the outcome of the form.
func finishFlow(x *frame.Exchange) (frame.Answer, error) {
	p, err := session(x)
	if err == nil && len(p.Worlds) != 1 {
		err = api.Because(http.StatusNotFound, "No session was finished")
	}
	if err == nil {
		_, err = x.Worlds.ByID(p.Worlds[0].ID).FinishSession(x.Context(), p.Session.SessionID, x.Value("outcome"))
	}
	if err != nil {
		return nil, err
	}
	return frame.SeeOther(p.Session.Flow.Page), nil
}

// finish finishes the session of the page with the outcome of the form.
func finish(x *frame.Exchange) error {
	_, err := x.World.FinishSession(x.Context(), x.Param("id"), x.Value("outcome"))
	return err
}
