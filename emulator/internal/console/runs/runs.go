// Package runs saves the requests of a run as one file, and compares two runs.
package runs

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"html"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/snapshot"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// beforeReset, before the id of a world, names what the world was before its last reset.
const beforeReset = "before:"

// maxRuns bounds two files of runs, in bytes.
const maxRuns = 40 << 20

// runsPage is the data of pages/runs.html: two runs beside each other.
type runsPage struct {
	Choices     []runChoice
	First, Then string // of the choices
	Groups      []runChanges
	Same        int // requests that were answered the same
	Compared    bool
}

// runChoice is a run that the console has.
type runChoice struct{ Value, Name string }

// runChanges is requests of one kind of change.
type runChanges struct {
	Name string
	Rows []runChange
	More int // that are not shown
}

// maxChanges bounds the rows of a kind of change.
const maxChanges = 100

// runChange is a request that one run has alone, or that the runs have answered otherwise.
type runChange struct {
	Entry       *journal.Entry
	Times       int // how often the run had asked the same before
	Left, Right *journal.Entry
	Parts       []recorded.ComparedPart // of both
}

// showRuns compares the runs of ?first= and ?then=, worlds by their ids. Without them it asks which.
func showRuns(x *frame.Exchange) (frame.Answer, error) {
	return runs(x, x.Value("first") != "" && x.Value("then") != "", [2][]byte{})
}

// askRuns asks which runs to compare. The world of ?world= is offered first.
func askRuns(x *frame.Exchange) (frame.Answer, error) { return runs(x, false, [2][]byte{}) }

// runs shows the page of two runs, and compares those that are chosen: texts are of files.
func runs(x *frame.Exchange, compare bool, texts [2][]byte) (frame.Answer, error) {
	p, err := newRuns(x)
	if err == nil && compare {
		err = compareRuns(x, &p, texts)
	}
	return frame.Page{Name: "runs", Title: "Two runs", Data: p}, err
}

// readRuns compares the runs of the form: files, or worlds in the place of those that are not chosen.
func readRuns(x *frame.Exchange) (frame.Answer, error) {
	x.Request.Body = http.MaxBytesReader(x.Writer, x.Request.Body, maxRuns)
	if err := x.Request.ParseMultipartForm(maxRuns); err != nil {
		return nil, api.Because(http.StatusBadRequest, "The files did not arrive, or are larger than 40 MB together")
	}
	x.Request.Form = x.Request.MultipartForm.Value
	var texts [2][]byte
	for i, name := range []string{"first-file", "then-file"} {
		file, _, err := x.Request.FormFile(name)
		if errors.Is(err, http.ErrMissingFile) {
			continue
		}
		if err == nil {
			texts[i], err = io.ReadAll(file)
		}
		if err != nil {
			return nil, err
		}
	}
	return runs(x, true, texts)
}

func newRuns(x *frame.Exchange) (p runsPage, err error) {
	latest, err := x.Worlds.Latest(x.Context(), frame.ManyWorlds, nil)
	if err != nil {
		return p, err
	}
	first := x.Request.URL.Query().Get("world")
	slices.SortStableFunc(latest, func(a, b world.Status) int {
		return map[bool]int{true: 1}[b.ID == first] - map[bool]int{true: 1}[a.ID == first]
	})
	for _, s := range latest {
		name := cmp.Or(s.Name, s.Key)
		p.Choices = append(p.Choices, runChoice{s.ID, name})
		reset, err := world.ResetAt(x.Context(), x.Worlds.ByID(s.ID))
		if failure := (*api.Error)(nil); err != nil && !errors.As(err, &failure) {
			return p, err
		}
		if !reset.IsZero() {
			p.Choices = append(p.Choices, runChoice{beforeReset + s.ID, name + ", before its reset"})
		}
	}
	p.First, p.Then = x.Value("first"), x.Value("then")
	if len(p.Choices) > 1 && p.First+p.Then == "" {
		p.First, p.Then = p.Choices[1].Value, p.Choices[0].Value
	}
	return p, nil
}

// runPart is the requests of a run in a world, the oldest first.
type runPart struct {
	world   string
	entries []*journal.Entry
}

// compareRuns aligns two runs by world, operation and id, and the requests that are alike in these, or have drawn ids, by their
// order. Texts are of files.
func compareRuns(x *frame.Exchange, p *runsPage, texts [2][]byte) error {
	left, err := run(x, p.First, texts[0])
	if err != nil {
		return err
	}
	right, err := run(x, p.Then, texts[1])
	if err != nil {
		return err
	}
	named := len(left) > 1 && len(right) > 1
	var keys []string
	calls := make(map[string]*[2][]*journal.Entry)
	for side, parts := range [][]runPart{right, left} {
		for _, part := range parts {
			for _, e := range part.entries {
				if e.Kind == journal.KindWebhook {
					continue
				}
				_, id, _ := recorded.PartsOf(e)
				key := e.Operation + " " + withoutDrawn(id)
				if named {
					key += "\n" + part.world
				}
				if calls[key] == nil {
					keys, calls[key] = append(keys, key), new([2][]*journal.Entry)
				}
				calls[key][1-side] = append(calls[key][1-side], e)
			}
		}
	}
	p.Compared, p.Groups = true, []runChanges{{Name: "Answered otherwise"}, {Name: "New"}, {Name: "Gone"}}
	for _, key := range keys {
		a, b := calls[key][0], calls[key][1]
		for i := range max(len(a), len(b)) {
			p.add(runChange{Times: i, Left: at(a, i), Right: at(b, i)})
		}
	}
	return nil
}

