package drift

import (
	"bytes"
	"fmt"
	"maps"
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
	shape shape
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
			_, body := got.violations(request)
			reads = append(reads, read{id, body, got})
		}
	}
	o.reads[key] = reads
	return reads, nil
}

// ours is what the emulator has for an answer of the upstream.
type ours struct {
	example  string // a magic id with such an answer
	body     shape  // of all answers with the same traits
	header   http.Header
	messages []string // of an error
}

// like returns what the emulator has for an answer.
func (o *own) like(request Request, theirs answer) (ours, error) {
	if isError(theirs.status) {
		return o.likeError(request, theirs)
	}
	near, err := o.all(request)
	if err != nil || len(near) == 0 {
		return ours{}, err
	}
	for _, trait := range resources[request.operation.prefix].traits {
		same := slices.DeleteFunc(slices.Clone(near), func(r read) bool { return at(r.value, trait) != at(theirs.value, trait) })
		if len(same) == 0 {
			break
		}
		near = same
	}
	last := near[len(near)-1] // the plainest are at the end of the catalogue
	mine := ours{example: last.id, body: shape{}, header: last.header}
	for _, r := range near {
		mine.body.merge(r.shape)
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
			mine.example, mine.header = id, got.header
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

// differences returns where an answer that the document may allow differs from ours.
func (o ours) differences(request Request, theirs answer, body shape, found []Finding) (all []Finding) {
	documented := request.operation.responses[theirs.status]
	all = o.headerDifferences(documented, theirs)
	if isError(theirs.status) {
		if message := theirs.messageOf(); message != "" && !slices.Contains(o.messages, message) {
			messages := slices.Compact(slices.Sorted(slices.Values(o.messages)))
			all = append(all, Finding{Kind: Message, Path: "error.message", Text: fmt.Sprintf("none of ours: %q", messages)})
		}
		return all
	}
	for _, path := range documented.body.paths() {
		violated := slices.ContainsFunc(found, func(f Finding) bool { return f.Path == path || strings.HasPrefix(path, f.Path+".") })
		if path == "" || violated {
			continue
		}
		for text, times := range o.differencesAt(path, body) {
			all = append(all, slices.Repeat([]Finding{{Kind: Differs, Path: path, Text: text}}, times)...)
		}
	}
	return all
}

// differencesAt returns how often a body differs from ours at a path, by the text of a finding.
func (o ours) differencesAt(path string, body shape) map[string]int {
	differences := make(map[string]int)
	parent := path[:max(strings.LastIndex(path, "."), 0)]
	both := body[parent]["object"] > 0 && o.body[parent]["object"] > 0 && !strings.HasSuffix(path, "*") // no key of the verifier
	mine := slices.Sorted(maps.Keys(o.body[path]))
	for kind, times := range body[path] {
		switch {
		case len(mine) > 0 && !slices.Contains(mine, kind):
			differences[kind+"; ours is "+strings.Join(mine, ", or ")] = times
		case both && len(mine) == 0:
			differences["a key that ours does not have"] += times
		}
	}
	if absent := body[parent]["object"] - body.times(path); both && absent > 0 && o.body.times(path) == o.body[parent]["object"] {
		differences["missing; ours has it"] = absent
	}
	return differences
}

func (o ours) headerDifferences(documented *response, theirs answer) (found []Finding) {
	add := func(name, text string) {
		found = append(found, Finding{Kind: Differs, Path: headerPath(name), Text: text})
	}
	wanted, got := o.header.Get("Content-Type"), theirs.header.Get("Content-Type")
	if strings.HasPrefix(got, wanted) && got != wanted && wanted != "" {
		if !shownMediaType().MatchString(got) {
			got = "other parameters"
		}
		add("Content-Type", got+"; ours is "+wanted)
	}
	for name, allowed := range documented.headers {
		if !allowed.must && o.header.Get(name) != "" && theirs.header.Get(name) == "" {
			add(name, "missing; ours has it")
		}
	}
	return found
}
