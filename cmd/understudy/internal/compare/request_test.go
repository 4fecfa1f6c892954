package compare

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

func TestParseArgument(t *testing.T) {
	t.Parallel()
	for argument, want := range map[string]string{
		"vr_1":                            "GET /verification-requests/vr_1",
		"qc_1":                            "GET /qualification-checks/qc_1",
		"/verification-requests/0a-b":     "GET /verification-requests/0a-b",
		"/verification-requests/a?fields": "GET /verification-requests/a?fields=",
		"/verification-requests/a?income_analytics=true&fields=id,state": "GET /verification-requests/a?fields=id%2Cstate&income_analytics=true",

		"tp_1":                                   "no operation of the document reads a tenant property",
		"cs_1":                                   "begins with neither vr_ nor qc_",
		"vr_":                                    "GET /verification-requests/vr_",
		"vr_1/cancel":                            "is refused: the document reads",
		"vr_1/../../other":                       "is refused: the document reads",
		"/verification-requests/":                "is refused: the document reads",
		"/verification-requests/..":              "is refused: the document reads",
		"/verification-requests/a%2Fb":           "is refused: the document reads",
		"//other.example/verification-requests/": "is refused: the document reads",
		"/tenant-properties/tp_1":                "is refused: the document reads",
		"/verification-requests/a?x=1":           `has no query parameter "x"`,
		"/qualification-checks/a?fields=id":      `has no query parameter "fields"`,
		"/verification-requests/a?%zz":           "has an invalid query",
	} {
		request, err := parseArgument(argument)
		if err == nil && request.String() != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %v, want %s", argument, request, err, want)
		}
	}
}

func TestParseFile(t *testing.T) {
	t.Parallel()
	requests, err := parseFile("reads.txt", "# two\n\nGET /verification-requests/vr_1\r\n  GET  /qualification-checks/qc_1  \n")
	commandtest.NoError(t, err)
	var got []string
	for _, request := range requests {
		got = append(got, request.String())
	}
	if diff := cmp.Diff([]string{"GET /verification-requests/vr_1", "GET /qualification-checks/qc_1"}, got); diff != "" {
		t.Error(diff)
	}
	_, err = parseFile("reads.txt", "PUT /verification-requests/vr_1/cancel\n# ok\nget /verification-requests/vr_1\nGET https://other.example/verification-requests/a\nGET")
	if err == nil {
		t.Fatal("no error")
	}
	const writes = "the line is refused: only reads are sent: write GET /verification-requests/ID\n"
	const reads = " is refused: the document reads /verification-requests/ID and /qualification-checks/ID only"
	want := `reads.txt:1: ` + writes + `reads.txt:3: ` + writes +
		`reads.txt:4: "https://other.example/verification-requests/a"` + reads + "\n" + `reads.txt:5: ""` + reads
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}
