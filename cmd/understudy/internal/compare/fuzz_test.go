package compare

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// A read that is accepted stays below one of the two paths, and means the same when it is written and read again.
func FuzzParseFile(f *testing.F) {
	f.Add("# two\n\nGET /verification-requests/vr_1?income_analytics=true\r\n  GET  /qualification-checks/qc_1  \n")
	f.Add("GET /verification-requests/a?fields=id,state&fields=%00")
	f.Add("GET /verification-requests/..\nPUT /x")
	f.Fuzz(func(t *testing.T, text string) {
		requests, err := parseFile("reads.txt", text)
		if err != nil {
			return
		}
		for _, request := range requests {
			reread, err := parseFile("reads.txt", request.String())
			if err != nil || len(reread) != 1 || reread[0].String() != request.String() {
				t.Errorf("%s is read again as %v: %v", request, reread, err)
			}
			if path, _, _ := strings.Cut(request.target(), "?"); strings.Count(path, "/") != 2 || strings.Contains(path, "/..") {
				t.Errorf("%s is accepted", request)
			}
		}
	})
}

// Any answer is reported, and no report has a text of it that is no key and no word.
func FuzzAnswer(f *testing.F) {
	f.Add(200, `{"id":"vr_1","state":"done","reports":[{"paystubs":[{"gross":"1"}]}],"metadata":{"a":"b"}}`)
	f.Add(404, `{"error":{"message":"Not Found"}}`)
	f.Add(302, "")
	f.Add(200, `[null,{"id":1e999}]`)
	requests, err := parseFile("reads.txt", "GET /verification-requests/vr_1\nGET /qualification-checks/qc_1\n")
	if err != nil {
		f.Fatal(err)
	}
	const secret = "987-65-4320"
	f.Fuzz(func(t *testing.T, status int, template string) {
		body := strings.ReplaceAll(template, "b", secret)
		header := http.Header{"Content-Type": {"application/json"}}
		for _, request := range requests {
			var found []Finding
			for f := range newAnswer(status, header, []byte(body)).read(request).found {
				found = append(found, f)
			}
			shown, err := json.Marshal(found)
			commandtest.NoError(t, err)
			if strings.Contains(string(shown), secret) {
				t.Errorf("%d %s: the report has the value: %s", status, body, shown)
			}
		}
	})
}
