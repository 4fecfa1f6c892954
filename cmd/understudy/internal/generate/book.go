package generate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
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

// Book returns the command that writes a book of people.
func Book(version string) *cli.Command {
	return &cli.Command{
		Name:  "book",
		Usage: "write many people, their verification requests, and the truth about them",
		Description: `It writes people.csv, requests.ndjson, truth.csv, book.sql and manifest.json. The same command writes the same bytes on every
machine. Examples:
   understudy book --count 1000 --out book                           a thousand people
   understudy book --count 1000 --out forged --tamper 3%             some of whom have tampered reports, as truth.csv says
   understudy book --count 1000 --out later --at 2026-01-15T09:00:00Z
                                                                     the same people, verified again a year later
   understudy book --count 1000 --out mine --population mine.yaml    people of a file that begins as understudy book population
   understudy book show 000-01-0001 --tamper 3%                      one person, by the number in people.csv
   understudy serve --population mix --clock 2025-01-15T09:00:00Z    a session for a person of the book finds the same one`,
		Flags: append([]cli.Flag{
			command.Text("", "count", "1000", "write `N` people"),
			command.Text("", "out", "", "write the files into `FOLDER`, which is made"),
		}, bookFlags()...),
		Commands: []*cli.Command{{
			Name:        "show",
			Usage:       "print a person of a book, with the truth",
			ArgsUsage:   "NUMBER",
			Description: command.Example("book show 000-01-0001 --seed 7"),
			Flags:       bookFlags(),
			Action:      command.WithArgument("whom, by a number of people.csv such as 000-01-0001", showBooked),
		}, {
			Name:        "population",
			Usage:       "print the population of a book: begin a file of your own with that of the mix",
			Description: command.Example("book population > population.yaml"),
			Flags:       []cli.Flag{populationFlag()},
			Action: func(_ context.Context, c *cli.Command) error {
				p, err := readPopulation(c)
				if err != nil {
					return err
				}
				return command.Write(c, string(p.Text))
			},
		}, schemaCommand("population")},
		Action: func(ctx context.Context, c *cli.Command) error { return writeBook(ctx, c, version) },
	}
}

// bookFlags are the flags from which a person of a book follows.
func bookFlags() []cli.Flag {
	return []cli.Flag{
		populationFlag(),
		command.Text("", "seed", "1", "derive all data from the number `N`"),
		command.Text("", "began", command.GeneratedAt, "count lives from `INSTANT` (RFC 3339), when the world of an emulator began"),
		command.Text("", "at", "", "read the book at `INSTANT` (RFC 3339); not before --began, the default"),
		command.Text("", "tamper", "0%", "tamper with the reports of a `SHARE` of the people, such as 3%"),
		command.Text("", "rent", "1850", "decide about a monthly rent of `AMOUNT`"),
	}
}

func populationFlag() cli.Flag {
	return command.Text("", "population", "mix", "draw people from a `POPULATION`: mix, or a file, over the mix")
}

// readPopulation parses --population of a book.
func readPopulation(c *cli.Command) (*fixtures.Population, error) {
	p, err := command.ParsePopulation(c)
	if err == nil && p == nil {
		err = command.Misused(c, "population", "has nobody: take mix or a file")
	}
	return p, err
}

// book is what the people of a book follow from.
type book struct {
	from   fixtures.Generator
	at     time.Time
	tamper float64 // the share of people
	check  fixtures.QualificationShape
}

// readBook parses the flags of a book. Its error names every bad one.
func readBook(c *cli.Command) (b book, err error) {
	population, populationErr := readPopulation(c)
	seed, seedErr := command.ParseSeed(c)
	began, beganErr := command.ParseInstant(c, "began", "not")
	var atErr, tamperErr error
	if b.at = began; c.String("at") != "" {
		b.at, atErr = command.ParseInstant(c, "at", "not")
	}
	if beganErr == nil && atErr == nil && b.at.Before(began) {
		atErr = command.Misused(c, "at", "is before --began: nobody is known earlier than %s", began.Format(time.RFC3339))
	}
	percent, isPercent := strings.CutSuffix(c.String("tamper"), "%")
	share, parseErr := strconv.ParseFloat(percent, 64)
	if !isPercent || parseErr != nil || !(share >= 0 && share <= 100) {
		tamperErr = command.Misused(c, "tamper", "is not a share from 0%% to 100%%, such as 3%%")
	}
	rentErr := scenarios.DecodeSettings([]string{"rent=" + c.String("rent")}, &b.check)
	if rentErr != nil {
		rentErr = command.Misused(c, "rent", "is not a month's rent such as 1850.00")
	}
	b.from, b.tamper = fixtures.Generator{Seed: seed, Began: began, Population: population}, share/100
	return b, errors.Join(populationErr, seedErr, beganErr, atErr, tamperErr, rentErr)
}

// maxBooked is the greatest number of people in a book: so many have numbers with identities of their own.
const maxBooked = 500_000

