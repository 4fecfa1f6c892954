package resources

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// action is the effect of a button, and the notice after it.
type action struct {
	do     func(*frame.Exchange) error
	notice string
}

// actOn returns the call for the actions of a kind of resource. It redirects to the page as it was, or to the list where a
// deletion leaves no resource.
func actOn(kind ResourceKind) frame.Call {
	return func(x *frame.Exchange) (frame.Answer, error) {
		do := x.Value("do")
		a, ok := kind.actions[do]
		if !ok {
			return frame.ErrorPage(api.Because(http.StatusBadRequest, "The form has an unknown action: it is one of "+
				strings.Join(slices.Sorted(maps.Keys(kind.actions)), ", "))), nil
		}
		if err := a.do(x); err != nil {
			return nil, err
		}
		if do == "delete" {
			if _, err := kind.show(x); err != nil {
				return frame.Done(x.Here()+"?kind="+kind.Path, a.notice), nil
			}
		}
		return frame.Done(x.Address(kind.Path, x.Param("id")), a.notice), nil
	}
}

// readOnce reads a verification request as a client does, which may move it on.
func readOnce(x *frame.Exchange) error {
	r, err := http.NewRequestWithContext(x.Context(), http.MethodGet, "/verification-requests/"+url.PathEscape(x.Param("id")), nil)
	if err != nil {
		return err
	}
	answer, err := x.Do(r, x.World)
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
func advanceTo(x *frame.Exchange) error {
	at, err := time.Parse(time.RFC3339Nano, x.Value("at"))
	if err != nil {
		return api.Because(http.StatusBadRequest, "The instant is not one such as 2025-01-15T09:30:00Z")
	}
	_, err = x.World.AdvanceTo(x.Context(), at)
	return err
}

// move puts the request into a state; force allows every state.
func move(x *frame.Exchange) error {
	_, err := x.World.Move(x.Context(), x.Param("id"), world.Move{State: api.State(x.Value("state")), Force: x.Value("force") != ""})
	return err
}

// cancelAsService cancels the request as the service does when it denies processing (spec section 3).
func cancelAsService(x *frame.Exchange) error {
	var because fixtures.Cancellation
	if reason := api.CancellationReason(x.Value("reason")); reason != "" {
		because.Reason = &reason
	}
	if details := x.Value("details"); details != "" {
		because.Details = &details
	}
	_, err := x.World.Move(x.Context(), x.Param("id"), world.Move{State: api.StateCanceled, Cancellation: because})
	return err
}

// setFieldsOf returns the action that sets the fields of a JSON object in the form.
func setFieldsOf[T any](change func(w *world.World, ctx context.Context, id, text string) (T, error)) func(*frame.Exchange) error {
	return func(x *frame.Exchange) error {
		fields := jsontext.Value(x.Value("fields"))
		if fields.Compact() != nil || fields.Kind() != '{' || string(fields) == "{}" {
			return api.Because(http.StatusBadRequest, `The fields are not a JSON object of what is to change, such as {"name": "Quay House"}`)
		}
		_, err := change(x.World, x.Context(), x.Param("id"), fmt.Sprintf(`{"set":%s}`, fields))
		return err
	}
}

func deleteBy(del func(w *world.World, ctx context.Context, id string) error) func(*frame.Exchange) error {
	return func(x *frame.Exchange) error { return del(x.World, x.Context(), x.Param("id")) }
}
