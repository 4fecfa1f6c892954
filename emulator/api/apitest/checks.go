package apitest

import (
	"context"
	stdjson "encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
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

// Check is one of the checks that every answer goes through.
type Check string

const (
	// Document holds an answer of the five operations, and of the control plane, against the OpenAPI document: status,
	// headers, media type and body. A verification request has all its keys unless the query has fields.
	Document Check = "document"
	// Envelope wants every error to be JSON of the form {"error":{"message":"…"}}, and nothing more where the OpenAPI
	// document does not say what.
	Envelope Check = "envelope"
	// Headers wants no headers but those of the contract.
	Headers Check = "headers"
	// Challenge wants a 401 to carry WWW-Authenticate: Bearer.
	Challenge Check = "challenge"
	// RetryAfter wants a 429 to carry Retry-After in seconds.
	RetryAfter Check = "retry-after"
	// SSN wants no social security number in full, in headers and body.
	SSN Check = "ssn"
)

// violation is what an answer breaks, and which check says so.
type violation struct {
	check Check
	text  string
}

// rules are the checks with the document that one of them needs.
type rules struct {
	router  routers.Router
	schemas openapi3.Schemas
}

var loadRules = sync.OnceValues(func() (*rules, error) {
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPIYAML())
	if err != nil {
		return nil, err
	}
	doc.Servers = nil // tests listen elsewhere
	router, err := legacy.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	return &rules{router: router, schemas: doc.Components.Schemas}, nil
})

func (r *rules) document(resp *Response) (problems []string) {
	route, params, err := r.router.FindRoute(resp.request)
	if err != nil || slices.Contains(slices.Collect(maps.Values(params)), "") { // an empty id is the collection's path
		return nil
	}
	documented := route.Operation.Responses.Status(resp.Status)
	if documented == nil { // the filter lets some statuses pass unseen, such as 301
		return []string{fmt.Sprintf("%s does not list the status %d", route.Operation.OperationID, resp.Status)}
	}
	want := slices.Collect(maps.Keys(documented.Value.Content)) // one, or none
	switch got := resp.Header.Get("Content-Type"); {
	case len(want) == 0 && (got != "" || len(resp.Body) > 0):
		return []string{fmt.Sprintf("there is a body of Content-Type %q, and should be none", got)}
	case len(want) == 0:
		return nil
	case got != want[0]:
		problems = append(problems, fmt.Sprintf("Content-Type is %q, not %s", got, want[0]))
	}
	if want[0] != "application/json" {
		return problems
	}
	if !jsontext.Value(resp.Body).IsValid() { // stricter than the filter: also keys that come twice, UTF-8
		return append(problems, "the body is not valid JSON")
	}
	name, particular := particularSchema(route.Operation, resp)
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: resp.request, PathParams: params, Route: route,
		},
		Status:  resp.Status,
		Header:  resp.Header,
		Options: &openapi3filter.Options{SchemaValidationOptions: inShort, ExcludeResponseBody: particular},
	}
	if err := openapi3filter.ValidateResponse(context.Background(), input.SetBodyBytes(resp.Body)); err != nil {
		problems = append(problems, err.Error())
	}
	if particular {
		var body any
		err := stdjson.Unmarshal(resp.Body, &body)
		if err == nil {
			err = r.schemas[name].Value.VisitJSON(body, inShort...)
		}
		if err != nil {
			problems = append(problems, name+": "+err.Error())
		}
	}
	return problems
}

// inShort leaves schema and value out of messages: the body is shown anyway.
var inShort = []openapi3.SchemaValidationOption{openapi3.DisableSchemaErrorDetails(), openapi3.MultiErrors()}

// particularSchema names the schema of a verification request, which the document leaves open: it cannot say that the
// query decides whether all keys must be there.
func particularSchema(operation *openapi3.Operation, resp *Response) (name string, ok bool) {
	if operation.OperationID != "getVerificationRequest" || resp.Status != http.StatusOK {
		return "", false
	}
	if resp.request.URL.Query().Has("fields") {
		return "VerificationRequestSelection", true
	}
	return "VerificationRequest", true
}

func (r *rules) envelope(resp *Response) (problems []string) {
	if resp.Status < 400 || resp.request.Method == http.MethodHead {
		return nil
	}
	if got := resp.Header.Get("Content-Type"); got != "application/json" {
		problems = append(problems, fmt.Sprintf("Content-Type of an error is %q, not application/json", got))
	}
	var e api.ErrorEnvelope
	if err := json.Unmarshal(resp.Body, &e, json.RejectUnknownMembers(!r.saysMore(resp))); err != nil {
		problems = append(problems, "the error envelope: "+err.Error())
	} else if e.Error.Message == "" {
		problems = append(problems, "the error envelope has no message")
	}
	return problems
}

// saysMore reports whether the document gives an error a schema of its own, which Document holds it against.
func (r *rules) saysMore(resp *Response) bool {
	route, _, err := r.router.FindRoute(resp.request)
	if err != nil {
		return false
	}
	documented := route.Operation.Responses.Status(resp.Status)
	if documented == nil {
		return false
	}
	content := documented.Value.Content["application/json"]
	return content != nil && content.Schema.Ref != "#/components/schemas/Error"
}

// standardHeaders are those that an answer may have beside Understudy-* (contract section 1).
var standardHeaders = []string{
	"Allow", "Connection", "Content-Length", "Content-Type", "Date", "Retry-After", "Transfer-Encoding", "Vary",
	"Www-Authenticate", "X-Content-Type-Options",
}

func headers(resp *Response) (problems []string) {
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		if !strings.HasPrefix(name, "Understudy-") && !slices.Contains(standardHeaders, name) {
			problems = append(problems, fmt.Sprintf("the header %s is not of the contract", name))
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

// rawSSN finds numbers in full. 000-00-0000 is none, and stands in diagnoses for the form of one.
func rawSSN(resp *Response) (problems []string) {
	found := func(text string) bool {
		return slices.ContainsFunc(ssnPattern.FindAllString(text, -1), func(number string) bool { return number != "000-00-0000" })
	}
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		for _, value := range resp.Header[name] {
			if found(value) {
				problems = append(problems, fmt.Sprintf("the header %s has a social security number: %s", name, value))
			}
		}
	}
	if found(string(resp.Body)) {
		problems = append(problems, "the body has a social security number")
	}
	return problems
}

// shown is how many bytes of a body a message shows.
const shown = 8 << 10

// report tells what was asked and answered and what is wrong with it.
func report(resp *Response, found []violation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: status %d\n", resp.request.Method, resp.request.URL.RequestURI(), resp.Status)
	for _, v := range found {
		if v.check != "" {
			fmt.Fprintf(&b, "%s: ", v.check)
		}
		fmt.Fprintln(&b, v.text)
	}
	if body := requestBody(resp.request); len(body) > 0 {
		fmt.Fprintf(&b, "\nrequest body:\n%s\n", clip(body))
	}
	fmt.Fprintf(&b, "\nanswer:\n")
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(resp.Header[name], ", "))
	}
	fmt.Fprintf(&b, "\n%s", clip(resp.Body))
	return b.String()
}

// requestBody reads a body that was sent again, where that is possible.
func requestBody(req *http.Request) []byte {
	if req.GetBody == nil {
		return nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil
	}
	defer body.Close()
	data, _ := io.ReadAll(body) // as much as there is
	return data
}

func clip(body []byte) string {
	if len(body) <= shown {
		return string(body)
	}
	return fmt.Sprintf("%s… (%d bytes)", body[:shown], len(body))
}
