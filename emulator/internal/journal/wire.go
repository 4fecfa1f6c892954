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

// Summary is the JSON of an entry without headers and bodies.
type Summary struct {
	ID         string    `json:"id"`
	Sequence   uint64    `json:"sequence"`
	Time       time.Time `json:"time"`
	WallTime   time.Time `json:"wall_time"`
	DurationMS float64   `json:"duration_ms"`
	Kind       Kind      `json:"kind,omitzero"` // earlier releases wrote none
	Delivery   string    `json:"delivery,omitzero"`
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

// document is the JSON of an entry, on the wire and in a store.
type document struct {
	Summary
	Headers         []Header `json:"headers"`
	ResponseHeaders []Header `json:"response_headers,omitzero"` // earlier releases wrote none
	Request         *Body    `json:"request"`
	Response        *Body    `json:"response"`
}

// Summary returns the entry without headers and bodies, as lists show it.
func (e *Entry) Summary() Summary {
	return Summary{
		ID: e.ID, Sequence: e.Sequence,
		Time: e.Time.UTC(), WallTime: e.Wall.UTC(), DurationMS: float64(e.Duration.Microseconds()) / 1000,
		Kind: cmp.Or(e.Kind, KindRequest), Delivery: e.Delivery,
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

// MarshalJSON writes the whole entry. Its bodies are masked.
func (e *Entry) MarshalJSON() ([]byte, error) {
	return api.Render(document{e.Summary(), append([]Header{}, e.Headers...), append([]Header{}, e.ResponseHeaders...), e.Request(), e.Response()})
}

func (d document) entry() *Entry {
	for _, b := range []*Body{d.Request, d.Response} {
		if b != nil && b.Text != nil {
			b.JSON = nil // it is the text null
		}
	}
	return &Entry{
		ID: d.ID, Sequence: d.Sequence,
		Time: d.Time, Wall: d.WallTime, Duration: time.Duration(d.DurationMS*1000+0.5) * time.Microsecond,
		Kind: cmp.Or(d.Kind, KindRequest), Delivery: d.Delivery,
		Method: d.Method, Path: d.Path, Query: d.Query, Operation: d.Operation, Status: d.Status,
		Fault: *cmp.Or(d.Fault, new("")), Scenario: *cmp.Or(d.Scenario, new("")), Rule: *cmp.Or(d.Rule, new("")),
		Headers: d.Headers, ResponseHeaders: d.ResponseHeaders, Diagnosis: d.Diagnosis, request: d.Request, response: d.Response,
	}
}

// UnmarshalJSON reads what MarshalJSON writes, strictly. It masks secrets, because a snapshot may be edited by hand.
func (e *Entry) UnmarshalJSON(text []byte) error {
	var d document
	if err := json.Unmarshal(text, &d, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("journal entry: %w", err)
	}
	if lack := api.Missing(text, reflect.TypeFor[document]()); lack != "" {
		return fmt.Errorf("journal entry %s: %s", api.Quote(d.ID), lack)
	}
	*e = *d.entry()
	if err := e.Kind.Check(); err != nil {
		return fmt.Errorf("journal entry %s: %w", api.Quote(d.ID), err)
	}
	e.Method, e.Path, e.Query = api.Mask(e.Method), api.Mask(e.Path), api.MaskQuery(e.Query)
	e.Operation, e.Scenario, e.Fault = api.Mask(e.Operation), api.Mask(e.Scenario), api.Mask(e.Fault)
	for i, finding := range e.Diagnosis {
		e.Diagnosis[i] = api.Mask(finding)
	}
	for _, lines := range [][]Header{e.Headers, e.ResponseHeaders} {
		for i, h := range lines {
			lines[i] = h.masked()
		}
	}
	if b := e.request; b != nil {
		e.request = newBody(api.MaskBody(b.Content()), b.Size, b.Truncated)
	}
	if b := e.response; b != nil {
		e.rawResponse, b.JSON, b.Text = b.Content(), nil, nil
	}
	return nil
}

// entryFormat is the first byte of an entry in a store; its JSON follows, compressed by flate.
const entryFormat = 2

// compressors are reused, because each is large.
var compressors = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // it fails only for an invalid level
	return w
}}

func encode(e *Entry) ([]byte, error) {
	text, err := e.MarshalJSON()
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer([]byte{entryFormat})
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	w.Reset(out)
	_, err = w.Write(text)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// decode reads an entry by a reader of flate, which may be reused.
func decode(inflate io.Reader, value []byte) (*Entry, error) {
	if len(value) == 0 || value[0] != entryFormat {
		return nil, errors.New("unknown format: use the release that wrote the entry, or clear the journal")
	}
	var d document
	err := inflate.(flate.Resetter).Reset(bytes.NewReader(value[1:]), nil)
	if err = errors.Join(err, json.UnmarshalRead(inflate, &d)); err != nil {
		return nil, err
	}
	return d.entry(), nil
}
