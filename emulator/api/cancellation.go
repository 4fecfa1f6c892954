package api

import "net/http"

// Cancellation is the body of a cancel (spec 4.1).
type Cancellation struct {
	Reason  CancellationReason
	Details *string // free text, may be blank
}

// DecodeCancellation reads and validates the body of a cancel. An error is an [*Error] with status 400.
func DecodeCancellation(r *http.Request) (in Cancellation, notes []Note, err error) {
	body, err := readBody(r)
	if err != nil {
		return in, nil, err
	}
	in.Reason = enum[CancellationReason](body, "cancellation_reason")
	in.Details = body.optionalText("cancellation_details")
	body.noteUnknown()
	notes, err = body.findings.result()
	return in, notes, err
}
