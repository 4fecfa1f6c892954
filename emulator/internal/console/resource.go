package console

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/fixtures"
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
	size := count(len(v.JSON), "byte", "bytes")
	if len(v.JSON) >= 1<<10 {
		size = fmt.Sprintf("%d KB", (len(v.JSON)+1<<9)>>10)
	}
	v.Title = "The resource as JSON, " + size
	if len(v.JSON) > maxJSON && !v.Alone {
		v.Link = x.request.URL.EscapedPath() + "?raw=1"
	}
	return v, nil
}

// indented returns JSON with indentation, and other text unchanged.
func indented(text []byte) string {
	if value := jsontext.Value(slices.Clone(text)); value.Indent(jsontext.WithIndent("  ")) == nil {
		return string(value)
	}
	return string(text)
}

// liveView is the part of a resource's page that is updated while the page is open: pages/part_live.html.
type liveView struct {
	Timeline *timelineView // nil: none
	State    api.State     // "": none
	Changed  bool          // the rest of the page is out of date
	Gone     bool          // the resource no longer exists
	From     string

	text string // of the rest of the page, to find changes
	hash string // of the whole page
}

// Live returns the view from a page that embeds it.
func (v liveView) Live() liveView { return v }

// live completes the live part of the page at a path. An open page sends the hashes of its text and of its last live part.
func (x *exchange) live(view liveView, path string) (liveView, error) {
	drawn, err := render("verification", "live", view)
	if err != nil {
		return view, err
	}
	content := hashOf(view.text)
	view.hash = hashOf(view.text, string(drawn))
	if first := x.value("content"); first != "" {
		view.Changed = first != content
		content = first
	}
	view.From = path + "/live?" + url.Values{"content": {content}, "live": {view.hash}}.Encode()
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

// action is the effect of a button, and the notice after it.
type action struct {
	do     func(*exchange) error
	notice string
}

// steer returns the call for the actions of a kind of resource. It redirects to the resource's page, or to the world's
// after a deletion.
func steer(kind resourceKind) call {
	return func(x *exchange) (answer, error) {
		do := x.value("do")
		a, ok := kind.actions[do]
		if !ok {
			return errorPage(api.Because(http.StatusBadRequest, "The form has an unknown action: it is one of "+
				strings.Join(slices.Sorted(maps.Keys(kind.actions)), ", "))), nil
		}
		to := x.request.URL.EscapedPath()
		if do == "delete" {
			to = x.here()
		}
		return done(to, a.notice), a.do(x)
	}
}

// resourceView is the data that the pages of all resources have.
type resourceView struct {
	liveView
	JSON    rawView
	Action  string // the path that the forms of pages/part_steer.html post to
	Example string // of fields that can be set
}

// view returns the data of the page of a resource at a path.
func (x *exchange) view(document any, live liveView, path, example string) (v resourceView, err error) {
	v.Action, v.Example = path, example
	if v.JSON, err = x.raw(document); err == nil {
		live.text = cmp.Or(live.text, v.JSON.JSON)
		v.liveView, err = x.live(live, path)
	}
	return v, err
}

// readOnce reads a verification request as a client does, which may move it on.
func readOnce(x *exchange) error {
	r, err := http.NewRequestWithContext(x.context(), http.MethodGet, "/verification-requests/"+url.PathEscape(x.param("id")), nil)
	if err != nil {
		return err
	}
	answer, err := x.Do(r, x.world)
	if err != nil || answer.Status == http.StatusOK {
		return err
	}
	message := fmt.Sprintf("The read was answered with status %d", answer.Status)
	var failure api.ErrorEnvelope
	if json.Unmarshal(answer.Body, &failure) == nil && failure.Error.Message != "" {
		message += ": " + failure.Error.Message
	}
	return api.Because(http.StatusConflict, message)
}

// advanceTo moves the world's clock on to the instant of the form, unless that has passed.
func advanceTo(x *exchange) error {
	at, err := time.Parse(time.RFC3339Nano, x.value("at"))
	if err != nil {
		return api.Because(http.StatusBadRequest, "The instant is not one such as 2025-01-15T09:30:00Z")
	}
	_, err = x.world.AdvanceTo(x.context(), at)
	return err
}

// move puts the request into a state; force allows every state.
func move(x *exchange) error {
	_, err := x.world.Move(x.context(), x.param("id"), world.Move{State: api.State(x.value("state")), Force: x.value("force") != ""})
	return err
}

// cancelAsService cancels the request as the service does when it denies processing (spec section 3).
func cancelAsService(x *exchange) error {
	var because fixtures.Cancellation
	if reason := api.CancellationReason(x.value("reason")); reason != "" {
		because.Reason = &reason
	}
	if details := x.value("details"); details != "" {
		because.Details = &details
	}
	_, err := x.world.Move(x.context(), x.param("id"), world.Move{State: api.StateCanceled, Cancellation: because})
	return err
}

// setFieldsOf returns the action that sets the fields of a JSON object in the form.
func setFieldsOf[T any](change func(w *world.World, ctx context.Context, id, text string) (T, error)) func(*exchange) error {
	return func(x *exchange) error {
		fields := jsontext.Value(x.value("fields"))
		if fields.Compact() != nil || fields.Kind() != '{' || string(fields) == "{}" {
			return api.Because(http.StatusBadRequest, `The fields are not a JSON object of what is to change, such as {"name": "Quay House"}`)
		}
		_, err := change(x.world, x.context(), x.param("id"), fmt.Sprintf(`{"set":%s}`, fields))
		return err
	}
}

func deleteBy(del func(w *world.World, ctx context.Context, id string) error) func(*exchange) error {
	return func(x *exchange) error { return del(x.world, x.context(), x.param("id")) }
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
	live := x.liveVerification(v)
	live.text = cmp.Or(live.text, v.ID+" "+v.Name)
	live, err = x.live(live, x.here("credentials-sessions", v.SessionID))
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
	view, err := x.view(p, liveView{}, x.here("tenant-properties", p.ID), `{"name": "Quay House", "city": null}`)
	return page{name: "tenant", title: p.ID, data: tenantPage{p, view}}, err
}
