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
