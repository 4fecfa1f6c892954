package world

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// verificationChange is what is to become of a verification request.
type verificationChange struct {
	State               api.State                                 `yaml:"state"`
	CancellationReason  *api.CancellationReason                   `yaml:"cancellation_reason"`
	CancellationDetails *string                                   `yaml:"cancellation_details"`
	Force               bool                                      `yaml:"force"` // whatever the spec allows
	Set                 fixtures.Overlay[api.VerificationRequest] `yaml:"set"`
}

// Flaws finds what does not go together.
func (c verificationChange) Flaws() (flaws []fixtures.Flaw) {
	if c.State == "" && c.Set.Empty() {
		flaws = append(flaws, fixtures.Flaw{What: `needs what is to change: {"state":"processing"} or {"set":{"loan_id":"7"}}`})
	}
	if c.State != api.StateCanceled && (c.CancellationReason != nil || c.CancellationDetails != nil) {
		flaws = append(flaws, fixtures.Flaw{What: "only a canceled request has a cancellation reason and details"})
	}
	return append(flaws, fixtures.VerificationShape{Set: c.Set}.Flaws()...)
}

// ChangeVerification changes a verification request as a text in the language of scenario files says: it puts it into a
// state as [World.Move] does, lays fields over what is drawn, or both. Its error for a text that is not right, and for an
// id that no request has, is an [*api.Error].
func (w *World) ChangeVerification(ctx context.Context, id string, text []byte) (v Verification, err error) {
	var in verificationChange
	if err := decode(text, &in); err != nil {
		return v, err
	}
	if _, err := w.Inspect(ctx, id); err != nil {
		return v, err
	}
	to := Move{
		State:        in.State,
		Cancellation: fixtures.Cancellation{Reason: in.CancellationReason, Details: in.CancellationDetails},
		Force:        in.Force,
	}
	var changed verification
	err = w.changeVerification(ctx, w.amend, id, &changed, func() error {
		if in.State != "" {
			if err := changed.move(w, to); err != nil {
				return err
			}
		}
		return changed.set(w, id, in.Set)
	})
	return w.inspect(id, changed), err
}

// set lays fields over what is drawn of the request, by their own names. Its error for what the request's state does not
// have is an [*api.Error].
func (v *verification) set(w *World, id string, fields fixtures.Overlay[api.VerificationRequest]) (err error) {
	if fields.Empty() {
		return nil
	}
	if v.Shape.Set, err = v.Shape.Set.With(fields); err != nil {
		return err
	}
	return v.checkSet(w, id, fields)
}

// checkSet refuses fields that were set and that the request's state does not have (spec 2.2). A scenario file may set
// them for the states to come, and null where the API has it.
func (v *verification) checkSet(w *World, id string, fields fixtures.Overlay[api.VerificationRequest]) error {
	state := v.Progress.State
	if state != api.StateCanceled && (fields.Sets("cancellation_reason") || fields.Sets("cancellation_details")) {
		return api.Because(http.StatusBadRequest, "Only a canceled request has a cancellation reason and details")
	}
	if !fields.Sets("date_of_completion") && !fields.Sets("created") {
		return nil
	}
	document := v.document(w, id)
	completion := document.DateOfCompletion
	switch {
	case state != api.StateCompleted && fields.Sets("date_of_completion"):
		return api.Because(http.StatusBadRequest, "Only a completed request has a date_of_completion, and this one is "+string(state))
	case state == api.StateCompleted && completion == nil && fields.Sets("date_of_completion"):
		return api.Because(http.StatusBadRequest, "The date_of_completion of a completed request is not null: set an instant, or another state")
	case completion != nil && completion.Before(document.Created.Time):
		return api.Because(http.StatusBadRequest, fmt.Sprintf("The date_of_completion, %s, would be before the request was created, %s: set a later one",
			completion.Format(time.RFC3339), document.Created.Format(time.RFC3339)))
	}
	return nil
}

// ChangeTenantProperty lays the fields that a text sets over a tenant property. Its error for a text that is not right,
// and for an id that no property has, is an [*api.Error].
func (w *World) ChangeTenantProperty(ctx context.Context, id string, text []byte) (p api.TenantProperty, err error) {
	var in change[api.TenantProperty]
	if err := decode(text, &in); err != nil {
		return p, err
	}
	return w.changeTenantProperty(ctx, id, func(p api.TenantProperty) (api.TenantProperty, error) {
		err := in.Set.Onto(&p)
		return p, err
	})
}

// ChangeQualification lays the fields that a text sets over what is computed of a qualification check. Its error for a
// text that is not right, and for an id that no check has, is an [*api.Error].
func (w *World) ChangeQualification(ctx context.Context, id string, text []byte) (check api.QualificationCheck, err error) {
	var in change[api.QualificationCheck]
	if err := decode(text, &in); err != nil {
		return check, err
	}
	var q qualification
	err = w.amend(ctx, qualificationName(id), func(old []byte) (_ []byte, err error) {
		if q, err = w.qualification(id, old); err != nil {
			return nil, err
		}
		if q.Shape.Set, err = q.Shape.Set.With(in.Set); err != nil {
			return nil, err
		}
		return json.Marshal(q)
	})
	if err != nil {
		return check, err
	}
	return w.draw(id, q), nil
}
