package generate

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// bookFile is a file of a book: what it begins and ends with, and what it has of a person.
type bookFile struct {
	name, begin, end string
	of               func(r bookRows) (string, error)
}

// bookRows are the rows of a person in the tables, with the request.
type bookRows struct {
	people, truth []string
	request       api.VerificationRequest
}

// peopleColumns and truthColumns are the columns of the files and of the tables; numeric has those that are numbers there.
var (
	peopleColumns = []string{"person", "number", "first_name", "last_name", "date_of_birth", "contact_email", "phone_number", "company", "household"}
	truthColumns  = []string{"number", "request", "annual_income", "sources", "monthly_income", "rent", "ratio", "decision", "defect"}
	numeric       = map[string]string{"person": "INTEGER PRIMARY KEY", "annual_income": "NUMERIC", "monthly_income": "NUMERIC", "rent": "NUMERIC", "ratio": "NUMERIC"}
)

// bookFiles returns the files of a book.
func bookFiles() []bookFile {
	return []bookFile{
		{"people.csv", line(peopleColumns), "", func(r bookRows) (string, error) { return line(r.people), nil }},
		{"requests.ndjson", "", "", func(r bookRows) (string, error) {
			text, err := api.Render(r.request)
			return string(text) + "\n", err
		}},
		{"truth.csv", line(truthColumns), "", func(r bookRows) (string, error) { return line(r.truth), nil }},
		{"book.sql", "BEGIN;\n" + create("people", peopleColumns) + create("truth", truthColumns), "COMMIT;\n", func(r bookRows) (string, error) {
			return insert("people", peopleColumns, r.people) + insert("truth", truthColumns, r.truth), nil
		}},
	}
}

// columns returns what people.csv has of a person, after the place.
func (p booked) columns() []string {
	of := p.request.Target
	company := ""
	if of.Company != nil {
		company = shown(of.Company.Name)
	}
	return []string{p.shownNumber(), of.FirstName, of.LastName, shown(of.DateOfBirth), shown(of.ContactEmail), shown(of.PhoneNumber), company, p.request.Metadata["application"]}
}

// shownNumber returns the social security number as people write it.
func (p booked) shownNumber() string { return scenarios.MagicSSN(p.number.Digits()).String() }

// truthOf returns the row of a person in truth.csv.
func (b book) truthOf(p booked) []string {
	value := func(d *api.Decimal) string {
		if d == nil {
			return ""
		}
		return string(*d)
	}
	sum, sources := new(big.Rat), make([]string, len(p.truth.sources))
	for i, s := range p.truth.sources {
		sources[i] = s.employer + ": " + value(s.annual.Amount)
		if amount, ok := new(big.Rat).SetString(value(s.annual.Amount)); ok {
			sum.Add(sum, amount)
		}
	}
	is := p.truth.result
	return []string{
		p.shownNumber(), p.request.ID, sum.FloatString(2), strings.Join(sources, "; "), value(is.MonthlyGrossIncome),
		string(b.check.Rent.Decimal()), value(is.RentToIncomeRatio), string(is.Outcome), p.truth.defect,
	}
}

// line writes a row of CSV.
func line(cells []string) string {
	var out strings.Builder
	w := csv.NewWriter(&out)
	w.Write(cells) // into memory, which does not fail
	w.Flush()
	return out.String()
}

// create writes the statement that makes a table.
func create(table string, columns []string) string {
	typed := make([]string, len(columns))
	for i, name := range columns {
		typed[i] = name + " TEXT"
		if of := numeric[name]; of != "" {
			typed[i] = name + " " + of
		}
	}
	return fmt.Sprintf("CREATE TABLE %s (%s);\n", table, strings.Join(typed, ", "))
}

// insert writes the statement that adds a row to a table. An empty value is NULL.
func insert(table string, columns, cells []string) string {
	values := make([]string, len(cells))
	for i, cell := range cells {
		switch {
		case cell == "":
			values[i] = "NULL"
		case numeric[columns[i]] != "":
			values[i] = cell
		default:
			values[i] = "'" + strings.ReplaceAll(cell, "'", "''") + "'"
		}
	}
	return fmt.Sprintf("INSERT INTO %s VALUES (%s);\n", table, strings.Join(values, ", "))
}

