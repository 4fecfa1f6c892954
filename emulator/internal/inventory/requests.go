package inventory

import (
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// VerificationRequests are drawn from what is stored, and move on with time and reads.
var VerificationRequests = Kind[resource.Request, resource.Verification]{
	kind: scenarios.VerificationRequestID,
	read: (*Tx).found,
	save: func(tx *Tx, _ string, v *resource.Request) error {
		_, err := tx.saveVerification(v)
		return err
	},
	show:     (*Tx).show,
	Creation: resource.NewRequest,
	Change:   resource.ChangeRequest,
	source:   resource.SourceOfRequest,
}

// ListVerificationRequests returns up to limit verification requests that the world has stored and that are wanted, in
// the order of their ids, from the first after an id. They have no Rules; wanted is called before they have a Document.
func (tx *Tx) ListVerificationRequests(after string, limit int, wanted func(resource.Verification) bool) (all []resource.Verification, err error) {
	err = tx.scanVerifications(after, func(v resource.Request, memory int64) (more bool) {
		if shown := v.Summary(tx.Scene); wanted(shown) {
			shown.Document = v.Document(tx.Scene)
			all = append(all, shown)
			return len(all) < limit && tx.Store.Want(memory) == nil
		}
		return true
	})
	return all, err
}

// scanVerifications visits the stored verification requests in their present state, with the memory that each takes. Those that
// visit does not keep count as the largest one does.
func (tx *Tx) scanVerifications(after string, visit func(v resource.Request, memory int64) (more bool)) error {
	return tx.Values.Scan(resource.Prefixes[scenarios.VerificationRequestID], after, func(id string, stored []byte) (more bool, err error) {
		before := tx.Store.Wanted
		v, err := tx.Inspect(id)
		if err != nil {
			return false, err
		}
		tx.Store.Wanted = before
		return visit(v, limits.Decoded(stored)), nil
	})
}

// Transitions returns the first steps that time alone leads to, one of each verification request, in their order.
func (tx *Tx) Transitions(limit int) (due []resource.Transition, err error) {
	err = tx.scanVerifications("", func(v resource.Request, _ int64) (more bool) {
		t, ok := v.Next(tx.Scene)
		if !ok {
			return true
		}
		i := len(due)
		for i > 0 && t.At.Before(due[i-1].At) {
			i--
		}
		if i < limit {
			due = slices.Insert(due, i, t)
			due = due[:min(len(due), limit)]
		}
		return true
	})
	return due, err
}

// Inspect returns a verification request.
func (tx *Tx) Inspect(id string) (resource.Request, error) { return VerificationRequests.find(tx, id) }

// found returns a verification request. Its error for an unknown id is a 404, where the emulated API answers 400.
func (tx *Tx) found(r Resource) (v resource.Request, err error) {
	if v, err = tx.verification(r); err != nil {
		message := r.unknown(tx)
		err = notFound(strings.ToUpper(message[:1]) + message[1:])
	}
	return v, err
}

// show returns the request as the control plane shows it.
func (tx *Tx) show(_ string, v *resource.Request) (shown resource.Verification, err error) {
	shown = v.Show(tx.Scene)
	shown.Rules, err = tx.Rules.InWords(shown.ID, shown.Scenario)
	return shown, err
}
