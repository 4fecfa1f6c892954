package main

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// generatedAt is the instant of generated documents, unless another is asked for: no clock, so that they stay the same.
const generatedAt = "2025-01-15T09:00:00Z"

func generateCommand() *cli.Command {
	kinds := []*cli.Command{
		generateKind("report", "a report of a completed verification request", newReports),
		generateKind("verification-request", "a completed verification request with its reports", newVerificationRequests),
		generateKind("qualification-check", "the result of a qualification check", newQualificationChecks),
		generateKind("tenant-property", "a tenant property", newTenantProperties),
	}
	return &cli.Command{
		Name:  "generate",
		Usage: "print synthetic resources as JSON, without a server",
		Description: `Examples:

   understudy generate report                                              one report of somebody
   understudy generate report --scenario contractor                        as vr_contractor has it
   understudy generate report --set pay.frequency=weekly --set employee.hired='420 days ago'
   understudy generate verification-request --ssn 000-12-3456 --set report.pay.base=62000
   understudy generate qualification-check --set rent=1450 --set report.pay.rate=24.50
   understudy generate report --count 1000000 --format ndjson > reports.ndjson

The same command prints the same bytes on every machine. --set takes the keys of scenario files: those of a report, or of
verification_request, qualification_check and tenant_property; below report. those of its report.`,
		Commands:     kinds,
		OnUsageError: onUsageError,
		Action:       helpOf,
	}
}

// generator makes the n-th document of a kind.
type generator func(number int) any

func generateKind(name, what string, make func(generation) (generator, error)) *cli.Command {
	return &cli.Command{
		Name:  name,
		Usage: "print " + what,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "id", Sources: fromEnvironment("id"), Usage: "give it the `ID`, and draw it from that as a magic id is"},
			&cli.StringFlag{Name: "ssn", Sources: fromEnvironment("ssn"), Usage: "draw the person of the number `SSN`, whose last four digits are shown"},
			&cli.StringFlag{Name: "scenario", Sources: fromEnvironment("scenario"), Usage: "start from the shape of the scenario `NAME`"},
			&cli.StringSliceFlag{Name: "set", Sources: fromEnvironment("set"), Usage: "set `KEY=VALUE`, as scenario files name keys; repeatable"},
			&cli.StringFlag{Name: "count", Sources: fromEnvironment("count"), Value: "1", Usage: "print `N` of them, each of another person"},
			&cli.StringFlag{Name: "format", Sources: fromEnvironment("format"), Value: "json", Usage: "print them as `FORMAT`: json (indented, a list of several) or ndjson (one a line)"},
			&cli.StringFlag{Name: "seed", Sources: fromEnvironment("seed"), Value: "1", Usage: "draw from the number `N`"},
			&cli.StringFlag{Name: "at", Sources: fromEnvironment("at"), Value: generatedAt, Usage: "complete them at `INSTANT`, RFC 3339"},
			&cli.BoolFlag{Name: "analytics", Sources: fromEnvironment("analytics"), Usage: "show the income analytics of reports"},
		},
		DisableSliceFlagSeparator: true, // a value may have commas
		OnUsageError:              onUsageError,
		Action: func(ctx context.Context, c *cli.Command) error {
			g, err := readGeneration(c)
			if err != nil {
				return err
			}
			documents, err := make(g)
			if err != nil {
				return err
			}
			if err := g.print(ctx, c.Root().Writer, c.Root().ErrWriter, documents); err != nil {
				return failure{err}
			}
			return nil
		},
	}
}

// generation is what the flags of generate say.
type generation struct {
	from      fixtures.Generator
	at        time.Time
	id        string
	identity  string // "": another for each document
	lastFour  string // of the person's number; "": drawn
	scenario  *scenarios.Scenario
	own       scenarios.Settings // of the resource
	ofReport  scenarios.Settings // of its report
	count     int
	lines     bool // ndjson
	analytics bool
}

// documentID returns the id of the n-th document, and what it is drawn from.
func (g generation) documentID(prefix string, number int) (id, identity string) {
	identity = g.identity
	if identity == "" {
		identity = fmt.Sprintf("generated %d", number)
	}
	if g.id != "" {
		return g.id, identity
	}
	return g.from.ID(prefix, identity, g.at), identity
}

// start returns the scenario that shapes are taken from: an empty one where none is named.
func (g generation) start() *scenarios.Scenario {
	if g.scenario == nil {
		return &scenarios.Scenario{}
	}
	return g.scenario
}

// reports returns the shapes of a document's reports, with what is set of them.
func (g generation) reports() ([]fixtures.ReportShape, error) {
	shapes := append([]fixtures.ReportShape(nil), g.start().Reports...)
	if len(g.ofReport) == 0 {
		return shapes, nil
	}
	if len(shapes) == 0 {
		shapes = make([]fixtures.ReportShape, 1)
	}
	for i := range shapes {
		if err := g.ofReport.Into(&shapes[i]); err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
	}
	return shapes, nil
}

func newVerificationRequests(g generation) (generator, error) {
	shape := g.start().VerificationShape()
	if err := g.own.Into(&shape); err != nil {
		return nil, fmt.Errorf("--set: %w", err)
	}
	var err error
	if shape.Reports, err = g.reports(); err != nil {
		return nil, err
	}
	completed := g.start().Completed(g.at)
	return func(number int) any {
		id, identity := g.documentID("vr_", number)
		created := completed.Add(-g.from.Turnaround(identity))
		if g.lastFour != "" {
			person := g.from.Person(identity, created)
			person.LastFour = g.lastFour
			shape.Person = &person
		}
		v := g.from.VerificationRequest(id, identity, shape, fixtures.Progress{
			State: api.StateCompleted, Created: created, Completed: completed,
		})
		if g.analytics {
			for i := range v.Reports {
				v.Reports[i].IncomeAnalytics = fixtures.Analytics(v.Reports[i], g.at)
			}
		}
		return v
	}, nil
}

func newReports(g generation) (generator, error) {
	g.ofReport, g.own = g.own, nil
	requests, err := newVerificationRequests(g)
	if err != nil {
		return nil, err
	}
	return func(number int) any { return requests(number).(api.VerificationRequest).Reports[0] }, nil
}

func newQualificationChecks(g generation) (generator, error) {
	shape := g.start().QualificationShape()
	if err := g.own.Into(&shape); err != nil {
		return nil, fmt.Errorf("--set: %w", err)
	}
	var err error
	if shape.Reports, err = g.reports(); err != nil {
		return nil, err
	}
	return func(number int) any {
		id, identity := g.documentID("qc_", number)
		return g.from.QualificationCheck(id, identity, shape, g.at)
	}, nil
}

func newTenantProperties(g generation) (generator, error) {
	shape := g.start().TenantPropertyShape()
	if err := g.own.Into(&shape); err != nil {
		return nil, fmt.Errorf("--set: %w", err)
	}
	return func(number int) any {
		id, identity := g.documentID("tp_", number)
		p := g.from.TenantProperty(identity, shape)
		p.ID = id
		return p
	}, nil
}
