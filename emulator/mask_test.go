package emulator_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab/unmask"
)

// writings are some ways to write an SSN: package mask has the others.
var writings = map[string]string{
	"dashed": "123-45-6789", "digits": "123456789", "percent": "%31%32%33%2d45%2d6789", "JSON": `\u0031\u0032\u0033-45-6789`, "references": "&#49;&#50;&#51;-45-6789",
}

// inPath returns a text as a segment of a path or a parameter of a query, where it is not one already.
func inPath(text string) string {
	if strings.Contains(text, "%") {
		return text
	}
	return url.PathEscape(text)
}

// inJSON returns a text as the content of a JSON string, where it is not one already.
func inJSON(text string) string {
	if strings.HasPrefix(text, `\u`) {
		return text
	}
	return strings.ReplaceAll(text, `\`, `\\`)
}

// An SSN in any part of a request is shown nowhere: not in the answer, the journal, a snapshot, the console,
// the metrics or the log.
func TestMaskEverywhere(t *testing.T) {
	t.Parallel()
	for name, ssn := range writings {
		path, text := inPath(ssn), inJSON(ssn)
		wires := map[string]string{
			"the id":               request("GET", "/verification-requests/"+path, lab.Key, ""),
			"the path":             request("GET", "/"+path+"/x", lab.Key, ""),
			"the action":           request("PUT", "/verification-requests/vr_processing/"+path, lab.Key, "{}"),
			"the query":            request("GET", "/verification-requests/vr_completed?a="+path, lab.Key, ""),
			"a parameter":          request("GET", "/verification-requests/vr_completed?"+path+"=1", lab.Key, ""),
			"the query as it is":   request("GET", "/verification-requests/vr_completed?"+strings.ReplaceAll(ssn, " ", "+"), lab.Key, ""),
			"the fields":           request("GET", "/verification-requests/vr_completed?fields=id,"+path, lab.Key, ""),
			"the flag":             request("GET", "/verification-requests/vr_completed?income_analytics="+path, lab.Key, ""),
			"Accept":               request("GET", "/verification-requests/vr_completed", lab.Key, "", "Accept: application/json; version="+ssn),
			"User-Agent":           request("GET", "/verification-requests/vr_completed", lab.Key, "", "User-Agent: "+ssn),
			"Idempotency-Key":      request("POST", "/credentials/session", lab.Key, "{}", "Idempotency-Key: "+ssn),
			"Content-Encoding":     request("PUT", "/tenant-properties/tp_default", lab.Key, "{}", "Content-Encoding: "+ssn),
			"the key":              request("GET", "/verification-requests/vr_completed", ssn, ""),
			"a name in the body":   request("PUT", "/tenant-properties/tp_default", lab.Key, `{"`+text+`":1}`),
			"a value in the body":  request("PUT", "/verification-requests/vr_processing/cancel", lab.Key, `{"cancellation_reason":"`+text+`"}`),
			"a nested value":       request("POST", "/credentials/session", lab.Key, `{"target":{"x":["`+text+`"]}}`),
			"a body of text":       request("PUT", "/tenant-properties/tp_default", lab.Key, `name=`+ssn),
			"a world's id":         request("GET", lab.Control+"clock?world="+path, lab.Key, ""),
			"a call":               request("GET", lab.Control+path, lab.Key, ""),
			"a scenario's name":    request("PUT", lab.Control+"scenarios/"+path, lab.Key, "name: x"),
			"a scenario's text":    request("PUT", lab.Control+"scenarios/mine", lab.Key, "name: mine\nmagic: {id: vr_x}\n\""+strings.ReplaceAll(text, "\u0000", "")+"\": 1"),
			"a resource":           request("PATCH", lab.Control+"verification-requests/"+path, lab.Key, `{"state":"completed"}`),
			"a filter":             request("GET", lab.Control+"journal?path="+path, lab.Key, ""),
			"a matcher":            request("POST", lab.Control+"journal/verify", lab.Key, `{"match":{"path":"/`+text+`","body":{"contains":{"a":"`+text+`"}}},"exactly":1}`),
			"a fault's id":         request("DELETE", lab.Control+"faults/"+path, lab.Key, ""),
			"an unknown parameter": request("GET", lab.Control+"worlds?"+path+"=1", lab.Key, ""),
			"a clock":              request("PUT", lab.Control+"clock", lab.Key, `{"now":"`+text+`"}`),
		}
		if _, err := http.NewRequest(ssn, "/", nil); err == nil {
			wires["the method"] = request(ssn, "/verification-requests/vr_completed", lab.Key, "")
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			z := newFuzzed(t)
			shown := map[string]string{}
			for part, wire := range wires {
				shown["answer to "+part] = z.wire(wire)
			}
			for where, text := range z.everywhere() {
				shown[where] = text
			}
			for where, text := range shown {
				if found := unmask.SSN(text); found != "" {
					t.Errorf("%s is in the %s: …%s", ssn, where, found)
				}
			}
		})
	}
}

// wire returns the answer to a request as it is, with its header: "" when the request is not valid HTTP.
func (z *fuzzed) wire(wire string) string {
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(wire)))
	if err != nil {
		return ""
	}
	answer := z.serve(r)()
	body, _ := io.ReadAll(answer.Body) // of a recorder
	return fmt.Sprint(answer.Header, string(body))
}

// everywhere returns the log, and all that the control plane and the console show of the world of key.
func (z *fuzzed) everywhere() map[string]string {
	shown := map[string]string{"log": z.log.String()}
	id := worldID.FindString(z.wire(request("GET", lab.Control+"clock", lab.Key, "")))
	for _, path := range []string{
		"v1/journal?limit=100", "v1/unmatched-requests?limit=100", "v1/snapshot", "v1/worlds", "", "v1/faults", "v1/scenarios", "v1/verification-requests", "metrics",
		"worlds", "worlds/" + id, "worlds/" + id + "/journal/", "worlds/" + id + "/faults",
	} {
		shown[path] = z.wire(request("GET", "/_understudy/"+path, lab.Key, ""))
	}
	if entries := len(entryID.FindAllString(shown["v1/journal?limit=100"], -1)); entries < 10 {
		shown["nothing"] = fmt.Sprintf("123-45-6789: only %d requests were recorded", entries)
	}
	for _, entry := range entryID.FindAllString(shown["v1/journal?limit=100"], -1) {
		shown["entry "+entry] = z.wire(request("GET", "/_understudy/worlds/"+id+"/journal/"+entry, lab.Key, ""))
	}
	return shown
}

var (
	worldID = regexp.MustCompile(`[0-9a-f]{24}`)
	entryID = regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}`)
)
