// Package apitest is an HTTP client for tests. It checks every answer and fails the test if one breaks a rule that always
// holds: the OpenAPI document, the error envelope, the list of headers, no social security number in full.
//
//	c := apitest.New(t, server.URL, "svc_sk_test_suite")
//	var request api.VerificationRequest
//	c.Get("/verification-requests/vr_completed").JSON(&request)
//	c.With("Accept", "application/json; version=1999-01-01").Get("/tenant-properties/tp_default")
package apitest

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// tb has the methods of a [testing.TB] that a client needs.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// doer sends a request, as an [http.Client] does.
type doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Client sends requests with one key and checks the answers. It is safe for concurrent use.
type Client struct {
	t       tb
	doer    doer
	baseURL string
	key     string
	header  http.Header
	without []Check

	ungreased bool
}

// New returns a client of the server at baseURL. With an empty key it sends no Authorization. It follows no redirects.
func New(t tb, baseURL, key string) *Client {
	t.Helper()
	return &Client{
		t:       t,
		doer:    &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		baseURL: strings.TrimSuffix(baseURL, "/"),
		key:     key,
		header:  http.Header{},
	}
}

// Via returns the client with another sender, for example one that trusts a test's certificate.
func (c *Client) Via(sender doer) *Client {
	with := *c
	with.doer = sender
	return &with
}

// With returns the client with a header. A request that sets the header itself overrides it.
func (c *Client) With(name, value string) *Client {
	with := *c
	with.header = c.header.Clone()
	with.header.Set(name, value)
	return &with
}

// Without returns the client without some checks, for answers that break them on purpose.
func (c *Client) Without(checks ...Check) *Client {
	with := *c
	with.without = slices.Concat(c.without, checks)
	return &with
}

// Get sends a GET; path may have a query.
func (c *Client) Get(path string) *Response {
	c.t.Helper()
	return c.Send(http.MethodGet, path, nil)
}

// Put sends a PUT with a body as [Client.Send] takes it.
func (c *Client) Put(path string, body any) *Response {
	c.t.Helper()
	return c.Send(http.MethodPut, path, body)
}

// Post sends a POST with a body as [Client.Send] takes it.
func (c *Client) Post(path string, body any) *Response {
	c.t.Helper()
	return c.Send(http.MethodPost, path, body)
}

// Send sends a request to a path below the base URL. A body that is a string or []byte is sent as it is, nil sends none, and
// any other value is sent as JSON. The Content-Type is application/json unless [Client.With] sets another.
func (c *Client) Send(method, path string, body any) *Response {
	c.t.Helper()
	var data []byte
	switch body := body.(type) {
	case nil:
	case string:
		data = []byte(body)
	case []byte:
		data = body
	default:
		var err error
		if data, err = json.Marshal(body); err != nil {
			c.t.Fatalf("%s %s: the request body: %v", method, path, err)
		}
	}
	req, err := http.NewRequest(method, c.baseURL+path, bytes.NewReader(data))
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	if body != nil && c.header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return c.Do(req)
}

// Do adds the client's key and headers to a request, sends it and checks the answer. An incomplete answer ends the test.
func (c *Client) Do(req *http.Request) *Response {
	c.t.Helper()
	req = req.Clone(req.Context())
	for name, values := range c.header {
		if _, ok := req.Header[name]; !ok {
			req.Header[name] = values
		}
	}
	if _, ok := req.Header["Authorization"]; !ok && c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	answer, err := c.doer.Do(req)
	if err != nil {
		c.t.Fatalf("%s %s: %v", req.Method, req.URL, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatalf("%s %s: status %d, and the body ended after %d bytes: %v",
			req.Method, req.URL, answer.StatusCode, len(body), err)
	}
	resp := &Response{Status: answer.StatusCode, Header: answer.Header, Body: body, t: c.t, request: req}
	if resp.Sent = body; c.ungreased {
		ungrease(resp)
	}
	if found := c.violations(resp); len(found) > 0 {
		c.t.Errorf("%s", report(resp, found...))
	}
	return resp
}

// violations returns the violations of an answer, without those of disabled checks.
func (c *Client) violations(resp *Response) (found []string) {
	for _, check := range []struct {
		name Check
		find func(*Response) []string
	}{
		{Document, document}, {Request, request}, {Envelope, envelope}, {Headers, headers},
		{Challenge, challenge}, {RetryAfter, retryAfter}, {SSN, rawSSN},
	} {
		if slices.Contains(c.without, check.name) || outside(resp) && slices.Contains([]Check{Document, Envelope, RetryAfter}, check.name) {
			continue
		}
		for _, text := range check.find(resp) {
			found = append(found, string(check.name)+": "+text)
		}
	}
	return found
}

// Response is a complete answer.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	Sent   []byte // the body with its grease

	t       tb
	request *http.Request
}

// JSON decodes the body into v. A body that does not decode ends the test.
func (r *Response) JSON(v any) {
	r.t.Helper()
	if err := json.Unmarshal(r.Body, v); err != nil {
		r.t.Fatalf("%s", report(r, "the body does not decode: "+err.Error()))
	}
}

// ErrorMessage returns the message of an error. An answer that is not an error ends the test.
func (r *Response) ErrorMessage() string {
	r.t.Helper()
	var envelope api.ErrorEnvelope
	if r.JSON(&envelope); r.Status < 400 || envelope.Error.Message == "" {
		r.t.Fatalf("%s", report(r, "is not an error"))
	}
	return envelope.Error.Message
}
