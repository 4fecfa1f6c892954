package delivery

import (
	"errors"
	"fmt"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// OfFiles returns the subscriptions of scenario files.
func (t Targets) OfFiles(all []*scenarios.Scenario) (found []Subscription, problems scenarios.Problems) {
	for _, s := range all {
		for i, hook := range s.Webhooks {
			wanted := Subscription{URL: hook.URL, Token: hook.Token, Version: string(hook.Version)}
			for _, event := range hook.Events {
				wanted.Events = append(wanted.Events, string(event))
			}
			normal, err := t.Normalize(wanted)
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

// CheckFiles returns an error for scenario files with webhooks that worlds cannot have, beside others. It is [scenarios.Problems].
func (t Targets) CheckFiles(catalogue *scenarios.Catalogue, others int) error {
	found, problems := t.OfFiles(catalogue.All())
	if over := len(found) + others - maxSubscriptions; over > 0 && problems == nil {
		last := scenarios.Position{}
		for _, s := range catalogue.All() {
			if len(s.Webhooks) > 0 {
				last = s.At
			}
		}
		problems = scenarios.Problems{{At: last, What: fmt.Sprintf("all files and --webhook have %d webhooks together, and a world has %d at most: remove %d", len(found)+others, maxSubscriptions, over)}}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}
