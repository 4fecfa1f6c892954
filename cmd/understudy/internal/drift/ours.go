package drift

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// own is an emulator in this process, with a temporary store.
type own struct {
	emulator *emulator.Emulator
	magic    map[string][]string // ids by the prefix of their path, without those that have rules: these fail or wait
	reads    map[string][]read   // by prefix and query
}

// read is an answer to a magic id.
type read struct {
	id    string
	shape structure
	answer
}

func newEmulator() (*own, error) {
	catalogue, err := scenarios.Load()
	if err != nil {
		return nil, err
	}
	e, err := emulator.New(emulator.WithJournalSize(0))
	if err != nil {
		return nil, err
	}
	o := &own{emulator: e, magic: make(map[string][]string), reads: make(map[string][]read)}
	for prefix, resource := range resources {
		for _, s := range catalogue.All() {
			for _, value := range s.MagicValues() {
				if value.Kind == resource.kind && len(s.Rules) == 0 {
					o.magic[prefix] = append(o.magic[prefix], value.Value)
				}
			}
		}
	}
	return o, nil
}

func (o *own) close() { _ = o.emulator.Close() } // its store goes with it

// recorder is the answer that a handler writes.
type recorder struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

func (o *own) get(request Request) (answer, error) {
	r, err := http.NewRequest(http.MethodGet, request.target(), nil)
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Authorization", "Bearer "+o.emulator.Key("compare"))
	r.Header.Set("Accept", request.operation.accept)
	w := &recorder{header: make(http.Header)}
	o.emulator.ServeHTTP(w, r)
	return newAnswer(w.status, w.header, w.body.Bytes()), nil
}

// all returns the answers to the magic ids that a request could have, with its query.
func (o *own) all(request Request) ([]read, error) {
	key := request.operation.prefix + "?" + request.query.Encode()
	if reads, ok := o.reads[key]; ok {
		return reads, nil
	}
	var reads []read
	for _, id := range o.magic[request.operation.prefix] {
		request.id = id
		got, err := o.get(request)
		if err != nil {
			return nil, err
		}
		if got.status == http.StatusOK { // not 400 for the query
			shape := structure{}
			shape.add(request.operation.responses[got.status].schema(request), "", got.value)
			reads = append(reads, read{id, shape, got})
		}
	}
	o.reads[key] = reads
	return reads, nil
}

// ours is what the emulator has for an answer of the upstream.
type ours struct {
	nearest  string    // the magic id whose answer has most in common with that of the upstream
	near     structure // of the answers with the same traits
	all      structure // of all answers of the operation
	header   http.Header
	messages []string // of an error
}

// like returns what the emulator has for an answer.
func (o *own) like(request Request, theirs answer) (ours, error) {
	if isError(theirs.status) {
		return o.likeError(request, theirs)
	}
	reads, err := o.all(request)
	if err != nil || len(reads) == 0 {
		return ours{}, err
	}
	against := request.operation.responses[theirs.status].schema(request)
	mine := ours{near: structure{}, all: structure{}, header: reads[0].header}
	near := reads
	for _, trait := range resources[request.operation.prefix].traits {
		same := slices.DeleteFunc(slices.Clone(near), func(r read) bool { return at(r.value, trait) != at(theirs.value, trait) })
		if len(same) == 0 {
			break
		}
		near = same
	}
	for _, r := range reads {
		mine.all.merge(r.shape)
	}
	shape, least := structure{}, math.MaxInt
	shape.add(against, "", theirs.value)
	for _, r := range near {
		mine.near.merge(r.shape)
		if n := shape.without(r.shape) + r.shape.without(shape); n <= least { // of equals the last: the plainest are at the end of the catalogue
			mine.nearest, least = r.id, n
		}
	}
	return mine, nil
}

// likeError returns what the emulator has for an error: the answers to the magic id of its status and to an unknown id.
func (o *own) likeError(request Request, theirs answer) (ours, error) {
	mine := ours{messages: slices.Clone(request.operation.responses[theirs.status].messages)}
	prefix := resources[request.operation.prefix].id
	for _, id := range []string{prefix + "unknown", fmt.Sprintf("%serror_%d", prefix, theirs.status)} {
		request.id, request.query = id, nil
		got, err := o.get(request)
		if err != nil {
			return ours{}, err
		}
		if got.status == theirs.status {
			mine.nearest, mine.header = id, got.header
			mine.messages = append(mine.messages, got.messageOf())
		}
	}
	return mine, nil
}

// at returns the text at a path of keys, where 0 is the only item of an array. It returns "" for none.
func at(value any, keys []string) string {
	for _, key := range keys {
		object, _ := value.(map[string]any)
		if items, ok := value.([]any); ok && len(items) == 1 {
			object = map[string]any{"0": items[0]}
		}
		value = object[key]
	}
	text, _ := value.(string)
	return text
}

