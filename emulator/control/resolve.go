package control

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Resolution is what a request would be answered, and why.
type Resolution struct {
	Operation string // "" when none has the path and method
	Status    int    // 0: none, the connection breaks
	Body      []byte
	Scenario  string // that decides; "" when none does
	Rule      string // its place, file:line:column; "" when the answer is the resource's
	Delay     time.Duration
	Fault     scenarios.Fault
	Diagnosis []string
}

// resolutionView is a resolution on the wire.
type resolutionView struct {
	Operation *string            `json:"operation"`
	Status    *int               `json:"status"`
	Body      jsontext.Value     `json:"body"`
	Scenario  *string            `json:"scenario"`
	Rule      *string            `json:"rule"`
	Delay     scenarios.Duration `json:"delay"`
	Fault     *scenarios.Fault   `json:"fault"`
	Diagnosis []string           `json:"diagnosis"`
}

// resolve tells what a request would be answered now; nothing moves.
func resolve(x *exchange) (any, error) {
	var in struct {
		Method  string            `json:"method"`
		Path    string            `json:"path"`
		Headers map[string]string `json:"headers"`
		Body    jsontext.Value    `json:"body"` // a JSON string is sent as its text, all else as it stands
	}
	if err := x.decode(&in); err != nil {
		return nil, err
	}
	body, err := textOf(in.Body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(x.context(), in.Method, in.Path, strings.NewReader(body))
	if err != nil || !strings.HasPrefix(in.Path, "/") {
		return nil, api.Because(http.StatusBadRequest, `Say what is asked: {"method":"GET","path":"/verification-requests/vr_completed"}`)
	}
	if err := setHeaders(r.Header, in.Headers); err != nil {
		return nil, err
	}
	if in.Body != nil && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	told, err := x.Resolve(r, x.world.Dry())
	if err != nil {
		return nil, err
	}
	return told.onWire(), nil
}

// What a request can have as a header line.
var (
	headerName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$") })
	headerValue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^\x00-\x08\x0a-\x1f\x7f]*$`) })
)

// setHeaders gives a request its header lines, and refuses what no request can have.
func setHeaders(header http.Header, lines map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		switch {
		case !headerName().MatchString(name):
			return api.Because(http.StatusBadRequest, api.Quote(name)+" is not the name of a header: write one such as Accept")
		case !headerValue().MatchString(lines[name]):
			return api.Because(http.StatusBadRequest, "The header "+name+" may have no control characters: it is one line")
		case header.Values(name) != nil:
			return api.Because(http.StatusBadRequest, "The header "+http.CanonicalHeaderKey(name)+" is there more than once: say it once")
		}
		header.Set(name, lines[name])
	}
	return nil
}

// textOf returns what a request's body is when JSON says what it is.
func textOf(value jsontext.Value) (string, error) {
	if value == nil || value.Kind() != '"' {
		return string(value), nil
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return "", api.Because(http.StatusBadRequest, "The body to be sent cannot be read")
	}
	return string(text), nil
}

func (r Resolution) onWire() resolutionView {
	v := resolutionView{
		Operation: orNull(r.Operation), Status: orNull(r.Status), Body: jsontext.Value("null"), Scenario: orNull(r.Scenario),
		Rule: orNull(r.Rule), Delay: scenarios.Duration(r.Delay), Fault: orNull(r.Fault), Diagnosis: r.Diagnosis,
	}
	if r.Body != nil {
		v.Body = r.Body
	}
	if v.Diagnosis == nil {
		v.Diagnosis = []string{}
	}
	return v
}

// orNull returns nil for a zero value.
func orNull[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}
