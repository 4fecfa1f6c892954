package console

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// deed is what a form on a resource's page may ask for, under the name of its button.
type deed struct {
	do     func(x *exchange, id string) error
	notice string
}

// steer makes a handler of deeds: the page is shown again with what went wrong, else the browser is sent to it, or to the
// world's page once the resource may be gone.
func steer(show func(*exchange) (answer, error), deeds map[string]deed) func(*exchange) (answer, error) {
	return func(x *exchange) (answer, error) {
		d, ok := deeds[x.value("do")]
		if !ok {
			return nil, api.Because(http.StatusBadRequest, "The form does not say what to do: it is one of "+
				strings.Join(slices.Sorted(maps.Keys(deeds)), ", "))
		}
		if failure := d.do(x, x.param("id")); failure != nil {
			return x.again(show, failure)
		}
		if d.notice == "forgotten" {
			return done(x.here(), d.notice), nil
		}
		return done(x.request.URL.EscapedPath(), d.notice), nil
	}
}

// steerView is the forms that every resource has: pages/part_steer.html.
type steerView struct {
	Action  string     // the path that they post to
	Form    url.Values // what was posted, to be kept
	Example string     // of fields that can be set
}

// steerView returns the forms of a resource of the world, by the parts of its path.
func (x *exchange) steerView(example string, path ...string) steerView {
	return steerView{Action: x.here(path...), Form: x.request.Form, Example: example}
}

// verificationDeeds are what can be done to a verification request.
func verificationDeeds() map[string]deed {
	return map[string]deed{
		"read":    {readOnce, "read"},
		"advance": {advanceTo, "advanced"},
		"move":    {move, "moved"},
		"cancel":  {cancelAsService, "canceled"},
		"set":     {setFieldsOf((*world.World).ChangeVerification), "changed"},
		"forget":  {forgetOf((*world.World).Forget), "forgotten"},
	}
}

// tenantDeeds are what can be done to a tenant property.
func tenantDeeds() map[string]deed {
	return map[string]deed{
		"set":    {setFieldsOf((*world.World).ChangeTenantProperty), "changed"},
		"forget": {forgetOf((*world.World).ForgetTenantProperty), "forgotten"},
	}
}

// qualificationDeeds are what can be done to a qualification check.
func qualificationDeeds() map[string]deed {
	return map[string]deed{
		"set":    {setFieldsOf((*world.World).ChangeQualification), "changed"},
		"forget": {forgetOf((*world.World).ForgetQualification), "forgotten"},
	}
}

// readOnce reads a verification request as a client does, with all that follows from it.
func readOnce(x *exchange, id string) error {
	r, err := http.NewRequestWithContext(x.context(), http.MethodGet, "/verification-requests/"+url.PathEscape(id), nil)
	if err != nil {
		return err
	}
	status, body, err := x.Ask(r, x.world)
	if err != nil {
		return err
	}
	if status == http.StatusOK {
		return nil
	}
	var failure api.ErrorEnvelope
	if json.Unmarshal(body, &failure) != nil || failure.Error.Message == "" {
		return api.Because(http.StatusConflict, fmt.Sprintf("The read was answered with status %d", status))
	}
	return api.Because(http.StatusConflict, fmt.Sprintf("The read was answered with status %d: %s", status, failure.Error.Message))
}

// advanceTo moves the world's clock on to the instant that the page offered. A clock that has come there by itself is fine.
func advanceTo(x *exchange, _ string) error {
	at, err := time.Parse(time.RFC3339Nano, x.value("at"))
	if err != nil {
		return api.Because(http.StatusBadRequest, "The instant is not one such as 2025-01-15T09:30:00Z")
	}
	if !x.world.Now().Before(at) {
		return nil
	}
	return x.world.SetTime(x.context(), &at, nil)
}

// move puts the request into a state, one that the spec does not let it reach when it is forced.
func move(x *exchange, id string) error {
	_, err := x.world.Move(x.context(), id, world.Move{State: api.State(x.value("state")), Force: x.value("force") != ""})
	return err
}

// cancelAsService cancels the request from whatever state it is in: the service denies processing (spec section 3).
func cancelAsService(x *exchange, id string) error {
	var because fixtures.Cancellation
	if reason := api.CancellationReason(x.value("reason")); reason != "" {
		because.Reason = &reason
	}
	if details := x.value("details"); details != "" {
		because.Details = &details
	}
	_, err := x.world.Move(x.context(), id, world.Move{State: api.StateCanceled, Cancellation: because})
	return err
}

// setFieldsOf returns how the fields of a resource are set that a form has as a JSON object.
func setFieldsOf[T any](change func(w *world.World, ctx context.Context, id string, text []byte) (T, error)) func(*exchange, string) error {
	return func(x *exchange, id string) error {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(x.value("fields")), &fields); err != nil || len(fields) == 0 {
			return api.Because(http.StatusBadRequest, `The fields are not a JSON object of what is to change, such as {"name": "Quay House"}`)
		}
		var text bytes.Buffer
		if err := json.Compact(&text, []byte(x.value("fields"))); err != nil {
			return err
		}
		_, err := change(x.world, x.context(), id, fmt.Appendf(nil, `{"set":%s}`, &text))
		return err
	}
}

func forgetOf(forget func(w *world.World, ctx context.Context, id string) error) func(*exchange, string) error {
	return func(x *exchange, id string) error { return forget(x.world, x.context(), id) }
}
