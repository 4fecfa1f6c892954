package world

import (
	"net/http"
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// CheckState returns an [*api.Error] for what is no state of a verification request (spec section 3).
func CheckState(state api.State) error {
	if slices.Contains(state.Values(), state) {
		return nil
	}
	return api.Because(http.StatusBadRequest, "There is no state "+api.Quote(string(state))+
		": it is one of pending-approval, action-required, processing, completed, invalid, canceled")
}

// check returns an [*api.Error] for a move that makes no sense, whatever it is about.
func (to Move) check() error {
	if err := CheckState(to.State); err != nil {
		return err
	}
	reason := to.Cancellation.Reason
	if reason != nil && !slices.Contains(reason.Values(), *reason) {
		return api.Because(http.StatusBadRequest, "There is no cancellation_reason "+api.Quote(string(*reason)))
	}
	if to.State != api.StateCanceled && (reason != nil || to.Cancellation.Details != nil) {
		return api.Because(http.StatusBadRequest, "Only a canceled request has a cancellation reason and details")
	}
	return nil
}
