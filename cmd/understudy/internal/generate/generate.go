// Package generate has the commands that need no server: those that print synthetic resources, and those that list and check
// scenario files.
package generate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func Command() *cli.Command {
	person := command.Text("", "ssn", "", "generate the person with the number `SSN`; the output has the last four digits")
	analytics := command.Toggle("", "analytics", "include the income analytics of reports")
	mix := command.Toggle("", "mix", "draw people from the population mix; --set wins")
	population := command.Text("", "population", "plain", "draw people from a `POPULATION`: plain, mix, or a file, as book does; --set wins")
	return &cli.Command{
		Name:     "generate",
		Usage:    "print synthetic resources as JSON, without a server",
		Metadata: map[string]any{command.DefaultCommand: "report"},
		Description: `Examples:

   understudy generate report                                              one report
   understudy generate report --scenario contractor                        shaped like that of vr_contractor
   understudy generate report --set pay.frequency=weekly --set employee.hired='420 days ago'
   understudy generate verification-request --ssn 000-12-3456 --set report.pay.base=62000
   understudy generate verification-request --set state=canceled --set set.cancellation_reason=competitor
   understudy generate qualification-check --set rent=1450 --set report.pay.rate=24.50
   understudy generate --mix --count 20 --as text                          reports to read, of different people
   understudy generate report --count 1000000 --as ndjson > reports.ndjson

Without a kind it prints a report. The same command prints the same bytes on every machine.

--set takes the keys that scenario files have below verification_request, qualification_check, tenant_property or reports; for a
resource with reports, those begin with "report.". Those of its person and of the company begin with "person." and "company.".
Below set they reach every field of the API, such as set.paystubs.0.net=null. A verification request also has a state.`,
		Commands: []*cli.Command{
			generateKind("report", "the report of a completed verification request", newReports, person, analytics, mix, population),
			generateKind("verification-request", "a verification request with its reports", newVerificationRequests, person, analytics, mix, population),
			generateKind("qualification-check", "the result of a qualification check", newQualificationChecks, person, mix, population),
			generateKind("tenant-property", "a tenant property", newTenantProperties),
		},
	}
}

// generator returns document n of a kind, from 1.
type generator func(n int) any

// generateKind returns the command for a kind of resource; flags are those that not every kind has.
func generateKind(name, what string, make func(generation) (generator, error), flags ...cli.Flag) *cli.Command {
	format := command.Text("", "format", "json", "print them as `FORMAT`: json (indented; several are a list), ndjson (one a line) or, of reports and verification requests, text (to read)")
	format.Aliases = []string{"as"}
	return &cli.Command{
		Name:        name,
		Usage:       "print " + what,
		Description: command.Example("generate " + name + " --seed 7"),
		Flags: append([]cli.Flag{
			command.Text("", "id", "", "give it the id `ID`, and derive it from the id as for a magic value"),
			command.Text("", "scenario", "", "start from the shape of the scenario `NAME`"),
			command.Texts("", "set", "set `KEY=VALUE`, as scenario files name keys; repeatable"),
			command.Text("", "count", "1", "print `N` documents, each for another person"),
			format,
			command.Text("", "seed", "1", "derive all data from the number `N`"),
			command.Text("", "at", command.GeneratedAt, "set the time of completion to `INSTANT` (RFC 3339)"),
		}, flags...),
		DisableSliceFlagSeparator: true, // a value may have commas
		Action: func(ctx context.Context, c *cli.Command) error {
			g, err := readGeneration(c)
			if err != nil {
				return err
			}
			documents, err := make(g)
			if err != nil {
				return command.Named(c, "set", err)
			}
			if err := g.print(ctx, c.Root().Writer, c.Root().ErrWriter, documents); err != nil {
				return command.Failed(err)
			}
			return nil
		},
	}
}

type generation struct {
	from      fixtures.Generator
	at        time.Time
	id        string
	identity  string              // "": each document has another
	lastFour  string              // digits of the person's number; "": generated
	scenario  *scenarios.Scenario // gives the shapes; empty when none is named
	own       []string            // of the resource
	ofReport  []string            // of its report
	ofPerson  []string            // of its person and company
	count     int
	format    string
	analytics bool
	mix       bool
	reports   bool // only these are printed
}

// readGeneration parses the flags of generate. Its error names every bad one.
func readGeneration(c *cli.Command) (g generation, err error) {
	seed, seedErr := command.ParseSeed(c)
	population, populationErr := command.ParsePopulation(c)
	g.from = fixtures.Generator{Seed: seed, Population: population}
	count, countErr := strconv.Atoi(c.String("count"))
	if countErr != nil || count < 1 {
		countErr = command.Misused(c, "count", "is not a whole number above 0")
	}
	at, atErr := command.ParseInstant(c, "at", "not")
	format := c.String("format")
	var formatErr error
	switch reports := c.Name == "report" || c.Name == "verification-request"; {
	case format == "text" && !reports:
		formatErr = command.Misused(c, "format", "is for reports and verification requests: take json or ndjson")
	case format != "json" && format != "ndjson" && format != "text":
		formatErr = command.Misused(c, "format", "is none of json, ndjson and text")
	}
	g.count, g.at, g.format, g.analytics, g.mix = count, at, format, c.Bool("analytics"), c.Bool("mix") || population != nil
	return g, errors.Join(seedErr, populationErr, countErr, atErr, formatErr, g.readPerson(c), g.readShape(c))
}

