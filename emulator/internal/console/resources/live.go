package resources

import (
	"encoding/hex"
	"errors"
	"hash/fnv"
	"net/http"
	"net/url"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
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

// withEvents completes the live part of the page of a resource, at a path of the world. An open page sends the hashes of its text and
// of its last live part.
func withEvents(x *frame.Exchange, view liveView, of subject, path ...string) (_ liveView, err error) {
	if view.Events, view.Earlier, err = events(x, of); err != nil {
		return view, err
	}
	if path[0] == of.kind {
		if view.Answers, err = answersNow(x, of); err != nil {
			return view, err
		}
	}
	view.Requests = x.Here("journal") + "?" + url.Values{"q": {of.id}}.Encode()
	drawn, err := x.Render("verification", "update", view)
	if err != nil {
		return view, err
	}
	content := hashOf(view.text)
	view.hash = hashOf(view.text, string(drawn))
	if first := x.Value("content"); first != "" {
		view.Changed = first != content
		content = first
	}
	query := x.Query()
	query.Set("content", content)
	query.Set("live", view.hash)
	view.From = x.Here(append(path, "live")...) + "?" + query.Encode()
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
func drawLive(show frame.Call) frame.Call {
	return func(x *frame.Exchange) (frame.Answer, error) {
		shown, err := show(x)
		if failure := (*api.Error)(nil); errors.As(err, &failure) && failure.Status == http.StatusNotFound {
			return liveUpdate{Gone: true}, nil
		}
		if err != nil {
			return nil, err
		}
		return liveUpdate(shown.(frame.Page).Data.(interface{ Live() liveView }).Live()), nil
	}
}

// liveUpdate is the answer with the live part of an open page: 204 when nothing has changed.
type liveUpdate liveView

func (u liveUpdate) Respond(x *frame.Exchange) error {
	if u.hash != "" && u.hash == x.Value("live") {
		x.Writer.WriteHeader(http.StatusNoContent)
		return nil
	}
	return frame.Fragment{Page: "verification", Name: "update", Data: liveView(u)}.Respond(x)
}
