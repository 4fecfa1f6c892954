package world

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// checkWebhooks returns an error for subscriptions that no world has.
func (s Snapshot) checkWebhooks(to Targets) error {
	if len(s.Webhooks) > maxSubscriptions {
		return fmt.Errorf("webhooks are %d: a world has %d at most", len(s.Webhooks), maxSubscriptions)
	}
	before := 0
	for _, hook := range s.Webhooks {
		normal, err := hook.normalize(to)
		switch {
		case hook.ID <= before || hook.ID > s.WebhooksMade:
			return fmt.Errorf("no webhook here can have the id %d: they are 1 to %d, by webhooks_made, each once and in order", hook.ID, s.WebhooksMade)
		case err != nil:
			return fmt.Errorf("webhook %d is invalid: %s", hook.ID, messageOf(err))
		case hook.Token == "" || !reflect.DeepEqual(normal, hook.Subscription):
			return fmt.Errorf("webhook %d lacks something: token, version or events", hook.ID)
		case outOfTime(hook.Since):
			return fmt.Errorf("webhook %d was made at no time that a clock shows", hook.ID)
		}
		before = hook.ID
	}
	return nil
}

// checkDelivery returns an error for what no delivery is, or is due.
func checkDelivery(kind, name string, part []byte) error {
	numbered := func(text string) int { // 0: it is no number of a delivery
		number, err := strconv.Atoi(text)
		if err != nil || number < 1 || deliveryName(number) != deliveryPrefix+text {
			return 0
		}
		return number
	}
	switch kind {
	case deliveryPrefix:
		return strictly(part, func(d Delivery) error { return d.check(numbered(name)) })
	case duePrefix:
		webhook, at, what, err := splitDue(name)
		number, delivery := strings.CutPrefix(what, deliveryPrefix)
		request := strings.TrimPrefix(what, unsearched)
		if err != nil || webhook < 0 || outOfTime(at) || delivery != (webhook > steps) || delivery && numbered(number) == 0 || !delivery && request != "" && !scenarios.ValidID(request) {
			return errors.New("is nothing that can be due")
		}
		return strictly(part, func(string) error { return nil })
	}
	webhook, request, _ := strings.Cut(name, "/")
	if number, err := strconv.Atoi(webhook); err != nil || number < 1 || !scenarios.ValidID(request) {
		return errors.New("is the queue of no subscription and request")
	}
	return strictly(part, func(q queue) error {
		for _, d := range q {
			if d.Number < 1 {
				return fmt.Errorf("has the delivery %d: they are counted from 1", d.Number)
			}
		}
		return nil
	})
}

func (d Delivery) check(number int) error {
	instants := map[string]time.Time{"due": d.Due}
	for i, a := range d.Attempts {
		instants[fmt.Sprintf("attempts.%d.at", i)] = a.At
	}
	switch {
	case number == 0 || d.ID != deliveryID(number) || d.Subscription < 1:
		return errors.New("has a number or an id that is not its own, or the subscription of none")
	case !slices.Contains(Events(), d.Event) || !scenarios.ValidID(d.Resource):
		return errors.New("is of an event, or a request, that nobody can be told of")
	case !slices.Contains(d.Status.Values(), d.Status):
		return fmt.Errorf("has the status %s: it is due, delivered or given-up", api.Quote(string(d.Status)))
	case !json.Valid([]byte(d.Body)):
		return errors.New("has a body that is no JSON")
	}
	return cmp.Or(checkCounts("at ", map[string]int{"begun": d.Begun}), checkInstants(instants))
}