// manifest says what a book was written from, and what its files are.
type manifest struct {
	Version    string             `json:"version"`
	Population string             `json:"population"`
	Described  string             `json:"population_sha256"` // of its text
	Seed       uint64             `json:"seed"`
	Count      int                `json:"count"`
	Began      time.Time          `json:"began"`
	At         time.Time          `json:"at"`
	Rent       api.Decimal        `json:"rent"`
	Tamper     string             `json:"tamper"`
	Tampered   int                `json:"tampered"`
	Files      map[string]summary `json:"files"`
}

type summary struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// writer writes a file, and sums it up.
type writer struct {
	*bufio.Writer
	file  *os.File
	hash  hash.Hash
	bytes int64
}

// createFile creates a file that does not exist yet.
func createFile(path string) (*writer, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s exists: name another folder with --out, or remove it", path)
		}
		return nil, err
	}
	w := &writer{file: file, hash: sha256.New()}
	w.Writer = bufio.NewWriterSize(io.MultiWriter(file, w.hash), 1<<18)
	return w, nil
}

func (w *writer) add(text string) error {
	w.bytes += int64(len(text))
	_, err := w.WriteString(text)
	return err
}

// close writes the rest of the file.
func (w *writer) close() (summary, error) {
	err := errors.Join(w.Flush(), w.file.Close())
	return summary{w.bytes, hex.EncodeToString(w.hash.Sum(nil))}, err
}

func writeBook(ctx context.Context, c *cli.Command, version string) error {
	b, err := readBook(c)
	count, countErr := strconv.Atoi(c.String("count"))
	if countErr != nil || count < 1 || count > maxBooked {
		err = errors.Join(err, command.Misused(c, "count", "is not a whole number from 1 to %d", maxBooked))
	}
	folder := c.String("out")
	if folder == "" {
		err = errors.Join(err, errors.New("book has no --out: name the folder for its files"))
	}
	if err != nil {
		return err
	}
	p := b.from.Population
	m := manifest{version, filepath.Base(p.Name), fmt.Sprintf("%x", sha256.Sum256(p.Text)), b.from.Seed, count, b.from.Began.UTC(), b.at.UTC(), b.check.Rent.Decimal(), c.String("tamper"), 0, map[string]summary{}}
	if err := b.write(ctx, c.Root().ErrWriter, folder, &m); err != nil {
		return command.Failed(err)
	}
	return command.Write(c, fmt.Sprintf("%d people, %d tampered with: %s\n", m.Count, m.Tampered, filepath.Join(folder, "manifest.json")))
}

// write writes the files of a book, and the manifest last.
func (b book) write(ctx context.Context, stderr io.Writer, folder string, m *manifest) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	files, out := bookFiles(), []*writer{}
	for _, f := range files {
		w, err := createFile(filepath.Join(folder, f.name))
		if err != nil {
			return err
		}
		defer w.file.Close()
		out = append(out, w)
		if err := w.add(f.begin); err != nil {
			return err
		}
	}
	type page struct {
		texts    []string // by file
		tampered bool
	}
	err := inOrder(ctx, stderr, m.Count, func(n int) (page, error) {
		p, err := b.person(b.numberOf(n))
		of := page{make([]string, len(files)), p.truth.defect != ""}
		rows := bookRows{append([]string{strconv.Itoa(n)}, p.columns()...), b.truthOf(p), p.request}
		for i, f := range files {
			text, failed := f.of(rows)
			of.texts[i], err = text, errors.Join(err, failed)
		}
		return of, err
	}, func(of page) error {
		if of.tampered {
			m.Tampered++
		}
		for i, text := range of.texts {
			if err := out[i].add(text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, f := range files {
		if err := out[i].add(f.end); err != nil {
			return err
		}
		if m.Files[f.name], err = out[i].close(); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "manifest.json"), append(text, '\n'), 0o644)
}

// showBooked prints a person of a book: who it is, the truth, and the request as it is served.
func showBooked(_ context.Context, c *cli.Command, number string) error {
	b, err := readBook(c)
	if err != nil {
		return err
	}
	ssn, err := api.ParseSSN(number)
	if err != nil {
		return fmt.Errorf("NUMBER %w", err)
	}
	p, err := b.person(ssn)
	if err != nil {
		return command.Failed(err)
	}
	var out strings.Builder
	for _, row := range []struct{ columns, cells []string }{{peopleColumns[1:], p.columns()}, {truthColumns[1:], b.truthOf(p)[1:]}} {
		for i, name := range row.columns {
			if row.cells[i] != "" {
				fmt.Fprintf(&out, "%-15s %s\n", name, row.cells[i])
			}
		}
	}
	return command.Write(c, out.String()+"\n"+string(readable(p.request)))
}
