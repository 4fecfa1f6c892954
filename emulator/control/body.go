package control

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// read returns the body as it was sent.
func (x *exchange) read() ([]byte, error) {
	text, err := io.ReadAll(x.request.Body)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, api.Because(http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is larger than %d bytes", tooLarge.Limit))
	}
	if err != nil {
		return nil, api.Because(http.StatusBadRequest, "The body cannot be read")
	}
	return text, nil
}

// document returns the body as it was sent, which says something.
func (x *exchange) document() ([]byte, error) {
	text, err := x.read()
	if err == nil && len(bytes.TrimSpace(text)) == 0 {
		err = api.Because(http.StatusBadRequest, "The body is missing: send a JSON object")
	}
	return text, err
}

// decode reads the body into a structure. Unknown keys are errors.
func (x *exchange) decode(into any) error {
	text, err := x.document()
	if err != nil {
		return err
	}
	return decode(text, into)
}

func decode(text []byte, into any) error {
	if err := json.Unmarshal(text, into, json.RejectUnknownMembers(true)); err != nil {
		return api.Because(http.StatusBadRequest, "The body cannot be read: "+api.ExplainJSON(err))
	}
	return nil
}

// refuseBody refuses a body that says something: {} does not.
func (x *exchange) refuseBody() error {
	text, err := x.read()
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return err
	}
	if json.Unmarshal(text, new(struct{}), json.RejectUnknownMembers(true)) != nil || bytes.Equal(bytes.TrimSpace(text), []byte("null")) {
		return api.Because(http.StatusBadRequest, "This call takes no body: leave it out, or send {}")
	}
	return nil
}