func (g *generation) readPerson(c *cli.Command) error {
	id, number := c.String("id"), c.String("ssn")
	for _, flag := range []string{"id", "ssn"} {
		if g.count > 1 && c.String(flag) != "" {
			return fmt.Errorf("%s asks for documents of several people, and %s for one: leave one out", command.Given(c, "count"), command.Given(c, flag))
		}
	}
	if id != "" && !scenarios.ValidID(id) {
		return command.Misused(c, "id", "is no id: take 1 to 128 of A-Z a-z 0-9 . _ ~ -")
	}
	g.id, g.identity = id, id
	if number == "" {
		return nil
	}
	ssn, err := api.ParseSSN(number)
	if err != nil {
		return fmt.Errorf("%s %w", command.Given(c, "ssn"), err)
	}
	g.identity, g.lastFour = g.from.Identity(ssn), ssn.LastFour()
	return nil
}

func (g *generation) readShape(c *cli.Command) error {
	for _, setting := range c.StringSlice("set") {
		if below, ok := strings.CutPrefix(setting, "report."); ok {
			g.ofReport = append(g.ofReport, below)
		} else if strings.HasPrefix(setting, "person.") || strings.HasPrefix(setting, "company.") {
			g.ofPerson = append(g.ofPerson, setting)
		} else {
			g.own = append(g.own, setting)
		}
	}
	g.scenario = new(scenarios.Scenario)
	name := c.String("scenario")
	if g.mix && name != "" {
		all := "mix"
		if !c.Bool(all) {
			all = "population"
		}
		return fmt.Errorf("%s asks for the reports of one scenario, and %s for all kinds: leave one out", command.Given(c, "scenario"), command.Given(c, all))
	}
	if name == "" {
		return nil
	}
	catalogue, err := scenarios.Load()
	if err != nil {
		return err
	}
	if g.scenario = catalogue.ByName(name); g.scenario != nil {
		kind := scenarios.Kind(strings.ReplaceAll(c.Name, "-", " "))
		if c.Name == "report" {
			kind = scenarios.VerificationRequestID
		}
		if why := catalogue.OtherKind(g.scenario, kind); why != "" {
			return fmt.Errorf("%s: %s", command.Given(c, "scenario"), why)
		}
		return nil
	}
	return command.Misused(c, "scenario", "is not the name of a scenario%s", api.DidYouMean(name, catalogue.Names(), ": see understudy scenarios list"))
}

// documentID returns the id of document n, and the identity that its data are derived from.
func (g generation) documentID(prefix string, n int) (id, identity string) {
	identity = g.identity
	if identity == "" {
		identity = strings.TrimSpace(fmt.Sprintf("generated %d %s", n, g.scenario.Name)) // two scenarios share no person
	}
	if g.id != "" {
		return g.id, identity
	}
	return g.from.ID(prefix, identity, g.at), identity
}

// requestSettings are the settings of a verification request.
type requestSettings struct {
	fixtures.VerificationShape `yaml:",inline"`

	State api.State `yaml:"state"`
}

// set applies --set to a shape, and to the scenario's person, company and reports, which become its own.
func (g generation) set(shape any, given *fixtures.Given, reports *[]fixtures.ReportShape) error {
	if err := cmp.Or(scenarios.DecodeSettings(g.own, shape), scenarios.DecodeSettings(g.ofPerson, given)); err != nil {
		return err
	}
	if g.lastFour != "" {
		person := *cmp.Or(given.Person, new(fixtures.Person))
		person.LastFour = g.lastFour
		given.Person = &person
	}
	*reports = slices.Clone(g.scenario.Reports)
	if len(g.ofReport) > 0 && len(*reports) == 0 {
		*reports = []fixtures.ReportShape{{}}
	}
	for i := range *reports {
		if err := scenarios.DecodeSettings(g.ofReport, &(*reports)[i]); err != nil {
			return err
		}
	}
	return nil
}

