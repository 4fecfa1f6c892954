package run

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/coverage"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// verdict is what an attempt says about the command.
type verdict string

// The verdicts, the worst first.
const (
	disagrees verdict = "disagrees" // what the command believes and what the service holds differ
	hangs     verdict = "hangs"     // it had not ended at the limit
	insists   verdict = "insists"   // it sent a request again that cannot succeed, too early, or without end
	reports   verdict = "reports"   // it ended with an error of its own
	survives  verdict = "survives"  // it ended as in the baseline
)

func (verdict) Values() []verdict { return []verdict{disagrees, hangs, insists, reports, survives} }

// bad reports whether a trial with the verdict fails.
func (v verdict) bad() bool { return v != reports && v != survives }

// holdings are what a service holds of what the command did.
type holdings struct {
	canceled   map[string]bool   // verification requests, by id
	properties map[string]string // changed tenant properties in JSON, by id
	sessions   int
	waiting    int // sessions for their person
}

func holdingsOf(ctx context.Context, w *emulator.World) (h holdings, err error) {
	h.canceled, h.properties = make(map[string]bool), make(map[string]string)
	for v, err := range w.VerificationRequests(ctx) {
		if err != nil {
			return h, err
		}
		h.canceled[v.ID] = v.Progress.State == api.StateCanceled
		if v.SessionID != "" {
			h.sessions++
		}
		if v.Flow.Waiting {
			h.waiting++
		}
	}
	properties, err := w.ListTenantProperties(ctx, "", math.MaxInt)
	for _, p := range properties {
		text, err := json.Marshal(p)
		if err != nil {
			return h, err
		}
		h.properties[p.ID] = string(text)
	}
	return h, err
}

// verdictOf returns the verdict on an attempt beside the baseline, and its reason.
func verdictOf(a, baseline attempt) (verdict, string) {
	repeated := a.insisted()
	if a.stopped && repeated != "" {
		return insists, repeated + ", without end"
	}
	if a.stopped {
		return hangs, "the command had not ended at the limit, after " + command.Count(len(a.entries), "request")
	}
	if why := a.unknown(); a.code != 0 && why != "" {
		return disagrees, why
	}
	if why := a.different(baseline); a.code == 0 && why != "" {
		return disagrees, "the command ended well, and " + why
	}
	if repeated != "" {
		return insists, repeated
	}
	if a.code != 0 {
		return reports, fmt.Sprintf("exit code %d", a.code)
	}
	return survives, ""
}

// broken says how an answer came that did not arrive whole.
var broken = map[string]string{
	string(scenarios.Truncated): "was answered by half a body",
	string(scenarios.Malformed): "was answered by bytes that are not HTTP",
	string(scenarios.Dribble):   "was answered in pieces for which the command did not wait",
	"":                          "was answered after the command had left",
}

// unknown names a request of a command that failed which the service carried out, and whose answer did not arrive: the command could
// have asked for the outcome. Nobody can ask for a session whose answer was lost, nor for a property when no answer arrives.
func (a attempt) unknown() string {
	for _, op := range api.Operations() {
		for _, e := range a.callsOf(op.Name) {
			how, lost := broken[e.Fault]
			if !lost || a.whole[e.ID] || e.Status >= 300 {
				continue
			}
			done := ""
			switch id, _ := coverage.IDIn(op, e.Path); {
			case op.Name == "cancelVerificationRequest" && a.held.canceled[id]:
				done = fmt.Sprintf("your cancel of %s %s, and the command ended with an error: the service has canceled it", id, how)
			case op.Name == "updateTenantProperty" && a.held.properties[id] != "" && !a.part.every:
				done = fmt.Sprintf("your update of %s %s, and the command ended with an error: the service has updated it", id, how)
			}
			if done != "" {
				return done
			}
		}
	}
	return ""
}

// different says what a service holds otherwise than in the baseline, of all that the command wrote in one of them.
func (a attempt) different(baseline attempt) string {
	for _, id := range written(baseline, a, "cancelVerificationRequest") {
		switch was, is := baseline.held.canceled[id], a.held.canceled[id]; {
		case was && !is:
			return "the service has not canceled " + id
		case !was && is:
			return "the service has canceled " + id + ", as it did not in the baseline"
		}
	}
	for _, id := range written(baseline, a, "updateTenantProperty") {
		if baseline.held.properties[id] != a.held.properties[id] {
			return "the service has not updated " + id + " as in the baseline"
		}
	}
	if was, is := baseline.held.sessions, a.held.sessions; was != is {
		return fmt.Sprintf("the service has %s in place of %d", command.Count(is, "session"), was)
	}
	return ""
}

// written returns the ids for which an operation was called in one of two attempts.
func written(a, b attempt, operation string) []string {
	ids := make(map[string]bool)
	for _, op := range api.Operations() {
		if op.Name == operation {
			for _, e := range slices.Concat(a.callsOf(operation), b.callsOf(operation)) {
				id, _ := coverage.IDIn(op, e.Path)
				ids[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// final are the statuses of refusals that do not change when a request is sent again.
var final = []int{400, 401, 403, 404, 406, 451, 501}

// maxFinal is how often a request may be refused so.
const maxFinal = 2

// insisted names a request that the command sent too often, or too early.
func (a attempt) insisted() string {
	type same struct{ method, path, query, body string }
	sent := make(map[same][]*emulator.JournalEntry)
	for _, e := range a.entries {
		request := same{e.Method, e.Path, e.Query, ""}
		if body := e.Request(); body != nil {
			request.body = string(body.JSON)
		}
		before := sent[request]
		sent[request] = append(before, e)
		times := 1
		for _, other := range before {
			if other.Status == e.Status {
				times++
			}
		}
		if slices.Contains(final, e.Status) && times > maxFinal {
			return fmt.Sprintf("%s %s was sent %d times and more, and %d does not change", e.Method, e.Path, times, e.Status)
		}
		if len(before) == 0 {
			continue
		}
		last := before[len(before)-1]
		waited, wanted := e.Wall.Sub(last.Wall.Add(last.Duration)), retryAfter(last)
		if wanted > 0 && waited < wanted-tolerance {
			return fmt.Sprintf("%s %s was sent again after %s, and Retry-After asked for %s", e.Method, e.Path, max(0, waited).Round(10*time.Millisecond), wanted)
		}
	}
	return ""
}

// tolerance is how early a request may come after Retry-After: clients round.
const tolerance = 50 * time.Millisecond

// retryAfter returns how long an answer asks to wait, 0 when it does not. A date counts from the date of the answer.
func retryAfter(e *emulator.JournalEntry) time.Duration {
	header := make(http.Header)
	for _, h := range e.ResponseHeaders {
		header.Set(h.Name, h.Value)
	}
	after := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(after); err == nil {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(after)
	if err != nil {
		return 0
	}
	from, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return until.Sub(from)
}
