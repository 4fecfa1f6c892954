package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
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
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body) // fails only when the client has gone
}

// WriteError sends an error in its envelope (spec section 7).
func WriteError(w http.ResponseWriter, e *Error) {
	for name, values := range e.Header {
		w.Header()[name] = values
	}
	body, err := Render(ErrorEnvelope{ErrorMessage{e.Message}})
	if err != nil {
		panic(err) // a struct of strings always renders
	}
	Write(w, e.Status, body)
}
