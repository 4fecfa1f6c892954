// Package inventory has the resources of a world in one transaction. An id, a body or a text flows in. The package finds what the world
// has stored or a scenario says, evaluates the rules about it, and stores the result with the webhooks that subscribers get. The shown
// resource, or its rendered document, flows out. Package resource has the resources as values; package world opens the transaction,
// and its own Tx embeds [Tx].
package inventory

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
)

// Tx is the resources of a world within one transaction, at one instant. It is not for concurrent use.
type Tx struct {
	resource.Scene
	Store  *stored.Measured
	Values stored.Values // of the world, in the store
	Outbox delivery.Outbox
	Rules  rules.Rules

	Written time.Time // the instant at which the world's record was written last
	Moved   bool      // time has moved a resource since then: the record is to be written before anybody sees it

	Documents Documents
	Refused   func() string // says since when and where scenario files are refused; "" while they are not
}

// Turned reports whether time has made a change at an instant since the world's record was written. Before such a change is shown,
// the record is written, so that no process goes back behind it.
func (tx *Tx) Turned(at time.Time) bool { return at.After(tx.Written) && !at.After(tx.Now) }

func invalid(message string) error  { return api.Because(400, message) }
func notFound(message string) error { return api.Because(404, message) }
func conflict(message string) error { return api.Because(409, message) }
