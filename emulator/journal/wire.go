package journal

import (
	"fmt"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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

// document is a whole entry on the wire.
type document struct {
	Summary
	Headers  []Header `json:"headers"`
	Request  *Body    `json:"request"`
	Response *Body    `json:"response"`
}

// Body is what an entry has of a body.
type Body struct {
	JSON      jsontext.Value `json:"json"` // null: it is no JSON, or not whole
	Text      *string        `json:"text"` // null: it is JSON
	Size      int64          `json:"size"` // of the whole, in bytes
	Truncated bool           `json:"truncated"`
}

// Request returns the request's body, nil when there is none.
func (e *Entry) Request() *Body { return e.request.show() }

// Response returns the answer's body, nil when there is none.
func (e *Entry) Response() *Body { return e.answer.show() }

func (b body) show() *Body {
	if b.size == 0 {
		return nil
	}
	if !b.redacted {
		b.text = api.MaskBody(b.text)
	}
	shown := &Body{Size: b.size, Truncated: b.cut}
	if value := jsontext.Value(b.text); !b.cut && value.IsValid() {
		shown.JSON = value
	} else {
		shown.Text = new(string(b.text))
	}
	return shown
}

func (b *Body) body() body {
	switch {
	case b == nil:
		return body{}
	case b.Text != nil:
		return body{text: []byte(*b.Text), size: b.Size, cut: b.Truncated}
	}
	return body{text: b.JSON, size: b.Size, cut: b.Truncated}
}

// Summary returns what a list shows of an entry.
func (e *Entry) Summary() Summary {
	s := Summary{
		ID: e.ID, Sequence: e.Sequence,
		Time: e.Time.UTC(), WallTime: e.Wall.UTC(), DurationMS: float64(e.Duration.Microseconds()) / 1000,
		Method: e.Method, Path: e.Path, Query: e.Query, Operation: e.Operation, Status: e.Status,
		Fault: orNull(e.Fault), Scenario: orNull(e.Scenario), Rule: orNull(e.Rule), Diagnosis: e.Diagnosis,
	}
	if s.Diagnosis == nil {
		s.Diagnosis = []string{}
	}
	return s
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// MarshalJSON writes the whole entry.
func (e *Entry) MarshalJSON() ([]byte, error) {
	d := document{Summary: e.Summary(), Headers: e.Headers, Request: e.Request(), Response: e.Response()}
	if d.Headers == nil {
		d.Headers = []Header{}
	}
	return api.Render(d)
}

func (d document) entry() Entry {
	return Entry{
		ID: d.ID, Sequence: d.Sequence,
		Time: d.Time, Wall: d.WallTime, Duration: time.Duration(d.DurationMS*1000+0.5) * time.Microsecond,
		Method: d.Method, Path: d.Path, Query: d.Query, Operation: d.Operation, Status: d.Status,
		Fault: orEmpty(d.Fault), Scenario: orEmpty(d.Scenario), Rule: orEmpty(d.Rule),
		Headers: d.Headers, Diagnosis: d.Diagnosis,
		request: d.Request.body(), answer: d.Response.body(),
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
	*e = d.entry()
	e.Path, e.Query = api.Mask(e.Path), api.MaskQuery(e.Query)
	e.request.text = api.MaskBody(e.request.text)
	e.request.redacted = true
	for i, note := range e.Diagnosis {
		e.Diagnosis[i] = api.Mask(note)
	}
	for i, h := range e.Headers {
		e.Headers[i].Value = api.Mask(h.Value)
	}
	return nil
}
