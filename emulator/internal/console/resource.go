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

// rawView is a resource as the API shows it, in a page that shows it in other ways too.
type rawView struct {
	Title string
	JSON  string
	Link  string // to the same page with it, when it is too long to stand in the page unasked
	Alone bool   // it was asked for, and is all that the page shows
}

// longest is how long a JSON may be that stands in a page unasked, in bytes.
const longest = 48 << 10

// raw returns a resource as the API shows it; a long one when ?raw= asks for it.
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
	if len(v.JSON) > longest && !v.Alone {
		v.Link = x.request.URL.EscapedPath() + "?raw=1"
	}
	return v, nil
}

// indented returns JSON for people; a text that is none as it is.
func indented(text []byte) string {
	if value := jsontext.Value(slices.Clone(text)); value.Indent(jsontext.WithIndent("  ")) == nil {
		return string(value)
	}
	return string(text)
}

// liveView is the part of a resource's page that is drawn anew while the page is open, and where the page asks for it:
// pages/part_live.html.
type liveView struct {
	Timeline *timelineView // nil of what has none
	State    api.State     // "" of what has none
	Changed  bool          // what else the page shows is out of date
	Gone     bool          // the world has the resource no more
	From     string

	text string // by which the rest of the page is told from what it was
	hash string // of all that is shown
}

// Live returns the view itself, of what embeds it.
func (v liveView) Live() liveView { return v }

// live completes the live part of the page at a path. An open page asks with the hashes of its text and of the last live part.
func (x *exchange) live(view liveView, path string) (liveView, error) {
	drawn, err := render("verification", "live", view)
	if err != nil {
		return view, err
	}
	content := hashOf(view.text)
	view.hash = hashOf(view.text, string(drawn))
	if first := x.value("said"); first != "" {
		view.Changed = first != content
		content = first
	}
	view.From = path + "/live?" + url.Values{"said": {content}, "told": {view.hash}}.Encode()
	return view, nil
}

func hashOf(texts ...string) string {
	hash := fnv.New64a()
	for _, text := range texts {
		hash.Write([]byte(text + "\x00"))
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// drawLive makes a call that returns the live part of a page alone.
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

// liveUpdate is the live part of an open page, and whether the rest of the page is out of date: 204 when the page has it.
type liveUpdate liveView

func (u liveUpdate) write(x *exchange) error {
	if u.hash != "" && u.hash == x.value("told") {
		x.writer.WriteHeader(http.StatusNoContent)
		return nil
	}
	return fragment{"verification", "news", liveView(u)}.write(x)
}

// action is what a button of a form does in the exchange's world, and the notice of it.
type action struct {
	do     func(*exchange) error
	notice string
}

// steer makes a call of the actions of a kind of resource. It leads to the resource's page, or to the world's once the
// resource may be gone.
func steer(kind resourceKind) call {
	return func(x *exchange) (answer, error) {
		do := x.value("do")
		a, ok := kind.actions[do]
		if !ok {
			return errorPage(api.Because(http.StatusBadRequest, "The form does not say what to do: it is one of "+
				strings.Join(slices.Sorted(maps.Keys(kind.actions)), ", "))), nil
		}
		to := x.request.URL.EscapedPath()
		if do == "forget" {
			to = x.here()
		}
		return done(to, a.notice), a.do(x)
	}
}

// resourceView is what every resource's page shows, beside the resource itself.
type resourceView struct {
	liveView
	JSON    rawView
	Action  string // the path that the forms of pages/part_steer.html post to
	Example string // of fields that can be set
}

// view returns what the page of a resource at a path shows of a document.
func (x *exchange) view(document any, live liveView, path, example string) (v resourceView, err error) {
	v.Action, v.Example = path, example
	if v.JSON, err = x.raw(document); err == nil {
		live.text = cmp.Or(live.text, v.JSON.JSON)
		v.liveView, err = x.live(live, path)
	}
	return v, err
}

// readOnce reads a verification request as a client does, with all that follows from it.
func readOnce(x *exchange) error {
	r, err := http.NewRequestWithContext(x.context(), http.MethodGet, "/verification-requests/"+url.PathEscape(x.param("id")), nil)
	if err != nil {
		return err
	}
	answer, err := x.Ask(r, x.world)
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

// advanceTo moves the world's clock on to the instant that the page offered, unless it is already there.
func advanceTo(x *exchange) error {
	at, err := time.Parse(time.RFC3339Nano, x.value("at"))
	if err != nil {
		return api.Because(http.StatusBadRequest, "The instant is not one such as 2025-01-15T09:30:00Z")
	}
	_, err = x.world.AdvanceTo(x.context(), at)
	return err
}

// move puts the request into a state, one that the spec does not let it reach when it is forced.
func move(x *exchange) error {
	_, err := x.world.Move(x.context(), x.param("id"), world.Move{State: api.State(x.value("state")), Force: x.value("force") != ""})
	return err
}

// cancelAsService cancels the request from whatever state it is in: the service denies processing (spec section 3).
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

// setFieldsOf returns how the fields of a resource are set that a form has as a JSON object.
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

// sessionPage is what pages/session.html shows.
type sessionPage struct {
	world.Verification
	liveView
	Link string // to the verification request
}

// showSession shows a credentials session by what has become of its verification request.
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

// tenantPage is what pages/tenant.html shows.
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
