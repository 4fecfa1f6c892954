package control

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
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

// decodeLanguage reads the body, JSON or YAML, into a structure of the types of scenario files.
func (x *exchange) decodeLanguage(into any) error {
	text, err := x.read()
	if err != nil {
		return err
	}
	problems := scenarios.Decode("body", text, into)
	if problems.Errors() > 0 {
		return api.Because(http.StatusBadRequest, "The body is not right: "+problems[0].At.String()+": "+problems[0].What)
	}
	return nil
}
