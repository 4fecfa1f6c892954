package api

import (
	"fmt"
	"net/http"
)

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

// StatusMessage returns the message of an error that has no more particular cause: the spec's text for 400, our wording
// of the spec's meaning for the others (section 7), the standard phrase for a status that the spec does not list.
func StatusMessage(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "Invalid field values provided"
	case http.StatusUnauthorized:
		return "Authorization is missing, invalid or expired"
	case http.StatusNotAcceptable:
		return "An invalid API version was requested"
	case http.StatusUnavailableForLegalReasons:
		return "The social security number is frozen"
	case http.StatusInternalServerError:
		return "Internal server error"
	}
	if text := http.StatusText(status); text != "" {
		return text
	}
	return "Error"
}

// RetryAfter is the Retry-After, in seconds, of a 429 that knows no better.
const RetryAfter = "1"

// NewError returns the error of a status with its general message and the headers that go with it.
func NewError(status int, diagnosis string) *Error {
	e := &Error{Status: status, Message: StatusMessage(status), Diagnosis: diagnosis}
	switch status {
	case http.StatusUnauthorized:
		e.Header = http.Header{"Www-Authenticate": {"Bearer"}}
	case http.StatusTooManyRequests:
		e.Header = http.Header{"Retry-After": {RetryAfter}}
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