// numberOf returns the social security number of person n of a book, from 1. No number was ever issued to anybody, and no two
// lead to one identity.
func (b book) numberOf(n int) (number api.SSN) {
	serial, taken := 1+(n-1)%9999, map[string]bool{}
	for group := 1; len(taken) <= (n-1)/9999; group++ {
		number, _ = api.ParseSSN(fmt.Sprintf("000-%02d-%04d", group, serial))
		taken[b.from.Identity(number)] = true
	}
	return number
}

// booked is a person of a book.
type booked struct {
	number  api.SSN
	request api.VerificationRequest // as it is served
	truth   truth
}

// truth is what is so, whatever the request shows.
type truth struct {
	sources []source
	result  api.QualificationResult
	defect  string // of the first report; "" without
}

// source is an income of a person.
type source struct {
	employer string
	annual   api.MoneyAmount
}

// person draws the person with a number: as an emulator does for a session that has the person's data.
func (b book) person(number api.SSN) (booked, error) {
	identity := b.from.Identity(number)
	id := b.from.ID("vr_", identity, b.at)
	target := b.target(id, identity, b.mixed(identity, fixtures.Person{LastFour: number.LastFour()}))
	person := fixtures.Person{
		FirstName: target.FirstName, LastName: target.LastName, LastFour: number.LastFour(),
		DateOfBirth: target.DateOfBirth, Email: target.ContactEmail, Phone: target.PhoneNumber,
	}
	shape := b.mixed(identity, person)
	person.Company = b.target(id, identity, shape).Company
	shape.Target = &person
	whole := complete(shape)
	completed := fixtures.Progress{State: api.StateCompleted, Created: b.at.Add(-b.from.Turnaround(identity)), Completed: b.at}
	truthful := b.from.VerificationRequest(id, identity, whole, completed)
	is, err := b.truth(truthful.Analyzed(b.at).Reports)
	p := booked{number: number, request: truthful.VerificationRequest, truth: is}
	if progress := b.from.MixProgress(identity, b.at); !reflect.DeepEqual(whole, shape) || !reflect.DeepEqual(progress, completed) {
		p.request = b.from.VerificationRequest(id, identity, shape, progress).VerificationRequest
	}
	if len(p.request.Reports) > 0 {
		b.tamperWith(&p, identity, shape)
	}
	return p, err
}

// complete returns the shape of a request for income that sets and leaves out nothing.
func complete(shape fixtures.VerificationShape) fixtures.VerificationShape {
	shape.Type, shape.Reports = "", slices.Clone(shape.Reports)
	for i := range shape.Reports {
		shape.Reports[i].Set, shape.Reports[i].Missing = fixtures.ReportShape{}.Set, nil
	}
	return shape
}

// mixed draws the verification of a person whose data are given.
func (b book) mixed(identity string, given fixtures.Person) fixtures.VerificationShape {
	return b.from.Mix(identity, b.at, fixtures.VerificationShape{Given: fixtures.Given{Person: &given}}, nil)
}

// target draws the person of a verification.
func (b book) target(id, identity string, shape fixtures.VerificationShape) api.Target {
	return b.from.VerificationRequest(id, identity, shape, fixtures.Progress{State: api.StateProcessing, Created: b.at}).Target
}

// truth returns the incomes of reports and the decision about the rent.
func (b book) truth(reports []api.Report) (is truth, err error) {
	var incomes []map[string]any
	for _, r := range reports {
		if monthly, ok := fixtures.MonthlyIncome(r.IncomeAnalytics); ok {
			annual := r.IncomeAnalytics.AnnualizedIncome
			is.sources = append(is.sources, source{r.Employer.Name, *cmp.Or(annual.GrossAmount, annual.BaseAmount)})
			incomes = append(incomes, map[string]any{"monthly_gross_income": monthly.Decimal()})
		}
	}
	text, err := json.Marshal(map[string]any{"result": map[string]any{"report_results": incomes}})
	check := b.check
	check.Type = api.TypeEmployment // all incomes are those of the truth
	err = cmp.Or(err, check.Set.UnmarshalJSON(text))
	is.result = b.from.QualificationCheck("", "", check, b.at).Result
	return is, err
}

// tamperWith lays a defect over the first report of a request, if its person is among those who have one: the first of all in a
// drawn order for which the report has something to change.
func (b book) tamperWith(p *booked, identity string, shape fixtures.VerificationShape) {
	hash := fnv.New64a()
	hash.Write([]byte(identity))
	f := rand.New(rand.NewPCG(b.from.Seed, hash.Sum64()))
	if f.Float64() >= b.tamper {
		return
	}
	shape.Reports = slices.Clone(shape.Reports)
	all := shape.Reports[0].Tamper.Values()
	for _, i := range f.Perm(len(all)) {
		shape.Reports[0].Tamper = all[i]
		if forged := b.from.VerificationRequest(p.request.ID, identity, shape, b.from.MixProgress(identity, b.at)); forged.Laid[0] {
			p.request, p.truth.defect = forged.VerificationRequest, string(all[i])
			return
		}
	}
}
