package console

import (
	"cmp"
	"fmt"

	"github.com/understudy-sandbox/understudy/emulator/api"
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
func (x *exchange) raw(resource any) (rawView, error) {
	text, err := api.Render(resource)
	if err != nil {
		return rawView{}, err
	}
	v := rawView{JSON: indented(text), Alone: x.value("raw") != ""}
	v.Title = "The resource as JSON, " + bytesOf(int64(len(v.JSON)))
	if len(v.JSON) > maxJSON && !v.Alone {
		v.Link = x.request.URL.EscapedPath() + "?raw=1"
	}
	return v, nil
}

// resourceView is the data that the pages of all resources have.
type resourceView struct {
	liveView
	JSON    rawView
	Action  string // the address that the forms of pages/part_steer.html post to
	Example string // of fields that can be set
	Toggles toggles
}

// view returns the data of the page of a resource.
func (x *exchange) view(document any, live liveView, of subject, example string) (v resourceView, err error) {
	v.Action, v.Example = x.address(of.kind, of.id), example
	if v.JSON, err = x.raw(document); err != nil {
		return v, err
	}
	if v.Toggles, err = x.togglesFor(of.id, v.Action); err != nil {
		return v, err
	}
	live.text = cmp.Or(live.text, v.JSON.JSON)
	v.liveView, err = x.live(live, of, of.kind, of.id)
	return v, err
}

// sessionPage is the data of pages/session.html.
type sessionPage struct {
	world.Verification
	liveView
	Link string // to the verification request
}

// showSession shows a credentials session and the timeline of its verification request.
func showSession(x *exchange) (answer, error) {
	v, err := x.world.CredentialsSession(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	live, of := x.liveVerification(v)
	live.text = cmp.Or(live.text, fmt.Sprint(v.ID, " ", v.Name, v.Flow.Waiting))
	live, err = x.live(live, of, "credentials-sessions", v.SessionID)
	return page{name: "session", title: v.SessionID, data: sessionPage{
		v, live, x.here("verification-requests", v.ID),
	}}, err
}

// tenantPage is the data of pages/tenant.html.
type tenantPage struct {
	api.TenantProperty
	resourceView
}

func showTenantProperty(x *exchange) (answer, error) {
	p, err := x.world.TenantProperty(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	view, err := x.view(p, liveView{}, subject{kind: "tenant-properties", id: p.ID}, `{"name": "Quay House", "city": null}`)
	return page{name: "tenant", title: p.ID, data: tenantPage{p, view}}, err
}
