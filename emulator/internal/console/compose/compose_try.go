package compose

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/catalogue"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/resources"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// scratch is a scenario that is tried out, step by step, in a world of its own: that is in a temporary store, and seen nowhere
// else. Its clock is frozen and its seed is the server's, so the same steps always have the same answers.
type scratch struct {
	Scenario *scenarios.Scenario
	Now      time.Time
	Stages   []resources.StageView // of the verification request; nil: the scenario has none
	Next     string                // what moves the request on, in words
	Samples  []catalogue.Sample    // the requests that it answers
	Steps    []stepView

	exchange *frame.Exchange
	world    *world.World
	session  string // the id of the verification request of the last session; "": none was created
}

// stepView is a step and its result.
type stepView struct {
	Step  string // of the form
	Label string
	At    time.Time
	Error string // "": none

	Request *catalogue.Sample // nil: the step moved the clock
	surface.Resolution
	State string // in the answer
	Body  string
	Rule  *scenarios.Rule // that decided, of the text; nil: none
}

// maxSteps bounds the steps of a trial, and trialTime the time in which one may begin.
const (
	maxSteps  = 50
	trialTime = 5 * time.Second
)

// play runs the steps of the form with a scenario of a catalogue. One runs at a time: large catalogues take much memory.
func play(x *frame.Exchange, catalogue *scenarios.Catalogue, chosen *scenarios.Scenario) (s *scratch, err error) {
	x.Playing.Lock()
	defer x.Playing.Unlock()
	config := x.Worlds.Config()
	config.Catalogue, config.Journal = catalogue, journal.New(journal.Config{})
	config.TTL, config.Limit = 0, scenarios.Limit{}
	if config.Clock.Frozen.IsZero() {
		config.Clock.Frozen = config.Clock.Wall().UTC().Truncate(24 * time.Hour).Add(9 * time.Hour)
	}
	if config.Store, err = store.Open("temp"); err != nil {
		return nil, err
	}
	worlds := world.New(config)
	defer func() { err = errors.Join(err, worlds.Close()) }()

	ctx, cancel := context.WithTimeout(x.Context(), trialTime)
	defer cancel()
	key := x.Key(strings.ReplaceAll(chosen.Magic.APIKey, "*", "playground"))
	s = &scratch{Scenario: chosen, exchange: x, world: worlds.ByKey(key)}
	for _, step := range steps(x) {
		if ctx.Err() != nil {
			break
		}
		s.Steps = append(s.Steps, s.run(ctx, step))
	}
	return s, s.show(x.Context())
}

// steps returns the steps of the form, with the one of the pressed button.
func steps(x *frame.Exchange) []string {
	form := x.Request.PostForm
	steps := form["step"]
	switch add := form.Get("add"); {
	case form.Get("choose") != "" || add == "none":
		return nil
	case add == "undo":
		steps = steps[:max(0, len(steps)-1)]
	case add == "cancel":
		steps = append(steps, add+" "+form.Get("reason"))
	case add != "":
		steps = append(steps, add)
	}
	return steps[:min(len(steps), maxSteps)]
}

// Full reports whether there are as many steps as there may be.
func (s *scratch) Full() bool { return len(s.Steps) >= maxSteps }

// Latest returns the steps, the latest first.
func (s *scratch) Latest() []stepView {
	latest := slices.Clone(s.Steps)
	slices.Reverse(latest)
	return latest
}

// samples returns the requests that the scenario answers: of a global one, a request to each kind of resource. Without a magic
// id those for the verification request go to the one of the last session.
func (s *scratch) samples() []catalogue.Sample {
	shown := *s.Scenario
	if magic := shown.Magic; magic == (scenarios.Magic{APIKey: magic.APIKey}) {
		shown.Magic = scenarios.Magic{VerificationRequest: "vr_completed", SSN: scenarios.AnySSN, QualificationCheck: "qc_qualified", TenantProperty: "tp_default"}
	}
	all := catalogue.SamplesOf(&shown, s.exchange.Extended)
	if shown.Magic.VerificationRequest == "" && s.session != "" {
		shown.Magic = scenarios.Magic{VerificationRequest: s.session}
		all = append(all, catalogue.SamplesOf(&shown, s.exchange.Extended)...)
	}
	return all
}