func newVerificationRequests(g generation) (generator, error) {
	settings := requestSettings{VerificationShape: g.scenario.VerificationShape()}
	if err := g.set(&settings, &settings.Given, &settings.Reports); err != nil {
		return nil, err
	}
	shape, completed := settings.VerificationShape, g.scenario.Completed(g.at)
	if g.reports {
		settings.State, shape.Type = api.StateCompleted, cmp.Or(shape.Type, api.TypeEmploymentIncome)
	}
	request := func(n int) (id, identity string, of fixtures.VerificationShape, progress fixtures.Progress) {
		id, identity = g.documentID("vr_", n)
		of, progress = shape, fixtures.Progress{State: cmp.Or(settings.State, api.StateCompleted), Created: completed.Add(-g.from.Turnaround(identity)), Completed: completed}
		if g.mix {
			of = g.mixed(identity, completed, shape)
		}
		if g.mix && g.reports {
			of.Reports = of.Reports[:1] // one is printed
		}
		if g.mix && settings.State == "" {
			progress = g.from.MixProgress(identity, completed)
		}
		return id, identity, of, progress
	}
	id, identity, of, progress := request(1)
	first, contradictions, _ := g.from.Explain(id, identity, of, progress, g.at)
	err := shape.Set.Missing(first.VerificationRequest) // which names elements that do not exist
	for i := range first.Reports {
		if i < len(shape.Reports) {
			err = cmp.Or(err, shape.Reports[i].Set.Missing(first.Reports[i]))
		}
	}
	for _, found := range contradictions {
		if key, given := strings.CutPrefix(found.Field, "reports.0."); given && !strings.HasPrefix(key, "set.") {
			err = cmp.Or(err, fmt.Errorf("%s %s", key, found.What))
		}
	}
	return func(n int) any {
		drawn := g.from.VerificationRequest(request(n))
		if g.analytics {
			return drawn.Analyzed(g.at)
		}
		return drawn.VerificationRequest
	}, err
}

// yielding is what a drawn report leaves out for what is set, in turn, until nothing contradicts it. The company stays, with jobs that
// fit it.
var yielding = []func(r *fixtures.ReportShape){
	func(*fixtures.ReportShape) {},
	func(r *fixtures.ReportShape) { r.Employee.Leaves, r.Pay.Events, r.Disputes = nil, nil, nil },
	func(r *fixtures.ReportShape) { r.Employee.Career = nil },
	func(r *fixtures.ReportShape) { r.Pay = fixtures.PayShape{} },
	func(r *fixtures.ReportShape) { r.Employee = fixtures.EmployeeShape{} },
}

// mixed returns a shape with the person and the reports of a mix. What is set wins: what contradicts it is left out.
func (g generation) mixed(identity string, on time.Time, plain fixtures.VerificationShape) fixtures.VerificationShape {
	if len(g.own)+len(g.ofReport) == 0 {
		return g.from.Mix(identity, on, plain, nil)
	}
	shape := g.from.Mix(identity, on, plain, func(i int, drawn fixtures.ReportShape) (r fixtures.ReportShape) {
		settings := g.ofReport
		if i > 0 && drawn.Employee.Terminated != nil { // what is set is of the present employment
			settings = slices.DeleteFunc(slices.Clone(settings), func(s string) bool { return strings.HasPrefix(s, "employee.") || strings.HasPrefix(s, "pay.") })
		}
		for _, yield := range yielding {
			yield(&drawn)
			r = drawn
			if err := scenarios.DecodeSettings(settings, &r); err == nil && len(fixtures.Validate(r)) == 0 {
				break
			}
		}
		return r
	})
	if len(fixtures.Validate(shape)) > 0 {
		return plain
	}
	return shape
}

func newReports(g generation) (generator, error) {
	if len(g.ofReport) > 0 {
		return nil, fmt.Errorf("the keys of a report itself have no prefix: write %s", g.ofReport[0])
	}
	g.ofReport, g.own, g.reports = g.own, nil, true
	requests, err := newVerificationRequests(g)
	if err != nil {
		return nil, err
	}
	return func(n int) any { return requests(n).(api.VerificationRequest).Reports[0] }, nil
}

func newQualificationChecks(g generation) (generator, error) {
	shape := g.scenario.QualificationShape()
	if err := g.set(&shape, &shape.Given, &shape.Reports); err != nil {
		return nil, err
	}
	checks := func(n int) any {
		id, identity := g.documentID("qc_", n)
		shape := shape
		if g.mix {
			mixed := g.mixed(identity, g.at, fixtures.VerificationShape{Given: shape.Given, Reports: shape.Reports})
			shape.Given, shape.Reports = mixed.Given, mixed.Reports
		}
		return g.from.QualificationCheck(id, identity, shape, g.at)
	}
	first := checks(1).(api.QualificationCheck)
	return checks, shape.Set.Missing(first) // which names elements that do not exist
}

func newTenantProperties(g generation) (generator, error) {
	if len(g.ofReport) > 0 {
		return nil, fmt.Errorf("a tenant property has no reports: leave report.%s out", g.ofReport[0])
	}
	shape := g.scenario.TenantPropertyShape()
	if err := scenarios.DecodeSettings(append(g.own, g.ofPerson...), &shape); err != nil {
		return nil, err
	}
	return func(n int) any {
		id, identity := g.documentID("tp_", n)
		p := g.from.TenantProperty(identity, shape)
		p.ID = id
		return p
	}, nil
}
