package resources

import (
	"net/url"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/steer"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// rawView is a resource as JSON, as the API shows it.
type rawView struct {
	Title string
	JSON  string
	Link  string // to the page with the JSON, when it is too long for this one
	Alone bool   // the page shows nothing else
}

// maxJSON bounds the JSON in a page, in bytes.
const maxJSON = 48 << 10

// raw returns a resource as JSON; a long one only for ?raw=.
func raw(x *frame.Exchange, resource any) (rawView, error) {
	text, err := api.Render(resource)
	if err != nil {
		return rawView{}, err
	}
	v := rawView{JSON: words.Indented(string(text)), Alone: x.Value("raw") != ""}
	v.Title = "The resource as JSON, " + words.BytesOf(int64(len(v.JSON)))
	if len(v.JSON) > maxJSON && !v.Alone {
		v.Link = x.Request.URL.EscapedPath() + "?raw=1"
	}
	return v, nil
}

// timelineView is the timeline of a resource, what comes next, and what it would answer.
type timelineView struct {
	Page     string    // its address, which an open page reads again
	Events   []event   // the latest first
	Earlier  int       // requests that are left out
	Requests string    // the page with all of them
	Next     *nextView // nil: it has no timeline
	Answers  []answerNow
	Holding  []string // the rules that hold for it, in words
}

// timelineOf returns the timeline of a resource for its page, at a path of the world.
func timelineOf(x *frame.Exchange, of subject, next *nextView, path ...string) (v timelineView, err error) {
	v.Page, v.Next, v.Requests = x.Address(path...), next, x.Here("journal")+"?"+url.Values{"q": {of.id}}.Encode()
	v.Events, v.Earlier, err = events(x, of)
	return v, err
}

// resourceView is the data that the pages of all resources have but a session's.
type resourceView struct {
	timelineView
	JSON    rawView
	Example string // of fields that can be set
	Toggles steer.Toggles
}

// view returns the data of the page of a resource.
func view(x *frame.Exchange, document any, of subject, next *nextView, example string) (v resourceView, err error) {
	v.Example = example
	if v.timelineView, err = timelineOf(x, of, next, of.kind, of.id); err != nil {
		return v, err
	}
	if v.Answers, err = answersNow(x, of); err != nil {
		return v, err
	}
	if v.JSON, err = raw(x, document); err != nil {
		return v, err
	}
	v.Toggles, err = steer.TogglesFor(x, of.id, v.Page)
	return v, err
}

// sessionPage is the data of pages/session.html.
type sessionPage struct {
	world.Verification
	timelineView
	Link string // to the verification request
}

// showSession shows a credentials session and the timeline of its verification request.
func showSession(x *frame.Exchange) (frame.Answer, error) {
	v, err := x.World.CredentialsSession(x.Context(), x.Param("id"))
	if err != nil {
		return nil, err
	}
	of, next := subjectOf(x, v)
	timeline, err := timelineOf(x, of, next, "credentials-sessions", v.SessionID)
	return frame.Page{Name: "session", Title: v.SessionID, Data: sessionPage{v, timeline, x.Here("verification-requests", v.ID)}}, err
}

// tenantPage is the data of pages/tenant.html.
type tenantPage struct {
	api.TenantProperty
	resourceView
}

func showTenantProperty(x *frame.Exchange) (frame.Answer, error) {
	p, err := x.World.TenantProperty(x.Context(), x.Param("id"))
	if err != nil {
		return nil, err
	}
	view, err := view(x, p, subject{kind: "tenant-properties", id: p.ID}, nil, `{"name": "Quay House", "city": null}`)
	return frame.Page{Name: "tenant", Title: p.ID, Data: tenantPage{p, view}}, err
}
