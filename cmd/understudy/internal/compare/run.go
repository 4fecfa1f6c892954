package compare

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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
			if len(near) > 0 {
				result.Ours = near[len(near)-1].id // the plainest are at the end of the catalogue
				read.differ(merged(near))
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
	magic    map[string][]string // ids by the prefix of their path, without those that have rules: these fail or wait
	reads    map[string][]ownRead
}

// ownRead is an answer to a magic id.
type ownRead struct {
	id    string
	value any
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
	o := &own{e, make(map[string][]string), make(map[string][]ownRead)}
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
func (o *own) all(request Request) ([]ownRead, error) {
	key := request.operation.Prefix + "?" + request.query.Encode()
	if reads, ok := o.reads[key]; ok {
		return reads, nil
	}
	var reads []ownRead
	for _, id := range o.magic[request.operation.Prefix] {
		request.id = id
		r, err := request.http(context.Background(), "", o.emulator.Key("compare"))
		if err != nil {
			return nil, err
		}
		if a := command.Serve(o.emulator, r); a.Status == http.StatusOK { // not 400 for the query
			got := newAnswer(a.Status, a.Header(), a.Bytes())
			reads = append(reads, ownRead{id, got.value, got.read(request).shape})
		}
	}
	o.reads[key] = reads
	return reads, nil
}

// like returns our answers that are like one of the upstream.
func (o *own) like(request Request, theirs answer) ([]ownRead, error) {
	near, err := o.all(request)
	for _, trait := range resources[request.operation.Prefix].traits {
		same := slices.DeleteFunc(slices.Clone(near), func(r ownRead) bool { return valueAt(r.value, trait) != valueAt(theirs.value, trait) })
		if len(same) == 0 {
			break
		}
		near = same
	}
	return near, err
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

func merged(reads []ownRead) shape {
	all := shape{}
	for _, r := range reads {
		for at, kinds := range r.shape {
			if all[at] == nil {
				all[at] = make(map[string]bool)
			}
			maps.Copy(all[at], kinds)
		}
	}
	return all
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
