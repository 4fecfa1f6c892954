package steer

import (
	"net/http"
	"strconv"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
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
func showWebhooks(x *frame.Exchange) (frame.Answer, error) {
	hooks, err := x.World.Subscriptions(x.Context())
	if err != nil {
		return nil, err
	}
	sent, more, err := Deliveries(x, "")
	return frame.Page{Name: "webhooks", Title: "Webhooks", Data: webhooksPage{hooks, sent, more, recorded.FailuresOf(journal.KindWebhook)}}, err
}

// Deliveries returns the latest deliveries, the latest first, of the world or about a verification request.
func Deliveries(x *frame.Exchange, id string) (latest []delivery.Delivery, more bool, err error) {
	err = x.World.Do(x.Context(), func(tx *world.Tx) (err error) {
		latest, more, err = tx.Outbox.Latest(id, maxDeliveries)
		return err
	})
	return latest, more, err
}

// actOnWebhooks does what a form of the page says.
func actOnWebhooks(x *frame.Exchange) (frame.Answer, error) {
	var err error
	did := x.Value("do")
	switch did {
	case "hooked":
		_, err = x.World.Subscribe(x.Context(), delivery.Subscription{URL: x.Value("url"), Token: x.Value("token")})
	case "unhooked":
		id, _ := strconv.Atoi(x.Value("id")) // 0 is no webhook's
		err = x.World.Unsubscribe(x.Context(), id)
	case "redelivered":
		_, err = x.World.Resend(x.Context(), x.Value("id"))
	case "misdelivered":
		err = recorded.FailNext(x, x.Value("fail"), "", "")
	default:
		err = api.Because(http.StatusBadRequest, "The page has no such button: use one of those that it shows")
	}
	return frame.Done(x.Here("webhooks"), did), err
}
