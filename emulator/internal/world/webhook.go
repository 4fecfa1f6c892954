package world

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// Subscription asks for events of a world at a URL.
type Subscription struct {
	ID      int      `json:"id"` // 1, 2, … in its world; a new one has none yet
	URL     string   `json:"url"`
	Events  []string `json:"events"`  // left out: all of [Events]
	Token   string   `json:"token"`   // of the header of each delivery; left out: seeded
	Version string   `json:"version"` // of the bodies; left out: the latest
}

// The events.
const (
	RequestEvent = "verification_request.state.change"
	SessionEvent = "credentials_session.state.change"
)

// Events returns the events.
func Events() []string { return []string{RequestEvent, SessionEvent} }

// subscription is a stored subscription.
type subscription struct {
	Subscription
	Since time.Time `json:"since"`         // when it was made: it hears what time alone changes after that
	File  bool      `json:"file,omitzero"` // of a scenario file: it is there again after a reset
}

// Limits of subscriptions.
const (
	maxSubscriptions = 10
	maxURL           = 2048
	maxToken         = 256
)

// bodyVersions are the versions of bodies, the oldest first.
var bodyVersions = []string{"2019-10-15", "2020-12-07", "2022-08-01", "2023-10-30"}

var errTooMany = conflict(fmt.Sprintf("A world has %d webhooks at most: remove one first", maxSubscriptions))

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
		return conflict("This server sends no webhooks: start it without --no-webhooks")
	case err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Hostname() == "" || target.Opaque != "":
		return invalid("url is not the address of a receiver" + form)
	case len(text) > maxURL:
		return invalid(fmt.Sprintf("url has %d bytes: a receiver's address has %d at most", len(text), maxURL))
	case target.User != nil:
		return invalid("url has user information, which a delivery does not send: use the token")
	case target.Fragment != "":
		return invalid("url has a fragment, which no request sends: leave # and the rest out")
	case api.Mask(text) != text:
		return invalid("url has an API key, or nine digits that may be a social security number, and is shown to everybody: leave them out")
	}
	host := target.Hostname()
	addr, err := netip.ParseAddr(host)
	allowed := t.Allows(host, addr)
	if err != nil {
		allowed = !strings.Contains(host, ".") || t.named(host)
	}
	if !allowed {
		return invalid("url goes to " + api.Quote(host) + ", and webhooks go to loopback and private addresses and to names without a dot: " +
			"allow the name with --webhook-host")
	}
	return nil
}

// normalize checks a subscription, and fills in what was left out, but for its token.
func (s Subscription) normalize(to Targets) (Subscription, error) {
	if err := to.check(s.URL); err != nil {
		return s, err
	}
	for _, event := range s.Events {
		if !slices.Contains(Events(), event) {
			return s, invalid("unknown event " + api.Quote(event) + api.DidYouMean(event, Events(), ": must be one of "+strings.Join(Events(), ", ")))
		}
	}
	if wanted := s.Events; len(wanted) > 0 {
		s.Events = slices.DeleteFunc(Events(), func(event string) bool { return !slices.Contains(wanted, event) })
	} else {
		s.Events = Events()
	}
	if strings.ContainsFunc(s.Token, func(c rune) bool { return c < '!' || c > '~' }) || len(s.Token) > maxToken {
		return s, invalid(fmt.Sprintf("token goes into a header: it has at most %d visible ASCII characters, and no spaces", maxToken))
	}
	if s.Version = cmp.Or(s.Version, bodyVersions[len(bodyVersions)-1]); !slices.Contains(bodyVersions, s.Version) {
		return s, invalid("unknown version " + api.Quote(s.Version) + ": must be one of " + strings.Join(bodyVersions, ", "))
	}
	return s, nil
}

// Subscriptions returns the subscriptions of new worlds to URLs.
func (t Targets) Subscriptions(urls []string) (all []Subscription, err error) {
	if len(urls) > maxSubscriptions {
		return nil, fmt.Errorf("%d webhooks for each world, which has %d at most: leave some out", len(urls), maxSubscriptions)
	}
	for _, text := range urls {
		s, err := Subscription{URL: text}.normalize(t)
		if err != nil {
			return nil, fmt.Errorf("the webhook %s: %s", api.Quote(text), messageOf(err))
		}
		all = append(all, s)
	}
	return all, nil
}

// Subscribe adds a subscription to the world, which gives it its id. A zero field has its default.
func (w *World) Subscribe(ctx context.Context, s Subscription) (Subscription, error) {
	s, err := s.normalize(w.worlds.config.Targets)
	if err != nil {
		return s, err
	}
	return update(ctx, w, func(tx *Tx) (Subscription, error) {
		if len(tx.record.Webhooks) >= maxSubscriptions {
			return s, errTooMany
		}
		first, r := !tx.hears(), tx.record
		added := r.subscribe(s, tx.now)
		err := tx.setRecord(r)
		if err == nil && first {
			err = tx.search()
		}
		return added, err
	})
}

// subscribe adds a normalized subscription.
func (r *record) subscribe(s Subscription, now time.Time) Subscription {
	r.WebhooksMade++
	s.ID = r.WebhooksMade
	s.Token = cmp.Or(s.Token, fixtures.Generator{Seed: r.Seed}.ID("whk_", "webhook "+strconv.Itoa(s.ID), time.Time{}))
	r.Webhooks = append(slices.Clone(r.Webhooks), subscription{Subscription: s, Since: now.UTC()})
	return s
}

// Subscriptions returns the subscriptions of the world, in the order in which they were made.
func (w *World) Subscriptions(ctx context.Context) ([]Subscription, error) {
	return read(ctx, w, func(tx *Tx) (all []Subscription, err error) {
		for _, s := range tx.record.Webhooks {
			all = append(all, s.Subscription)
		}
		return all, nil
	})
}

// Unsubscribe removes a subscription. What it has not been sent is given up.
func (w *World) Unsubscribe(ctx context.Context, id int) error {
	return w.Update(ctx, func(tx *Tx) error {
		r := tx.record
		r.Webhooks = slices.DeleteFunc(slices.Clone(r.Webhooks), func(s subscription) bool { return s.ID == id })
		if len(r.Webhooks) == len(tx.record.Webhooks) {
			return notFound(fmt.Sprintf("There is no webhook %d", id))
		}
		return tx.setRecord(r)
	})
}