func at(entries []*journal.Entry, i int) *journal.Entry {
	if i < len(entries) {
		return entries[i]
	}
	return nil
}

// add adds a request of one run or of both.
func (p *runsPage) add(c runChange) {
	group := &p.Groups[0]
	switch c.Entry = c.Right; {
	case c.Left == nil:
		group = &p.Groups[1]
	case c.Right == nil:
		group, c.Entry = &p.Groups[2], c.Left
	case c.Left.Outcome() == c.Right.Outcome() && slices.Equal(bodyLines(c.Left), bodyLines(c.Right)):
		p.Same++
		return
	default:
		c.Parts = recorded.ComparedParts(c.Left, c.Right)
	}
	if len(group.Rows) == maxChanges {
		group.More++
		return
	}
	group.Rows = append(group.Rows, c)
}

// drawn is an instant in an answer, or an id that begins with one: it differs between runs whose clocks go on.
var drawn = words.Expression(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z|_[0-7][0-9A-HJKMNP-TV-Z]{25}\b`)

func withoutDrawn(text string) string { return drawn().ReplaceAllString(text, "") }

// bodyLines returns the lines of an answer's body without instants and drawn ids.
func bodyLines(e *journal.Entry) []string {
	lines := recorded.LinesOf("", nil, e.Response())
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(withoutDrawn(line), ",")
	}
	return lines
}

// run returns the requests of a file, or of a world, now or before its reset.
func run(x *frame.Exchange, name string, file []byte) (parts []runPart, err error) {
	if len(file) > 0 {
		return runOf(x, file)
	}
	id, before := strings.CutPrefix(name, beforeReset)
	w := x.Worlds.ByID(id)
	if !before {
		entries, _, err := w.JournalEntries(x.Context())
		return []runPart{{entries: entries}}, err
	}
	entries, at, err := world.EntriesBefore(x.Context(), w)
	if err == nil && at.IsZero() {
		err = api.Because(http.StatusNotFound, "The world was not reset: there is nothing from before to compare with")
	}
	return []runPart{{entries: entries}}, err
}

// Around a snapshot in a page of a run.
const (
	snapshotBegin = `<script type="application/x-understudy-snapshot" data-world="`
	snapshotEnd   = `</script>`
)

// runOf returns the requests of a run as one page, or of a snapshot.
func runOf(x *frame.Exchange, file []byte) (parts []runPart, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(file), []byte("{")) {
		part, err := readPart(bytes.NewReader(file))
		return []runPart{part}, err
	}
	for _, text := range bytes.Split(file, []byte(snapshotBegin))[1:] {
		name, rest, _ := bytes.Cut(text, []byte(`">`))
		encoded, _, ended := bytes.Cut(rest, []byte(snapshotEnd))
		packed, err := base64.StdEncoding.DecodeString(html.UnescapeString(string(encoded)))
		if err != nil || !ended {
			return nil, api.Because(http.StatusBadRequest, "A snapshot in the page of the run is damaged: save the run again")
		}
		part, err := unpacked(x, packed)
		if err != nil {
			return nil, err
		}
		part.world = html.UnescapeString(string(name))
		parts = append(parts, part)
	}
	if parts == nil {
		return nil, api.Because(http.StatusBadRequest, "The file is no run with snapshots, as understudy run --out FILE.html writes it, and no snapshot")
	}
	return parts, nil
}

func unpacked(x *frame.Exchange, packed []byte) (part runPart, err error) {
	file, err := x.Limits.File(x.Context(), x.Owner())
	if err != nil {
		return part, err
	}
	defer file.Close()
	if err := snapshot.Unpack(bytes.NewReader(packed), file); err != nil {
		return part, err
	}
	return readPart(file)
}

func readPart(text io.ReadSeeker) (part runPart, err error) {
	for e, err := range (snapshot.Text{ReadSeeker: text}).Entries() {
		if err != nil {
			return part, api.Because(http.StatusBadRequest, "The snapshot of a run cannot be read: "+err.Error())
		}
		part.entries = append(part.entries, e)
	}
	return part, nil
}

// Room is runs as files, and two of them side by side.
func Room() frame.Room {
	return frame.Room{Endpoints: []frame.Endpoint{
		{Method: http.MethodGet, Path: "run", Serve: saveRun},
		{Method: http.MethodGet, Path: "runs", Serve: showRuns, Form: askRuns},
		{Method: http.MethodPost, Path: "runs", Serve: readRuns, Form: askRuns, File: true},
	}}
}
