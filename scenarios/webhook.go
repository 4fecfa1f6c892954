package scenarios

import (
	"net/url"

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
