package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Render writes a value as the JSON of an answer: keys in the order of the Go type, no white space, no HTML escapes.
func Render(value any) ([]byte, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(body.Bytes(), []byte{'\n'}), nil
}

// Write sends an answer whose body is JSON already: headers, status, body, once.
func Write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body) // fails only when the client has gone
}

// RenderError writes the envelope of an error (spec section 7).
func RenderError(e *Error) []byte {
	body, _ := Render(ErrorEnvelope{ErrorMessage{e.Message}}) // strings always render
	return body
}

// WriteError sends an error in its envelope.
func WriteError(w http.ResponseWriter, e *Error) {
	maps.Copy(w.Header(), e.Header)
	Write(w, e.Status, RenderError(e))
}

// Error is a failure shown to the caller. Any other error is answered 500 and logged with its cause.
type Error struct {
	Status    int
	Message   string      // stable: clients match on it
	Header    http.Header // WWW-Authenticate, Retry-After, Allow; usually nil
	Diagnosis string      // what, where and the mend; for the diagnosis header and the log, never for the body
}

// Error returns status, message and diagnosis on one line.
func (e *Error) Error() string {
	if e.Diagnosis == "" {
		return fmt.Sprintf("%d %s", e.Status, e.Message)
	}
	return fmt.Sprintf("%d %s (%s)", e.Status, e.Message, e.Diagnosis)
}

// SetHeader sets a header of the answer.
func (e *Error) SetHeader(name, value string) {
	if e.Header == nil {
		e.Header = make(http.Header)
	}
	e.Header.Set(name, value)
}

// ErrorEnvelope is the body of every error (spec section 7).
type ErrorEnvelope struct {
	Error ErrorMessage `json:"error"`
}

// ErrorMessage is the content of an [ErrorEnvelope].
type ErrorMessage struct {
	Message string `json:"message"`
}

// messages are the general messages of statuses: the spec's text for 400, our wording of the spec's meaning for the
// others (section 7).
var messages = map[int]string{
	http.StatusBadRequest:                 "Invalid field values provided",
	http.StatusUnauthorized:               "Authorization is missing, invalid or expired",
	http.StatusNotAcceptable:              "An invalid API version was requested",
	http.StatusUnavailableForLegalReasons: "The social security number is frozen",
	http.StatusInternalServerError:        "Internal server error",
}

// NewError returns the error of a status with its general message, which is the standard phrase where the spec lists
// none, and the headers that go with it.
func NewError(status int, diagnosis string) *Error {
	e := &Error{Status: status, Message: cmp.Or(messages[status], http.StatusText(status), "Error"), Diagnosis: diagnosis}
	switch status {
	case http.StatusUnauthorized:
		e.SetHeader("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests:
		e.SetHeader("Retry-After", "1")
	}
	return e
}

// Because returns an error whose message says the cause itself, as the control plane's do.
func Because(status int, message string) *Error { return &Error{Status: status, Message: message} }

// Invalid returns the 400 of input that cannot be accepted: the spec's default message (section 7).
func Invalid(diagnosis string) *Error { return NewError(http.StatusBadRequest, diagnosis) }

// VerificationNotFound returns the 400 of an id that no verification request has (spec 4.1, 4.2).
func VerificationNotFound(diagnosis string) *Error {
	return &Error{Status: http.StatusBadRequest, Message: "Verification not found", Diagnosis: diagnosis}
}

// AlreadyTerminal returns the 400 of a cancel that comes too late (spec 4.1; the status is ours, section 3).
func AlreadyTerminal(state State) *Error {
	return &Error{
		Status:    http.StatusBadRequest,
		Message:   "Verification request is already in a terminal state",
		Diagnosis: fmt.Sprintf("the request is %s, which is terminal: nothing was changed", state),
	}
}

// NotFound returns the 404 of an id that no resource of that kind has, such as "Tenant property".
func NotFound(kind, diagnosis string) *Error {
	return &Error{Status: http.StatusNotFound, Message: kind + " not found", Diagnosis: diagnosis}
}

// Allowed returns the methods that a router has found for a path and put into the header Allow, without OPTIONS, which it
// finds everywhere and nothing answers.
func Allowed(header http.Header) []string {
	return slices.DeleteFunc(strings.Split(header.Get("Allow"), ", "), func(method string) bool { return method == http.MethodOptions })
}

// Recorder is a response that keeps what a handler answers.
type Recorder struct {
	Status int // 0: nothing was answered
	Body   bytes.Buffer
	header http.Header
}

// Header returns the header of the answer.
func (r *Recorder) Header() http.Header {
	if r.header == nil {
		r.header = make(http.Header)
	}
	return r.header
}

// WriteHeader keeps the status.
func (r *Recorder) WriteHeader(status int) { r.Status = status }

// Write keeps a part of the body.
func (r *Recorder) Write(part []byte) (int, error) {
	if r.Status == 0 {
		r.Status = http.StatusOK
	}
	return r.Body.Write(part)
}
