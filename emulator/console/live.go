package console

import (
	"encoding/hex"
	"errors"
	"hash/fnv"
	"net/http"
	"net/url"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// liveView is what of a resource's page is drawn anew while it is open, and where the page hears of it:
// pages/part_live.html.
type liveView struct {
	Timeline *timelineView // nil of what has none
	State    api.State     // "" of what has none
	Changed  bool          // what else the page shows is no longer so
	Gone     bool          // the world has the resource no more
	From     string        // "" when nothing can change any more

	told string // stands for all that is said here
}

// livePage is what a page with a live part is about.
type livePage interface{ Live() liveView }

// Live returns the view itself: what embeds it is a livePage.
func (v liveView) Live() liveView { return v }

// liveOf returns the live part of the page of a resource, at a path, which says a text besides. An open page asks with what
// it says itself, and with what it was told last.
func (x *exchange) liveOf(view liveView, text, path string) (liveView, error) {
	drawn, err := render("verification", "live", view)
	if err != nil {
		return view, err
	}
	said := mark(text)
	view.told = mark(text, string(drawn))
	if first := x.value("said"); first != "" {
		view.Changed = first != said
		said = first
	}
	view.From = path + "/live?" + url.Values{"said": {said}, "told": {view.told}}.Encode()
	return view, nil
}

// mark returns a short text that stands for others.
func mark(texts ...string) string {
	hash := fnv.New64a()
	for _, text := range texts {
		hash.Write([]byte(text + "\x00"))
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// liveVerification returns the live part of a page about a verification request. One that the world does not remember is
// as its scenario starts it, whenever it is looked at.
func (x *exchange) liveVerification(v world.Verification, text, path string) (liveView, error) {
	if !v.Remembered {
		text = v.Name
	}
	return x.liveOf(liveView{Timeline: new(x.viewTimeline(v)), State: v.Progress.State}, text, path)
}

// tell makes a handler that tells an open page what has become of what it shows; nothing when the page was told already.
func tell(show func(*exchange) (answer, error)) func(*exchange) (answer, error) {
	return func(x *exchange) (answer, error) {
		shown, err := show(x)
		if failure := (*api.Error)(nil); errors.As(err, &failure) && failure.Status == http.StatusNotFound {
			return news{Gone: true}, nil
		}
		if err != nil {
			return nil, err
		}
		return news(shown.(page).data.(livePage).Live()), nil
	}
}

// news is the live part of a page that is open, with word of what else has changed.
type news liveView

func (n news) write(x *exchange) error {
	if n.told != "" && n.told == x.value("told") {
		x.writer.WriteHeader(http.StatusNoContent)
		return nil
	}
	body, err := render("verification", "news", liveView(n))
	if err == nil {
		x.send(http.StatusOK, "text/html; charset=utf-8", body)
	}
	return err
}
