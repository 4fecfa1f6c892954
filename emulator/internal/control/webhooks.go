package control

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
)

func webhookCalls() []endpoint {
	return []endpoint{
		{method: get, path: "v1/webhooks", inWorld: listWebhooks(), query: paged},
		{method: post, path: "v1/webhooks", inWorld: takes(addWebhook)},
		{method: del, path: "v1/webhooks/:id", inWorld: removeWebhook},
		{method: get, path: "v1/deliveries", inWorld: listDeliveries(), query: []string{"limit", "after", "status"}},
		{method: post, path: "v1/deliveries/:id/resend", inWorld: resendDelivery},
	}
}

// webhookNumber returns the number in the id of a webhook, 0 for an invalid one.
func webhookNumber(id string) int { return stored.Number("", id) }

// listWebhooks lists the subscriptions of the world.
func listWebhooks() call {
	id := func(s delivery.Subscription) string { return strconv.Itoa(s.ID) }
	return lists(func(id string) bool { return webhookNumber(id) > 0 }, id, same, func(x *exchange, after string, _ int) ([]delivery.Subscription, error) {
		all, err := x.world.Subscriptions(x.context())
		return slices.DeleteFunc(all, func(s delivery.Subscription) bool { return s.ID <= webhookNumber(after) }), err
	})
}

// addWebhook subscribes a URL to the events of the world.
func addWebhook(x *exchange, in struct {
	URL     string    `json:"url"`
	Events  *[]string `json:"events"`
	Token   string    `json:"token"`
	Version string    `json:"version"`
}) (any, error) {
	s := delivery.Subscription{URL: in.URL, Token: in.Token, Version: in.Version}
	if in.Events != nil {
		if s.Events = *in.Events; len(s.Events) == 0 {
			return nil, api.Because(http.StatusBadRequest, "events is empty: name one, such as "+delivery.RequestEvent+", or omit it for all")
		}
	}
	return made(same[delivery.Subscription])(x.world.Subscribe(x.context(), s))
}

func removeWebhook(x *exchange) (any, error) {
	number := webhookNumber(x.param())
	if number == 0 {
		return nil, api.Because(http.StatusNotFound, "There is no webhook "+api.Quote(x.param())+": ids are numbers such as 1")
	}
	return nil, x.world.Unsubscribe(x.context(), number)
}

// deliveryView is a delivery as a list shows it.
type deliveryView struct {
	ID       string          `json:"id"`
	Webhook  int             `json:"webhook"`
	Event    string          `json:"event"`
	Resource string          `json:"resource"`
	State    string          `json:"state"`
	Due      time.Time       `json:"due"`
	Status   delivery.Status `json:"status"`
	Attempts []attemptView   `json:"attempts"`
	Body     jsontext.Value  `json:"body"`
}

type attemptView struct {
	Time   time.Time `json:"time"`
	Status int       `json:"status"`
	Error  *string   `json:"error"`
}

func viewDelivery(d delivery.Delivery) deliveryView {
	v := deliveryView{d.ID, d.Subscription, d.Event, d.Resource, d.State, d.Due.UTC(), d.Status, []attemptView{}, jsontext.Value(d.Body)}
	for _, a := range d.Attempts {
		shown := attemptView{Time: a.At.UTC(), Status: a.Status}
		if a.Error != "" {
			shown.Error = &a.Error
		}
		v.Attempts = append(v.Attempts, shown)
	}
	return v
}

// listDeliveries lists the deliveries of the world, in the order in which they were made.
func listDeliveries() call {
	valid := func(id string) bool { return strings.HasPrefix(id, "delivery-") }
	return lists(valid, func(d delivery.Delivery) string { return d.ID }, viewDelivery, deliveriesAfter)
}

func deliveriesAfter(x *exchange, after string, limit int) (found []delivery.Delivery, err error) {
	status := x.query.Get("status")
	var statuses []string
	for _, s := range delivery.Due.Values() {
		statuses = append(statuses, string(s))
	}
	if status != "" && !slices.Contains(statuses, status) {
		return nil, api.Because(http.StatusBadRequest, "There is no status "+api.Quote(status)+api.DidYouMean(status, statuses, ": it is one of "+strings.Join(statuses, ", ")))
	}
	for d, err := range x.world.Deliveries(x.context(), after) {
		if err != nil {
			return nil, err
		}
		if status == "" || string(d.Status) == status {
			found = append(found, d)
		}
		if len(found) == limit {
			break
		}
	}
	return found, nil
}

// resendDelivery makes a delivery due at once.
func resendDelivery(x *exchange) (any, error) {
	return viewed(viewDelivery)(x.world.Resend(x.context(), x.param()))
}