// request returns the id of the scenario's verification request, "" when there is none yet.
func (s *scratch) request() string {
	if id := s.Scenario.Magic.VerificationRequest; id != "" {
		return id
	}
	return s.session
}

// show adds the timeline and the clock as they are after the steps.
func (s *scratch) show(ctx context.Context) error {
	status, err := s.world.Status(ctx)
	if err != nil {
		return err
	}
	s.Now, s.Samples = status.Now, s.samples()
	if id := s.request(); id != "" {
		v, err := s.world.VerificationRequest(ctx, id)
		if failure := (*api.Error)(nil); err != nil && !errors.As(err, &failure) {
			return err
		}
		if err == nil {
			stages, following := resources.StagesOf(v)
			s.Stages, s.Next = stages, resources.ViewNext(v, following, v.Now).Words
		}
	} else if s.Scenario.Magic.SSN != "" {
		for _, step := range s.Scenario.Timeline() {
			s.Stages = append(s.Stages, resources.StageView{Stage: world.Stage{Step: step, Phase: world.Ahead}, Class: string(world.Ahead), After: step.After.String()})
		}
		s.Next = "A session for its SSN makes the verification request."
	}
	return nil
}

// run runs one step.
func (s *scratch) run(ctx context.Context, step string) stepView {
	do, argument, _ := strings.Cut(step, " ")
	view := stepView{Step: step, Label: step}
	var err error
	switch all := s.samples(); do {
	case "advance":
		view.Label = "Clock +" + argument
		err = s.advance(ctx, argument)
	case "next":
		view.Label = "Clock to the next step"
		_, err = s.world.AdvanceToNext(ctx)
	default:
		i := slices.IndexFunc(all, func(one catalogue.Sample) bool { return one.Name == do })
		if i < 0 {
			err = api.Because(http.StatusBadRequest, "The scenario has no such request now")
			break
		}
		view.Request, view.Label = &all[i], all[i].Button
		if do == "cancel" {
			view.Request.Body = `{"cancellation_reason":` + strconv.Quote(argument) + `}`
		}
		err = s.send(ctx, &view)
	}
	if err != nil {
		view.Error = err.Error()
	}
	view.At, _ = s.world.Now(s.exchange.Context())
	return view
}

func (s *scratch) advance(ctx context.Context, span string) error {
	by, err := world.ParseSpan(span)
	if err != nil {
		return err
	}
	_, err = s.world.Advance(ctx, by)
	return err
}

// send sends the request of a step: no delay is waited for, and no fault breaks the connection.
func (s *scratch) send(ctx context.Context, view *stepView) error {
	r, err := view.Request.Request()
	if err != nil {
		return err
	}
	if view.Resolution, err = s.exchange.Do(r.WithContext(ctx), s.world); err != nil {
		return err
	}
	view.Body = words.Indented(string(view.Resolution.Body))
	var shown struct {
		ID    string `json:"id"`
		State string `json:"state"`
	}
	_ = json.Unmarshal(view.Resolution.Body, &shown) // a fault may have no document
	if view.State = shown.State; view.Request.Name == "session" && view.Status == http.StatusCreated {
		created, err := s.world.CredentialsSession(ctx, shown.ID)
		if err != nil {
			return err
		}
		s.session = created.ID
	} else if view.Request.Name == "create" && view.Status == http.StatusCreated {
		s.session = shown.ID
	}
	i := slices.IndexFunc(s.Scenario.Rules, func(r scenarios.Rule) bool { return r.At.String() == view.Resolution.Rule })
	if i >= 0 {
		view.Rule = &s.Scenario.Rules[i]
		view.Diagnosis = slices.DeleteFunc(view.Diagnosis, func(text string) bool { return strings.Contains(text, view.Resolution.Rule) })
	}
	return nil
}
