package inventory

import (
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
)

// ReadVerification reads a verification request (spec 4.2), which may move it on along its timeline. It returns the
// rendered document and the name of the scenario.
func (tx *Tx) ReadVerification(r Resource, analytics bool) (document []byte, scenario string, err error) {
	if r.stored == nil && r.magic != nil && len(r.magic.Timeline()) == 1 { // drawn only where it is not cached
		document, err = tx.render(r, view{scenario: r.magic, analytics: analytics}, func() any {
			v := resource.StartMagic(tx.Scene, r.magic, r.id)
			return v.Read(tx.Scene, analytics)
		})
		return document, r.magic.Name, err
	}
	v, err := tx.verification(r)
	if err != nil {
		return nil, "", err
	}
	if v.CountRead(tx.Scene) {
		if r.stored, err = tx.saveVerification(&v); err != nil {
			return nil, "", err
		}
	}
	seen := view{scenario: tx.Catalogue.ByName(v.Scenario), step: v.Cursor.Step, analytics: analytics}
	document, err = tx.render(r, seen, func() any { return v.Read(tx.Scene, analytics) })
	return document, v.Scenario, err
}

// CancelVerification cancels a verification request that is not in a terminal state (spec 4.1). It also returns the
// name of the scenario.
func (tx *Tx) CancelVerification(r Resource, in api.Cancellation) (canceled api.CanceledVerification, scenario string, err error) {
	v, err := tx.verification(r)
	if err != nil {
		return canceled, "", err
	}
	if canceled, err = v.Cancel(tx.Scene, in); err == nil {
		_, err = tx.saveVerification(&v)
	}
	return canceled, v.Scenario, err
}

// verification returns the request in its present state. The only error is the 400 of an unknown id.
func (tx *Tx) verification(r Resource) (resource.Request, error) {
	switch {
	case r.request != nil:
		return *r.request, nil
	case r.magic == nil:
		return resource.Request{}, api.VerificationNotFound(r.unknown(tx))
	}
	return resource.StartMagic(tx.Scene, r.magic, r.id), nil
}
