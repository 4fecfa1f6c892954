package resources

import (
	"context"
	"net/url"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/steer"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// shown returns the call that shows a resource: as the API shows it for ?raw=, else as a page.
func shown[T any](get func(w *world.World, ctx context.Context, id string) (T, error), page func(*frame.Exchange, T) (frame.Answer, error)) frame.Call {
	return func(x *frame.Exchange) (frame.Answer, error) {
		of, err := get(x.World, x.Context(), x.Param("id"))
		if err != nil {
			return nil, err
		}
		if x.Value("raw") == "" {
			return page(x, of)
		}
		document := any(of)
		if v, ok := document.(world.Verification); ok {
			document = v.Document
		}
		text, err := api.Render(document)
		return frame.Content{ContentType: "application/json", Header: "Content-Disposition", Value: "inline", Text: []byte(words.Indented(string(text)))}, err
	}
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
	Example string // of fields that can be set
	Toggles steer.Toggles
}

// view returns the data of the page of a resource.
func view(x *frame.Exchange, of subject, next *nextView, example string) (v resourceView, err error) {
	v.Example = example
	if v.timelineView, err = timelineOf(x, of, next, of.kind, of.id); err != nil {
		return v, err
	}
	if v.Answers, err = answersNow(x, of); err != nil {
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
func showSession(x *frame.Exchange, v world.Verification) (frame.Answer, error) {
	of, next := subjectOf(x, v)
	timeline, err := timelineOf(x, of, next, "credentials-sessions", v.SessionID)
	return frame.Page{Name: "session", Title: v.SessionID, Data: sessionPage{v, timeline, x.Here("verification-requests", v.ID)}}, err
}

// tenantPage is the data of pages/tenant.html.
type tenantPage struct {
	api.TenantProperty
	resourceView
}

func showTenantProperty(x *frame.Exchange, p api.TenantProperty) (frame.Answer, error) {
	view, err := view(x, subject{kind: "tenant-properties", id: p.ID}, nil, `{"name": "Quay House", "city": null}`)
	return frame.Page{Name: "tenant", Title: p.ID, Data: tenantPage{p, view}}, err
}
