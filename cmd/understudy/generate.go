package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// generatedAt is the instant of generated documents, unless another is asked for: no clock, so that they stay the same.
const generatedAt = "2025-01-15T09:00:00Z"

func generateCommand() *cli.Command {
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
		Commands: []*cli.Command{
			generateKind("report", "a report of a completed verification request", newReports),
			generateKind("verification-request", "a completed verification request with its reports", newVerificationRequests),
			generateKind("qualification-check", "the result of a qualification check", newQualificationChecks),
			generateKind("tenant-property", "a tenant property", newTenantProperties),
		},
		Action: helpOf,
	}
}

// generator makes the n-th document of a kind.
type generator func(n int) any

func generateKind(name, what string, make func(generation) (generator, error)) *cli.Command {
	return &cli.Command{
		Name:  name,
		Usage: "print " + what,
		Flags: []cli.Flag{
			text("", "id", "", "give it the `ID`, and draw it from that as a magic id is"),
			text("", "ssn", "", "draw the person of the number `SSN`, whose last four digits are shown"),
			text("", "scenario", "", "start from the shape of the scenario `NAME`"),
			texts("", "set", "set `KEY=VALUE`, as scenario files name keys; repeatable"),
			text("", "count", "1", "print `N` of them, each of another person"),
			text("", "format", "json", "print them as `FORMAT`: json (indented, a list of several) or ndjson (one a line)"),
			text("", "seed", "1", "draw from the number `N`"),
			text("", "at", generatedAt, "complete them at `INSTANT`, RFC 3339"),
			toggle("", "analytics", "show the income analytics of reports"),
		},
		DisableSliceFlagSeparator: true, // a value may have commas
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
	identity  string              // "": another for each document
	lastFour  string              // of the person's number; "": drawn
	scenario  *scenarios.Scenario // that shapes are taken from; an empty one when none is named
	own       scenarios.Settings  // of the resource
	ofReport  scenarios.Settings  // of its report
	count     int
	lines     bool // ndjson
	analytics bool
}

// documentID returns the id of the n-th document, and what it is drawn from.
func (g generation) documentID(prefix string, n int) (id, identity string) {
	identity = g.identity
	if identity == "" {
		identity = fmt.Sprintf("generated %d", n)
	}
	if g.id != "" {
		return g.id, identity
	}
	return g.from.ID(prefix, identity, g.at), identity
}

// reports returns the shapes of a document's reports, with what is set of them.
func (g generation) reports() ([]fixtures.ReportShape, error) {
	shapes := slices.Clone(g.scenario.Reports)
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
	shape := g.scenario.VerificationShape()
	if err := g.own.Into(&shape); err != nil {
		return nil, fmt.Errorf("--set: %w", err)
	}
	var err error
	if shape.Reports, err = g.reports(); err != nil {
		return nil, err
	}
	completed := g.scenario.Completed(g.at)
	return func(n int) any {
		id, identity := g.documentID("vr_", n)
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
	return func(n int) any { return requests(n).(api.VerificationRequest).Reports[0] }, nil
}

func newQualificationChecks(g generation) (generator, error) {
	shape := g.scenario.QualificationShape()
	if err := g.own.Into(&shape); err != nil {
		return nil, fmt.Errorf("--set: %w", err)
	}
	var err error
	if shape.Reports, err = g.reports(); err != nil {
		return nil, err
	}
	return func(n int) any {
		id, identity := g.documentID("qc_", n)
		return g.from.QualificationCheck(id, identity, shape, g.at)
	}, nil
}

func newTenantProperties(g generation) (generator, error) {
	shape := g.scenario.TenantPropertyShape()
	if err := g.own.Into(&shape); err != nil {
		return nil, fmt.Errorf("--set: %w", err)
	}
	return func(n int) any {
		id, identity := g.documentID("tp_", n)
		p := g.from.TenantProperty(identity, shape)
		p.ID = id
		return p
	}, nil
}
