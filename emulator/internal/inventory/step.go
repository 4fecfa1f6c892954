package inventory

import (
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// A step is the id of the request that takes it, or unsearched and an id: the requests after that may have steps that are not due.
const (
	unsearched = "*"
	searchedAt = 30 // requests in a transaction
)

// IsStep reports whether a world can take a step.
func IsStep(step string) bool {
	id := strings.TrimPrefix(step, unsearched)
	return id == "" || scenarios.ValidID(id)
}

// Search makes the steps of stored requests due, from the first after an id: they were not while there was no subscription.
func (tx *Tx) Search(after string) error { return tx.Outbox.PutStep(tx.Now, unsearched+after) }

// TakeStep carries out the first step that is due; ok is false when none is.
func (tx *Tx) TakeStep() (ok bool, err error) {
	step, ok, err := tx.Outbox.TakeStep()
	if err != nil || !ok {
		return false, err
	}
	if after, search := strings.CutPrefix(step, unsearched); search {
		return true, tx.searchAfter(after)
	}
	r, err := tx.Find(scenarios.VerificationRequestID, step)
	if err != nil || r.request == nil || r.stored == nil {
		return true, err
	}
	_, err = tx.saveVerification(r.request)
	return true, err
}

func (tx *Tx) searchAfter(after string) error {
	var found []resource.Request
	err := tx.scanVerifications(after, func(v resource.Request, _ int64) (more bool) {
		found = append(found, v)
		return len(found) < searchedAt
	})
	for _, v := range found {
		if err == nil {
			err = tx.putStep(&v)
		}
	}
	if err == nil && len(found) == searchedAt {
		err = tx.Search(found[searchedAt-1].ID())
	}
	return err
}
