package compare

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/document"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Report is the result of a comparison. It has paths and kinds, and no value of an answer but words at the path of an enumeration.
type Report struct {
	Requests []Result `json:"requests"`
	Findings int      `json:"findings"` // in all requests
	Ignored  int      `json:"ignored"`  // findings that --ignore leaves out
}

// Result is the result of one request.
type Result struct {
	Request   string    `json:"request"` // such as GET /verification-requests/vr_1
	Operation string    `json:"operation"`
	Status    int       `json:"status"` // 0: no answer
	Ours      string    `json:"ours"`   // a magic id with an answer of the same traits; "": none
	Findings  []Finding `json:"findings"`
}

// Finding is a difference at all places of an answer that have the same path.
type Finding struct {
	Kind string `json:"kind"` // see docs/compare.md
	Path string `json:"path"` // such as reports.*.paystubs.*.memo; header.NAME, status, body for what is beside the keys
	Text string `json:"text"`
}

// options of a comparison.
type options struct {
	upstream *upstream
	requests []Request
	ignore   []string // see checkPattern
}

// compare sends the requests one after the other and compares the answers. Its error says that the upstream is not reached.
func compare(ctx context.Context, in options) (report Report, err error) {
	ours, err := newOwn()
	if err != nil {
		return report, err
	}
	defer ours.emulator.Close()
	return ours.compare(ctx, in)
}

func (o *own) compare(ctx context.Context, in options) (Report, error) {
	report := Report{Requests: []Result{}}
	for _, request := range in.requests {
		theirs, err := in.upstream.get(ctx, request)
		if err != nil {
			return Report{}, err
		}
		read := theirs.read(request)
		result := Result{Request: request.String(), Operation: request.operation.ID, Status: theirs.status, Findings: []Finding{}}
		if theirs.status == http.StatusOK {
			near, err := o.like(request, theirs)
			if err != nil {
				return Report{}, err
			}
			if result.Ours = near.id; near.id != "" {
				read.differ(near.shape)
			}
		}
		for found := range read.found {
			if ignored(in.ignore, found.Path) {
				report.Ignored++
				continue
			}
			result.Findings = append(result.Findings, found)
		}
		slices.SortFunc(result.Findings, func(a, b Finding) int {
			byKind := map[bool]int{true: 1}
			return cmp.Or(byKind[a.Kind == differs]-byKind[b.Kind == differs], cmp.Compare(a.Path, b.Path), cmp.Compare(a.Text, b.Text))
		})
		report.Findings += len(result.Findings)
		report.Requests = append(report.Requests, result)
	}
	return report, nil
}

// own is an emulator in this process, with a temporary store.
type own struct {
	emulator *emulator.Emulator
	magic    map[string][]string        // ids by the prefix of their path, without those that have rules: these fail or wait
	reads    map[string]map[string]like // by query and prefix, and by the first of the traits, or more of them
}

// like is our answers with the same traits.
type like struct {
	id    string // the last one's: the plainest are at the end of the catalogue
	shape shape
}

func newOwn() (*own, error) {
	catalogue, err := scenarios.Load()
	if err != nil {
		return nil, err
	}
	e, err := emulator.New(emulator.WithJournalSize(0))
	if err != nil {
		return nil, err
	}
	o := &own{e, make(map[string][]string), make(map[string]map[string]like)}
	for _, s := range catalogue.All() {
		for _, value := range s.MagicValues() {
			for prefix, resource := range resources {
				if value.Kind == resource.kind && len(s.Rules) == 0 {
					o.magic[prefix] = append(o.magic[prefix], value.Value)
				}
			}
		}
	}
	return o, nil
}

// all returns the answers to the magic ids that a request could have, with its query.
func (o *own) all(request Request) (map[string]like, error) {
	key := request.operation.Prefix + "?" + request.query.Encode()
	if o.reads[key] != nil {
		return o.reads[key], nil
	}
	reads := make(map[string]like)
	for _, id := range o.magic[request.operation.Prefix] {
		request.id = id
		r, err := request.http(context.Background(), "", o.emulator.Key("compare"))
		if err != nil {
			return nil, err
		}
		a := command.Serve(o.emulator, r)
		if a.Status != http.StatusOK { // 400 for the query
			continue
		}
		got := newAnswer(a.Status, a.Header(), a.Bytes())
		read := got.read(request)
		for _, traits := range request.traits(got.value) {
			near, ok := reads[traits]
			if near.id = id; !ok {
				near.shape = shape{}
			}
			near.shape.add(read.shape)
			reads[traits] = near
		}
	}
	o.reads[key] = reads
	return reads, nil
}

// like returns our answers with most traits of one of the upstream, the zero value for none.
func (o *own) like(request Request, theirs answer) (near like, err error) {
	all, err := o.all(request)
	for _, traits := range request.traits(theirs.value) {
		if found, ok := all[traits]; ok {
			near = found
		}
	}
	return near, err
}

// traits returns the traits of an answer: none, the most important one, and so on to all.
func (r Request) traits(value any) []string {
	all := []string{""}
	for _, keys := range resources[r.operation.Prefix].traits {
		all = append(all, all[len(all)-1]+" "+valueAt(value, keys))
	}
	return all
}

// valueAt returns the text at a path of keys, where 0 is the only item of an array. It returns "" for none.
func valueAt(value any, keys []string) string {
	for _, key := range keys {
		if items := document.List(value); len(items) == 1 {
			value = map[string]any{"0": items[0]}
		}
		in, _ := value.(map[string]any)
		value = in[key]
	}
	text, _ := value.(string)
	return text
}

// checkPattern returns an error for an invalid pattern of paths. A pattern has the segments of a path; * stands for any text
// within a segment. It covers the paths below it too.
func checkPattern(pattern string) error {
	for segment := range strings.SplitSeq(pattern, ".") {
		if _, err := path.Match(segment, ""); err != nil || segment == "" || strings.ContainsAny(segment, " \t\n") {
			return fmt.Errorf("%q is not a pattern of paths such as reports.*.paystubs.*.memo", pattern)
		}
	}
	return nil
}

func ignored(patterns []string, at string) bool {
	segments := strings.Split(at, ".")
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		n := strings.Count(pattern, ".") + 1
		if n > len(segments) {
			return false
		}
		ok, err := path.Match(strings.ReplaceAll(pattern, ".", "/"), strings.Join(segments[:n], "/"))
		return ok && err == nil
	})
}
