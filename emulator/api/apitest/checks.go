package apitest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Check is a check of every answer.
type Check string

const (
	// Document compares an answer with the OpenAPI document: status, headers, media type and body. A verification request
	// must have all keys unless the query has fields. A refusal must be an example of its status, without rules and grease.
	Document Check = "document"
	// Request forbids that a JSON body is accepted which the OpenAPI document does not allow.
	Request Check = "request"
	// Envelope requires every error to be {"error":{"message":"…"}}. Other keys are allowed only where the OpenAPI document
	// has them.
	Envelope Check = "envelope"
	// Headers allows only the standard headers and Understudy-*.
	Headers Check = "headers"
	// Challenge requires WWW-Authenticate: Bearer with a 401.
	Challenge Check = "challenge"
	// RetryAfter requires Retry-After in seconds with a 429.
	RetryAfter Check = "retry-after"
	// SSN forbids a social security number in full in headers and body.
	SSN Check = "ssn"
)

// ugly matches the built-in scenarios whose answers are by design none of the OpenAPI document.
var ugly = regexp.MustCompile(`^(outage|limited|wrong)-`)

// outside reports whether a rule of such a scenario has answered. One of outage-then-fine does so twice.
func outside(resp *Response) bool {
	return ugly.MatchString(resp.Header.Get("Understudy-Scenario")) && byRule(resp)
}

// byRule reports whether a rule has answered, possibly with a message of its own.
func byRule(resp *Response) bool {
	return strings.Contains(resp.Header.Get("Understudy-Diagnosis"), ", by its rule at ")
}

// reworded reports whether grease has changed the words of an answer.
func reworded(resp *Response) bool {
	return strings.Contains(resp.Header.Get("Understudy-Diagnosis"), "grease: ")
}

// openAPI returns the OpenAPI document and its routes.
var openAPI = sync.OnceValues(func() (*openapi3.T, routers.Router) {
	doc, err := openapi3.NewLoader().LoadFromData(api.Parts{Control: true, Extensions: true}.YAML())
	if err != nil {
		panic(err)
	}
	doc.Servers = nil // tests listen elsewhere
	router, err := legacy.NewRouter(doc)
	if err != nil {
		panic(err)
	}
	return doc, router
})

// find returns what the document has for a request and for the status of its answer, nil for nothing.
func find(resp *Response) (input *openapi3filter.RequestValidationInput, documented *openapi3.ResponseRef) {
	_, router := openAPI()
	route, params, err := router.FindRoute(resp.request)
	if err != nil || strings.HasSuffix(resp.request.URL.EscapedPath(), "//") || slices.Contains(slices.Collect(maps.Values(params)), "") {
		return nil, nil // this router takes an empty id as the collection's path
	}
	return &openapi3filter.RequestValidationInput{Request: resp.request, PathParams: params, Route: route},
		route.Operation.Responses.Status(resp.Status)
}

func document(resp *Response) (problems []string) {
	input, documented := find(resp)
	if input == nil {
		return nil
	}
	operation := input.Route.Operation.OperationID
	if documented == nil { // the filter ignores some statuses, such as 301
		return []string{fmt.Sprintf("%s does not list the status %d", operation, resp.Status)}
	}
	got := resp.Header.Get("Content-Type")
	if len(documented.Value.Content) == 0 {
		if got != "" || len(resp.Body) > 0 {
			problems = append(problems, fmt.Sprintf("there is a body of Content-Type %q, but none is documented", got))
		}
		return problems
	}
	for want := range documented.Value.Content { // exactly one
		if got != want {
			problems = append(problems, fmt.Sprintf("Content-Type is %q, not %s", got, want))
		}
	}
	media := documented.Value.Content["application/json"]
	if media == nil {
		return problems
	}
	if !jsontext.Value(resp.Body).IsValid() { // stricter than the filter, which allows duplicate keys
		return append(problems, "the body is not valid JSON")
	}
	err := openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: resp.Status, Header: resp.Header,
		Options: &openapi3filter.Options{ExcludeResponseBody: true},
	})
	if err != nil {
		problems = append(problems, err.Error())
	}
	if operation == "getVerificationRequest" && resp.Status == http.StatusOK && resp.request.URL.Query().Has("fields") {
		// What fields do, the document describes in words: generators make one type of one schema.
		err = checkSelection("#/components/schemas/VerificationRequest", resp.Body)
	} else {
		err = checkAnswer(input.Route.Method, input.Route.Path, input.Route.Operation.Responses, resp.Status, resp.Body)
	}
	if err != nil {
		return append(problems, "the body is invalid: "+err.Error())
	}
	if len(media.Examples) > 0 && resp.Status >= 400 && !byRule(resp) && !reworded(resp) && resp.request.URL.RawPath == "" && !isExample(media.Examples, resp.Body) {
		problems = append(problems, fmt.Sprintf("%s has no example with the message of this %d: add it", operation, resp.Status))
	}
	return problems
}

