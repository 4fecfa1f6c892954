package console

import (
	"encoding/hex"
	"errors"
	"hash/fnv"
	"net/http"
	"net/url"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// liveView is the part of a resource's page that is updated while the page is open: pages/part_live.html.
type liveView struct {
	Events   []event   // the latest first
	Earlier  int       // requests that are left out
	Requests string    // the page with all of them
	Next     *nextView // nil: it has no timeline
	State    api.State // "": none
	Answers  []answerNow
	Rules    []string // that hold for the requests, in words
	Changed  bool     // the rest of the page is out of date
	Gone     bool     // the resource no longer exists
	From     string

	text string // of the rest of the page, to find changes
	hash string // of the whole page
}

// Live returns the view from a page that embeds it.
func (v liveView) Live() liveView { return v }

// live completes the live part of the page of a resource, at a path of the world. An open page sends the hashes of its text and
// of its last live part.
func (x *exchange) live(view liveView, of subject, path ...string) (_ liveView, err error) {
	if view.Events, view.Earlier, err = x.events(of); err != nil {
		return view, err
	}
	if path[0] == of.kind {
		if view.Answers, err = x.answersNow(of); err != nil {
			return view, err
		}
	}
	view.Requests = x.here("journal") + "?" + url.Values{"q": {of.id}}.Encode()
	drawn, err := x.render("verification", "update", view)
	if err != nil {
		return view, err
	}
	content := hashOf(view.text)
	view.hash = hashOf(view.text, string(drawn))
	if first := x.value("content"); first != "" {
		view.Changed = first != content
		content = first
	}
	query := x.query()
	query.Set("content", content)
	query.Set("live", view.hash)
	view.From = x.here(append(path, "live")...) + "?" + query.Encode()
	return view, nil
}

func hashOf(texts ...string) string {
	hash := fnv.New64a()
	for _, text := range texts {
		hash.Write([]byte(text + "\x00"))
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// drawLive returns a call for the live part of a page alone.
func drawLive(show call) call {
	return func(x *exchange) (answer, error) {
		shown, err := show(x)
		if failure := (*api.Error)(nil); errors.As(err, &failure) && failure.Status == http.StatusNotFound {
			return liveUpdate{Gone: true}, nil
		}
		if err != nil {
			return nil, err
		}
		return liveUpdate(shown.(page).data.(interface{ Live() liveView }).Live()), nil
	}
}

// liveUpdate is the answer with the live part of an open page: 204 when nothing has changed.
type liveUpdate liveView

func (u liveUpdate) write(x *exchange) error {
	if u.hash != "" && u.hash == x.value("live") {
		x.writer.WriteHeader(http.StatusNoContent)
		return nil
	}
	return fragment{"verification", "update", liveView(u)}.write(x)
}
