package resources

import (
	"cmp"
	"fmt"

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
	v := rawView{JSON: words.Indented(text), Alone: x.Value("raw") != ""}
	v.Title = "The resource as JSON, " + words.BytesOf(int64(len(v.JSON)))
	if len(v.JSON) > maxJSON && !v.Alone {
		v.Link = x.Request.URL.EscapedPath() + "?raw=1"
	}
	return v, nil
}

// resourceView is the data that the pages of all resources have.
type resourceView struct {
	liveView
	JSON    rawView
	Action  string // the address that the forms of pages/part_steer.html post to
	Example string // of fields that can be set
	Toggles steer.Toggles
}

// view returns the data of the page of a resource.
func view(x *frame.Exchange, document any, live liveView, of subject, example string) (v resourceView, err error) {
	v.Action, v.Example = x.Address(of.kind, of.id), example
	if v.JSON, err = raw(x, document); err != nil {
		return v, err
	}
	if v.Toggles, err = steer.TogglesFor(x, of.id, v.Action); err != nil {
		return v, err
	}
	live.text = cmp.Or(live.text, v.JSON.JSON)
	v.liveView, err = withEvents(x, live, of, of.kind, of.id)
	return v, err
}

// sessionPage is the data of pages/session.html.
type sessionPage struct {
	world.Verification
	liveView
	Link string // to the verification request
}

// showSession shows a credentials session and the timeline of its verification request.
func showSession(x *frame.Exchange) (frame.Answer, error) {
	v, err := x.World.CredentialsSession(x.Context(), x.Param("id"))
	if err != nil {
		return nil, err
	}
	live, of := liveVerification(x, v)
	live.text = cmp.Or(live.text, fmt.Sprint(v.ID, " ", v.Name, v.Flow.Waiting))
	live, err = withEvents(x, live, of, "credentials-sessions", v.SessionID)
	return frame.Page{Name: "session", Title: v.SessionID, Data: sessionPage{
		v, live, x.Here("verification-requests", v.ID),
	}}, err
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
	view, err := view(x, p, liveView{}, subject{kind: "tenant-properties", id: p.ID}, `{"name": "Quay House", "city": null}`)
	return frame.Page{Name: "tenant", Title: p.ID, Data: tenantPage{p, view}}, err
}
