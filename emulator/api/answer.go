package api

import (
	"bytes"
	"encoding/json"
	"maps"
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
	WriteHeader(w, status, len(body))
	w.Write(body) // fails only when the client has gone
}

// WriteHeader sends the headers and the status of an answer whose body is JSON of a length in bytes.
func WriteHeader(w http.ResponseWriter, status, length int) {
	header, lines := w.Header(), []string{"application/json", strconv.Itoa(length)}
	header["Content-Type"], header["Content-Length"] = lines[:1:1], lines[1:]
	w.WriteHeader(status)
}

// RenderError writes the envelope of an error (spec section 7).
func RenderError(e *Error) []byte {
	body, err := Render(ErrorEnvelope{ErrorMessage{e.Message}})
	if err != nil {
		panic(err) // a structure of strings always renders
	}
	return body
}

// WriteError sends an error in its envelope.
func WriteError(w http.ResponseWriter, e *Error) {
	maps.Copy(w.Header(), e.Header)
	Write(w, e.Status, RenderError(e))
}
