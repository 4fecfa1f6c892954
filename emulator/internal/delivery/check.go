package delivery

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
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Check returns an error for subscriptions that no world has.
func (s Subscriptions) Check(to Targets) error {
	if len(s.Webhooks) > maxSubscriptions {
		return fmt.Errorf("webhooks are %d: a world has %d at most", len(s.Webhooks), maxSubscriptions)
	}
	before := 0
	for _, hook := range s.Webhooks {
		normal, err := to.Normalize(hook.Subscription)
		switch {
		case hook.ID <= before || hook.ID > s.WebhooksMade:
			return fmt.Errorf("no webhook here can have the id %d: they are 1 to %d, by webhooks_made, each once and in order", hook.ID, s.WebhooksMade)
		case err != nil:
			return fmt.Errorf("webhook %d is invalid: %s", hook.ID, messageOf(err))
		case hook.Token == "" || !reflect.DeepEqual(normal, hook.Subscription):
			return fmt.Errorf("webhook %d lacks something: token, version or events", hook.ID)
		case stored.OutOfTime(hook.Since):
			return fmt.Errorf("webhook %d was made at no time that a clock shows", hook.ID)
		}
		before = hook.ID
	}
	return nil
}

// Check returns an error for a value of a snapshot that no delivery is, or is due; ok is false for a value of another kind. isStep
// reports whether a world can take a step.
func Check(name string, part []byte, isStep func(string) bool) (ok bool, err error) {
	kind, rest, _ := strings.Cut(name, "/")
	switch kind += "/"; {
	case name == deliveryCount:
		return true, stored.Strictly(part, func(count int) error { return stored.CheckCounts("", map[string]int{"": count}) })
	case kind == deliveryPrefix:
		return true, stored.Strictly(part, func(d Delivery) error { return d.check(numbered(rest)) })
	case kind == duePrefix:
		return true, checkDue(rest, part, isStep)
	case kind == queuePrefix:
		return true, checkQueue(rest, part)
	}
	return false, nil
}

// numbered returns the number in the name of a delivery, 0 for another text.
func numbered(text string) int {
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 || deliveryName(number) != deliveryPrefix+text {
		return 0
	}
	return number
}

func checkDue(rest string, part []byte, isStep func(string) bool) error {
	webhook, at, what, err := splitDue(rest)
	number, ok := strings.CutPrefix(what, deliveryPrefix)
	if ok = ok && webhook > steps && numbered(number) > 0; webhook == steps {
		ok = isStep(what)
	}
	if err != nil || stored.OutOfTime(at) || !ok {
		return errors.New("is nothing that can be due")
	}
	return stored.Strictly(part, func(string) error { return nil })
}

func checkQueue(rest string, part []byte) error {
	webhook, request, _ := strings.Cut(rest, "/")
	if number, err := strconv.Atoi(webhook); err != nil || number < 1 || !scenarios.ValidID(request) {
		return errors.New("is the queue of no subscription and request")
	}
	return stored.Strictly(part, func(q queue) error {
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
	return cmp.Or(stored.CheckCounts("at ", map[string]int{"begun": d.Begun}), stored.CheckInstants(instants))
}
