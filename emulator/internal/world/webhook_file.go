package world

import (
	"errors"
	"fmt"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// subscriptionsOf returns the subscriptions of scenario files.
func (t Targets) subscriptionsOf(all []*scenarios.Scenario) (found []Subscription, problems scenarios.Problems) {
	for _, s := range all {
		for i, hook := range s.Webhooks {
			wanted := Subscription{URL: hook.URL, Token: hook.Token, Version: string(hook.Version)}
			for _, event := range hook.Events {
				wanted.Events = append(wanted.Events, string(event))
			}
			normal, err := wanted.normalize(t)
			if err != nil {
				problems = append(problems, scenarios.Problem{At: s.At, What: fmt.Sprintf("item %d of webhooks: %s", i+1, messageOf(err))})
			}
			found = append(found, normal)
		}
	}
	return found, problems
}

// messageOf returns the message of a refusal, without its status.
func messageOf(err error) string {
	if refusal := (*api.Error)(nil); errors.As(err, &refusal) {
		return refusal.Message
	}
	return err.Error()
}

// CheckWebhooks returns an error for scenario files with webhooks that worlds cannot have. It is [scenarios.Problems].
func (c Config) CheckWebhooks(catalogue *scenarios.Catalogue) error {
	found, problems := c.Targets.subscriptionsOf(catalogue.All())
	if over := len(found) + len(c.Webhooks) - maxSubscriptions; over > 0 && problems == nil {
		last := scenarios.Position{}
		for _, s := range catalogue.All() {
			if len(s.Webhooks) > 0 {
				last = s.At
			}
		}
		problems = scenarios.Problems{{At: last, What: fmt.Sprintf("all files and --webhook have %d webhooks together, and a world has %d at most: remove %d", len(found)+len(c.Webhooks), maxSubscriptions, over)}}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// subscribeFiles adds the subscriptions of the scenario files for the world's key. A world that was opened by its id, whose key
// is unknown, has those of its record before.
func (tx *Tx) subscribeFiles(r, before record) record {
	found, _ := tx.worlds.config.Targets.subscriptionsOf(tx.worlds.catalogue.Load().ForKey(tx.keyName))
	if tx.keyName == "" {
		found = nil
		for _, s := range before.Webhooks {
			if s.File {
				found = append(found, s.Subscription)
			}
		}
	}
	for _, s := range found {
		r.subscribe(s, r.Created)
		r.Webhooks[len(r.Webhooks)-1].File = true
	}
	return r
}
