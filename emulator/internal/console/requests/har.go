package requests

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

type object = map[string]any

// saveHAR answers with the requests that pass the filters of the address, or with that of ?id=, as an HTTP Archive 1.2.
func saveHAR(x *frame.Exchange) (frame.Answer, error) {
	list, err := listRequests(x, "")
	wanted := list.wanted
	if id := x.Value("id"); id != "" {
		var e *journal.Entry
		e, _, err = entry(x, id)
		wanted = []*journal.Entry{e}
	}
	if err != nil {
		return nil, err
	}
	entries := []object{}
	for _, e := range slices.Backward(wanted) {
		entries = append(entries, har(x, e, list.causes))
	}
	text, err := api.Render(object{"log": object{
		"version": "1.2", "creator": object{"name": "Understudy", "version": x.Version}, "entries": entries,
		"comment": "API keys and social security numbers are masked; bodies have up to 16 KiB.",
	}})
	return frame.Content{ContentType: "application/json", Header: "Content-Disposition", Value: `attachment; filename="understudy.har"`, Text: text}, err
}

// har returns a request and its answer as an entry of an HTTP Archive, masked as the journal has them.
func har(x *frame.Exchange, e *journal.Entry, c recorded.Causes) object {
	took := float64(e.Duration.Microseconds()) / 1000
	at := url.URL{Path: e.Path}
	address := x.BaseURL() + at.EscapedPath()
	if e.Kind == journal.KindWebhook {
		address = e.Path
	}
	if e.Query != "" {
		address += "?" + e.Query
	}
	request := object{
		"method": e.Method, "url": address, "httpVersion": "HTTP/1.1", "cookies": []object{}, "headers": harHeaders(e.Headers),
		"queryString": harQuery(e.Query), "headersSize": -1, "bodySize": harSize(e.Request()),
	}
	if body := e.Request(); body != nil {
		request["postData"] = harBody(body, e.Headers)
	}
	content := object{"size": 0, "mimeType": harType(e.ResponseHeaders)}
	if body := e.Response(); body != nil {
		content = harBody(body, e.ResponseHeaders)
		content["size"] = body.Size
	}
	return object{
		"startedDateTime": e.Wall.UTC().Format(time.RFC3339Nano), "time": took, "request": request, "cache": object{},
		"response": object{
			"status": e.Status, "statusText": http.StatusText(e.Status), "httpVersion": "HTTP/1.1", "cookies": []object{}, "headers": harHeaders(e.ResponseHeaders),
			"content": content, "redirectURL": "", "headersSize": -1, "bodySize": harSize(e.Response()),
		},
		"timings": object{"send": 0, "wait": took, "receive": 0}, "comment": e.ID + ": " + c.Reason(e).Sentence(),
	}
}

func harHeaders(lines []journal.Header) []object {
	all := []object{}
	for _, h := range lines {
		all = append(all, object{"name": h.Name, "value": h.Value})
	}
	return all
}

// harQuery returns the parameters of a query. What cannot be unescaped stays as it was sent.
func harQuery(query string) []object {
	all := []object{}
	for pair := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' }) {
		name, value, _ := strings.Cut(pair, "=")
		for _, part := range []*string{&name, &value} {
			if text, err := url.QueryUnescape(*part); err == nil {
				*part = text
			}
		}
		all = append(all, object{"name": name, "value": value})
	}
	return all
}

func harType(headers []journal.Header) string {
	return cmp.Or(recorded.HeaderOf(headers, "Content-Type"), "application/octet-stream")
}

func harSize(b *journal.Body) int64 {
	if b == nil {
		return 0
	}
	return b.Size
}

func harBody(b *journal.Body, headers []journal.Header) object {
	body := object{"mimeType": harType(headers), "text": strings.ToValidUTF8(recorded.RawBody(b), "\uFFFD")}
	if b.Truncated {
		body["comment"] = fmt.Sprintf("The beginning of %s.", words.BytesOf(b.Size))
	}
	return body
}
