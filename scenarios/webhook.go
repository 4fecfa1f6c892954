package scenarios

import (
	"net/url"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// webhook is a subscription to the events of a world.
type webhook struct {
	URL     string         `yaml:"url"`
	Events  []webhookEvent `yaml:"events"` // nil is all
	Token   string         `yaml:"token"`  // "" is drawn from the seed
	Version webhookVersion `yaml:"version"`
}

// webhookEvent is the name of an event.
type webhookEvent string

// Values lists the events.
func (webhookEvent) Values() []webhookEvent {
	return []webhookEvent{"verification_request.state.change", "credentials_session.state.change"}
}

// webhookVersion is the form of a webhook's body.
type webhookVersion string

// Values lists the versions, the oldest first.
func (webhookVersion) Values() (all []webhookVersion) {
	for _, version := range api.Versions() {
		all = append(all, webhookVersion(version))
	}
	return all
}

// Validate lists the violations of the subscription. Whether its target is allowed depends on the server.
func (w webhook) Validate() []fixtures.Violation {
	found := fixtures.Violations{}
	target, err := url.Parse(w.URL)
	found.Require(err == nil && target.Host != "" && (target.Scheme == "http" || target.Scheme == "https"), "url", "must be a URL such as http://127.0.0.1:8081/hooks")
	return found
}

// deliver is what goes wrong when a webhook is delivered: one of these.
type deliver struct {
	Late         Duration `yaml:"late"` // on the world's clock
	Twice        bool     `yaml:"-"`
	Lost         bool     `yaml:"-"` // never sent, nor repeated
	OutOfOrder   bool     `yaml:"-"` // sent after the next event of its request
	WrongToken   bool     `yaml:"-"`
	BeforeAnswer bool     `yaml:"-"` // sent before the answer to the call that caused it
}

// usualLate is how late a webhook is by the word alone.
const usualLate = Duration(time.Hour)

// longestLate is how late a webhook may be.
const longestLate = Duration(365 * 24 * time.Hour)

// manner is what goes wrong, as a word.
type manner string

// Values lists the words.
func (manner) Values() []manner {
	return []manner{"twice", "lost", "late", "out-of-order", "wrong-token", "before-answer"}
}

// set sets what a word says.
func (d *deliver) set(word manner) {
	*d = deliver{Twice: word == "twice", Lost: word == "lost", OutOfOrder: word == "out-of-order", WrongToken: word == "wrong-token", BeforeAnswer: word == "before-answer"}
	if word == "late" {
		d.Late = usualLate
	}
}

// String describes the delivery in words.
func (d deliver) String() string {
	switch {
	case d.Twice:
		return "delivered twice"
	case d.Lost:
		return "never delivered"
	case d.OutOfOrder:
		return "delivered after the next event"
	case d.WrongToken:
		return "delivered with a wrong token"
	case d.BeforeAnswer:
		return "delivered before the answer"
	}
	return "delivered " + d.Late.String() + " late"
}

// Validate lists the violations of the delivery.
func (d deliver) Validate() []fixtures.Violation {
	found := fixtures.Violations{}
	found.Require(d.Late > 0, "", "deliver takes a span of time: write deliver: {late: 2h}")
	found.Require(d.Late <= longestLate, "late", "must be 8760h at most")
	return found
}
