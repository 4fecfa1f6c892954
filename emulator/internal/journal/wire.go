package journal

import (
	"bytes"
	"cmp"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Summary is an entry on the wire, without its headers and bodies.
type Summary struct {
	ID         string    `json:"id"`
	Sequence   uint64    `json:"sequence"`
	Time       time.Time `json:"time"`
	WallTime   time.Time `json:"wall_time"`
	DurationMS float64   `json:"duration_ms"`
	Method     string    `json:"method"`
	Path       string    `json:"path"`
	Query      string    `json:"query"`
	Operation  string    `json:"operation"`
	Status     int       `json:"status"`
	Fault      *string   `json:"fault"`
	Scenario   *string   `json:"scenario"`
	Rule       *string   `json:"rule"`
	Diagnosis  []string  `json:"diagnosis"`
}

// document is a whole entry on the wire and in a store.
type document struct {
	Summary
	Headers  []Header `json:"headers"`
	Request  *Body    `json:"request"`
	Response *Body    `json:"response"`
}

// Summary returns what a list shows of an entry.
func (e *Entry) Summary() Summary {
	return Summary{
		ID: e.ID, Sequence: e.Sequence,
		Time: e.Time.UTC(), WallTime: e.Wall.UTC(), DurationMS: float64(e.Duration.Microseconds()) / 1000,
		Method: e.Method, Path: e.Path, Query: e.Query, Operation: e.Operation, Status: e.Status,
		Fault: orNull(e.Fault), Scenario: orNull(e.Scenario), Rule: orNull(e.Rule), Diagnosis: append([]string{}, e.Diagnosis...),
	}
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// MarshalJSON writes the whole entry.
func (e *Entry) MarshalJSON() ([]byte, error) {
	return api.Render(document{e.Summary(), append([]Header{}, e.Headers...), e.Request(), e.Response()})
}

func (d document) entry() *Entry {
	for _, b := range []*Body{d.Request, d.Response} {
		if b != nil && b.Text != nil {
			b.JSON = nil // it was read from null
		}
	}
	return &Entry{
		ID: d.ID, Sequence: d.Sequence,
		Time: d.Time, Wall: d.WallTime, Duration: time.Duration(d.DurationMS*1000+0.5) * time.Microsecond,
		Method: d.Method, Path: d.Path, Query: d.Query, Operation: d.Operation, Status: d.Status,
		Fault: *cmp.Or(d.Fault, new("")), Scenario: *cmp.Or(d.Scenario, new("")), Rule: *cmp.Or(d.Rule, new("")),
		Headers: d.Headers, Diagnosis: d.Diagnosis, request: d.Request, response: d.Response,
	}
}

// UnmarshalJSON reads what MarshalJSON wrote, and nothing else. Secrets are masked, whoever wrote it.
func (e *Entry) UnmarshalJSON(text []byte) error {
	var d document
	if err := json.Unmarshal(text, &d, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("journal entry: %w", err)
	}
	if lack := api.Missing(text, reflect.TypeFor[document]()); lack != "" {
		return fmt.Errorf("journal entry %s: %s", api.Quote(d.ID), lack)
	}
	*e = *d.entry()
	e.Path, e.Query = api.Mask(e.Path), api.MaskQuery(e.Query)
	for i, note := range e.Diagnosis {
		e.Diagnosis[i] = api.Mask(note)
	}
	for i, h := range e.Headers {
		e.Headers[i].Value = api.Mask(h.Value)
	}
	if b := e.request; b != nil {
		e.request = newBody(api.MaskBody(b.text()), b.Size, b.Truncated)
	}
	if b := e.response; b != nil {
		e.answer, b.JSON, b.Text = b.text(), nil, nil
	}
	return nil
}

// An entry in a store is a byte with its form, and its JSON, compressed.
const entryForm = 2

// compressors are large, and used for one entry after the other.
var compressors = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // it fails for a level that does not exist
	return w
}}

func encode(e *Entry) ([]byte, error) {
	text, err := e.MarshalJSON()
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer([]byte{entryForm})
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	w.Reset(out)
	_, err = w.Write(text)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// decode reads an entry by a reader of flate, which may have read others before.
func decode(inflate io.Reader, value []byte) (*Entry, error) {
	if len(value) == 0 || value[0] != entryForm {
		return nil, errors.New("it has a form that this release does not read: use the release that wrote it, or clear the journal")
	}
	var d document
	err := inflate.(flate.Resetter).Reset(bytes.NewReader(value[1:]), nil)
	if err = errors.Join(err, json.UnmarshalRead(inflate, &d)); err != nil {
		return nil, err
	}
	return d.entry(), nil
}