// isExample reports whether a refusal is one of the examples. The control plane, whose messages are the cause, has none.
func isExample(examples openapi3.Examples, body []byte) bool {
	var refusal any
	if err := json.Unmarshal(body, &refusal); err != nil {
		return false
	}
	for _, example := range examples {
		if reflect.DeepEqual(example.Value.Value, refusal) {
			return true
		}
	}
	return false
}

func request(resp *Response) []string {
	input, _ := find(resp)
	if input == nil || input.Route.Operation.RequestBody == nil || resp.Status >= 300 || resp.request.GetBody == nil {
		return nil
	}
	if strings.Contains(resp.Header.Get("Understudy-Diagnosis"), "could have been issued to a person") {
		return nil // the document allows numbers alone that never are
	}
	sent, err := resp.request.GetBody()
	if err != nil {
		return []string{err.Error()}
	}
	body, err := io.ReadAll(sent)
	if err != nil || !jsontext.Value(body).IsValid() {
		return nil // YAML, or none
	}
	if err := CheckBody(input.Route.Method, input.Route.Path, body); err != nil {
		return []string{"the request is accepted, and the document does not allow its body: " + err.Error()}
	}
	return nil
}

// envelope checks the message only. [Document] checks the other keys.
func envelope(resp *Response) (problems []string) {
	if resp.Status < 400 || resp.request.Method == http.MethodHead {
		return nil
	}
	if got := resp.Header.Get("Content-Type"); got != "application/json" {
		problems = append(problems, fmt.Sprintf("Content-Type of an error is %q, not application/json", got))
	}
	var e api.ErrorEnvelope
	_, documented := find(resp)
	if err := json.Unmarshal(resp.Body, &e, json.RejectUnknownMembers(documented == nil)); err != nil {
		problems = append(problems, "the error envelope: "+err.Error())
	} else if e.Error.Message == "" {
		problems = append(problems, "the error envelope has no message")
	}
	return problems
}

// standardHeaders are the headers that an answer may have beside Understudy-*.
var standardHeaders = []string{
	"Allow", "Connection", "Content-Length", "Content-Type", "Date", "Retry-After", "Transfer-Encoding", "Vary",
	"Www-Authenticate", "X-Content-Type-Options",
}

func headers(resp *Response) (problems []string) {
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		if !strings.HasPrefix(name, "Understudy-") && !slices.Contains(standardHeaders, name) {
			problems = append(problems, fmt.Sprintf("the header %s is not allowed", name))
		}
	}
	return problems
}

func challenge(resp *Response) []string {
	if got := resp.Header.Get("WWW-Authenticate"); resp.Status == http.StatusUnauthorized && got != "Bearer" {
		return []string{fmt.Sprintf("WWW-Authenticate of a 401 is %q, not Bearer", got)}
	}
	return nil
}

func retryAfter(resp *Response) []string {
	got := resp.Header.Get("Retry-After")
	if _, err := strconv.ParseUint(got, 10, 32); resp.Status == http.StatusTooManyRequests && err != nil {
		return []string{fmt.Sprintf("Retry-After of a 429 is %q, not a number of seconds", got)}
	}
	return nil
}

var ssnPattern = regexp.MustCompile(`\b\d{3}-\d{2}-\d{4}\b`)

// rawSSN finds social security numbers in full. 000-00-0000 is allowed: diagnoses use it to show the form.
func rawSSN(resp *Response) (problems []string) {
	found := func(text string) bool {
		return slices.ContainsFunc(ssnPattern.FindAllString(text, -1), func(number string) bool { return number != "000-00-0000" })
	}
	for name, values := range resp.Header {
		if found(strings.Join(values, "\n")) {
			problems = append(problems, fmt.Sprintf("the header %s has a social security number: %s", name, values))
		}
	}
	if found(string(resp.Body)) {
		problems = append(problems, "the body has a social security number")
	}
	return problems
}

// report describes a request, its answer and the violations.
func report(resp *Response, found ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: status %d\n%s\n", resp.request.Method, resp.request.URL.RequestURI(), resp.Status, strings.Join(found, "\n"))
	if resp.request.GetBody != nil && resp.request.ContentLength > 0 {
		body, _ := resp.request.GetBody()
		sent, _ := io.ReadAll(body)
		fmt.Fprintf(&b, "\nrequest body:\n%s\n", clip(sent))
	}
	fmt.Fprintf(&b, "\nanswer:\n")
	_ = resp.Header.Write(&b)
	fmt.Fprintf(&b, "\n%s", clip(resp.Body))
	return b.String()
}

// clip shortens a body.
func clip(body []byte) string {
	const shown = 8 << 10
	if len(body) <= shown {
		return string(body)
	}
	return fmt.Sprintf("%s… (%d bytes)", body[:shown], len(body))
}