// nulls are the keys whose null depends on state, type, outcome or query, and not on the person: of these alone it is compared.
// Of those with true a null is compared too, not only a value where ours are null.
var nulls = map[string]bool{
	"date_of_completion":                   true,
	"cancellation_reason":                  false,
	"cancellation_details":                 false,
	"reports":                              true,
	"reports.*.paystubs":                   false,
	"reports.*.paid_through_date":          false,
	"reports.*.income_analytics":           false,
	"reports.*.employee.salary":            false,
	"reports.*.employee.earnings":          false,
	"result.monthly_gross_income":          true,
	"result.monthly_gross_income_fidelity": true,
	"result.rent_to_income_ratio":          false,
}

// differences returns where an answer that the document may allow differs from ours.
func (o ours) differences(request Request, theirs answer, found []Finding) (all []Finding) {
	all = o.headerDifferences(request.operation.responses[theirs.status], theirs)
	if isError(theirs.status) {
		if message := theirs.messageOf(); message != "" && !slices.Contains(o.messages, message) {
			messages := slices.Compact(slices.Sorted(slices.Values(o.messages)))
			all = append(all, Finding{Kind: Message, Path: "error.message", Text: fmt.Sprintf("none of ours: %q", messages)})
		}
		return all
	}
	against := request.operation.responses[theirs.status].schema(request)
	mine := structure{}
	mine.add(against, "", theirs.value)
	violated := func(path string) bool {
		return slices.ContainsFunc(found, func(f Finding) bool { return f.Path == path || strings.HasPrefix(path, f.Path+".") })
	}
	add := func(path, text string, times int) {
		for range times {
			all = append(all, Finding{Kind: Differs, Path: path, Text: text})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(against.paths)) {
		if violated(path) || path == "" {
			continue
		}
		kinds, parent := mine[path], path[:max(strings.LastIndex(path, "."), 0)]
		both := mine[parent]["object"] > 0 && o.all[parent]["object"] > 0
		switch absent := mine[parent]["object"] - mine.times(path); {
		case strings.HasSuffix(path, "*"): // an item, or a key of the user
		case both && o.all[path] == nil && kinds != nil:
			add(path, "a key that ours does not have", mine.times(path))
		case both && absent > 0 && o.all.times(path) == o.all[parent]["object"]:
			add(path, "missing; ours has it", absent)
		}
		nullToo, compared := nulls[path]
		values := mine.times(path) - kinds["null"]
		switch near := o.near[path]; {
		case !compared || o.near.times(path) == 0:
		case near["null"] == o.near.times(path) && values > 0:
			add(path, "a value; ours is null", values)
		case near["null"] == 0 && nullToo:
			add(path, "null; ours has a value", kinds["null"])
		}
		for form, times := range kinds {
			if family := familyOf(form); family != "" && o.all[path][form] == 0 && o.all.has(path, family) {
				add(path, form+"; ours is "+o.all.names(path), times)
			}
		}
	}
	return all
}

// carriers are headers that HTTP servers and what stands before them add; the answer does not depend on them.
var carriers = []string{
	"Accept-Ranges", "Age", "Alt-Svc", "Cache-Control", "Connection", "Content-Encoding", "Content-Length", "Content-Security-Policy",
	"Content-Type", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Date", "Etag", "Expires", "Expect-Ct", "Keep-Alive",
	"Last-Modified", "Nel", "Permissions-Policy", "Pragma", "Referrer-Policy", "Report-To", "Server", "Server-Timing", "Set-Cookie",
	"Strict-Transport-Security", "Trailer", "Transfer-Encoding", "Vary", "Via", "X-Cache", "X-Content-Type-Options", "X-Frame-Options",
	"X-Powered-By", "X-Xss-Protection",
}

func (o ours) headerDifferences(documented *response, theirs answer) (found []Finding) {
	add := func(name, text string) {
		found = append(found, Finding{Kind: Differs, Path: headerPath(name), Text: text})
	}
	wanted, got := o.header.Get("Content-Type"), theirs.header.Get("Content-Type")
	if strings.HasPrefix(got, wanted) && got != wanted && wanted != "" {
		if !shownMediaType.MatchString(got) {
			got = "other parameters"
		}
		add("Content-Type", got+"; ours is "+wanted)
	}
	for name, spec := range documented.headers {
		if !spec.required && o.header.Get(name) != "" && theirs.header.Get(name) == "" {
			add(name, "missing; ours has it")
		}
	}
	for name := range theirs.header {
		if documented.headers[name] == nil && !slices.Contains(carriers, name) && !strings.HasPrefix(name, "Understudy-") {
			add(name, "a header that ours does not have")
		}
	}
	return found
}
