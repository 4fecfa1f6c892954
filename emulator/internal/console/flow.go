package console

import (
	"errors"
	"math"
	"net/http"
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// flowPage is the data of pages/flow.html.
type flowPage struct {
	Worlds  []world.Status      // that have the token, those used last first: worlds of one seed have the same tokens
	Session *world.Verification // of the token in one of them; nil: none has it
}

// session finds the session of ?token=, in the world of ?world= or in all of them.
func (x *exchange) session() (p flowPage, err error) {
	all := []world.Status{{ID: x.request.URL.Query().Get("world")}}
	if all[0].ID == "" {
		if all, err = x.Worlds.List(x.context(), "", math.MaxInt); err != nil {
			return p, err
		}
		slices.SortFunc(all, world.ByUse)
	}
	for _, in := range all {
		var v world.Verification
		find := func(tx *world.Tx) (err error) { v, err = tx.SessionOfToken(x.value("token")); return err }
		err := x.Worlds.ByID(in.ID).Preview(x.context(), find) // a look-up is no use of the world
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
func showFlow(x *exchange) (answer, error) {
	p, err := x.session()
	shown := page{name: "flow", title: "Share your data", data: p}
	if p.Session == nil {
		shown.title, shown.status = "Unknown token", http.StatusNotFound
	}
	return shown, err
}

// finishFlow finishes the session with the outcome of the form.
func finishFlow(x *exchange) (answer, error) {
	p, err := x.session()
	if err == nil && len(p.Worlds) != 1 {
		err = api.Because(http.StatusNotFound, "No session was finished")
	}
	if err == nil {
		_, err = x.Worlds.ByID(p.Worlds[0].ID).FinishSession(x.context(), p.Session.SessionID, x.value("outcome"))
	}
	if err != nil {
		return nil, err
	}
	return seeOther(p.Session.Flow.Page), nil
}

// finish finishes the session of the page with the outcome of the form.
func finish(x *exchange) error {
	_, err := x.world.FinishSession(x.context(), x.param("id"), x.value("outcome"))
	return err
}
