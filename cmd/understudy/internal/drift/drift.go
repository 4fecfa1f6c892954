// Package drift compares the answers of a real sandbox of the emulated API with the OpenAPI document and with the answers of
// the emulator. A report has paths, kinds and counts; it has no value of an answer but words at the path of an enumeration.
package drift

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Report is the result of a comparison.
type Report struct {
	Requests []Result `json:"requests"`
	Findings int      `json:"findings"` // in all requests
	Ignored  int      `json:"ignored"`  // findings that a pattern of Options.Ignore has left out
}

// Result is the result of one request.
type Result struct {
	Request   string    `json:"request"` // such as GET /verification-requests/vr_1
	Operation string    `json:"operation"`
	Status    int       `json:"status"` // 0: no answer
	Ours      string    `json:"ours"`   // a magic id with an answer of the same traits; "": none
	Findings  []Finding `json:"findings"`
}

// Kind says how an answer drifts.
type Kind string

// All kinds but the last are about the document.
const (
	UnknownKey  Kind = "unknown key"
	MissingKey  Kind = "missing key"
	Type        Kind = "type"
	Enumeration Kind = "enumeration"
	Format      Kind = "format"
	Status      Kind = "status"
	Message     Kind = "message"
	Header      Kind = "header"
	Body        Kind = "body"
	NoAnswer    Kind = "no answer"
	Differs     Kind = "differs from ours" // the document allows it
)

// Finding is a difference at all places of an answer that have the same path.
type Finding struct {
	Kind  Kind   `json:"kind"`
	Path  string `json:"path"` // such as reports.*.paystubs.*.memo; header.NAME, status, body for what is beside the keys
	Count int    `json:"count"`
	Text  string `json:"text"`
}

// Options of a comparison.
type Options struct {
	Upstream *Upstream
	Requests []Request
	Ignore   []string // see [CheckPattern]
}

// Run sends the requests one after the other and compares the answers. Its error says that the upstream is not reached.
func Run(ctx context.Context, in Options) (Report, error) {
	own, err := newEmulator()
	if err != nil {
		return Report{}, err
	}
	defer own.close()
	return own.compare(ctx, in)
}

func (own *own) compare(ctx context.Context, in Options) (Report, error) {
	report := Report{Requests: []Result{}}
	for _, request := range in.Requests {
		theirs, err := in.Upstream.get(ctx, request)
		if err != nil {
			return Report{}, err
		}
		result := Result{Request: request.String(), Operation: request.operation.id, Status: theirs.status}
		found, body := theirs.violations(request)
		if body != nil {
			ours, err := own.like(request, theirs)
			if err != nil {
				return Report{}, err
			}
			result.Ours = ours.example
			found = append(found, ours.differences(request, theirs, body, found)...)
		}
		remaining := slices.DeleteFunc(slices.Clone(found), func(f Finding) bool { return ignored(in.Ignore, f.Path) })
		report.Ignored += len(grouped(found)) - len(grouped(remaining))
		result.Findings = grouped(remaining)
		report.Findings += len(result.Findings)
		report.Requests = append(report.Requests, result)
	}
	return report, nil
}

// grouped returns one finding for all that are equal, with their number.
func grouped(found []Finding) []Finding {
	counts := make(map[Finding]int)
	for _, f := range found {
		counts[f]++
	}
	all := []Finding{}
	for f, n := range counts {
		f.Count = n
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b Finding) int {
		differs := func(f Finding) int {
			if f.Kind == Differs {
				return 1
			}
			return 0
		}
		return cmp.Or(differs(a)-differs(b), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text))
	})
	return all
}

// CheckPattern returns an error for an invalid pattern of paths. A pattern has the segments of a path; * stands for any text
// within a segment. It covers the paths below it too.
func CheckPattern(pattern string) error {
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
		parts := strings.Split(pattern, ".")
		if len(parts) > len(segments) {
			return false
		}
		for i, part := range parts {
			if ok, err := path.Match(part, segments[i]); err != nil || !ok {
				return false
			}
		}
		return true
	})
}
