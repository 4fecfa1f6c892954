package control

import (
	"bytes"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// worldView is a world as a list shows it.
type worldView struct {
	ID      string    `json:"id"`
	Key     string    `json:"key"` // masked
	Seed    uint64    `json:"seed"`
	Created time.Time `json:"created"`
	Clock   worldTime `json:"clock"`
}

// worldTime is the clock of a world: an instant, at which it stands or from which it runs on.
type worldTime struct {
	Now    time.Time `json:"now"`
	Frozen bool      `json:"frozen"`
}

func viewWorld(s world.Status) worldView {
	return worldView{s.ID, s.Key, s.Seed, s.Created, viewTime(s)}
}

func viewTime(s world.Status) worldTime { return worldTime{s.Now, s.Frozen} }

// listWorlds lists the worlds in the order of their ids.
func listWorlds(x *exchange) (any, error) {
	after, limit, err := x.span(world.ValidID)
	if err != nil {
		return nil, err
	}
	found, err := x.Worlds.List(x.context(), after, limit+1)
	return page(found, limit, func(s world.Status) string { return s.ID }, viewWorld), err
}

func deleteWorld(x *exchange) (any, error) {
	return nil, x.Worlds.Delete(x.context(), x.param("id"))
}

// reset makes the world as new. It takes no body but {}, so that nobody believes to reset a part.
func reset(x *exchange) (any, error) {
	if text := string(bytes.TrimSpace(x.body)); text == "null" || text != "" && x.decode(new(struct{})) != nil {
		return nil, api.Because(http.StatusBadRequest, "This call takes no body: leave it out, or send {}")
	}
	if err := x.do((*world.World).Reset); err != nil {
		return nil, err
	}
	return viewWorld(x.world.Status()), nil
}

func takeSnapshot(x *exchange) (any, error) {
	return x.Worlds.TakeSnapshot(x.context(), x.at)
}

// restoreSnapshot makes the world what a snapshot says.
func restoreSnapshot(x *exchange) (any, error) {
	if err := x.Worlds.RestoreSnapshot(x.context(), x.at, x.body, x.Operations); err != nil {
		return nil, err
	}
	if err := x.open(); err != nil {
		return nil, err
	}
	return viewWorld(x.world.Status()), nil
}

func showClock(x *exchange) (any, error) { return viewTime(x.world.Status()), nil }

// setClock sets the world's clock to an instant, freezes it or lets it run, or both.
func setClock(x *exchange) (any, error) {
	var in struct {
		Now    *time.Time `json:"now"`
		Frozen *bool      `json:"frozen"`
	}
	if err := x.decode(&in); err != nil {
		return nil, err
	}
	if in.Now == nil && in.Frozen == nil {
		return nil, api.Because(http.StatusBadRequest, `Say what the clock is set to: {"now":"2025-01-15T09:00:00Z"}, {"frozen":true} or both`)
	}
	if err := x.world.SetTime(in.Now, in.Frozen); err != nil {
		return nil, err
	}
	return viewTime(x.world.Status()), nil
}

func advanceClock(x *exchange) (any, error) {
	var in struct {
		By scenarios.Duration `json:"by"`
	}
	if err := x.decode(&in); err != nil {
		return nil, err
	}
	if in.By == 0 {
		return nil, api.Because(http.StatusBadRequest, `Say by how much the clock is advanced: {"by":"36h"}`)
	}
	if err := x.world.Advance(time.Duration(in.By)); err != nil {
		return nil, err
	}
	return viewTime(x.world.Status()), nil
}

// faultView is a fault as a list shows it.
type faultView struct {
	ID        string         `json:"id"`
	Rule      jsontext.Value `json:"rule"`
	Words     string         `json:"in_words"`
	Remaining *int           `json:"remaining"` // to how many calls it still applies; null when its rule does not say times
	Expires   *time.Time     `json:"expires"`   // by the world's clock
}

func viewFault(f world.Fault) faultView {
	shown := faultView{ID: f.ID, Rule: jsontext.Value(f.Source), Words: f.Rule.String(), Expires: f.Expires}
	if f.Rule.Times > 0 {
		shown.Remaining = new(f.Rule.Times - f.Applied)
	}
	return shown
}

// listFaults lists the faults of the world, in the order in which they were put on.
func listFaults(x *exchange) (any, error) {
	after, limit, err := x.span(world.ValidFaultID)
	if err != nil {
		return nil, err
	}
	faults, err := x.world.Faults()
	faults = slices.DeleteFunc(faults, func(f world.Fault) bool { return !f.Behind(after) })
	return page(faults, limit, func(f world.Fault) string { return f.ID }, viewFault), err
}

// addFault puts a rule on the world: {"rule":{"on":"get","respond":{"status":500},"times":2},"expires_in":"10m"}.
func addFault(x *exchange) (any, error) {
	var in struct {
		Rule      jsontext.Value     `json:"rule"`
		ExpiresIn scenarios.Duration `json:"expires_in"`
	}
	if isRule(x.body) {
		return nil, api.Because(http.StatusBadRequest, `The rule goes under rule: {"rule":{"on":"get","respond":{"status":500}}}`)
	}
	if err := x.decode(&in); err != nil {
		return nil, err
	}
	if in.Rule == nil {
		return nil, api.Because(http.StatusBadRequest, `Say what goes wrong: {"rule":{"on":"get","respond":{"status":500}}}`)
	}
	f, err := x.world.AddFault(in.Rule, time.Duration(in.ExpiresIn))
	if err != nil {
		return nil, err
	}
	return withStatus{http.StatusCreated, viewFault(f)}, nil
}

// isRule reports whether a body is a rule itself, where one should stand in it.
func isRule(text []byte) bool {
	var members map[string]jsontext.Value
	if json.Unmarshal(text, &members) != nil || members["rule"] != nil {
		return false
	}
	return slices.ContainsFunc([]string{"on", "respond", "fault", "delay"}, func(key string) bool { return members[key] != nil })
}

func removeFault(x *exchange) (any, error) {
	return nil, x.world.RemoveFault(x.param("id"))
}

func removeFaults(x *exchange) (any, error) { return nil, x.world.RemoveFaults() }
