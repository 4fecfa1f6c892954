package console

import (
	"net/http"
	"strconv"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// webhooksPage is the data of pages/webhooks.html.
type webhooksPage struct {
	Webhooks   []delivery.Subscription
	Deliveries []delivery.Delivery // the latest first
	More       bool                // there are earlier deliveries
	Failures   []rules.Preset
}

// maxDeliveries bounds the deliveries of a page.
const maxDeliveries = 100

// showWebhooks shows the subscriptions of the world, and what they were sent.
func showWebhooks(x *exchange) (answer, error) {
	hooks, err := x.world.Subscriptions(x.context())
	if err != nil {
		return nil, err
	}
	sent, more, err := x.deliveries("")
	return page{name: "webhooks", title: "Webhooks", data: webhooksPage{hooks, sent, more, failuresOf(journal.KindWebhook)}}, err
}

// deliveries returns the latest deliveries, the latest first, of the world or about a verification request.
func (x *exchange) deliveries(id string) (latest []delivery.Delivery, more bool, err error) {
	err = x.world.Do(x.context(), func(tx *world.Tx) (err error) {
		latest, more, err = tx.Outbox().Latest(id, maxDeliveries)
		return err
	})
	return latest, more, err
}

// actOnWebhooks does what a form of the page says.
func actOnWebhooks(x *exchange) (answer, error) {
	var err error
	did := x.value("do")
	switch did {
	case "hooked":
		_, err = x.world.Subscribe(x.context(), delivery.Subscription{URL: x.value("url"), Token: x.value("token")})
	case "unhooked":
		id, _ := strconv.Atoi(x.value("id")) // 0 is no webhook's
		err = x.world.Unsubscribe(x.context(), id)
	case "redelivered":
		_, err = x.world.Resend(x.context(), x.value("id"))
	case "misdelivered":
		err = x.failNext(x.value("fail"), "", "")
	default:
		err = api.Because(http.StatusBadRequest, "The page has no such button: use one of those that it shows")
	}
	return done(x.here("webhooks"), did), err
}
