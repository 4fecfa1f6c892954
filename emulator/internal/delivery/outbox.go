// Package delivery has the webhooks of a world: who has subscribed, what each subscription gets, and what is due. A state that a
// request has entered flows in, with the rule that says how it is delivered; deliveries that are due flow out, and the results of their
// attempts back in. All of it are values under the names of the world: an [Outbox] is those of one world in one transaction. The package
// reads no world and sends nothing: package world carries out the steps that time leads to, package sender the attempts.
package delivery

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Outbox is the deliveries of a world in a transaction, at one instant.
type Outbox struct {
	Journal       journal.Ref // names the world and its generation
	Values        stored.Values
	Now           time.Time
	Running       bool // the world's clock
	Subscriptions Subscriptions

	Made   []Made // deliveries, by this transaction
	Roused bool   // something has become due

	process *Process
}

// Made is a delivery that a transaction has made due.
type Made struct {
	key   string // of the store
	early bool   // it comes before the answer
}

// announce notes a delivery that the transaction has made due.
func (o *Outbox) announce(d Delivery) {
	o.Made = append(o.Made, Made{o.Values.Prefix + d.name(), d.Manner == string(scenarios.Manners.BeforeAnswer)})
}

// Subscribed reports whether anybody is to be sent changes.
func (o *Outbox) Subscribed() bool {
	return len(o.Subscriptions.Webhooks) > 0 && !o.process.targets.Off
}
