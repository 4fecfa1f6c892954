package control

import (
	"errors"
	"fmt"
	"io"
	"net/http"

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
