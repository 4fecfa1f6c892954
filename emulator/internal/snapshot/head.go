package snapshot

import (
	"errors"
	"fmt"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/catalogues"
	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Version is the format of the snapshots that this release writes and reads.
const Version = 2

// Head is the first line of a snapshot: the world itself. A snapshot has the same bytes while nothing is requested and the
// clock stands. Those of two worlds with the same requests differ in the ids of requests, their times by the machine's clock and
// their durations only.
type Head struct {
	Version int       `json:"understudy_snapshot"`
	Seed    uint64    `json:"seed"`
	Created time.Time `json:"created"`
	Now     time.Time `json:"now"` // of the clock, which goes on from there
	Frozen  bool      `json:"frozen"`

	Scenarios     []catalogues.File   `json:"scenarios"`
	ScenariosMade int                 `json:"scenarios_made"`
	Faults        []rules.StoredFault `json:"faults"`
	FaultsMade    int                 `json:"faults_made"`

	delivery.Subscriptions

	Settings scenarios.Settings `json:"settings,omitzero"`
}

// check returns an error for what no world is.
func (s Head) check() error {
	never := func(at time.Time) bool { return at.IsZero() || clock.FrozenAt(at).Check() != nil }
	switch {
	case never(s.Created) || never(s.Now):
		return errors.New("created and now must be instants from the year 1970 to 9990")
	case s.Now.Before(s.Created):
		return fmt.Errorf("now is %s, which is before created, %s", s.Now.Format(time.RFC3339), s.Created.Format(time.RFC3339))
	case len(s.Faults) > rules.MaxFaults:
		return fmt.Errorf("faults are %d: a world has %d at most", len(s.Faults), rules.MaxFaults)
	case len(s.Scenarios) > catalogues.MaxFiles:
		return fmt.Errorf("scenarios are %d: a world has %d files of its own at most", len(s.Scenarios), catalogues.MaxFiles)
	}
	if err := s.Settings.Check(); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if err := stored.CheckCounts("", map[string]int{"scenarios_made": s.ScenariosMade, "faults_made": s.FaultsMade, "webhooks_made": s.WebhooksMade}); err != nil {
		return err
	}
	before := 0
	for _, f := range s.Faults {
		number := rules.FaultNumber(f.ID)
		if number <= before || number > s.FaultsMade {
			return fmt.Errorf("no fault here can have the id %s: they are %s1 to %s%d, by faults_made, each once and in order",
				api.Quote(f.ID), rules.FaultPrefix, rules.FaultPrefix, s.FaultsMade)
		}
		if err := f.Check(); err != nil {
			return err
		}
		before = number
	}
	for i, f := range s.Scenarios {
		if !scenarios.ValidName(f.Name) || i > 0 && s.Scenarios[i-1].Name >= f.Name {
			return fmt.Errorf("no scenario file here can have the name %s: it has 1 to 64 of a-z 0-9 . _ -, and they are in order", api.Quote(f.Name))
		}
	}
	return nil
}
