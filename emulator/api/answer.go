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

	"github.com/understudy-sandbox/understudy/emulator/internal/provenance"
)

// Render encodes a value as JSON, with keys in the order of the Go type, without white space and HTML escapes.
func Render(value any) ([]byte, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(body.Bytes(), []byte{'\n'}), nil
}

// Write sends an answer with a JSON body.
func Write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body) // fails only when the client left
}

// RenderError returns the body of an error: its own, or the envelope (spec 7).
func RenderError(e *Error) []byte {
	if e.Body != nil {
		return e.Body
	}
	body, _ := Render(ErrorEnvelope{ErrorMessage{e.Message}}) // strings always render
	return body
}

// WriteError sends an error in its envelope (spec 7).
func WriteError(w http.ResponseWriter, e *Error) {
	maps.Copy(w.Header(), e.Header)
	Write(w, e.Status, RenderError(e))
}

// Error is an error that the client sees. Any other error is answered 500, and only the log shows its cause.
type Error struct {
	Status    int
	Message   string      // stable: clients match on it
	Header    http.Header // WWW-Authenticate, Retry-After, Allow; usually nil. A name without values omits a header
	Body      []byte      // in place of the envelope; nil: the envelope
	Diagnosis string      // the cause and the fix; in the header and the log, never in the body
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

// ErrorEnvelope is the body of every error (spec 7).
type ErrorEnvelope struct {
	Error ErrorMessage `json:"error"`
}

// ErrorMessage is the content of an [ErrorEnvelope].
type ErrorMessage struct {
	Message string `json:"message"`
}

// messages are the general messages by status. The one of 400 is the spec's, the others are ours (spec 7).
var messages = map[int]string{
	http.StatusBadRequest:                 "Invalid field values provided",
	http.StatusUnauthorized:               "Authorization is missing, invalid or expired",
	http.StatusNotAcceptable:              "An invalid API version was requested",
	http.StatusUnavailableForLegalReasons: "The social security number is frozen",
	http.StatusInternalServerError:        "Internal server error",
}

// NewError returns the error of a status with its general message and headers.
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

// Because returns an error whose message is the cause, as in the control plane.
func Because(status int, message string) *Error { return &Error{Status: status, Message: message} }

// Invalid returns the 400 of an invalid request, with the spec's default message (spec 7).
func Invalid(diagnosis string) *Error { return NewError(http.StatusBadRequest, diagnosis) }

// VerificationNotFound returns the 400 of an unknown verification request (spec 4.1, 4.2).
func VerificationNotFound(diagnosis string) *Error {
	return &Error{Status: http.StatusBadRequest, Message: "Verification not found", Diagnosis: diagnosis}
}

// AlreadyTerminal returns the 403 of a cancel of a request in a terminal state. The spec does not show the status (spec 3).
func AlreadyTerminal(state State) *Error {
	return &Error{
		Status:    http.StatusForbidden,
		Message:   "The verification request cannot be canceled",
		Diagnosis: fmt.Sprintf("the request is %s, which is terminal: nothing was changed", state) + provenance.Reason("cancel of a terminal request"),
	}
}

// NotFound returns the 404 of an unknown resource of a kind, such as "Tenant property".
func NotFound(kind, diagnosis string) *Error {
	return &Error{Status: http.StatusNotFound, Message: kind + " not found", Diagnosis: diagnosis}
}

// Allowed returns the methods in the header Allow, which the router set, without OPTIONS, which no path has.
func Allowed(header http.Header) []string {
	return slices.DeleteFunc(strings.Split(header.Get("Allow"), ", "), func(method string) bool { return method == http.MethodOptions })
}
