package delivery

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Subscription asks for events of a world at a URL.
type Subscription struct {
	ID      int      `json:"id"` // 1, 2, … in its world; a new one has none yet
	URL     string   `json:"url"`
	Events  []string `json:"events"`  // left out: all of [Events]
	Token   string   `json:"token"`   // of the header of each delivery; left out: seeded
	Version string   `json:"version"` // of the bodies; left out: the latest
}

// The events are those of scenario files.
var RequestEvent, SessionEvent = Events()[0], Events()[1]

// Events returns the events.
func Events() (all []string) {
	for _, event := range element(element(scenarios.Scenario{}.Webhooks).Events).Values() {
		all = append(all, string(event))
	}
	return all
}

// element returns the zero value of a list's elements.
func element[T any]([]T) (zero T) { return zero }

// Limits of subscriptions.
const (
	maxSubscriptions = 10
	maxURL           = 2048
	maxToken         = 256
)

// Targets says where webhooks may be sent.
type Targets struct {
	Off   bool     // nowhere
	Hosts []string // beside loopback and private addresses, and names without a dot
}

// Allows reports whether a delivery to a host may be sent to an address, which its name has.
func (t Targets) Allows(host string, addr netip.Addr) bool {
	addr = addr.Unmap()
	if t.Off || !addr.IsValid() || addr.IsUnspecified() || addr.IsMulticast() || addr.IsLinkLocalUnicast() {
		return false
	}
	return addr.IsLoopback() || addr.IsPrivate() || t.named(host)
}

func (t Targets) named(host string) bool {
	return slices.ContainsFunc(t.Hosts, func(name string) bool { return strings.EqualFold(name, host) })
}

// check returns an error for a URL to which no webhook may be sent.
func (t Targets) check(text string) error {
	const form = ": write it as http://127.0.0.1:3000/hooks"
	target, err := url.Parse(text)
	switch {
	case t.Off:
		return api.Because(409, "This server sends no webhooks: start it without --no-webhooks")
	case err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Hostname() == "" || target.Opaque != "":
		return api.Because(400, "url is not the address of a receiver"+form)
	case len(text) > maxURL:
		return api.Because(400, fmt.Sprintf("url has %d bytes: a receiver's address has %d at most", len(text), maxURL))
	case target.User != nil:
		return api.Because(400, "url has user information, which a delivery does not send: use the token")
	case target.Fragment != "":
		return api.Because(400, "url has a fragment, which no request sends: leave # and the rest out")
	case api.Mask(text) != text:
		return api.Because(400, "url has an API key, or nine digits that may be a social security number, and is shown to everybody: leave them out")
	}
	host := target.Hostname()
	addr, err := netip.ParseAddr(host)
	allowed := t.Allows(host, addr)
	if err != nil {
		allowed = !strings.Contains(host, ".") || t.named(host)
	}
	if !allowed {
		return api.Because(400, "url goes to "+api.Quote(host)+", and webhooks go to loopback and private addresses and to names without a dot: "+
			"allow the name with --webhook-host")
	}
	return nil
}

// Normalize checks a subscription, and fills in what was left out, but for its token.
func (t Targets) Normalize(s Subscription) (Subscription, error) {
	if err := t.check(s.URL); err != nil {
		return s, err
	}
	for _, event := range s.Events {
		if !slices.Contains(Events(), event) {
			return s, api.Because(400, "unknown event "+api.Quote(event)+api.DidYouMean(event, Events(), ": must be one of "+strings.Join(Events(), ", ")))
		}
	}
	if wanted := s.Events; len(wanted) > 0 {
		s.Events = slices.DeleteFunc(Events(), func(event string) bool { return !slices.Contains(wanted, event) })
	} else {
		s.Events = Events()
	}
	if strings.ContainsFunc(s.Token, func(c rune) bool { return c < '!' || c > '~' }) || len(s.Token) > maxToken {
		return s, api.Because(400, fmt.Sprintf("token goes into a header: it has at most %d visible ASCII characters, and no spaces", maxToken))
	}
	versions := api.Versions()
	if s.Version = cmp.Or(s.Version, versions[len(versions)-1]); !slices.Contains(versions, s.Version) {
		return s, api.Because(400, "unknown version "+api.Quote(s.Version)+": must be one of "+strings.Join(versions, ", "))
	}
	return s, nil
}

// Subscriptions returns the subscriptions of new worlds to URLs.
func (t Targets) Subscriptions(urls []string) (all []Subscription, err error) {
	if len(urls) > maxSubscriptions {
		return nil, fmt.Errorf("%d webhooks for each world, which has %d at most: leave some out", len(urls), maxSubscriptions)
	}
	for _, text := range urls {
		s, err := t.Normalize(Subscription{URL: text})
		if err != nil {
			return nil, fmt.Errorf("the webhook %s: %s", api.Quote(text), messageOf(err))
		}
		all = append(all, s)
	}
	return all, nil
}

// Subscribed is a subscription of a world.
type Subscribed struct {
	Subscription
	Since time.Time `json:"since"`         // when it was made: it gets what time alone changes after that
	File  bool      `json:"file,omitzero"` // of a scenario file: it is there again after a reset
}

// Subscriptions are those of a world, in the order in which they were made.
type Subscriptions struct {
	Webhooks     []Subscribed `json:"webhooks,omitempty"`
	WebhooksMade int          `json:"webhooks_made,omitempty"`
}

// Full returns an error when the world may have no more.
func (all Subscriptions) Full() error {
	if len(all.Webhooks) < maxSubscriptions {
		return nil
	}
	return api.Because(409, fmt.Sprintf("A world has %d webhooks at most: delete one first", maxSubscriptions))
}

// Add adds a normalized subscription, which gets its id, and its token where it has none.
func (all *Subscriptions) Add(s Subscribed, seed uint64) Subscription {
	all.WebhooksMade++
	s.ID, s.Since = all.WebhooksMade, s.Since.UTC()
	s.Token = cmp.Or(s.Token, fixtures.Generator{Seed: seed}.ID("whk_", "webhook "+strconv.Itoa(s.ID), time.Time{}))
	all.Webhooks = append(slices.Clone(all.Webhooks), s)
	return s.Subscription
}

// Without returns the subscriptions without one, or a 404.
func (all Subscriptions) Without(id int) (Subscriptions, error) {
	if all.find(id) == nil {
		return all, api.Because(404, fmt.Sprintf("There is no webhook %d: the list of webhooks has the ids", id))
	}
	all.Webhooks = slices.DeleteFunc(slices.Clone(all.Webhooks), func(s Subscribed) bool { return s.ID == id })
	return all, nil
}

// find returns a subscription, nil for one that is gone.
func (all Subscriptions) find(id int) *Subscribed {
	i := slices.IndexFunc(all.Webhooks, func(s Subscribed) bool { return s.ID == id })
	if i < 0 {
		return nil
	}
	return &all.Webhooks[i]
}
