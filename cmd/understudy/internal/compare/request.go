package compare

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/document"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// maxRequests is the number of requests that one comparison sends at most.
const maxRequests = 500

// Request is a GET of an operation of the document.
type Request struct {
	operation document.Operation
	id        string
	query     url.Values
}

// String returns the request as people write it.
func (r Request) String() string { return "GET " + r.target() }

// http returns the HTTP request, with a key.
func (r Request) http(ctx context.Context, base, key string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+r.target(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Accept", r.operation.Accept)
	request.Header.Set("User-Agent", "understudy-compare")
	return request, nil
}

func (r Request) target() string {
	if len(r.query) == 0 {
		return r.operation.Prefix + r.id
	}
	return r.operation.Prefix + r.id + "?" + r.query.Encode()
}

// resource is what an operation of the document reads.
type resource struct {
	id     string         // the beginning of its ids
	kind   scenarios.Kind // of its magic ids
	traits [][]string     // paths of the values in which an answer of ours is like one of the upstream, the most important first
}

// resources are the resources that can be read, by the prefix of their path.
var resources = map[string]resource{
	"/verification-requests/": {"vr_", scenarios.VerificationRequestID, [][]string{{"state"}, {"type"}, {"reports", "0", "employee", "status"}}},
	"/qualification-checks/":  {"qc_", scenarios.QualificationCheckID, [][]string{{"result", "outcome"}, {"kind"}}},
}

// expression returns a regular expression that is compiled at its first use: other commands start without it.
func expression(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// id matches the ids that need no escape in a path.
var id = expression(`^[A-Za-z0-9_-][A-Za-z0-9._~-]{0,127}$`)

// parseArgument reads an argument: an id that begins with vr_ or qc_, or a path.
func parseArgument(text string) (Request, error) {
	if strings.HasPrefix(text, "/") {
		return parseTarget(text)
	}
	for prefix, resource := range resources {
		if strings.HasPrefix(text, resource.id) {
			return parseTarget(prefix + text)
		}
	}
	if strings.HasPrefix(text, "tp_") {
		return Request{}, fmt.Errorf("%q is refused: no operation of the document reads a tenant property", text)
	}
	return Request{}, fmt.Errorf("%q begins with neither vr_ nor qc_: write its path, as in /verification-requests/ID", text)
}

// parseFile reads a request a line, such as GET /verification-requests/vr_1. Empty lines and those that begin with # are
// comments. The error has all invalid lines.
func parseFile(file, text string) (requests []Request, err error) {
	var problems []error
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		method, target, _ := strings.Cut(line, " ")
		request, err := parseTarget(strings.TrimSpace(target))
		if method != http.MethodGet { // the line is not shown: the file may be another, with secrets
			err = errors.New("the line is refused: only reads are sent: write GET /verification-requests/ID")
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s:%d: %w", file, i+1, err))
		}
		requests = append(requests, request)
	}
	return requests, errors.Join(problems...)
}

func parseTarget(target string) (Request, error) {
	all, err := document.Operations()
	if err != nil {
		return Request{}, err
	}
	path, rawQuery, _ := strings.Cut(target, "?")
	i := slices.IndexFunc(all, func(op document.Operation) bool {
		return op.Method == http.MethodGet && strings.HasPrefix(path, op.Prefix) && id().MatchString(path[len(op.Prefix):])
	})
	if i < 0 {
		return Request{}, fmt.Errorf("%q is refused: the document reads /verification-requests/ID and /qualification-checks/ID only", target)
	}
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return Request{}, fmt.Errorf("%q has an invalid query", target)
	}
	for parameter := range query {
		if !slices.Contains(all[i].Query, parameter) {
			return Request{}, fmt.Errorf("%q is refused: the document has no query parameter %q for it", target, parameter)
		}
	}
	return Request{operation: all[i], id: path[len(all[i].Prefix):], query: query}, nil
}
